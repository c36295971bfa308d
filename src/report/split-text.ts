/** Splits for a terminal of 80 columns: the sets' sizes, the picture in characters, what purged and embargoed mean. */
import { visible } from "../core/words.ts";
import { wrapWords } from "./cutoff-words.ts";
import { type Band, bands, columnWords, type SplitRow } from "./split-rows.ts";

const COLUMNS = 80;
/** Of a picture in characters. */
export const SKETCH_COLUMNS = 68;
/** Splits that a text and a picture show. */
export const MOST_ROWS = 60;

const MARKS: { readonly [band in Band]: string } = {
  train: "─",
  test: "█",
  purged: "×",
  embargoed: "░",
  unused: " ",
};

export type SplitWords = {
  /** What was read and how it is split, a sentence each. */
  readonly read: readonly string[];
  readonly cases: number;
  /** Of all splits; the rows are the first of them. */
  readonly splits: number;
  /** null: none. */
  readonly embargo: string | null;
  /** The digest of the definition. */
  readonly digest: string;
};

export function splitText(rows: readonly SplitRow[], words: SplitWords): string[] {
  const more = words.splits - rows.length;
  return [
    ...words.read.flatMap((sentence) => paragraph(visible(sentence))),
    "",
    ...table(rows),
    ...(more > 0 ? [`  … and ${more} more with --json`] : []),
    "",
    ...sketch(rows, words),
    "",
    ...paragraph(
      `Purged: a case that would be trained on, but whose label interval meets that of a test case, both ends included.${embargoWords(words)} With --json each is named, and the case that it was left out for.`,
    ),
    ...paragraph(
      "What this cannot say: it looks at label intervals alone. What a feature of a training case was made from is not seen here.",
    ),
    "The definition's digest, which stamps it:",
    `  ${words.digest}`,
  ];
}

const embargoWords = ({ embargo }: SplitWords): string =>
  embargo === null ? "" : ` Embargoed: one that starts within ${embargo} after a block of test cases ends.`;

function table(rows: readonly SplitRow[]): string[] {
  const shown = bands.filter((band) => band !== "unused" || rows.some(({ sizes }) => sizes.unused > 0));
  const line = (first: string, cells: readonly string[]) =>
    `  ${first.padStart(6)}${cells.map((cell) => cell.padStart(12)).join("")}`;
  return [
    line("split", shown),
    ...rows.map(({ number, sizes }) =>
      line(
        String(number),
        shown.map((band) => String(sizes[band])),
      ),
    ),
  ];
}

function sketch(rows: readonly SplitRow[], { cases }: SplitWords): string[] {
  const keys = bands.filter((band) => rows.some(({ sizes }) => sizes[band] > 0));
  const told = keys.map((band) => (band === "unused" ? "blank unused" : `${MARKS[band]} ${band}`));
  const each = columnWords(cases, Math.max(...rows.map(({ columns }) => columns.length)));
  const rare = (["purged", "embargoed"] as const).filter((band) => keys.includes(band));
  const first =
    rare.length === 0 ? "" : `, ${rare.map((band) => MARKS[band]).join(" or ")} where one of them is`;
  const scale = each === null ? "" : `; a column is ${each}${first}`;
  return [
    ...rows.map(({ number, columns }) =>
      `  ${String(number).padStart(6)}  ${columns.map((band) => MARKS[band]).join("")}`.trimEnd(),
    ),
    ...wrapWords(`          in start order: ${told.join(", ")}${scale}`, COLUMNS, "          "),
  ];
}

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
