/** A section that another room makes of a run's answers: plugged in as a value, so that this room need not know its words. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { Json } from "../core/canonical.ts";
import type { TrialRows } from "../ledger/trial-chain.ts";
import type { TrialOutcome } from "../run/trials.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";

/** What a section is made of: cases, and what was answered, in (case, arm, repeat) order. */
export type Sectioned = {
  readonly cases: readonly BoundedCase[];
  readonly scores: readonly TrajectoryScore[];
  readonly seed: number;
};

export type SectionMade = {
  /** Under the section's name in `result`. */
  readonly section: Json;
  /** What the headline says beside `n`. */
  readonly headline: { readonly [key: string]: Json };
  /** Cases that were answered, and whose answers it could evaluate; 0: the verdict is red. */
  readonly n: number;
  /** Cases that break a rule of its own, each as a failed case of the report. */
  readonly failed: readonly { readonly [key: string]: Json }[];
  readonly findings: readonly { readonly [key: string]: Json }[];
  readonly unsettled: readonly { readonly case: string; readonly state: string; readonly reason: string }[];
  readonly missing: readonly { readonly section: string; readonly reason: string }[];
  /** What a ledger of trials keeps of it. */
  readonly trial: Exclude<TrialOutcome, { failed: string }>;
};

export type NamedSection = { readonly name: string; readonly made: SectionMade };

export type Section = {
  /** Its key in `result`, and in `evidence` for what follows from a ledger of trials. */
  readonly name: string;
  make(of: Sectioned): SectionMade;
  /** Figures that hang on the trials known at the run's end; `start` is its own first row. */
  ofTrials(ledger: TrialRows, start: number): Json;
};

/** null where there is no section. */
export function namedSection(section: Section | null, of: Sectioned): NamedSection | null {
  return section === null ? null : { name: section.name, made: section.make(of) };
}
