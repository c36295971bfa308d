/** Instants: whole microseconds since 1970 in a number, read from and written as strict RFC 3339. */
import { type Complain, type Place, strict } from "./refusal.ts";

declare const brand: unique symbol;
/** Microseconds since 1970-01-01T00:00:00Z, a safe integer: the years 1684 to 2255. */
export type Instant = number & { readonly [brand]: "instant" };

export const MICROS_PER_SECOND = 1_000_000;
export const MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;

const SPELLING = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;
const EXPECTED = "an RFC 3339 instant with an offset, such as 2014-06-01T07:00:00Z";

/** A number of microseconds as an instant; our own arithmetic only. */
export function instant(micros: number): Instant {
  if (!Number.isSafeInteger(micros)) throw new RangeError(`an instant is a safe integer, not ${micros}`);
  return micros as Instant;
}

/**
 * Reads `2014-06-01T07:00:00Z` or `2014-06-01T00:00:00.5-07:00`. Refused: no offset, `-00:00`, `:60`, a day
 * that the calendar lacks, lower-case letters, more than six fractional digits, years outside 1684 to 2255.
 */
export function parseInstant(
  text: unknown,
  place: Place,
  subject: string,
  complain: Complain = strict,
): Instant | undefined {
  const invalid = (expected: string) => {
    complain("InstantInvalid", {
      place,
      subject,
      found: typeof text === "string" ? text : `${JSON.stringify(text)}`,
      expected,
    });
    return undefined;
  };
  if (typeof text !== "string") return invalid(EXPECTED);
  const parts = SPELLING.exec(text);
  if (parts === null) return invalid(EXPECTED);
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = parts[7] ?? "";
  const zone = parts[8] as string;
  if (fraction.length > 6) {
    complain("InstantTooFine", { place, subject, found: text });
    return undefined;
  }
  if (!isDate(year, month, day)) return invalid("a day of the calendar");
  if (second === 60) return invalid("a second from 00 to 59 (leap seconds have no instant of their own)");
  if (hour > 23 || minute > 59 || second > 59) return invalid("a time of day from 00:00:00 to 23:59:59");
  if (zone === "-00:00") return invalid("a known offset (-00:00 says that it is unknown)");
  const offset = zone === "Z" ? 0 : offsetMinutes(zone);
  if (offset === undefined) return invalid("an offset from -23:59 to +23:59");
  const seconds = dayNumber(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
  const micros = seconds * MICROS_PER_SECOND + Number(fraction.padEnd(6, "0"));
  if (!Number.isSafeInteger(micros)) return invalid("an instant between the years 1684 and 2255");
  return micros as Instant;
}

/** The one spelling: UTC, `Z`, the fraction only as long as it must be. `2014-06-02T06:59:59.999999Z` */
export function formatInstant(at: Instant | number): string {
  const days = Math.floor(at / MICROS_PER_DAY);
  const rest = at - days * MICROS_PER_DAY;
  const fraction = rest % MICROS_PER_SECOND;
  const second = (rest - fraction) / MICROS_PER_SECOND;
  const time = `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
  const digits = fraction === 0 ? "" : `.${String(fraction).padStart(6, "0").replace(/0+$/, "")}`;
  return `${formatDay(days)}T${time}${digits}Z`;
}

/**
 * Whether an instant's text is by `bound`; false where it is after it, or no instant at all. Most texts are told
 * apart by their first nineteen characters.
 */
export function isBy(text: unknown, bound: Instant, boundText: string): boolean {
  if (typeof text !== "string") return false;
  if (SPELLING.test(text) && text.endsWith("Z") && text.slice(0, 19) < boundText.slice(0, 19)) return true;
  const at = parseInstant(text, "", "", () => {});
  return at !== undefined && at <= bound;
}

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar (H. Hinnant, days_from_civil). */
export function dayNumber(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The date of a day number (H. Hinnant, civil_from_days). */
export function dateOfDay(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1 };
}

/** `2014-06-01` of a day number. */
export function formatDay(days: number): string {
  const { year, month, day } = dateOfDay(days);
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

/** The day number of `2014-06-01`, or undefined where that is no date. */
export function parseDay(text: string): number | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return undefined;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  return isDate(year, month, day) ? dayNumber(year, month, day) : undefined;
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const back = dateOfDay(dayNumber(year, month, day));
  return back.year === year && back.month === month && back.day === day;
}

function offsetMinutes(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

const two = (n: number) => (n < 10 ? `0${n}` : `${n}`);
