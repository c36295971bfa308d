/** ISO 8601 durations: days and longer are added to the local date, hours and shorter are exact. */

import { UTCDate } from "@date-fns/utc";
import { add } from "date-fns/add";
import { type Instant, instant, MICROS_PER_DAY, MICROS_PER_SECOND } from "./instant.ts";
import { limits } from "./limits.ts";
import { localInstant, localWall } from "./local-time.ts";
import { type Complain, type Place, strict } from "./refusal.ts";

/** `months` and `days` are of the calendar; `micros` are exact. */
export type Duration = {
  readonly text: string;
  readonly months: number;
  readonly days: number;
  readonly micros: number;
};

const SPELLING =
  /^P(?:(\d{1,5})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})(?:\.(\d{1,6}))?S)?)?$/;

/** Reads `P1D`, `P6M`, `PT9H30M`, `P0D`. */
export function parseDuration(
  text: unknown,
  place: Place,
  subject: string,
  complain: Complain = strict,
): Duration | undefined {
  const parts = typeof text === "string" && text !== "P" ? SPELLING.exec(text) : null;
  if (parts === null) {
    complain("DurationInvalid", { place, subject, found: String(text) });
    return undefined;
  }
  const part = (i: number) => Number(parts[i] ?? 0);
  const seconds = part(5) * 3600 + part(6) * 60 + part(7);
  const months = part(1) * 12 + part(2);
  const days = part(3) * 7 + part(4);
  const micros = seconds * MICROS_PER_SECOND + Number((parts[8] ?? "").padEnd(6, "0"));
  const length = Math.ceil(months * 31 + days + micros / MICROS_PER_DAY);
  if (length > limits.durationDays) {
    complain("LimitExceeded", {
      place,
      what: `${subject}: days of ${text}`,
      found: length,
      limit: limits.durationDays,
    });
    return undefined;
  }
  return { text: text as string, months, days, micros };
}

/** Of a Gregorian month: 365.2425 / 12. */
const DAYS_PER_MONTH = 30.436875;

/** A length in days where no calendar day is meant: months at their average, the rest exact. */
export const averageDays = ({ months, days, micros }: Duration): number =>
  months * DAYS_PER_MONTH + days + micros / MICROS_PER_DAY;

/** `at` plus a duration: first months and days on the zone's calendar, then the exact rest. */
export function addDuration(zone: string, at: Instant, duration: Duration, sign: 1 | -1 = 1): Instant {
  const { months, days, micros } = duration;
  if (months === 0 && days === 0) return instant(at + sign * micros);
  const wall = localWall(zone, at);
  if (months === 0) return instant(localInstant(zone, wall + sign * days * MICROS_PER_DAY) + sign * micros);
  const day = Math.floor(wall / MICROS_PER_DAY);
  const moved = add(new UTCDate(day * 86_400_000), { months: sign * months, days: sign * days });
  const there = Math.floor(moved.getTime() / 86_400_000) * MICROS_PER_DAY + (wall - day * MICROS_PER_DAY);
  return instant(localInstant(zone, there) + sign * micros);
}
