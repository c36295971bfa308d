/** A small set of decisions made on the fly: daily prices of two entities, a decision at the start of each week. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Backtest, backtest } from "../../src/backtest.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import type { AuditLedger } from "../../src/ledger/audit-ledger.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import type { TrialLedger } from "../../src/ledger/trial-ledger.ts";
import type { Family } from "../../src/model/family.ts";
import type { Positions } from "../../src/model/given-answer.ts";
import type { AskedDecision, ReaderSource, Tools } from "../../src/model/reader.ts";
import { type DecisionRun, decisionRun } from "../../src/profile/decision-run.ts";
import { type Profile, type ProfileOnDisk, profileOf, runOptions } from "../../src/profile/profile.ts";
import type { Earlier } from "../../src/run/earlier-run.ts";
import { type Filter, selectCases } from "../../src/run/selection.ts";
import { memorySink, type Sink } from "../../src/run/sink.ts";
import { silent } from "../../src/run/world.ts";
import type { Store } from "../../src/store/door.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { readerOf } from "./daily-set.ts";

const DAY = 86_400_000;
const FIRST = Date.UTC(2021, 0, 4);
export const dayOf = (i: number): string => new Date(FIRST + i * DAY).toISOString().slice(0, 10);
const ENTITIES = ["ash", "birch"] as const;

/** Opens and closes of day `i`, both above 0. */
export const priceOf = (entity: string, i: number, column: "open" | "close"): number => {
  const base = entity === "ash" ? 100 + ((i * 7) % 23) : 50 + ((i * 5) % 11);
  return column === "open" ? base : base + ((i * 3) % 5) - 2;
};

export type DecisionSetOptions = {
  readonly weeks?: number;
  /** More of one case, by its number. */
  readonly more?: (week: number) => object;
  /** Lines after the prices'. */
  readonly rows?: string;
};

export type MadeDecisions = { readonly set: CaseSet; readonly store: Store };

export async function decisionSet({
  weeks = 8,
  more,
  rows = "",
}: DecisionSetOptions = {}): Promise<MadeDecisions> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-decisions-"));
  fs.writeFileSync(
    path.join(folder, "caseset.yaml"),
    `name: weekly
kind: decision
time_zone: UTC
tables:
  prices:
    rows: {file: prices.csv}
    key: [date, tree]
    entity: tree
    valid_time: {column: date}
    available_time: {date: PT9H30M, tree: PT9H30M, open: PT9H30M, close: PT16H}
`,
  );
  const lines = Array.from({ length: (weeks + 2) * 7 }, (_, i) =>
    ENTITIES.map((tree) => `${dayOf(i)},${tree},${priceOf(tree, i, "open")},${priceOf(tree, i, "close")}\n`),
  ).flat();
  fs.writeFileSync(path.join(folder, "prices.csv"), `date,tree,open,close\n${lines.join("")}${rows}`);
  const cases = Array.from({ length: weeks }, (_, week) => ({
    id: `week-${week}`,
    kind: "decision",
    question: "What to hold?",
    horizon: `${dayOf((week + 1) * 7)}T00:00:00Z`,
    reads: ["prices"],
    label_interval: [`${dayOf((week + 1) * 7)}T00:00:00Z`, `${dayOf((week + 2) * 7)}T00:00:00Z`],
    answer: "positions",
    ...more?.(week),
  }));
  fs.writeFileSync(path.join(folder, "cases.jsonl"), cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const set = loadCaseSet(folder, "weekly") as CaseSet;
  const lookup = { folder, workingFolder: folder, ownFolder: folder, cache: null, fetch: null };
  const store = await loadStore(set, lookup);
  fs.rmSync(folder, { recursive: true });
  return { set, store };
}

/** A reader of decisions by a function of the question. */
export const decider = (
  decide: (asked: AskedDecision, tools: Tools) => Positions | null | Promise<Positions | null>,
): ReaderSource =>
  readerOf(async (asked, tools) => {
    const positions = await decide(asked as AskedDecision, tools);
    return positions === null
      ? { kind: "decline", reason: "nothing to say", usage: null }
      : { kind: "answer", positions, usage: null };
  });

export const tradingProfile: Partial<ProfileOnDisk> = {
  execution: {
    component: "next-available-price",
    prices: { table: "prices", columns: ["open", "close"] },
    costs: {},
    capital: 1000,
  },
  returns: { per: "week", periods_per_year: 52 },
};

export type DecisionRunOptions = {
  readonly profile?: Partial<ProfileOnDisk>;
  readonly ledger?: AuditLedger;
  readonly trials?: TrialLedger;
  readonly sink?: Sink;
  readonly earlier?: Earlier | null;
  readonly run?: string;
  readonly signal?: AbortSignal;
  readonly family?: Family | null;
  readonly filters?: readonly Filter[];
  /** What every byte of the run's secret is. */
  readonly secret?: number;
};

export async function runDecisions(
  { set, store }: MadeDecisions,
  readers: ReaderSource,
  options: DecisionRunOptions = {},
): Promise<Backtest & { readonly sink: Sink }> {
  const profile: Profile = profileOf({ name: "test", ...tradingProfile, ...options.profile }, "test");
  const filters = options.filters ?? [];
  const cases = selectCases(set.cases, filters, null, set.place);
  const decided = decisionRun(profile, set, store, cases) as DecisionRun;
  const rest = { filters, limit: null, concurrency: 3 };
  const sink = options.sink ?? memorySink();
  let tick = 0;
  const found = await backtest(
    set,
    {
      run: options.earlier?.run ?? options.run ?? "01TESTRUN00000000000000000",
      earlier: options.earlier ?? null,
      replaces: null,
      family: options.family ?? null,
      artifacts: decided.artifacts,
      budget: null,
      entities: null,
      trial: decided.trial,
      staging: decided.staging,
      options: runOptions(profile, rest, decided.execution),
    },
    decided.checks,
    {
      clock: { now: () => 1_600_000_000_000 + tick++, elapsed: () => tick++ },
      host: { node: "test", zone_data: "test", unicode: "test" },
      ledger: options.ledger ?? memoryLedger(),
      trials: options.trials ?? memoryTrialLedger("weekly"),
      random: (bytes) => new Uint8Array(bytes).fill(options.secret ?? 7),
      store,
      readers,
      sink,
      signal: options.signal ?? new AbortController().signal,
      progress: silent,
    },
    decided.section,
  );
  return { ...found, sink };
}
