/** A member that never was: in its table before a case's window, priced like another, and delisted inside the window. */
import type { DecisionCase } from "../caseset/decision-case.ts";
import { type Instant, instant, MICROS_PER_DAY } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import type { Stream } from "../core/random.ts";
import type { Cell } from "../core/row-ref.ts";
import type { StagedRows, StageSet } from "../run/staging.ts";
import { knownNames } from "../store/known-names.ts";
import { selectMembers } from "../store/membership.ts";
import { availableAs, type Spelled, type StagedParts, spelledAs, stagedRow } from "../store/staged-row.ts";
import { cellOf, type Table } from "../store/table.ts";
import type { ExecutionTerms } from "./execution.ts";
import { stagedName } from "./staged-name.ts";
import { type PricePath, pricePath, scaledCells } from "./staged-path.ts";
import type { UniverseTerms } from "./universe.ts";

/** Of a profile: which tables say who the members are, what they cost, what became of them. */
export type MemberTerms = { readonly universe: UniverseTerms; readonly prices: ExecutionTerms["prices"] };

type Scene = StageSet & {
  readonly members: Table;
  readonly prices: Table;
  readonly delistings: Table;
  readonly priceColumns: readonly number[];
  readonly returnColumn: number;
  readonly horizon: Instant;
  readonly window: readonly [Instant, Instant];
};

/**
 * A stint that begins before the window and ends inside it, prices copied from a member of that time and scaled, a return
 * from −1 to −0.3; all available by the horizon. null where the case does not read the three tables, or no member at the
 * window's beginning has two prices in it that were known at the horizon.
 */
export function stageMember(item: DecisionCase, terms: MemberTerms, of: StageSet): StagedRows | null {
  const scene = sceneOf(item, terms, of);
  if (scene === null) return null;
  const { members, prices, priceColumns, horizon, window, dice } = scene;
  const names = namesIn(members, selectMembers(members, horizon, [], window[0]).rows);
  for (const like of shuffled(names, dice).slice(0, limits.plantDraws)) {
    const path = pricePath(prices, priceColumns, like, scene);
    if (path === null) continue;
    const name = stagedName(like, names, takenNames(scene), dice);
    const staged = name === null ? null : stageAlong(scene, path, name);
    if (staged !== null) return staged;
  }
  return null;
}

function sceneOf(item: DecisionCase, { universe, prices: priced }: MemberTerms, of: StageSet): Scene | null {
  const [members, prices, delistings] = [universe.table, priced.table, universe.delistings.table].map(
    (name) => (item.reads.includes(name) ? of.store.tables.get(name) : undefined),
  );
  const { horizon, window } = item;
  if (members === undefined || prices === undefined || delistings === undefined) return null;
  const returnColumn = delistings.columnIndex.get(universe.delistings.column);
  if (window === null || members.ends === null || returnColumn === undefined) return null;
  if ([members, prices, delistings].some(({ entity }) => entity === null)) return null;
  const priceColumns = priced.columns.map((name) => prices.columnIndex.get(name) as number);
  return { ...of, members, prices, delistings, priceColumns, returnColumn, horizon, window };
}

function namesIn(table: Table, versions: Iterable<number>): Cell[] {
  const names = [...versions].map((version) => cellOf(table, version, table.entity as number) ?? null);
  return [...new Set(names)].filter((name) => name !== null);
}

/** Names of anybody in the three tables, now or later, and whatever a plant says. */
function takenNames({ members, prices, delistings, plants }: Scene): (name: string) => boolean {
  const real = [members, prices, delistings].map(knownNames);
  const planted = new Set(plants.flatMap(({ cells }) => cells.map(String)));
  return (name) => planted.has(name) || real.some((names) => names.has(name));
}

function shuffled<T>(items: readonly T[], dice: Stream): T[] {
  const drawn = [...items];
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = dice.below(i + 1);
    [drawn[i], drawn[j]] = [drawn[j] as T, drawn[i] as T];
  }
  return drawn;
}

/** When it left, as each table writes it, and when that was known. */
type Leaving = {
  readonly end: Spelled;
  readonly known: ReturnType<typeof availableAs>;
  readonly valid: Spelled;
  readonly told: ReturnType<typeof availableAs>;
};

function stageAlong(scene: Scene, path: PricePath, name: Cell): StagedRows | null {
  const { members, prices, delistings, priceColumns, returnColumn, dice, horizon } = scene;
  const joined = joinedAt(scene, path);
  const leavings = leavingsOf(scene, path, joined.at);
  if (leavings.length === 0) return null;
  const { end, known, valid, told } = leavings[dice.below(leavings.length)] as Leaving;
  const taken = new Set(scene.plants.map(({ ref }) => ref));
  const stage = (table: Table, { cells, ...times }: StagedParts) =>
    stagedRow(
      table,
      { ...times, cells: new Map([...cells, [table.entity as number, name]]) },
      { horizon, dice, taken },
    );
  const stint = stage(members, {
    valid: joined.at,
    end: end.at,
    available: known.at,
    cells: new Map([
      [members.endColumn as number, end.cell],
      ...saidCell(members, known),
      [members.validColumn, joined.cell],
    ]),
  });
  const cellsOf = scaledCells(prices, priceColumns, path, dice);
  const priced = [...path.before, ...path.within]
    .filter((version) => isBetween(prices.valid[version] as number, joined.at, end.at))
    .map((version) =>
      stage(prices, {
        valid: prices.valid[version] as Instant,
        end: prices.ends?.[version] ?? Number.POSITIVE_INFINITY,
        available: prices.available[version] as Instant,
        cells: cellsOf(version),
      }),
    );
  const must = stage(delistings, {
    valid: valid.at,
    end: Number.POSITIVE_INFINITY,
    available: told.at,
    cells: new Map([
      ...saidCell(delistings, told),
      [delistings.validColumn, valid.cell],
      [returnColumn, drawReturn(dice)],
    ]),
  });
  const rows = [stint, ...priced, must].filter((row) => row !== null);
  if (must === null || rows.length < priced.length + 2) return null;
  return { rows, must, entity: String(name) };
}

/** Half-open, as stints are. */
const isBetween = (at: number, from: number, to: number): boolean => at >= from && at < to;

const saidCell = (
  { availableColumn }: Table,
  { cell }: ReturnType<typeof availableAs>,
): readonly (readonly [number, Cell])[] =>
  availableColumn === null || cell === undefined ? [] : [[availableColumn, cell]];

/** Days before the window at most, where no price says when one may have joined. */
const MOST_DAYS = 60;

function joinedAt({ members, prices, window, zone, dice }: Scene, { before }: PricePath): Spelled {
  const drawn =
    before.length > 0
      ? (prices.valid[before[dice.below(before.length)] as number] as Instant)
      : instant(window[0] - (1 + dice.below(MOST_DAYS)) * MICROS_PER_DAY);
  return spelledAs(members, members.validColumn, members.zone ?? zone, drawn);
}

/** With a price in the window before it, and another that the member whose prices they are had from then on. */
function leavingsOf(scene: Scene, { within }: PricePath, joined: Instant): Leaving[] {
  const { members, prices, delistings, zone, horizon, window } = scene;
  const first = prices.valid[within[0] as number] as number;
  return within.slice(1).flatMap((version) => {
    const left = prices.valid[version] as Instant;
    const end = spelledAs(members, members.endColumn as number, members.zone ?? zone, left);
    const known = availableAs(members, members.zone ?? zone, joined, end.at);
    const valid = spelledAs(delistings, delistings.validColumn, delistings.zone ?? zone, end.at);
    const told = availableAs(delistings, delistings.zone ?? zone, valid.at, valid.at);
    const inside = end.at > Math.max(first, window[0]) && end.at <= window[1];
    return inside && Math.max(known.at, valid.at, told.at) <= horizon ? [{ end, known, valid, told }] : [];
  });
}

/** From −1 to −0.3, of four decimals. */
const drawReturn = (dice: Stream): number => -(3000 + dice.below(7001)) / 10_000;
