/** Training cutoffs: a month (or a span of months) and whether its maker documented it. */
import { dayNumber, type Instant, instant, MICROS_PER_DAY } from "../core/instant.ts";
import { FIRST_YEAR, formatMonth, LAST_YEAR } from "../core/month.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";

/** `lo` and `hi` are months since year 0 (year × 12 + month − 1); a month means all of it. */
export type Cutoff = { readonly lo: number; readonly hi: number; readonly tag: "documented" | "estimated" };

/** Reads `2024-10:documented`, `2024-06..2024-10:estimated`. */
export function parseCutoff(
  text: string,
  place: Place,
  subject: string,
  complain: Complain = strict,
): Cutoff | undefined {
  const parts = /^(\d{4})-(\d{2})(?:\.\.(\d{4})-(\d{2}))?:(documented|estimated)$/.exec(text);
  const months = [parts?.[2], parts?.[4] ?? parts?.[2]].map(Number);
  if (parts === null || months.some((month) => !(month >= 1 && month <= 12))) {
    complain("CutoffInvalid", {
      place,
      subject,
      found: text,
      expected: "YYYY-MM:documented, or YYYY-MM..YYYY-MM:estimated",
    });
    return undefined;
  }
  const lo = Number(parts[1]) * 12 + Number(parts[2]) - 1;
  const hi = parts[3] === undefined ? lo : Number(parts[3]) * 12 + Number(parts[4]) - 1;
  if (hi < lo) {
    complain("CutoffInvalid", {
      place,
      subject,
      found: text,
      expected: "an end that is not before its start",
    });
    return undefined;
  }
  if (Number(parts[1]) < FIRST_YEAR || hi >= (LAST_YEAR + 1) * 12) {
    complain("CutoffInvalid", {
      place,
      subject,
      found: text,
      expected: `a month of the years ${FIRST_YEAR} to ${LAST_YEAR}`,
    });
    return undefined;
  }
  return { lo, hi, tag: parts[5] as Cutoff["tag"] };
}

export function formatCutoff(cutoff: Cutoff): string {
  const span =
    cutoff.lo === cutoff.hi ? formatMonth(cutoff.lo) : `${formatMonth(cutoff.lo)}..${formatMonth(cutoff.hi)}`;
  return `${span}:${cutoff.tag}`;
}

/** The upper bound as an instant: the first instant of the month after `hi`, UTC. */
export function cutoffInstant(cutoff: Cutoff): Instant {
  const next = cutoff.hi + 1;
  return instant(dayNumber(Math.floor(next / 12), (next % 12) + 1, 1) * MICROS_PER_DAY);
}
