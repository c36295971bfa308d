/** Is a period as long as its name says? A doubt, never a refusal: names of periods are free. */
import type { DecisionCase } from "../caseset/decision-case.ts";
import { MICROS_PER_DAY } from "../core/instant.ts";
import type { ReturnsTerms } from "./returns.ts";
import { sliceNames, sliceOf } from "./slices.ts";

/** Names and the days that a usual period of them may have; days of a market have weekends between them. */
const LENGTHS: readonly Length[] = [
  [/^((trading|business|calendar) )?days?$|^daily$/, 0.5, 3.5, 200, 366],
  [/^weeks?$|^weekly$/, 4, 10, 48, 53],
  [/^months?$|^monthly$/, 20, 45, 11, 13],
  [/^quarters?$|^quarterly$/, 60, 125, 3.9, 4.1],
  [/^years?$|^yearly$|^annual(ly)?$/, 250, 500, 0.9, 1.1],
];
/** From so many days to so many, and from so many a year to so many. */
type Length = readonly [name: RegExp, least: number, most: number, fewest: number, greatest: number];

/** Of each slice whose median period is not what `returns.per` says: one sentence; and one where a year has not as many. Other names say nothing. */
export function periodDoubts(
  { per, periodsPerYear: year }: Pick<ReturnsTerms, "per" | "periodsPerYear">,
  cases: readonly DecisionCase[],
): string[] {
  const known = LENGTHS.find(([name]) => name.test(per.toLowerCase()));
  if (known === undefined) return [];
  const [, least, most, fewest, greatest] = known;
  const yearly =
    year === null || (year >= fewest && year <= greatest)
      ? []
      : [`returns.per is ${per}, and periods_per_year is ${year}: yearly figures are made with it`];
  const spans = sliceNames.flatMap((slice) => {
    const days = medianDays(cases.filter((item) => sliceOf(item) === slice));
    if (days === null || (days >= least && days <= most)) return [];
    return [
      `returns.per is ${per}, and the median period of the ${slice === "all" ? "" : `${slice} `}cases is ${Number(days.toPrecision(3))} days: yearly figures, and other trials of the ledger, take it at its word`,
    ];
  });
  return [...yearly, ...spans];
}

/** From horizon to horizon; null below two. */
function medianDays(cases: readonly DecisionCase[]): number | null {
  const at = cases.map(({ horizon }) => horizon).sort((a, b) => a - b);
  const spans = at
    .slice(1)
    .map((horizon, i) => horizon - (at[i] as number))
    .sort((a, b) => a - b);
  const median = spans[spans.length >> 1];
  return median === undefined ? null : median / MICROS_PER_DAY;
}
