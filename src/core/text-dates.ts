/** Dates that an English text names: days, months, quarters, years and instants, each with its first local day. */
import { dateOfDay, dayNumber, type Instant, MICROS_PER_DAY, parseDay, parseInstant } from "./instant.ts";
import { firstInstant } from "./local-time.ts";
import { nfkc, type Term, termsOf } from "./terms.ts";

export type NamedDate = {
  /** Offsets into `nfkc(text)`; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly grain: "instant" | "day" | "month" | "quarter" | "year";
  /** Its first local day, as a day number. */
  readonly day: number;
  /** Of an instant, which names its offset itself. */
  readonly at: Instant | null;
};

/**
 * `2031-06-03`, `2031/06/03`, `2031-06`, `2031-06-03T10:00:00+02:00`, `3 May 2031`, `3rd of May 2031`, `May 3, 2031`,
 * `May 3-5, 2031`, `May 2031`, `Q2 2031`, `2031-Q2`, and a year where it stands as a date: after in, by, since, until,
 * during, before, after, of, from, to, year, early, mid or late. No day without its year, none of two digits, and no order
 * of digits that depends on a country. In order, none within another; time linear in the text.
 */
export function datesIn(text: string): readonly NamedDate[] {
  const normal = nfkc(text);
  const terms = termsOf(normal);
  const dates: NamedDate[] = [];
  for (let i = 0; i < terms.length; i++) {
    const found = dateAt(normal, terms, i);
    if (found === undefined) continue;
    dates.push(found);
    while (i + 1 < terms.length && (terms[i + 1] as Term).from < found.to) i++;
  }
  return dates;
}

/** Whether a date is later than an instant: its first instant in the zone is. A month that holds it is not later. */
export function isDateAfter({ at, day }: NamedDate, horizon: Instant, zone: string): boolean {
  if (at !== null) return at > horizon;
  const asUtc = day * MICROS_PER_DAY;
  // No zone is two days from UTC: only near the horizon does zone data decide, and only there need an instant exist.
  const isNear = Math.abs(asUtc - horizon) <= MARGIN && Number.isSafeInteger(Math.abs(asUtc) + MARGIN);
  if (!isNear) return asUtc > horizon;
  return firstInstant(zone, day) > horizon;
}

const MARGIN = 2 * MICROS_PER_DAY;

/** The year of a date's first local day. */
export const yearOfDate = ({ day }: NamedDate): number => dateOfDay(day).year;

type Found = NamedDate | undefined;

function dateAt(text: string, terms: readonly Term[], i: number): Found {
  const { term } = terms[i] as Term;
  const first = term.charCodeAt(0);
  if (first < ZERO || first > NINE)
    return months.has(term)
      ? monthFirst(text, terms, i)
      : first === Q
        ? quarterAt(text, terms, i)
        : undefined;
  return (
    isoAt(text, terms, i) ?? quarterAt(text, terms, i) ?? dayFirst(text, terms, i) ?? bareYear(text, terms, i)
  );
}
const [ZERO, NINE, Q] = [48, 57, 113] as const;

const termAt = (terms: readonly Term[], i: number): string => terms[i]?.term ?? "";

/** What stands between a term and the next, where it is as short as it is in a date. */
function gapAfter(text: string, terms: readonly Term[], i: number): string {
  const [here, next] = [terms[i], terms[i + 1]];
  if (here === undefined || next === undefined || next.from - here.to > 3) return "none";
  return text.slice(here.to, next.from);
}

function dateOver(
  terms: readonly Term[],
  first: number,
  last: number,
  grain: NamedDate["grain"],
  day: number | undefined,
): Found {
  if (day === undefined) return undefined;
  return { from: (terms[first] as Term).from, to: (terms[last] as Term).to, grain, day, at: null };
}

const yearOf = (term: string): number => (/^[12]\d{3}$/.test(term) ? Number(term) : Number.NaN);

function dayOf(year: number, month: number, day: number): number | undefined {
  if (Number.isNaN(year)) return undefined;
  return parseDay(`${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`);
}

/** What is typed and set for a hyphen within a date: itself, U+2010 to U+2012, and the en dash. */
const HYPHEN = /^[-\u2010-\u2013]$/;

/** `2031-06-03`, `2031/06/03`, `2031-06`, and instants, with any hyphen; not where more digits are joined to it, as in a number of a thing. */
function isoAt(text: string, terms: readonly Term[], i: number): Found {
  const [year, month, last] = [yearOf(termAt(terms, i)), termAt(terms, i + 1), termAt(terms, i + 2)];
  const joint = gapAfter(text, terms, i);
  const hyphen = HYPHEN.test(joint);
  if (Number.isNaN(year) || !/^\d\d$/.test(month) || !(hyphen || joint === "/")) return undefined;
  // An en dash between two dates with hyphens joins no digits to them: it is "to".
  const joins = (gap: string) => gap === "-" || (hyphen && gap === joint);
  const before = gapAfter(text, terms, i - 1);
  if (/\d$/.test(termAt(terms, i - 1)) && (before === "." || joins(before))) return undefined;
  const second = gapAfter(text, terms, i + 1);
  const whole = second === joint || (hyphen && HYPHEN.test(second));
  if (!whole) return hyphen ? dateOver(terms, i, i + 1, "month", dayOf(year, Number(month), 1)) : undefined;
  if (/^\d\dt\d\d$/.test(last)) {
    const instant = hyphen ? instantAt(text, (terms[i] as Term).from) : undefined;
    return instant ?? dateOver(terms, i, i + 2, "day", dayOf(year, Number(month), Number(last.slice(0, 2))));
  }
  const joined = hyphen && joins(gapAfter(text, terms, i + 2)) && /^\d/.test(termAt(terms, i + 3));
  if (!/^\d\d$/.test(last) || joined) return undefined;
  return dateOver(terms, i, i + 2, "day", dayOf(year, Number(month), Number(last)));
}

function instantAt(text: string, from: number): Found {
  const spelling =
    /(\d{4}[-\u2010-\u2013]\d\d[-\u2010-\u2013]\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(Z|[-+\u2010-\u2013]\d\d:\d\d)/iy;
  spelling.lastIndex = from;
  const [all, written, time, fraction = "0", offset] = spelling.exec(text) ?? [];
  if (all === undefined) return undefined;
  const [date, zone] = [written as string, offset as string].map((part) =>
    part.replace(/[\u2010-\u2013]/g, "-").toUpperCase(),
  );
  const at = parseInstant(`${date}T${time}.${fraction}${zone}`, "", "", () => {});
  if (at === undefined) return undefined;
  return { from, to: from + all.length, grain: "instant", day: parseDay(date as string) as number, at };
}

/** `Q2 2031`, `Q2 of 2031`, `2031 Q2`, `2031-Q2`, `2031Q2`. */
function quarterAt(text: string, terms: readonly Term[], i: number): Found {
  const here = termAt(terms, i);
  const own = /^([12]\d{3})q([1-4])$/.exec(here);
  if (own !== null) return quarter(terms, i, i, Number(own[1]), Number(own[2]));
  const next = termAt(terms, i + 1);
  if (QUARTER.test(next) && /^[ -]$/.test(gapAfter(text, terms, i)))
    return quarter(terms, i, i + 1, yearOf(here), Number(next[1]));
  const last = next === "of" && isJoint(text, terms, i) ? i + 2 : i + 1;
  if (!QUARTER.test(here) || !isJoint(text, terms, last - 1)) return undefined;
  return quarter(terms, i, last, yearOf(termAt(terms, last)), Number(here[1]));
}
const QUARTER = /^q[1-4]$/;

const quarter = (terms: readonly Term[], first: number, last: number, year: number, number: number): Found =>
  dateOver(terms, first, last, "quarter", dayOf(year, 3 * number - 2, 1));

const isJoint = (text: string, terms: readonly Term[], i: number): boolean =>
  /^[\s.,/-]{1,3}$/.test(gapAfter(text, terms, i));

const longMonths =
  "january february march april may june july august september october november december".split(" ");
const months = new Map([
  ...longMonths.flatMap((month, i): [string, number][] => [
    [month, i + 1],
    [month.slice(0, 3), i + 1],
  ]),
  ["sept", 9],
]);

/** 1 to 12, or 0. */
const monthOf = (term: string): number => months.get(term) ?? 0;

/** 1 to 31, or NaN: `3` or `3rd`. */
function dayOfMonth(term: string): number {
  const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(term);
  return day === null ? Number.NaN : Number(day[1]);
}

/** `3 May 2031`, `3rd of May, 2031`, `3-May-2031`. */
function dayFirst(text: string, terms: readonly Term[], i: number): Found {
  const day = dayOfMonth(termAt(terms, i));
  if (Number.isNaN(day) || !isJoint(text, terms, i)) return undefined;
  const at = termAt(terms, i + 1) === "of" && isJoint(text, terms, i + 1) ? i + 2 : i + 1;
  const month = monthOf(termAt(terms, at));
  if (month === 0 || !isJoint(text, terms, at)) return undefined;
  return dateOver(terms, i, at + 1, "day", dayOf(yearOf(termAt(terms, at + 1)), month, day));
}

/** `May 3, 2031`, `May 3-5, 2031`, `May 2031`, `May of 2031`. */
function monthFirst(text: string, terms: readonly Term[], i: number): Found {
  const month = monthOf(termAt(terms, i));
  if (month === 0 || !isJoint(text, terms, i)) return undefined;
  const day = dayOfMonth(termAt(terms, i + 1));
  if (Number.isNaN(day)) {
    const at = termAt(terms, i + 1) === "of" && isJoint(text, terms, i + 1) ? i + 2 : i + 1;
    return dateOver(terms, i, at, "month", dayOf(yearOf(termAt(terms, at)), month, 1));
  }
  const until = /^ ?[-\u2013] ?$/.test(gapAfter(text, terms, i + 1))
    ? dayOfMonth(termAt(terms, i + 2))
    : Number.NaN;
  const last = Number.isNaN(until) ? i + 1 : i + 2;
  if (!isJoint(text, terms, last)) return undefined;
  return dateOver(terms, i, last + 1, "day", dayOf(yearOf(termAt(terms, last + 1)), month, day));
}

const markers = new Set("in by since until during before after of from to year early mid late".split(" "));

/** Whether a term is a month rather than a name that is spelled like one: "in May", "3 May", "May 3rd", "this May". */
export function standsAsMonth(terms: readonly Term[], i: number): boolean {
  const before = termAt(terms, i - 1);
  if (monthOf(termAt(terms, i)) === 0) return false;
  return (
    markers.has(before) ||
    pointers.has(before) ||
    !Number.isNaN(dayOfMonth(before)) ||
    !Number.isNaN(dayOfMonth(termAt(terms, i + 1)))
  );
}
const pointers = new Set("this last next every each".split(" "));

/** A number of four digits is a year from 1900 to 2199, after a word that stands before dates. */
function bareYear(text: string, terms: readonly Term[], i: number): Found {
  const year = yearOf(termAt(terms, i));
  if (!isYear(year) || !markers.has(termAt(terms, i - 1))) return undefined;
  const { to } = terms[i] as Term;
  if (!/^(?:\s{1,3}|-)$/.test(gapAfter(text, terms, i - 1))) return undefined;
  if (/^(?:[.,:]\d|\s?%)/.test(text.slice(to, to + 2))) return undefined;
  return dateOver(terms, i, i, "year", dayNumber(year, 1, 1));
}

/** Whether a whole number, standing alone in a text, is taken for a year. */
export const isYear = (number: number): boolean => number >= 1900 && number <= 2199;
