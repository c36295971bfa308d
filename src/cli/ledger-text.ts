/** Trial ledgers for people: what a workspace holds, the trials of one, and what is known of its chain. */
import { visible } from "../core/words.ts";
import type { Trial } from "../ledger/trial-ledger.ts";
import { wrapWords } from "../report/cutoff-words.ts";
import { counted } from "../report/shown-figures.ts";

/** Spelled as `--json` prints it. */
export type LedgerFigures = {
  readonly name: string;
  readonly place: string;
  /** null where the chain is broken. */
  readonly trials: number | null;
  readonly ended: number | null;
  readonly failed: number | null;
  readonly unfinished: number | null;
  readonly rows: number | null;
  readonly head: string | null;
  /** Bytes after the last newline, and files into which such bytes were moved before. */
  readonly torn: number | null;
  readonly aside: number;
  /** The refusal of a broken chain. */
  readonly broken: string | null;
};

export function ledgersText(ledgers: readonly LedgerFigures[], workspace: string): string[] {
  if (ledgers.length === 0) return [`no trial ledger in ${workspace}`];
  const cell = (value: number | string | null) => (value === null ? "-" : String(value));
  const cells = ledgers.map(({ name, trials, ended, failed, unfinished, rows, head }) => [
    name,
    ...[trials, ended, failed, unfinished, rows].map(cell),
    head === null ? "broken" : shortDigest(head),
  ]);
  return [
    ...columns([["ledger", "trials", "ended", "failed", "unfinished", "rows", "head"], ...cells], [0, 6]),
    ...ledgers.flatMap(({ name, broken }) =>
      broken === null ? [] : paragraph(`${name} is broken: ${broken}`),
    ),
    ...ledgers.flatMap((ledger) => tornText(ledger)),
  ];
}

export function trialsText(figures: LedgerFigures, trials: readonly Trial[]): string[] {
  const cells = trials.map(({ start, at, state, seed, repeats, identity }) => [
    ...[start, at, state, seed, repeats].map(String),
    shortDigest(identity),
  ]);
  const [head, ...rows] = columns(
    [["row", "began", "state", "seed", "repeats", "identity"], ...cells],
    [1, 2, 5],
  );
  const again = trials.filter(({ start, first }) => first !== start);
  return [
    ...paragraph(`${figures.name}: ${countsText(figures)}`),
    `head ${figures.head}`,
    "",
    head as string,
    ...rows.flatMap((row, i) => [row, visible(`     run ${(trials[i] as Trial).run}`)]),
    "",
    ...again.map(({ start, first }) => `Row ${start} is row ${first} tried again: same identity, same seed.`),
    ...failedText(trials),
    ...tornText(figures),
    ...paragraph(LOWER_BOUND),
  ];
}

/** Each trial that began and did not end, by its row. */
export function unfinishedText(trials: readonly Trial[]): string[] {
  return trials
    .filter(({ state }) => state === "unfinished")
    .flatMap(({ start, run, at }) =>
      paragraph(`unfinished: row ${start}, run ${run}, began ${at}; it counts`),
    );
}

const failedText = (trials: readonly Trial[]) =>
  trials.flatMap(({ start, reason }) =>
    reason === null ? [] : paragraph(`Row ${start} failed: ${reason}; it counts.`),
  );

const LOWER_BOUND =
  "Every trial that began counts. It is a lower bound: trials in other copies of this ledger are not seen.";

/** `3 trials in 5 rows, 1 unfinished, 0 failed` */
export function countsText({ trials, rows, unfinished, failed }: LedgerFigures): string {
  return `${counted(trials ?? 0, "trial")} in ${counted(rows ?? 0, "row")}, ${unfinished} unfinished, ${failed} failed`;
}

/** What stands after the last newline, or stood there once. */
export function tornText({ name, torn, aside }: LedgerFigures): string[] {
  const now =
    torn === null || torn === 0
      ? []
      : paragraph(
          `${name}: ${torn} bytes after the last row are no row: a process was killed while it wrote, or writes now; the next row completes them where they are one, else moves them to a file of their own`,
        );
  const before =
    aside === 0 ? [] : paragraph(`${name}: ${counted(aside, "torn piece")} put aside in .torn-<n>`);
  return [...now, ...before];
}

const COLUMNS = 80;
const paragraph = (text: string): string[] => wrapWords(visible(text), COLUMNS, "  ");

/** `1f0c9b2d4e5a` of a digest. */
const shortDigest = (digest: string) => digest.slice("sha256:".length, "sha256:".length + 12);

/** Rows of cells, the first of them headings; columns of figures end together, those of `texts` begin together. */
function columns(rows: readonly (readonly string[])[], texts: readonly number[]): string[] {
  const shown = rows.map((row) => row.map(visible));
  const widths = (shown[0] as string[]).map((_, i) => Math.max(...shown.map((row) => (row[i] ?? "").length)));
  return shown.map((row) =>
    row
      .map((cell, i) => {
        const width = widths[i] as number;
        return texts.includes(i) ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd(),
  );
}
