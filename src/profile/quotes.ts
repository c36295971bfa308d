/** Prices as they became available: per entity the path of its price cells, each with its versions, in columns. */
import { formatInstant, type Instant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { type Complain, strict } from "../core/refusal.ts";
import { countUpTo } from "../store/as-of.ts";

/**
 * One version of one price cell, as it became available. `ref` names its row, `column` the cell; the first version of a
 * cell has `available` = `firstAvailable`, a restatement a later one.
 */
export type Quote = {
  readonly ref: string;
  readonly entity: string;
  readonly column: string;
  readonly valid: Instant;
  readonly available: Instant;
  readonly firstAvailable: Instant;
  readonly value: number;
};

/**
 * The prices of one entity in the order in which they first became available; of one instant, by valid time and then by
 * the order of the columns. A cell that first became available after one of a later valid time is history that came
 * late: nobody could trade at it, and it marks nothing, so it is not here.
 */
export type PriceSeries = {
  readonly entity: string;
  readonly firstAvailable: Float64Array;
  readonly valid: Float64Array;
  /** Index into the columns. */
  readonly column: Int32Array;
  readonly refs: readonly string[];
  /** The versions of price `i`: `versionStart[i]` to `versionStart[i + 1]`, by available time. */
  readonly versionStart: Int32Array;
  readonly versionValid: Float64Array;
  readonly available: Float64Array;
  readonly values: Float64Array;
};

export type Quotes = {
  readonly columns: readonly string[];
  readonly series: ReadonlyMap<string, PriceSeries>;
};

/**
 * Groups quotes, in any order, by entity; `columns` in the order of a day. O(n log n). Refuses PriceInvalid (not a number
 * above 0), PriceDuplicate (two prices of one entity, column and valid instant; two versions of one instant) and
 * FieldInvalid (another column). RangeError where the first version of a cell is not there.
 */
export function quotesOf(
  quotes: Iterable<Quote>,
  columns: readonly string[],
  complain: Complain = strict,
): Quotes {
  const builders = new Map<string, Builder>();
  for (const quote of quotes) {
    const column = columns.indexOf(quote.column);
    if (column < 0) {
      const expected = `one of ${columns.join(", ")}`;
      complain("FieldInvalid", { place: quote.ref, field: "column", found: quote.column, expected });
      continue;
    }
    if (!isPrice(quote.value)) {
      const { entity, value } = quote;
      complain("PriceInvalid", { place: quote.ref, entity, column: quote.column, found: String(value) });
      continue;
    }
    let builder = builders.get(quote.entity);
    if (builder === undefined) {
      builder = { refs: [], column: [], valid: [], available: [], first: [], value: [] };
      builders.set(quote.entity, builder);
    }
    builder.refs.push(quote.ref);
    builder.column.push(column);
    builder.valid.push(quote.valid);
    builder.available.push(quote.available);
    builder.first.push(quote.firstAvailable);
    builder.value.push(quote.value);
  }
  const entities = [...builders.keys()].sort();
  const series = entities.map((entity): [string, PriceSeries] => [
    entity,
    seriesOf(entity, builders.get(entity) as Builder, columns, complain),
  ]);
  return { columns, series: new Map(series) };
}

export const isPrice = (value: number): boolean => value >= 1 / limits.quoted && value <= limits.quoted;

/** The first price whose available instant is strictly after `at`, by its index, or -1. O(log n). */
export function firstPriceAfter(series: PriceSeries, at: number): number {
  const index = countUpTo(series.firstAvailable, at);
  return index < series.firstAvailable.length ? index : -1;
}

/** What a price was when it first became available. */
export function firstValue(series: PriceSeries, index: number): number {
  return series.values[series.versionStart[index] as number] as number;
}

/** The latest price that is available at `at` (inclusive), in the version known then; NaN where there is none. O(log n). */
export function priceAt(series: PriceSeries, at: number): number {
  const index = countUpTo(series.firstAvailable, at) - 1;
  if (index < 0) return Number.NaN;
  const from = series.versionStart[index] as number;
  const known = countUpTo(series.available, at, from, series.versionStart[index + 1] as number);
  return series.values[from + known - 1] as number;
}

/** A price of a path: what it was when it first became available. */
export type PricePoint = { readonly available: Instant; readonly value: number };

/** The prices of an entity whose available instant is strictly after `after`, in order. */
export function* pricesAfter(quotes: Quotes, entity: string, after: number): Generator<PricePoint> {
  const series = quotes.series.get(entity);
  if (series === undefined) return;
  const start = firstPriceAfter(series, after);
  for (let i = start; i >= 0 && i < series.firstAvailable.length; i++)
    yield { available: series.firstAvailable[i] as Instant, value: firstValue(series, i) };
}

/** The quotes of some entities that first became available after `after`, in their versions by `until` (inclusive). */
export function* quotesBetween(
  quotes: Quotes,
  entities: Iterable<string>,
  after: number,
  until: number,
): Generator<Quote> {
  for (const entity of [...new Set(entities)].sort()) {
    const series = quotes.series.get(entity);
    if (series === undefined) continue;
    for (let i = firstPriceAfter(series, after); i >= 0 && i < series.refs.length; i++) {
      if ((series.firstAvailable[i] as number) > until) break;
      yield* versionsUntil(quotes.columns, series, i, until);
    }
  }
}

function* versionsUntil(columns: readonly string[], series: PriceSeries, i: number, until: number) {
  const to = series.versionStart[i + 1] as number;
  for (let v = series.versionStart[i] as number; v < to; v++) {
    if ((series.available[v] as number) > until) return;
    yield {
      ref: series.refs[i] as string,
      entity: series.entity,
      column: columns[series.column[i] as number] as string,
      valid: series.versionValid[v] as Instant,
      available: series.available[v] as Instant,
      firstAvailable: series.firstAvailable[i] as Instant,
      value: series.values[v] as number,
    };
  }
}

type Builder = {
  readonly refs: string[];
  readonly column: number[];
  readonly valid: number[];
  readonly available: number[];
  readonly first: number[];
  readonly value: number[];
};

type PriceCell = { readonly from: number; readonly to: number };

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function seriesOf(
  entity: string,
  builder: Builder,
  columns: readonly string[],
  complain: Complain,
): PriceSeries {
  const { refs, column, valid, available, first, value } = builder;
  const at = (values: readonly number[], i: number) => values[i] as number;
  const sameCell = (a: number, b: number) =>
    at(first, a) - at(first, b) ||
    at(column, a) - at(column, b) ||
    compareTexts(refs[a] as string, refs[b] as string);
  const versions = [...refs.keys()].sort((a, b) => sameCell(a, b) || at(available, a) - at(available, b));
  const tell = (version: number, firstPlace: string, instant: number) =>
    complain("PriceDuplicate", {
      place: refs[version] as string,
      entity,
      column: columns[at(column, version)] as string,
      instant: formatInstant(instant),
      first: firstPlace,
    });
  const cells = cellsOf(versions, sameCell, builder, tell);
  const head = (cell: PriceCell) => versions[cell.from] as number;
  const byDay = (a: PriceCell, b: PriceCell) =>
    at(valid, head(a)) - at(valid, head(b)) || at(column, head(a)) - at(column, head(b));
  cells.sort(byDay);
  for (let i = 1; i < cells.length; i++) {
    const [before, here] = [cells[i - 1] as PriceCell, cells[i] as PriceCell];
    if (byDay(before, here) === 0) tell(head(here), refs[head(before)] as string, at(valid, head(here)));
  }
  cells.sort(
    (a, b) =>
      at(first, head(a)) - at(first, head(b)) ||
      byDay(a, b) ||
      compareTexts(refs[head(a)] as string, refs[head(b)] as string),
  );
  const path = advancing(cells, (cell) => at(valid, head(cell)));
  const kept = path.flatMap((cell) => versions.slice(cell.from, cell.to));
  const starts = new Int32Array(path.length + 1);
  path.forEach((cell, i) => {
    starts[i + 1] = (starts[i] as number) + cell.to - cell.from;
  });
  return {
    entity,
    firstAvailable: Float64Array.from(path, (cell) => at(first, head(cell))),
    valid: Float64Array.from(path, (cell) => at(valid, head(cell))),
    column: Int32Array.from(path, (cell) => at(column, head(cell))),
    refs: path.map((cell) => refs[head(cell)] as string),
    versionStart: starts,
    versionValid: Float64Array.from(kept, (i) => at(valid, i)),
    available: Float64Array.from(kept, (i) => at(available, i)),
    values: Float64Array.from(kept, (i) => at(value, i)),
  };
}

/** Runs of versions of one cell; a second version of one instant is told, and stands as the later. */
function cellsOf(
  versions: readonly number[],
  sameCell: (a: number, b: number) => number,
  { refs, available, first }: Builder,
  tell: (version: number, firstPlace: string, instant: number) => void,
): PriceCell[] {
  const cells: PriceCell[] = [];
  for (let from = 0; from < versions.length; ) {
    const head = versions[from] as number;
    if (available[head] !== first[head])
      throw new RangeError(
        `${refs[head]}: its first version, of ${formatInstant(first[head] as number)}, is missing`,
      );
    let to = from + 1;
    for (; to < versions.length && sameCell(head, versions[to] as number) === 0; to++) {
      const here = versions[to] as number;
      if (available[here] === available[versions[to - 1] as number])
        tell(here, refs[head] as string, available[here] as number);
    }
    cells.push({ from, to });
    from = to;
  }
  return cells;
}

/** The cells whose valid time is not before that of a cell that was available before them. */
function advancing(cells: readonly PriceCell[], validOf: (cell: PriceCell) => number): PriceCell[] {
  let latest = -Infinity;
  return cells.filter((cell) => {
    const valid = validOf(cell);
    if (valid < latest) return false;
    latest = valid;
    return true;
  });
}
