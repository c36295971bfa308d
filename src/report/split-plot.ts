/** The picture of splits as one self-contained SVG text: a row a split, the cases in start order, what each is there. */
import type { Markish } from "@observablehq/plot";
import { shownWords } from "./cutoff-words.ts";
import { letteredSvg } from "./lettered-svg.ts";
import { counted } from "./shown-figures.ts";
import { type Band, bands, columnWords, type SplitRow } from "./split-rows.ts";
import { INK, type Plotting, QUIET } from "./svg-picture.ts";

const LEFT = 56;
const KEY = 24;
const AXIS = 40;
const TALLEST = 20;
const LEAST = 7;
const ROWS_HEIGHT = 420;
/** Columns of a picture; fewer where there are fewer cases. */
export const PLOT_COLUMNS = 320;

/** Apart in lightness, so that they are apart without colour too. */
const COLOURS: { readonly [band in Band]: string } = {
  train: "#bcd0de",
  test: "#0b4f80",
  purged: "#c24e12",
  embargoed: "#f0b53c",
  unused: "#f4f4f4",
};

export type SplitPicture = {
  readonly title: string;
  readonly cases: number;
  /** Of all splits; the rows are the first of them. */
  readonly splits: number;
  /** When the first and the last case start. */
  readonly span: readonly [first: string, last: string];
};

/** 720 wide; bytes depend on the arguments alone. */
export async function splitSvg(rows: readonly SplitRow[], picture: SplitPicture): Promise<string> {
  const height = Math.max(LEAST, Math.min(TALLEST, ROWS_HEIGHT / rows.length));
  const columns = Math.max(...rows.map((row) => row.columns.length));
  const scales = {
    x: { type: "linear", domain: [0, columns], axis: null },
    y: { type: "linear", domain: [rows.length, 0], axis: null },
  } as const;
  return letteredSvg(
    { title: picture.title, caption: captionOf(rows, picture) },
    { height: height * rows.length, left: LEFT, above: KEY, axis: AXIS },
    scales,
    (Plot) => [rowMarks(Plot, rows), axisMarks(Plot, rows, picture, columns), keyMarks(Plot, rows, columns)],
  );
}

function rowMarks(Plot: Plotting, rows: readonly SplitRow[]): Markish {
  const runs = rows.flatMap(({ columns }, row) =>
    runsOfBands(columns).map(({ band, from, to }) => ({ band, from, to, row })),
  );
  return Plot.rect(runs, {
    x1: "from",
    x2: "to",
    y1: ({ row }: { row: number }) => row + 0.08,
    y2: ({ row }: { row: number }) => row + 0.92,
    fill: ({ band }: { band: Band }) => COLOURS[band],
  });
}

function runsOfBands(columns: readonly Band[]): { band: Band; from: number; to: number }[] {
  const runs: { band: Band; from: number; to: number }[] = [];
  for (const [i, band] of columns.entries()) {
    const last = runs.at(-1);
    if (last?.band === band) last.to = i + 1;
    else runs.push({ band, from: i, to: i + 1 });
  }
  return runs;
}

function axisMarks(
  Plot: Plotting,
  rows: readonly SplitRow[],
  { span }: SplitPicture,
  columns: number,
): Markish {
  const every = Math.ceil(rows.length / 30);
  const numbered = rows.flatMap(({ number }, row) => (row % every === 0 ? [{ number, row }] : []));
  const below = { y: () => rows.length, dy: 14, fontSize: 11, fill: INK } as const;
  return [
    Plot.text(numbered, {
      x: () => 0,
      y: ({ row }: { row: number }) => row + 0.5,
      text: ({ number }: { number: number }) => String(number),
      dx: -8,
      textAnchor: "end",
      fontSize: 11,
      fill: INK,
    }),
    Plot.text(["split"], {
      x: () => 0,
      y: () => 0,
      dx: -8,
      dy: -8,
      textAnchor: "end",
      fontSize: 11,
      fill: QUIET,
    }),
    Plot.text([shownWords(span[0])], { ...below, x: () => 0, textAnchor: "start" }),
    Plot.text([shownWords(span[1])], { ...below, x: () => columns, textAnchor: "end" }),
    Plot.text(["cases in start order"], { ...below, x: () => columns / 2, fill: QUIET }),
  ];
}

/** Each set that is there, in its colour. */
function keyMarks(Plot: Plotting, rows: readonly SplitRow[], columns: number): Markish {
  const keys = bands.filter((band) => rows.some(({ sizes }) => sizes[band] > 0));
  const at = (i: number) => (i * columns) / 6;
  return keys.map((band, i) => [
    Plot.text(["■"], {
      x: () => at(i),
      y: () => 0,
      dy: -12,
      textAnchor: "start",
      fontSize: 13,
      fill: COLOURS[band],
    }),
    Plot.text([band], {
      x: () => at(i),
      y: () => 0,
      dx: 15,
      dy: -12,
      textAnchor: "start",
      fontSize: 11,
      fill: INK,
    }),
  ]);
}

function captionOf(rows: readonly SplitRow[], { cases, splits }: SplitPicture): string[] {
  const each = columnWords(cases, Math.max(...rows.map((row) => row.columns.length)));
  const scale =
    each === null ? "" : ` A column is ${each}, and shows a purged or embargoed one where it has one.`;
  const first = splits > rows.length ? ` The first ${rows.length} of ${splits} splits.` : "";
  return [`${counted(cases, "case")}.${scale}${first}`];
}
