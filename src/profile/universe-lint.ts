/** A look at universes: what tables tell of members before it could be known, and where they disagree about them. */
import { formatInstant } from "../core/instant.ts";
import { parseWall } from "../core/local-time.ts";
import type { Place } from "../core/refusal.ts";
import { type Cell, rowRef } from "../core/row-ref.ts";
import { visibleVersion } from "../store/as-of.ts";
import type { Store } from "../store/door.ts";
import { cellOf, keyCells, type Table } from "../store/table.ts";

/** Nothing that would be refused; `found` of `of` identifiers or rows, of which some are named. */
type UniverseWarning = {
  readonly kind:
    | "later-identifier"
    | "dated-identifier"
    | "end-told-ahead"
    | "overlap"
    | "stranger"
    | "rowless";
  readonly place: Place;
  readonly table: string;
  readonly found: number;
  readonly of: number;
  readonly examples: readonly string[];
  readonly message: string;
  readonly hint: string;
};

/** A universe is a table whose valid time is a span; a member's name is its entity, or else the first column of its key. */
type Universe = { readonly table: Table; readonly members: Names };
/** Names, each with the least available time of a version that has it. */
type Names = ReadonlyMap<string, number>;

const SHOWN = 5;

/**
 * Of every table with names: identifiers that tell an outcome from the first day on. Of every universe: ends that stand in a
 * row before they came, stints of one member that overlap in their last versions; of the tables that share a name with it,
 * who never was a member and which members have no row. `delistings`: the table of those that left, in which the others have
 * none. One pass over each table.
 */
export function universeWarnings(store: Store, delistings: string | null = null): readonly UniverseWarning[] {
  const tables = [...store.tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const named = tables.flatMap((table) => {
    const column = table.entity ?? (table.ends === null ? undefined : table.keyColumns[0]);
    return column === undefined ? [] : [{ table, members: firstAvailable(table, column) }];
  });
  const universes = named.filter(({ table }) => table.ends !== null);
  const others = named.filter(({ table }) => table.ends === null);
  return [
    ...named.flatMap(({ table, members }) => [...laterNames(table, members), ...datedNames(table, members)]),
    ...universes.flatMap(({ table }) => [...endsToldAhead(table), ...overlaps(table)]),
    ...universes.flatMap((universe) =>
      others.flatMap((other) => strangers(universe, other, other.table.name === delistings)),
    ),
  ];
}

function firstAvailable(table: Table, column: number): Names {
  const first = new Map<string, number>();
  for (let version = 0; version < table.count; version++) {
    const cell = table.retracted?.[version] === 1 ? null : (cellOf(table, version, column) ?? null);
    if (cell === null || cell === "") continue;
    const available = table.available[version] as number;
    const known = first.get(String(cell));
    if (known === undefined || available < known) first.set(String(cell), available);
  }
  return first;
}

/** Of US symbols: four letters and the mark that a bankruptcy puts behind them. */
const BANKRUPT = /^[A-Z]{4}Q$/;

function laterNames(table: Table, names: Names): UniverseWarning[] {
  const found = [...names.keys()].filter((name) => BANKRUPT.test(name)).sort();
  return warning(table, "later-identifier", found, names.size, {
    what: "identifiers end in Q, which a ticker is given at its bankruptcy, and did so from their first row on",
    hint: "name a member as it was called then, or by a number that says nothing; a reader that sees these knows how they end",
  });
}

const DATED = /[^\p{L}\p{N}]((?:19|20)\d{2})-?(\d{2})(?:-?(\d{2}))?$/u;

function datedNames(table: Table, names: Names): UniverseWarning[] {
  const found = [...names].flatMap(([name, first]) => {
    const [, year, month, day = "01"] = DATED.exec(name) ?? [];
    const told = year === undefined ? undefined : parseWall(`${year}-${month}-${day}`);
    return told === undefined || told <= first ? [] : [name];
  });
  return warning(table, "dated-identifier", found.sort(), names.size, {
    what: "identifiers end in a date that is later than the instant at which they were first available",
    hint: "name a member without the date of its end; a reader that sees these knows when they leave",
  });
}

/** Where a table may speak of the future, an end that stands ahead was announced. */
function endsToldAhead(table: Table): UniverseWarning[] {
  if (table.forward) return [];
  const found: string[] = [];
  let ends = 0;
  for (let version = 0; version < table.count; version++) {
    const end = (table.ends as Float64Array)[version] as number;
    if (end === Number.POSITIVE_INFINITY || table.retracted?.[version] === 1) continue;
    ends++;
    const available = table.available[version] as number;
    if (end <= available) continue;
    const ref = rowRef(table.name, keyCells(table, version));
    found.push(`${ref} ends ${formatInstant(end)}, available ${formatInstant(available)}`);
  }
  return warning(table, "end-told-ahead", found, ends, {
    what: "rows with an end were available before it came",
    hint: "give a row twice: available at its start without the end, and when the end was announced, with it; ends that are announced ahead need `forward: true`",
  });
}

function overlaps(table: Table): UniverseWarning[] {
  const stints = new Map<Cell, number[]>();
  const { valid } = table;
  const ends = table.ends as Float64Array;
  const column = table.entity ?? (table.keyColumns[0] as number);
  for (let key = 0; key < table.keys; key++) {
    const version = visibleVersion(table, key, Number.POSITIVE_INFINITY);
    if (version < 0 || (ends[version] as number) <= (valid[version] as number)) continue;
    const member = cellOf(table, version, column) ?? null;
    const known = stints.get(member);
    if (known === undefined) stints.set(member, [version]);
    else known.push(version);
  }
  const found: string[] = [];
  for (const versions of stints.values()) {
    versions.sort((a, b) => (valid[a] as number) - (valid[b] as number) || a - b);
    let last = versions[0] as number;
    for (const version of versions.slice(1)) {
      const [start, reach] = [valid[version] as number, ends[last] as number];
      if (start < reach) {
        const [one, other] = [last, version].map((each) => rowRef(table.name, keyCells(table, each)));
        const until = reach === Number.POSITIVE_INFINITY ? "without an end" : `until ${formatInstant(reach)}`;
        found.push(`${one} is ${until}, ${other} from ${formatInstant(start)}`);
      }
      if ((ends[version] as number) > reach) last = version;
    }
  }
  return warning(table, "overlap", found, stints.size, {
    what: "stints begin before another of the same member has ended",
    hint: "end the one before the next begins, or a member stands in a reply of `members` twice",
  });
}

/** Both ways, where at least one name is common to them; of a table that is `partial`, members without a row are none. */
function strangers(
  { table: universe, members }: Universe,
  { table, members: names }: Universe,
  partial: boolean,
): UniverseWarning[] {
  const common = [...names.keys()].filter((name) => members.has(name)).length;
  if (common === 0) return [];
  const never = [...names.keys()].filter((name) => !members.has(name)).sort();
  const rowless = partial ? [] : [...members.keys()].filter((name) => !names.has(name)).sort();
  return [
    ...warning(table, "stranger", never, names.size, {
      what: `names are never members of ${universe.name}`,
      hint: "look whether they are members under another name",
    }),
    ...warning(universe, "rowless", rowless, members.size, {
      what: `members have no row in ${table.name}`,
      hint: "those that left are missed most often: without them, what is left has survived",
    }),
  ];
}

type Words = { readonly what: string; readonly hint: string };

function warning(
  table: Table,
  kind: UniverseWarning["kind"],
  all: readonly string[],
  of: number,
  { what, hint }: Words,
): UniverseWarning[] {
  if (all.length === 0) return [];
  const place = table.spec?.place ?? table.name;
  const examples = all.slice(0, SHOWN);
  const shown = `${examples.join("; ")}${all.length > SHOWN ? "; …" : ""}`;
  const message = `${place}: table ${table.name}: ${all.length} of ${of} ${what}: ${shown}`;
  return [{ kind, place, table: table.name, found: all.length, of, examples, message, hint }];
}
