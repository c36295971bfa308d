/** What became of decisions: an account for each slice, arm and repeat, its returns, and what a ledger of trials keeps. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { DecisionCase } from "../caseset/decision-case.ts";
import type { Json } from "../core/canonical.ts";
import type { TrialRows } from "../ledger/trial-chain.ts";
import { trialsOf } from "../ledger/trial-ledger.ts";
import type { Section, Sectioned, SectionMade } from "../report/section.ts";
import { ROUTED } from "../run/arms.ts";
import type { StagedArm } from "../run/staging.ts";
import type { TrajectoryScore } from "../score/score-trajectory.ts";
import { runAccount, type TradedAccount } from "./account.ts";
import { accountFigures, accountJson, isRuined } from "./account-figures.ts";
import type { ExecutionTerms } from "./execution.ts";
import type { Exits } from "./exits.ts";
import { decisionsWithGaps, type Skipped } from "./gaps.ts";
import { deflateLedger } from "./ledger-deflation.ts";
import { marksOf } from "./marks.ts";
import type { Quotes } from "./quotes.ts";
import { excessOf, type ReturnsTerms, trialMeasures } from "./returns.ts";
import { type SliceName, sliceNames, sliceOf } from "./slices.ts";
import type { TrialMeasures } from "./trial-measure.ts";

/** All that an account hangs on, beside the answers. */
export type DecisionTerms = {
  readonly execution: ExecutionTerms;
  readonly returns: ReturnsTerms;
  readonly quotes: Quotes;
  readonly exits: Exits;
  /** Where cases of the set are not selected: nothing is held there. */
  readonly skipped: Skipped;
  /** The arm whose answers are in no account: it has rows that are not real; null: there is none. */
  readonly staged: StagedArm | null;
};

/** One (slice, arm, repeat): what its answers were, and what became of them. */
type Traded = {
  readonly slice: SliceName;
  readonly arm: string;
  readonly repeat: number;
  readonly cases: readonly DecisionCase[];
  /** Cases without an answer: what was held then stood. */
  readonly held: number;
  /** How often other cases of the set lie between two of these. */
  readonly gaps: number;
  readonly account: TradedAccount;
};

export function decisionSection(terms: DecisionTerms): Section {
  return {
    name: "decisions",
    make: (of) => makeSection(of, terms),
    ofTrials: trialFigures,
  };
}

function makeSection(of: Sectioned, terms: DecisionTerms): SectionMade {
  const traded = tradeAll(of, terms);
  const main = sliceNames.find((name) => traded.some(({ slice }) => slice === name)) ?? "all";
  const own = traded.filter(({ slice, arm }) => slice === main && arm === ROUTED);
  const excess = own.map(({ account }) => excessReturns(account, terms.returns));
  const measures = trialMeasures(
    excess,
    own.map(({ repeat }) => of.seed + repeat),
    { slice: main, marks: marksOf(own[0]?.cases ?? []), gaps: own[0]?.gaps ?? 0 },
  );
  const first = own[0];
  const known = first?.account.returns.filter((value) => value !== null).length ?? 0;
  const headline = first === undefined ? null : accountFigures(first, terms.returns);
  return {
    section: sectionJson(traded, main, terms),
    headline: { slice: main, decisions: headline as Json },
    n: Math.max(0, known - (first?.held ?? 0)),
    failed: traded.flatMap(missingReturns),
    findings: [],
    unsettled: own.slice(0, 1).flatMap(unknownReturns),
    missing: [
      {
        section: "premium",
        reason:
          "not made of decisions: it compares Brier scores, and they have none; compare the arms' own figures",
      },
      ...unaskedArm(of, terms.staged),
    ],
    trial: { measures: measures as unknown as Json, series: seriesOf(measures) },
  };
}

/** The digest of the first repeat's returns; of the others each row has its own. */
const seriesOf = ({ repeats }: TrialMeasures): string | null => repeats[0]?.series ?? null;

function tradeAll({ cases, scores }: Sectioned, terms: DecisionTerms): Traded[] {
  const accounted = scores.filter(({ arm }) => arm !== terms.staged?.arm);
  const groups = new Map<string, { slice: SliceName; arm: string; repeat: number; of: TrajectoryScore[] }>();
  for (const score of accounted) {
    const { arm, repeat, caseIndex } = score;
    const slice = sliceOf(cases[caseIndex] as DecisionCase);
    const key = JSON.stringify([sliceNames.indexOf(slice), arm, repeat]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { slice, arm, repeat, of: [score] });
    else known.of.push(score);
  }
  return [...groups.values()]
    .map(({ slice, arm, repeat, of }) => ({ slice, arm, repeat, ...trade(slice, of, cases, terms) }))
    .sort(
      (a, b) =>
        sliceNames.indexOf(a.slice) - sliceNames.indexOf(b.slice) ||
        (a.arm < b.arm ? -1 : a.arm > b.arm ? 1 : a.repeat - b.repeat),
    );
}

/**
 * Marks stand at each horizon, before its decision, and at the end of the last case's label. Where the next case of the
 * slice is not among these, all is sold at its decision's instant: a case's return is that of its own decision.
 */
function trade(
  slice: SliceName,
  scores: readonly TrajectoryScore[],
  cases: readonly BoundedCase[],
  { execution, quotes, exits, skipped }: DecisionTerms,
): Pick<Traded, "cases" | "held" | "gaps" | "account"> {
  const rows = scores
    .map((score) => ({ item: cases[score.caseIndex] as DecisionCase, positions: score.positions }))
    .sort((a, b) => a.item.horizon - b.item.horizon);
  const own = rows.map(({ item }) => item);
  const asked = new Set(own);
  const unasked = (cases as readonly DecisionCase[]).filter(
    (item) => sliceOf(item) === slice && !asked.has(item),
  );
  const others = [...unasked.map(({ horizon }) => horizon), ...(skipped.get(slice) ?? [])];
  const answers = rows.map(({ item: { id, horizon }, positions }) => ({ id, horizon, positions }));
  const { decisions, gaps } = decisionsWithGaps(answers, others, execution.latency.micros);
  return {
    cases: own,
    held: rows.filter(({ positions }) => positions === null).length,
    gaps,
    account: runAccount(decisions, quotes, marksOf(own), execution, exits),
  };
}

/** null where one of the returns is not known: then there is no series. */
function excessReturns(
  { returns }: Pick<TradedAccount, "returns">,
  { riskFree }: ReturnsTerms,
): readonly number[] | null {
  return returns.includes(null) ? null : excessOf(returns as readonly number[], riskFree);
}

/** A held member that left without a return fails the run by its name. */
function missingReturns({ arm, repeat, account, cases }: Traded): { readonly [key: string]: Json }[] {
  return account.missing.map(({ entity, at }) => ({
    case: cases.findLast(({ horizon }) => horizon < at)?.id ?? (cases[0] as DecisionCase).id,
    arm,
    repeat,
    rule: "delisting-return-missing",
    step: 0,
    call: entity,
    detail: `${entity} was held when it left, and no return of it is known`,
  }));
}

/** A case that should have been asked in the staged arm too, and was not. */
function unaskedArm({ cases, scores }: Sectioned, staged: StagedArm | null): SectionMade["missing"] {
  if (staged === null) return [];
  const { arm, concerns } = staged;
  const asked = new Set(scores.flatMap((score) => (score.arm === arm ? [score.caseIndex] : [])));
  const left = cases.filter((item, i) => concerns(item) && !asked.has(i)).length;
  if (left === 0) return [];
  const reason = `${left} cases were not asked in the arm ${arm}: no checkpoint was routed to them, no fold tests them, or a session asked only once`;
  return [{ section: `arms.staged.${arm}`, reason }];
}

function unknownReturns({ account, cases }: Traded): SectionMade["unsettled"] {
  const reason = isRuined(account.equity)
    ? "the equity had fallen to 0 or below: of nothing there is no return"
    : "its return is not known";
  return account.returns.flatMap((value, i) =>
    value === null ? [{ case: (cases[i] as DecisionCase).id, state: "unsettled", reason }] : [],
  );
}

function sectionJson(traded: readonly Traded[], main: SliceName, terms: DecisionTerms): Json {
  const { per, periodsPerYear, riskFree } = terms.returns;
  const slices = sliceNames.flatMap((name) => {
    const own = traded.filter(({ slice }) => slice === name);
    if (own.length === 0) return [];
    const arms = [...new Set(own.map(({ arm }) => arm))];
    const cases = new Set(own.flatMap((one) => one.cases.map(({ id }) => id))).size;
    return [[name, { cases, arms: Object.fromEntries(arms.map((arm) => [arm, armJson(own, arm, terms)])) }]];
  });
  return {
    units: { per, periods_per_year: periodsPerYear, risk_free: riskFree, ddof: 1 },
    slice: main,
    slices: Object.fromEntries(slices) as Json,
  };
}

function armJson(traded: readonly Traded[], arm: string, { returns }: DecisionTerms): Json {
  const own = traded.filter((one) => one.arm === arm);
  return own.map((one, i) => ({
    repeat: one.repeat,
    held: one.held,
    ...accountFigures(one, returns),
    // What one repeat did is shown whole; of the others their figures.
    ...(i === 0 ? accountJson(one.account, one.cases) : {}),
  })) as unknown as Json;
}

/** What the trial is worth among those that its ledger knew. */
function trialFigures(ledger: TrialRows, start: number): Json {
  const { trials, ...deflation } = deflateLedger(ledger, start);
  const own = trials[trialsOf(ledger.rows).findIndex((trial) => trial.start === start)];
  return { ...deflation, own: own ?? null } as unknown as Json;
}
