/** Quotes as lines of canonical JSON: the prices of an account as a run folder keeps them, for a stranger to recompute. */
import { type Static, Type } from "@sinclair/typebox";
import { canonical, isCanonical, type Json } from "../core/canonical.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import { isPrice, type Quote } from "./quotes.ts";

/** `{"available":"2014-06-02T13:30:00Z","column":"open","entity":"index","first_available":"2014-06-02T13:30:00Z","ref":"index#2014-06-02","valid":"2014-06-02T04:00:00Z","value":101.5}` */
const QuoteOnDisk = Type.Object(
  {
    available: Type.String(),
    column: Type.String(),
    entity: Type.String(),
    first_available: Type.String(),
    ref: Type.String(),
    valid: Type.String(),
    value: Type.Number(),
  },
  { additionalProperties: false },
);
type QuoteOnDisk = Static<typeof QuoteOnDisk>;

/** One line each, with its newline, in the one order: by entity, first available, row, column, available. */
export function quoteLines(quotes: Iterable<Quote>): string {
  return [...quotes]
    .sort(compareQuotes)
    .map((quote) => `${canonical(quoteOnDisk(quote))}\n`)
    .join("");
}

function quoteOnDisk({ ref, entity, column, valid, available, firstAvailable, value }: Quote): QuoteOnDisk {
  return {
    available: formatInstant(available),
    column,
    entity,
    first_available: formatInstant(firstAvailable),
    ref,
    valid: formatInstant(valid),
    value,
  };
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Versions of one cell stand together: one that moves the valid time of its cell comes after the first all the same. */
const compareQuotes = (a: Quote, b: Quote): number =>
  compareTexts(a.entity, b.entity) ||
  a.firstAvailable - b.firstAvailable ||
  compareTexts(a.ref, b.ref) ||
  compareTexts(a.column, b.column) ||
  a.available - b.available;

/**
 * Reads what `quoteLines` wrote, byte for byte. Refuses by file and line: other JSON or spellings, unknown keys, PriceInvalid,
 * lines out of order, two versions of one cell and instant, a version without the first of its cell, a torn last line.
 */
export function parseQuotes(text: string, place: Place, complain: Complain = strict): Quote[] {
  const lines = text.split("\n");
  const torn = lines.pop() as string;
  if (torn !== "") complain("EntriesTruncated", { place, bytes: new TextEncoder().encode(torn).length });
  const quotes: Quote[] = [];
  lines.forEach((line, i) => {
    const at = `${place}:${i + 1}`;
    const quote = quoteOf(line, at, complain);
    if (quote === undefined) return;
    const fault = faultAfter(quote, quotes.at(-1));
    if (fault !== undefined) complain("FieldInvalid", { place: at, ...fault });
    quotes.push(quote);
  });
  return quotes;
}

function quoteOf(line: string, place: Place, complain: Complain): Quote | undefined {
  const json = parseJson(line, place, complain);
  const disk = json === undefined ? undefined : fit(QuoteOnDisk, json, place, complain);
  if (disk === undefined) return undefined;
  if (!isCanonical(line, disk as Json))
    complain("NotCanonical", { place, found: line, expected: canonical(disk as Json) });
  const at = (key: "available" | "first_available" | "valid") => instantOf(disk[key], place, key, complain);
  const [valid, available, firstAvailable] = [at("valid"), at("available"), at("first_available")];
  if (valid === undefined || available === undefined || firstAvailable === undefined) return undefined;
  const { ref, entity, column, value } = disk;
  if (!isPrice(value)) {
    complain("PriceInvalid", { place, entity, column, found: String(value) });
    return undefined;
  }
  return { ref, entity, column, valid, available, firstAvailable, value };
}

function instantOf(text: string, place: Place, subject: string, complain: Complain): Instant | undefined {
  const at = parseInstant(text, place, subject, complain);
  if (at === undefined || formatInstant(at) === text) return at;
  complain("InstantInvalid", { place, subject, found: text, expected: formatInstant(at) });
  return undefined;
}

type Fault = { readonly field: string; readonly found: string; readonly expected: string };

/** What is wrong with a line after the one before it. */
function faultAfter(quote: Quote, before: Quote | undefined): Fault | undefined {
  const isSameCell =
    before !== undefined && compareQuotes({ ...before, available: quote.available }, quote) === 0;
  if (before !== undefined && compareQuotes(before, quote) >= 0)
    return {
      field: "order",
      found: `${quote.ref} ${quote.column} at ${formatInstant(quote.available)}`,
      expected: `a line after that of ${before.ref} ${before.column} at ${formatInstant(before.available)}`,
    };
  if (isSameCell || quote.available === quote.firstAvailable) return undefined;
  return {
    field: "first_available",
    found: formatInstant(quote.firstAvailable),
    expected: `${formatInstant(quote.available)}, since it is the first version of its cell`,
  };
}
