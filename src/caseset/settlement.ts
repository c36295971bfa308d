/** Settlement: the outcome of each case, joined by the vintage that its statement names; nothing else reads labels. */
import { addDuration, type Duration } from "../core/duration.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import type { ForecastCase } from "./forecast-case.ts";
import type { Label } from "./label.ts";

export type Outcome =
  | { readonly state: "settled"; readonly outcome: 0 | 1; readonly resolvedAt: Instant }
  | { readonly state: "unsettled"; readonly reason: string }
  | { readonly state: "void"; readonly reason: string };

/**
 * One outcome a case, in the cases' order. A label counts where it was available by resolution + grace, and by
 * `asOf` where one is given. Later → `late`; none → `open`; annulled, or resolved before the freeze → `void`.
 */
export function settle(
  cases: readonly ForecastCase[],
  labels: readonly Label[],
  options: { readonly zone: string; readonly grace: Duration; readonly asOf: Instant | null },
): Outcome[] {
  const byCase = new Map<string, Label[]>();
  for (const label of labels) {
    const known = byCase.get(label.caseId);
    if (known === undefined) byCase.set(label.caseId, [label]);
    else known.push(label);
  }
  return cases.map((item) => settleOne(item, byCase.get(item.id) ?? [], options));
}

function settleOne(
  item: ForecastCase,
  all: readonly Label[],
  options: { zone: string; grace: Duration; asOf: Instant | null },
): Outcome {
  const known =
    options.asOf === null ? all : all.filter((label) => label.availableAt <= (options.asOf as Instant));
  const named = known.filter((label) => ofVintage(item, label));
  if (named.length === 0) return { state: "unsettled", reason: "open" };
  const deadline = addDuration(options.zone, item.resolution.at, options.grace);
  const inTime = named.filter((label) => label.availableAt <= deadline);
  if (inTime.length === 0) {
    const first = named.reduce((least, label) => Math.min(least, label.availableAt), Infinity);
    return {
      state: "unsettled",
      reason: `late: available at ${formatInstant(first)}, after ${formatInstant(deadline)}`,
    };
  }
  const chosen = inTime.reduce((best, label) => (earlier(item, label, best) ? label : best));
  if (chosen.outcome === "annulled") return { state: "void", reason: "annulled" };
  if (chosen.resolvedAt < item.horizon) return { state: "void", reason: "resolved before freeze" };
  return { state: "settled", outcome: chosen.outcome, resolvedAt: chosen.resolvedAt };
}

function ofVintage(item: ForecastCase, label: Label): boolean {
  const { vintage } = item.resolution;
  return vintage === "first" ? true : label.availableAt <= vintage;
}

/** `first`: the least available time wins; as of an instant: the greatest. */
function earlier(item: ForecastCase, label: Label, best: Label): boolean {
  return item.resolution.vintage === "first"
    ? label.availableAt < best.availableAt
    : label.availableAt > best.availableAt;
}
