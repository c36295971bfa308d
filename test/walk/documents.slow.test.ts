/** Clause walk: an agent that reads documents, each of known tier, by the command line, against a key that was made by hand. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { assertEvery, assertNone } from "../support/all.ts";
import {
  cases,
  findsOf,
  keyed,
  notes,
  outcomes,
  ratesText,
  type Scored,
  scripted,
} from "../support/northgate.ts";
import { type ReadRun, readRun } from "../support/read-run.ts";
import { blindcast, lastLine, type Ran, repository, workspace } from "./command-line.ts";

type Failed = { readonly case: string; readonly rule: string; readonly step: number; readonly call: string };
type Tier = {
  readonly tier: number | string;
  readonly cases: number;
  readonly median: number;
  readonly brier: { readonly mean: number; readonly n: number };
};
type Found = {
  readonly finding: string;
  readonly case: string;
  readonly step: number;
  readonly entity: string;
};
type Result = {
  readonly verdict: string;
  readonly failed_cases: readonly Failed[];
  readonly findings: readonly Found[];
  readonly leakage: {
    readonly documents: {
      readonly documents: number;
      readonly unscored: number;
      readonly by_score: readonly number[];
      readonly tiers: Readonly<Record<string, readonly Tier[]>>;
    };
    readonly queries: Readonly<
      Record<string, { readonly queries: number; readonly findings: number; readonly unknown: number }>
    >;
  };
};

/** The profile of the asker: findings fail their cases, and a case that declares no threshold has none. */
fs.writeFileSync(
  path.join(workspace, "asked.yaml"),
  "name: asked\nextends: default\nexecution: none\njudge: floor\nquery_findings: fail\n",
);

const agents = {
  searcher: ["docs/agents/searcher.mjs", "leakage"],
  asker: ["test/fixtures/asker.mjs", "asked.yaml"],
} as const;
type Agent = keyof typeof agents;
const ran = new Map<Agent, { one: Ran; run: ReadRun; result: Result }>();

before(() => {
  for (const [name, [file, profile]] of Object.entries(agents)) {
    const reader = `module:${path.join(repository, file)}`;
    const words = ["backtest", "northgate-ferries", "--reader", reader, "--profile", profile];
    const one = blindcast([...words, "--out", name, "--json"]);
    const folder = path.join(workspace, name);
    const files = fs.readdirSync(folder).filter((each) => fs.statSync(path.join(folder, each)).isFile());
    const run = readRun(new Map(files.map((each) => [each, fs.readFileSync(path.join(folder, each))])));
    const { result } = JSON.parse(fs.readFileSync(path.join(folder, "report.json"), "utf8"));
    ran.set(name as Agent, { one, run, result });
  }
});

const of = (agent: Agent) => ran.get(agent) as { one: Ran; run: ReadRun; result: Result };

/** The documents that each case was served, each once, with the first step that served it. */
function servedBy({ run }: { run: ReadRun }): Map<string, Map<string, number>> {
  const served = new Map<string, Map<string, number>>(cases.map(({ id }) => [id, new Map()]));
  for (const entry of run.entries) {
    if (entry.kind !== "tool") continue;
    const { rows = [] } = JSON.parse(run.body(entry.result)) as { rows?: { ref: string }[] };
    const own = served.get(entry.case) as Map<string, number>;
    for (const { ref } of rows) {
      const [table, document] = ref.split("#") as [string, string];
      if (table === "notes" && !own.has(document)) own.set(document, entry.step);
    }
  }
  return served;
}

/** What the judge said, pair by pair. */
function judgedBy({ run }: { run: ReadRun }): Scored[] {
  return run.entries.flatMap((entry) => {
    if (entry.kind !== "judge") return [];
    const { ref } = entry.args as { ref: string };
    assert.ok(entry.value !== null);
    return [{ case: entry.case, document: ref.replace("notes#", ""), score: entry.value }];
  });
}

/** The greatest score of what a case was served, by the key. */
const tierOf = (id: string, served: Iterable<string>): number | string =>
  [...served].reduce<number | string>(
    (most, document) => Math.max(typeof most === "string" ? 0 : most, keyed(id, document).floor),
    "no retrieval",
  );

describe("documents.floor", () => {
  it("every document that was served is judged once, and scored as the key says", () => {
    for (const agent of ["searcher", "asker"] as const) {
      const judged = judgedBy(of(agent));
      const served = servedBy(of(agent));
      const pairs = [...served].flatMap(([id, own]) =>
        [...own.keys()].map((document) => `${id} ${document}`),
      );
      assert.deepEqual(judged.map((one) => `${one.case} ${one.document}`).sort(), pairs.sort());
      assertEvery(judged, (one) => one.score === keyed(one.case, one.document).floor);
      const { documents } = of(agent).result.leakage;
      const by = [0, 1, 2, 3, 4].map((score) => judged.filter((one) => one.score === score).length);
      assert.deepEqual([documents.documents, documents.unscored], [judged.length, 0]);
      assert.deepEqual(documents.by_score, by);
    }
  });

  it("recall and precision, printed: of what was served, most that tells of later is seen", () => {
    const judged = judgedBy(of("searcher"));
    for (const line of ratesText("floor, as served", judged)) console.log(line);
    assert.ok(judged.length >= 500);
    const answers = judged.filter((one) => keyed(one.case, one.document).tier === 4);
    assert.ok(answers.length >= 30);
    assert.ok(answers.filter(({ score }) => score === 4).length / answers.length > 0.8);
  });
});

describe("documents.tiers", () => {
  it("the table is the one that follows from key, answers and outcomes", () => {
    const { run, result } = of("searcher");
    const served = servedBy(of("searcher"));
    const rows = new Map<number | string, number[]>();
    for (const entry of run.entries) {
      if (entry.kind !== "answer") continue;
      const tier = tierOf(entry.case, (served.get(entry.case) as Map<string, number>).keys());
      const miss = (entry.probability as number) - (outcomes.get(entry.case) as number);
      rows.set(tier, [...(rows.get(tier) ?? []), miss * miss]);
    }
    const table = result.leakage.documents.tiers["routed"] as readonly Tier[];
    assert.deepEqual(
      table.map(({ tier }) => tier),
      [...rows.keys()].sort(),
    );
    assert.deepEqual(rows.size, 3);
    for (const { tier, cases: count, brier, median } of table) {
      const scores = (rows.get(tier) as number[]).sort((a, b) => a - b);
      const close = (found: number, wanted: number) => assert.ok(Math.abs(found - wanted) < 1e-11, `${tier}`);
      assert.deepEqual([count, brier.n], [scores.length, scores.length]);
      close(brier.mean, scores.reduce((sum, one) => sum + one, 0) / scores.length);
      const middle = (scores.length - 1) / 2;
      const [low, high] = [scores[Math.floor(middle)], scores[Math.ceil(middle)]] as [number, number];
      close(median, (low + high) / 2);
    }
  });
});

describe("documents.threshold", () => {
  /** The profile's threshold is that of cases that declare none. */
  const failing = (agent: Agent, otherwise: number) =>
    cases.flatMap(({ id, leak_threshold = otherwise }) => {
      const served = servedBy(of(agent)).get(id) as Map<string, number>;
      return [...served].flatMap(([document, step]) =>
        keyed(id, document).floor >= leak_threshold ? [`${id} ${step}`] : [],
      );
    });
  const failed = (agent: Agent) =>
    of(agent).result.failed_cases.flatMap((one) =>
      one.rule === "leak-threshold" ? [`${one.case} ${one.step}`] : [],
    );

  it("exactly the cases fail that were served a document at or above their threshold, at the call that served it", () => {
    assert.deepEqual(failed("searcher").sort(), failing("searcher", 3).sort());
    assert.deepEqual(failed("asker").sort(), failing("asker", 5).sort());
    assert.deepEqual([of("searcher").one.status, of("searcher").result.verdict], [1, "red"]);
    assert.ok(new Set(failed("searcher").map((line) => line.split(" ")[0])).size >= 30);
  });

  it("a case without a threshold fails by none where the profile names none", () => {
    const without = cases.filter((item) => item.leak_threshold === undefined).map(({ id }) => id);
    const told = judgedBy(of("asker")).filter((one) => without.includes(one.case) && one.score === 4);
    assert.ok(told.length > 0);
    assertNone(failed("asker"), (line) => without.includes(line.split(" ")[0] as string));
  });
});

describe("documents.queries", () => {
  it("findings are exactly those of the key, each at its call, and none is of what the question names", () => {
    const { run, result } = of("asker");
    const wanted: string[] = [];
    for (const { id } of cases) {
      const calls = run.entries.filter((entry) => entry.kind === "tool" && entry.case === id);
      for (const [i, line] of scripted.filter((one) => one.case === id).entries())
        for (const entity of findsOf(line)) wanted.push(`${id} ${calls[i]?.step} ${entity}`);
    }
    const found = result.findings.flatMap((one) =>
      one.finding === "query-names-later-entity" ? [`${one.case} ${one.step} ${one.entity}`] : [],
    );
    assert.ok(wanted.length >= 15);
    assert.deepEqual(found.sort(), wanted.sort());
    const question = new Map(cases.map((item) => [item.id, item.question]));
    assertNone(result.findings, (one) => (question.get(one.case) ?? "").includes(one.entity ?? "-"));
    assert.deepEqual(result.leakage.queries["routed"]?.findings, wanted.length);
    assert.equal(result.leakage.queries["routed"]?.queries, scripted.length);
  });

  it("the agent that asks only what the question says has none", () => {
    const { queries } = of("searcher").result.leakage;
    assert.equal(queries["routed"]?.findings, 0);
    assert.ok((queries["routed"]?.queries ?? 0) >= cases.length);
  });

  it("fail their cases where the profile says so", () => {
    const { failed_cases: failed, findings } = of("asker").result;
    const byRule = failed
      .filter(({ rule }) => rule === "query-finding")
      .map((one) => `${one.case} ${one.step}`);
    const found = findings.flatMap((one) => (one.entity === undefined ? [] : [`${one.case} ${one.step}`]));
    assert.deepEqual(byRule.sort(), found.sort());
  });
});

describe("documents.replay", () => {
  it("gives the same result from the record", () => {
    for (const agent of ["searcher", "asker"] as const) {
      const replayed = blindcast(["replay", agent, "--json"]);
      assert.equal(lastLine(replayed).result_digest, lastLine(of(agent).one).result_digest, replayed.stderr);
    }
    assert.ok(notes.length > 150);
  });
});
