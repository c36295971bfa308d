/** The picture of dots in characters: a line each, with its reach, against upright reference lines. */

import { clip } from "../core/words.ts";
import { shownWords } from "./cutoff-words.ts";
import { type Dots, dotRange } from "./dot-range.ts";

const NAME = 32;
/** Of a name and the cells beside it. */
const COLUMNS = 76;
const FULL = "●";
const HOLLOW = "○";
const REACH = "─";
const FIRST = "┊";
const OTHER = "│";

/** At most 79 columns: a line a dot for the first `most`, how many more there are, and a key. */
export function dotSketch({ dots, lines }: Dots, most: number): string[] {
  const shown = dots.slice(0, most);
  const { lo, hi } = dotRange({ dots: shown, lines });
  const width = Math.min(NAME, Math.max(...shown.map(({ label }) => shownWords(label).length)));
  const last = COLUMNS - width - 1;
  const column = (value: number) =>
    Math.max(0, Math.min(last, Math.round((value / 2 - lo / 2) * (1 / (hi / 2 - lo / 2)) * last)));
  const rows = shown.map(({ label, value, reach, strong }) => {
    const cells = new Array<string>(last + 1).fill(" ");
    if (reach !== null) cells.fill(REACH, column(reach[0]), column(reach[1]) + 1);
    for (const [i, line] of lines.entries()) cells[column(line.value)] = i === 0 ? FIRST : OTHER;
    cells[column(value)] = strong ? FULL : HOLLOW;
    return `  ${clip(shownWords(label), width).padEnd(width)} ${cells.join("")}`.trimEnd();
  });
  const key = lines.map(({ label }, i) => `  ${i === 0 ? FIRST : OTHER} ${shownWords(label)}`);
  return [...rows, ...(dots.length > most ? [`  … and ${dots.length - most} more`] : []), ...key];
}
