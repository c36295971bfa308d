/** Where the sentences of an English text are: one of them is as far as two of its words are taken together. */

export type Span = { readonly from: number; readonly to: number };

/**
 * Spans of `text` in order, without gaps; `whole`: spans, in order, that no sentence ends within, such as names and dates.
 * A sentence ends at a line's end, and at `. ! ? 。` before white space where no lower-case letter follows; a full stop
 * behind one letter or a usual abbreviation ends none. Time linear in the text.
 */
export function sentencesOf(text: string, whole: readonly Span[] = []): readonly Span[] {
  const sentences: Span[] = [];
  let from = 0;
  let next = 0;
  for (const { index, 0: mark } of text.matchAll(ENDS)) {
    const to = index + mark.length;
    while (next < whole.length && (whole[next] as Span).to <= index + 1) next++;
    const inside =
      next < whole.length && (whole[next] as Span).from <= index && (whole[next] as Span).to > index + 1;
    if (inside || isAbbreviation(text, index) || goesOn(text, mark, to)) continue;
    sentences.push({ from, to });
    from = to;
  }
  if (from < text.length || sentences.length === 0) sentences.push({ from, to: text.length });
  return sentences;
}

/** Marks with the quotes and brackets that close behind them, and the white space up to the next word. */
const ENDS = /[\n\r\u2028\u2029]\s*|。|[.!?]["'”’)\]]{0,3}\s+/g;

const goesOn = (text: string, mark: string, to: number): boolean =>
  /^[.!?]/.test(mark) && !/[\n\r\u2028\u2029]/.test(mark) && /^\p{Ll}/u.test(text.slice(to, to + 2));

const abbreviations = new Set(
  (
    "mr mrs ms dr st no vs inc ltd co corp jr sr gov sen rep gen prof etc approx dept est fig vol " +
    "jan feb mar apr jun jul aug sep sept oct nov dec"
  ).split(" "),
);

function isAbbreviation(text: string, stop: number): boolean {
  if (text[stop] !== ".") return false;
  const before = /(?:^|[^\p{L}\p{N}])(\p{L}{1,6})$/u.exec(text.slice(Math.max(0, stop - 8), stop))?.[1];
  return before !== undefined && (before.length === 1 || abbreviations.has(before.toLowerCase()));
}
