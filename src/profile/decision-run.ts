/** A profile's decisions, ready to run: the section that is made of them, and what of them is stamped, kept and checked. */
import * as fs from "node:fs";
import type { BoundedCase, CaseKind } from "../caseset/bounded-case.ts";
import type { DecisionCase } from "../caseset/decision-case.ts";
import type { CaseSet } from "../caseset/load.ts";
import type { Json } from "../core/canonical.ts";
import { type Digest, digestOf, sha256Hex } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { refuse } from "../core/refusal.ts";
import type { Section } from "../report/section.ts";
import type { Check } from "../run/preflight.ts";
import type { Staging } from "../run/staging.ts";
import type { TrialRules } from "../run/trial-rules.ts";
import type { Store } from "../store/door.ts";
import { usedQuotes } from "./account.ts";
import { type DecisionTerms, decisionSection } from "./decisions.ts";
import { delistingStaging } from "./delisting-arm.ts";
import type { ExecutionTerms } from "./execution.ts";
import { checkDelistingReturns, exitLines, noExits } from "./exits.ts";
import { skippedOf, skippedOnDisk } from "./gaps.ts";
import { marksOf } from "./marks.ts";
import { quotesOfTable } from "./price-table.ts";
import type { Profile } from "./profile.ts";
import { quoteLines } from "./quote-lines.ts";
import { type Quote, type Quotes, quotesOf } from "./quotes.ts";
import { sliceNames, sliceOf } from "./slices.ts";
import { tradedQuotes, universeExits } from "./universe.ts";

/** What a run takes of its decisions. */
export type DecisionRun = {
  readonly section: Section;
  readonly trial: TrialRules;
  /** Prices and exits, so that a stranger can make the accounts again. */
  readonly artifacts: ReadonlyMap<string, string>;
  /** Part of the stamp. */
  readonly execution: Json;
  readonly checks: readonly Check[];
  /** The arm that is asked beside those that are scored; null: no universe changes. */
  readonly staging: Staging | null;
};

/** Law 6: a backtest says how its decisions are filled, or that there are none. */
export function checkExecution({ execution, place, placeOf, name }: Profile, kind: CaseKind): void {
  const trades = kind === "decision";
  if (execution === null) refuse("EvalExecutionUndeclared", { place, profile: name, trades });
  if (execution === "none" && trades)
    refuse("EvalExecutionUndeclared", { place: placeOf("/execution"), profile: name, trades });
}

/**
 * `cases`: the selected ones, whose prices the run keeps; null for a set without decisions. Refuses what of prices, exits
 * and terms is wrong, before any case.
 */
export function decisionRun(
  profile: Profile,
  set: CaseSet,
  store: Store,
  cases: readonly BoundedCase[] = set.cases,
): DecisionRun | null {
  const { execution, returns, universe, placeOf } = profile;
  if (set.onDisk.kind !== "decision" || execution === null || execution === "none") return null;
  if (returns === null)
    return refuse("KeyMissing", {
      place: placeOf("/returns"),
      key: "returns",
      present: ["execution"],
      next: "write what one period is, such as `returns: {per: month, periods_per_year: 12}`",
    });
  const { table: name, columns } = execution.prices;
  const table = store.tables.get(name);
  if (table === undefined)
    return refuse("TableUnknown", {
      place: placeOf("/execution/prices/table"),
      field: "execution.prices.table",
      found: name,
      known: [...store.tables.keys()],
    });
  const all = quotesOf(quotesOfTable(table, columns, null, placeOf), columns);
  const exits = universe === null ? noExits : universeExits(universe, store, all, placeOf);
  const traded =
    universe === null ? all : tradedQuotes(universe, store, all, cases as readonly DecisionCase[]);
  const found = [...keptQuotes(cases as readonly DecisionCase[], traded, execution)];
  const quotes = quotesOf(found, columns);
  const staging = universe === null ? null : delistingStaging(universe, profile.waive, execution.prices);
  const skipped = skippedOf(set.cases as readonly DecisionCase[], cases as readonly DecisionCase[]);
  const terms: DecisionTerms = { execution, returns, quotes, exits, skipped, staged: staging };
  const texts = { prices: quoteLines(found), exits: exitLines(exits) };
  return {
    section: decisionSection(terms),
    trial: { units: returns.per },
    artifacts: new Map(Object.values(texts).map((text) => [sha256Hex(text), text])),
    execution: {
      component: execution.component,
      code: componentDigest(),
      prices: digestOf(texts.prices),
      exits: digestOf(texts.exits),
      ...(skipped.size === 0 ? {} : { skipped: skippedOnDisk(skipped) }),
    },
    checks: [(plan) => checkCases(plan.cases, profile, terms)],
    staging,
  };
}

/** The prices of whatever the cases' answers may name: whoever answers, the account comes out of them as out of all. */
function keptQuotes(
  cases: readonly DecisionCase[],
  quotes: Quotes,
  { latency }: ExecutionTerms,
): Iterable<Quote> {
  const everything = Object.fromEntries([...quotes.series.keys()].map((entity) => [entity, 0]));
  const inTime = [...cases].sort((a, b) => a.horizon - b.horizon);
  const decisions = inTime.map(({ id, horizon }) => ({
    id,
    at: (horizon + latency.micros) as Instant,
    positions: everything,
  }));
  const ends = inTime.map(({ labelInterval }) => labelInterval[1]).sort((a, b) => a - b);
  return usedQuotes(decisions, quotes, ends);
}

/** An account follows one decision at a time, and its last period has an end. */
function checkCases(
  cases: readonly BoundedCase[],
  { universe, place, placeOf }: Profile,
  { exits }: DecisionTerms,
): void {
  for (const slice of sliceNames) {
    const own = (cases as readonly DecisionCase[])
      .filter((item) => sliceOf(item) === slice)
      .sort((a, b) => a.horizon - b.horizon);
    const marks = marksOf(own);
    own.forEach((item, i) => {
      demandUniverse(item, universe, placeOf("/universe/table"));
      const [at, next] = [item.horizon, marks[i + 1] as number];
      if (at < next) return;
      refuse("FieldInvalid", {
        place: own[Math.min(i + 1, own.length - 1)]?.place ?? item.place,
        field: `case ${item.id}: horizon`,
        found: `${formatInstant(at)}, and what comes next is no later`,
        expected:
          "horizons that differ within a slice, and a label that ends after the last: an account follows one decision at a time",
      });
    });
    const [first, last] = [marks[0], marks.at(-1)];
    if (first === undefined || last === undefined) continue;
    const listed = new Set(own.flatMap(({ members }) => members ?? []));
    const due = [...exits.values()].filter(
      ({ entity, at }) => at > first && at <= last && (slice !== "fixed_universe" || listed.has(entity)),
    );
    checkDelistingReturns(due, place);
  }
}

function demandUniverse(item: DecisionCase, universe: Profile["universe"], place: string): void {
  if (item.universe === null) return;
  if (universe?.table !== item.universe)
    refuse("FieldInvalid", {
      place,
      field: "universe.table",
      found: universe?.table ?? "nothing",
      expected: `${item.universe}, the universe of case ${item.id}`,
    });
  if (item.window === null) refuse("UniverseWindowMissing", { place: item.place, id: item.id });
}

/** Whatever makes orders, exits and marks. */
const PARTS = [
  "account",
  "book",
  "execution",
  "exits",
  "fills",
  "gaps",
  "marks",
  "price-table",
  "quotes",
  "silent-exits",
  "slices",
  "universe",
];

/** Of the component's code, file by file, as it runs. */
function componentDigest(): Digest {
  return digestOf(
    PARTS.map((part) => digestOf(fs.readFileSync(new URL(`./${part}.js`, import.meta.url)))).join("\n"),
  );
}
