/** Splits as they are shown: how many cases are in each set, and what stands where in start order. */
import type { Split } from "../caseset/splits.ts";

export const bands = ["train", "test", "purged", "embargoed", "unused"] as const;
export type Band = (typeof bands)[number];

export type SplitRow = {
  readonly number: number;
  readonly groups: readonly number[];
  readonly sizes: { readonly [band in Band]: number };
  /** What each column of a picture shows, in start order. */
  readonly columns: readonly Band[];
};

/** `columns` at most; fewer where there are fewer cases, each then of one case. */
export function splitRow(split: Split, columns: number): SplitRow {
  const sizes = Object.fromEntries(bands.map((band) => [band, split[band].length])) as SplitRow["sizes"];
  const cases = bands.reduce((sum, band) => sum + sizes[band], 0);
  return {
    number: split.number,
    groups: split.groups,
    sizes,
    columns: columnsOf(split, cases, Math.min(columns, cases)),
  };
}

/** `2 cases`, `1 to 2 cases`; null where each column is one. */
export function columnWords(cases: number, columns: number): string | null {
  const [least, most] = [Math.floor(cases / columns), Math.ceil(cases / columns)];
  if (most === 1) return null;
  return least === most ? `${most} cases` : `${least} to ${most} cases`;
}

/** A column with a purged case shows it, then one with an embargoed case; otherwise the set that most of its cases are in. */
function columnsOf(split: Split, cases: number, columns: number): Band[] {
  const counts = bands.map((band) => {
    const count = new Int32Array(columns);
    for (const position of split[band]) {
      const column = Math.floor((position * columns) / cases);
      count[column] = (count[column] as number) + 1;
    }
    return count;
  });
  const of = (band: Band, column: number) => counts[bands.indexOf(band)]?.[column] as number;
  return Array.from({ length: columns }, (_, column): Band => {
    if (of("purged", column) > 0) return "purged";
    if (of("embargoed", column) > 0) return "embargoed";
    const most = (["test", "train", "unused"] as const).map((band) => [of(band, column), band] as const);
    return most.reduce((best, one) => (one[0] > best[0] ? one : best))[1];
  });
}
