/** The section of a recorded run's decisions, made again from what the run folder keeps: profile, prices, exits. */
import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../core/canonical.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import type { Section } from "../report/section.ts";
import type { StagedArm } from "../run/staging.ts";
import { decisionSection } from "./decisions.ts";
import { delistingArm, type Waiver, WaiverList } from "./delisting-arm.ts";
import { ExecutionOnDisk, type ExecutionTerms, executionTerms } from "./execution.ts";
import { parseExits } from "./exits.ts";
import { parseSkipped, SkippedOnDisk } from "./gaps.ts";
import { parseQuotes } from "./quote-lines.ts";
import { quotesOf } from "./quotes.ts";
import { ReturnsOnDisk, returnsTerms } from "./returns.ts";
import { UniverseOnDisk, type UniverseTerms } from "./universe.ts";

/** What a profile says of decisions, whatever else it says. */
const DecisionProfile = Type.Object({
  execution: ExecutionOnDisk,
  returns: ReturnsOnDisk,
  universe: Type.Optional(UniverseOnDisk),
  waive: Type.Optional(WaiverList),
});

/** `stamp.execution`. */
const StampedExecution = Type.Object(
  {
    component: Type.String(),
    code: Type.String(),
    prices: Type.String(),
    exits: Type.String(),
    skipped: Type.Optional(SkippedOnDisk),
  },
  { additionalProperties: false },
);

export type RecordedParts = {
  /** `profile.json`, and what the stamp says of the execution. */
  readonly profile: Json;
  readonly stamped: Json;
  readonly place: Place;
  /** The artifact of a digest: its text and its place. */
  readonly artifact: (digest: string) => Promise<{ readonly text: string; readonly place: Place }>;
};

/** What is made of recorded answers, and the arm that was asked beside those that are scored. */
export type RecordedDecisions = { readonly section: Section; readonly staged: StagedArm | null };

/** Refuses FieldInvalid where stamp and profile disagree, and what the parsers of terms, prices and exits refuse. */
export async function recordedDecisions({
  profile,
  stamped,
  place,
  artifact,
}: RecordedParts): Promise<RecordedDecisions> {
  const disk = fit(DecisionProfile, profile, `${place}: profile.json`) as {
    execution: ExecutionOnDisk;
    returns: ReturnsOnDisk;
    universe?: UniverseTerms;
    waive?: readonly Waiver[];
  };
  const said = fit(StampedExecution, stamped, place) as Static<typeof StampedExecution>;
  const execution = executionTerms(disk.execution, place) as ExecutionTerms;
  if (said.component !== execution.component)
    refuse("FieldInvalid", {
      place,
      field: "stamp.execution.component",
      found: said.component,
      expected: `${execution.component}, as in profile.json`,
    });
  const prices = await artifact(said.prices);
  const exits = await artifact(said.exits);
  const staged = delistingArm(disk.universe ?? null, disk.waive ?? []);
  const section = decisionSection({
    execution,
    returns: returnsTerms(disk.returns),
    quotes: quotesOf(parseQuotes(prices.text, prices.place), execution.prices.columns),
    exits: parseExits(exits.text, exits.place),
    skipped: parseSkipped(said.skipped ?? {}, place),
    staged,
  });
  return { section, staged };
}
