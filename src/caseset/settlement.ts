/** Settlement: the outcome of each case, joined by the vintage that its statement names; nothing else reads labels. */
import { addDuration, type Duration } from "../core/duration.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import type { BoundedCase } from "./bounded-case.ts";
import type { Label } from "./label.ts";

export type Outcome =
  | { readonly state: "settled"; readonly outcome: 0 | 1; readonly resolvedAt: Instant }
  | { readonly state: "unsettled"; readonly reason: string }
  | { readonly state: "void"; readonly reason: string }
  /** Of a decision: what became of it follows from the positions taken, and no label says it. */
  | { readonly state: "derived" };

/** By when a case's label must be available: its resolution and the grace, days and months in local time. */
export function deadlinesOf(cases: readonly BoundedCase[], zone: string, grace: Duration): Instant[] {
  return cases.map((item) => addDuration(zone, item.resolvedAt, grace));
}

/**
 * One outcome a case, in the cases' order. A label counts where it was available by its case's deadline, and by
 * `asOf` where one is given. Later → `late`; none → `open`; annulled, or resolved before the freeze → `void`.
 */
export function settle(
  cases: readonly BoundedCase[],
  labels: readonly Label[],
  options: { readonly deadlines: readonly Instant[]; readonly asOf: Instant | null },
): Outcome[] {
  const byCase = labelsByCase(labels);
  return cases.map((item, i) =>
    settleOne(item, byCase.get(item.id) ?? [], options.deadlines[i] as Instant, options.asOf),
  );
}

function labelsByCase(labels: readonly Label[]): ReadonlyMap<string, readonly Label[]> {
  const byCase = new Map<string, Label[]>();
  for (const label of labels) {
    const known = byCase.get(label.caseId);
    if (known === undefined) byCase.set(label.caseId, [label]);
    else known.push(label);
  }
  return byCase;
}

/**
 * An outcome as it came to be known: what `settle` says as of each instant from `availableAt` on and before `until`, where
 * another label speaks (Infinity: none does).
 */
export type KnownOutcome = {
  readonly caseIndex: number;
  readonly outcome: 0 | 1;
  readonly resolvedAt: Instant;
  readonly availableAt: Instant;
  readonly until: number;
};

/** Of cases in their order, each case's by available time; as of an instant no case has two. O(labels · log labels). */
export function knownOutcomes(
  cases: readonly BoundedCase[],
  labels: readonly Label[],
  deadlines: readonly Instant[],
): KnownOutcome[] {
  const byCase = labelsByCase(labels);
  return cases.flatMap((item, caseIndex) => {
    const spoken = labelsThatSpeak(item, byCase.get(item.id) ?? []);
    return spoken.flatMap((label, i) => {
      const said = settleOne(item, [label], deadlines[caseIndex] as Instant, null);
      if (said.state !== "settled") return [];
      const { outcome, resolvedAt } = said;
      const until = spoken[i + 1]?.availableAt ?? Number.POSITIVE_INFINITY;
      return [{ caseIndex, outcome, resolvedAt, availableAt: label.availableAt, until }];
    });
  });
}

/** Those that are chosen as of some instant, by available time: the first alone, or one after the other to the vintage. */
function labelsThatSpeak(item: BoundedCase, all: readonly Label[]): readonly Label[] {
  if (item.kind === "decision" || all.length === 0) return [];
  const { vintage } = item.resolution;
  if (vintage === "first") return [first(all)];
  const sorted = all
    .filter(({ availableAt }) => availableAt <= vintage)
    .sort((a, b) => a.availableAt - b.availableAt);
  // Two at one instant say the same.
  return sorted.filter(({ availableAt }, i) => sorted[i - 1]?.availableAt !== availableAt);
}

function settleOne(
  item: BoundedCase,
  all: readonly Label[],
  deadline: Instant,
  asOf: Instant | null,
): Outcome {
  const known = asOf === null ? all : all.filter((label) => label.availableAt <= asOf);
  if (item.kind === "decision") return { state: "derived" };
  if (known.length === 0) return { state: "unsettled", reason: "open" };
  const { vintage } = item.resolution;
  const named = vintage === "first" ? known : known.filter((label) => label.availableAt <= vintage);
  if (named.length === 0) return late(first(known), "the vintage", vintage as Instant);
  // The vintage first, then the deadline: an older label does not stand in for the one that the statement names.
  const chosen = vintage === "first" ? first(named) : last(named);
  if (chosen.availableAt > deadline) return late(chosen, "the deadline", deadline);
  if (chosen.outcome === "annulled") return { state: "void", reason: "annulled" };
  if (chosen.resolvedAt < item.horizon) return { state: "void", reason: "resolved before freeze" };
  return { state: "settled", outcome: chosen.outcome, resolvedAt: chosen.resolvedAt };
}

function late(label: Label, what: string, at: Instant): Outcome {
  const reason = `late: available at ${formatInstant(label.availableAt)}, after ${what} ${formatInstant(at)}`;
  return { state: "unsettled", reason };
}

const first = (labels: readonly Label[]): Label =>
  labels.reduce((best, label) => (label.availableAt < best.availableAt ? label : best));
const last = (labels: readonly Label[]): Label =>
  labels.reduce((best, label) => (label.availableAt > best.availableAt ? label : best));
