/** Local times of an IANA zone: from a wall clock's reading to the instant, and back. */
import {
  dateOfDay,
  dayNumber,
  type Instant,
  instant,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  parseDay,
} from "./instant.ts";
import { type Complain, type Place, strict } from "./refusal.ts";

/** A wall clock's reading, as if it were UTC: microseconds since 1970-01-01T00:00 of the same clock. */
export type Wall = number;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether the machine's zone data knows the name; refuses it otherwise. */
export function checkZone(zone: string, place: Place, subject: string, complain: Complain = strict): boolean {
  try {
    // Newer Node versions take `+05:00` for a zone; older ones do not, and it is no name of the database.
    if (/^[A-Za-z]/.test(zone)) {
      format(zone);
      return true;
    }
  } catch {
    // no such zone: refused below
  }
  complain("ZoneUnknown", { place, subject, found: zone });
  return false;
}

/**
 * The instant at which a zone's wall clock reads `wall`. A reading that a gap skips moves forward by the gap; of
 * a reading that comes twice, the earlier. So the midnight of a date is the first instant of that date.
 */
export function localInstant(zone: string, wall: Wall): Instant {
  const before = offset(zone, wall - 1.5 * MICROS_PER_DAY);
  const after = offset(zone, wall + 1.5 * MICROS_PER_DAY);
  const first = wall - before;
  if (offset(zone, first) === before) return instant(first);
  const second = wall - after;
  if (offset(zone, second) === after) return instant(second);
  const middle = offset(zone, wall - offset(zone, wall));
  if (offset(zone, wall - middle) === middle) return instant(wall - middle);
  return instant(first);
}

/** What a zone's wall clock reads at an instant. */
export function localWall(zone: string, at: Instant): Wall {
  return at + offset(zone, at);
}

/** The local date of an instant, as a day number. */
export function localDay(zone: string, at: Instant): number {
  return Math.floor(localWall(zone, at) / MICROS_PER_DAY);
}

/** The first instant of a local date. */
export function firstInstant(zone: string, day: number): Instant {
  return localInstant(zone, day * MICROS_PER_DAY);
}

/** Reads `2014-06-01` or `2014-06-01T09:30[:00[.5]]` as a wall clock's reading. */
export function parseWall(text: string): Wall | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?$/.exec(text);
  if (parts === null) return undefined;
  const day = parseDay(parts[1] as string);
  const [hour, minute, second] = [parts[2], parts[3], parts[4]].map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ];
  if (day === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const micros = Number((parts[5] ?? "").padEnd(6, "0"));
  return day * MICROS_PER_DAY + (hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND + micros;
}

/** 1 for 1 January, up to 366. */
export function dayOfYear(day: number): number {
  return day - dayNumber(dateOfDay(day).year, 1, 1) + 1;
}

const SPAN = MICROS_PER_DAY / 4;
const MOST_SPANS = 100_000;
const spans = new Map<string, Map<number, number>>();

/**
 * A zone's offset from UTC at an instant, in microseconds. No zone changes its offset and changes it back within six
 * hours, so a span with one offset at both ends has it throughout, and is asked for once.
 */
function offset(zone: string, at: number): number {
  if (zone === "UTC") return 0;
  let known = spans.get(zone);
  if (known === undefined || known.size > MOST_SPANS) {
    known = new Map();
    spans.set(zone, known);
  }
  const span = Math.floor(at / SPAN);
  let shared = known.get(span);
  if (shared === undefined) {
    const first = lookUpOffset(zone, span * SPAN);
    shared = first === lookUpOffset(zone, (span + 1) * SPAN - 1000) ? first : Number.NaN;
    known.set(span, shared);
  }
  return Number.isNaN(shared) ? lookUpOffset(zone, at) : shared;
}

/** From the zone data, to the second (old local mean times have seconds). */
function lookUpOffset(zone: string, at: number): number {
  const text = format(zone).format(Math.floor(at / 1000));
  const spelled = text.slice(text.indexOf("GMT") + 3);
  const parts = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(spelled);
  if (parts === null) return 0;
  const seconds = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0);
  return (parts[1] === "-" ? -seconds : seconds) * MICROS_PER_SECOND;
}

function format(zone: string): Intl.DateTimeFormat {
  let known = formats.get(zone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    formats.set(zone, known);
  }
  return known;
}
