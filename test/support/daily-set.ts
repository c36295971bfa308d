/** A small case set made on the fly: one table with a reading a day, one case a day, outcome = reading above 50. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Backtest, backtest, type finishBacktest } from "../../src/backtest.ts";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import type { AuditLedger } from "../../src/ledger/audit-ledger.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { type Family, parseFamily } from "../../src/model/family.ts";
import type { AskedCase, Attempt, Opening, ReaderSource, Tools } from "../../src/model/reader.ts";
import { type ProfileOnDisk, profileOf, runOptions } from "../../src/profile/profile.ts";
import type { Earlier } from "../../src/run/earlier-run.ts";
import type { Sink } from "../../src/run/sink.ts";
import { memorySink } from "../../src/run/sink.ts";
import { type Clock, silent } from "../../src/run/world.ts";
import type { Store } from "../../src/store/door.ts";
import { loadStore } from "../../src/store/load-store.ts";

const DAY = 86_400_000;
const FIRST = Date.UTC(2020, 0, 1);
export const date = (i: number): string => new Date(FIRST + i * DAY).toISOString().slice(0, 10);
export const reading = (i: number): number => (i * 37) % 101;

export type DailyOptions = {
  readonly days?: number;
  /** The first asked day; before it, days are history. */
  readonly from?: number;
  /** The text of a day's note, which is searched; without it there are no notes. */
  readonly note?: (i: number) => string;
  /** Lines `who,stint,from,to,known`: the cases then read a table `crew` of them, whose rows hold from one day to another. */
  readonly crew?: string;
  readonly label?: (i: number) => object | null;
  readonly cluster?: (i: number) => string;
  readonly tags?: (i: number) => string[];
  /** Days of a case's label interval; one without it. */
  readonly span?: (i: number) => number;
  /** Lines of the declaration's `splits`. */
  readonly splits?: string;
};

const CREW = `  crew:
    rows: {file: crew.csv}
    key: [who, stint]
    entity: who
    valid_time: {from: from, to: to}
    available_time: {column: known}
`;

export async function dailySet(options: DailyOptions = {}): Promise<{ set: CaseSet; store: Store }> {
  const { days = 40, from = 10 } = options;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-daily-"));
  const noted = options.note !== undefined;
  const at = (i: number) => `${date(i)}T00:00:00Z`;
  const yaml = `name: daily
kind: forecast
time_zone: UTC
${options.splits === undefined ? "" : `splits:\n${options.splits}`}\
readers:
  climatology: {table: readings, event: "value > 50"}
  persistence: {table: readings, event: "value > 50"}
tables:
  readings:
    rows: {file: readings.csv}
    key: [date]
    valid_time: {column: date}
    available_time: {after: valid_time, delay: P1D}
${noted ? "    text: [note]\n" : ""}${options.crew === undefined ? "" : CREW}`;
  fs.writeFileSync(path.join(folder, "caseset.yaml"), yaml);
  const all = [...Array(days).keys()];
  fs.writeFileSync(
    path.join(folder, "readings.csv"),
    noted
      ? `date,value,note\n${all.map((i) => `${date(i)},${reading(i)},${options.note?.(i)}\n`).join("")}`
      : `date,value\n${all.map((i) => `${date(i)},${reading(i)}\n`).join("")}`,
  );
  if (options.crew !== undefined)
    fs.writeFileSync(path.join(folder, "crew.csv"), `who,stint,from,to,known\n${options.crew}`);
  const asked = all.filter((i) => i >= from);
  const cases = asked.map((i) => ({
    id: `day-${date(i)}`,
    kind: "forecast",
    question: `Above 50 on ${date(i)}?`,
    freeze: at(i),
    reads: options.crew === undefined ? ["readings"] : ["readings", "crew"],
    resolution: { statement: "value > 50", vintage: "first", at: at(i + 1) },
    label_interval: [at(i), at(i + (options.span?.(i) ?? 1))],
    answer: "probability",
    ...(options.tags === undefined ? {} : { tags: options.tags(i) }),
    ...(options.cluster === undefined ? {} : { cluster: options.cluster(i) }),
  }));
  const label = (i: number) => ({
    case: `day-${date(i)}`,
    outcome: reading(i) > 50 ? 1 : 0,
    vintage: "first",
    resolved_at: at(i + 1),
    available_time: at(i + 1),
  });
  const labels = asked.flatMap((i) => {
    const changed = options.label?.(i);
    return changed === null ? [] : [{ ...label(i), ...changed }];
  });
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  fs.writeFileSync(path.join(folder, "cases.jsonl"), lines(cases));
  fs.writeFileSync(path.join(folder, "labels.jsonl"), lines(labels));
  const set = loadCaseSet(folder, "daily") as CaseSet;
  const store = await loadStore(set, {
    folder,
    workingFolder: folder,
    ownFolder: folder,
    cache: null,
    fetch: null,
  });
  fs.rmSync(folder, { recursive: true });
  return { set, store };
}

/** A reader that answers by a function of the case, its tools and the snapshot it runs on. */
export function readerOf(
  answer: (asked: AskedCase, tools: Tools, snapshot: string) => Promise<Attempt> | Attempt,
  family: Family | null = null,
): ReaderSource {
  return {
    name: "test",
    family: family?.name ?? null,
    identity: (checkpoint) => ({
      name: "test",
      snapshot: checkpoint?.snapshot ?? "none",
      pretrain_cutoff: "none",
      posttrain_cutoff: checkpoint === null ? "none" : null,
      temperature: 0,
      prompt_digest: "none",
      uses_tools: true,
      params: {},
    }),
    open: (checkpoint) => ({
      answer: async (asked, tools) => answer(asked, tools as Tools, checkpoint?.snapshot ?? "none"),
    }),
  };
}

export function familyOf(...rows: readonly (readonly [snapshot: string, posttrain: string])[]): Family {
  const checkpoints = rows.map(([snapshot, posttrain]) => ({ snapshot, posttrain }));
  return parseFamily({ family: "test", checkpoints }, ".", "family", () => "family");
}

export type RunOptions = {
  readonly ledger?: AuditLedger;
  readonly earlier?: Earlier | null;
  readonly run?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly family?: Family | null;
  readonly profile?: Partial<ProfileOnDisk>;
  readonly concurrency?: number;
  readonly sink?: Sink;
  readonly split?: string;
};

/** An opening that bounds nothing and keeps nothing. */
export const opening: Opening = {
  deadline: () => new AbortController().signal,
  paused: (work) => work,
  refusal: () => null,
  record: () => {},
};

export function runDaily(
  made: { set: CaseSet; store: Store },
  readers: ReaderSource,
  options: RunOptions = {},
): Promise<Backtest> {
  return backtest(...dailyInputs(made, readers, options));
}

/** What a spine takes. */
export function dailyInputs(
  made: { set: CaseSet; store: Store },
  readers: ReaderSource,
  options: RunOptions = {},
): Parameters<typeof finishBacktest> {
  const profile = profileOf({ name: "test", execution: "none", ...options.profile }, "test");
  let tick = 0;
  return [
    made.set,
    {
      run: options.earlier?.run ?? options.run ?? "01TESTRUN00000000000000000",
      earlier: options.earlier ?? null,
      replaces: null,
      family: options.family ?? null,
      artifacts: new Map(),
      budget: profile.budget,
      ...(options.split === undefined ? {} : { split: options.split }),
      entities: null,
      trial: null,
      staging: null,
      options: runOptions(profile, { filters: [], limit: null, concurrency: options.concurrency ?? 4 }),
    },
    [],
    {
      clock: options.clock ?? { now: () => 1_600_000_000_000 + tick++, elapsed: () => tick++ },
      host: { node: "test", zone_data: "test", unicode: "test" },
      ledger: options.ledger ?? memoryLedger(),
      random: (bytes) => new Uint8Array(bytes).fill(7),
      store: made.store,
      readers,
      sink: options.sink ?? memorySink(),
      signal: options.signal ?? new AbortController().signal,
      progress: silent,
    },
  ];
}
