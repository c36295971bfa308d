/** What a reader from outside may do: each misdeed is a fault of its own trajectory, and the run goes on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Attempt, Tools } from "../../src/model/reader.ts";
import { checkAttempt } from "../../src/run/ask.ts";
import { memorySink } from "../../src/run/sink.ts";
import { dailySet, readerOf, runDaily } from "../support/daily-set.ts";
import { readRun } from "../support/read-run.ts";
import type { ShownResult } from "../support/report-shape.ts";

const probability = { answer: "probability" } as const;
const half = { kind: "answer", probability: 0.5, usage: null } as const;

describe("a reader's attempt", () => {
  it("is an attempt whatever it was: property over arbitrary values", () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        const attempt = checkAttempt(given, probability);
        assert.ok(["answer", "decline", "fault"].includes(attempt.kind));
        if (attempt.kind !== "answer") return;
        const { probability: found = Number.NaN } = attempt;
        assert.ok(found >= 0 && found <= 1);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps what is right and refuses what is next to it", () => {
    const kind = (given: unknown) => {
      const attempt = checkAttempt(given, probability);
      return attempt.kind === "fault" ? attempt.class : attempt.kind;
    };
    assert.equal(kind({ ...half, probability: 0 }), "answer");
    assert.equal(kind({ ...half, probability: 1 }), "answer");
    for (const probability of [
      -1e-9,
      1 + 1e-9,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "0.5",
      null,
      undefined,
    ]) {
      assert.equal(kind({ ...half, probability }), "malformed_output", String(probability));
    }
    assert.equal(kind({ ...half, usage: { input_tokens: 3, output_tokens: null, cost: 0.1 } }), "answer");
    assert.equal(kind({ ...half, usage: { input_tokens: Number.NaN } }), "malformed_output");
    assert.equal(kind({ ...half, usage: { cost: -1 } }), "malformed_output");
    assert.equal(kind({ ...half, usage: { cost: 1e12 } }), "answer");
    for (const key of ["cost", "input_tokens", "retries"])
      assert.equal(kind({ ...half, usage: { [key]: 1e308 } }), "malformed_output", key);
    assert.equal(kind({ kind: "decline", reason: "no_data" }), "decline");
    assert.equal(kind({ kind: "fault", class: "timeout", message: "60 s" }), "timeout");
    assert.equal(kind({ kind: "fault", class: "bad luck", message: "" }), "malformed_output");
    for (const nothing of [undefined, null, 7, "answer", []]) assert.equal(kind(nothing), "malformed_output");
  });

  it("ends in the record whatever its words hold", async () => {
    const bad = `\ud800${"x".repeat(100_000)}`;
    const attempts: readonly unknown[] = [
      { kind: "decline", reason: bad },
      { kind: "fault", class: "timeout", message: bad },
      { ...half, usage: { input_tokens: Number.NaN } },
      undefined,
    ];
    let i = 0;
    const sink = memorySink();
    const reader = readerOf(() => attempts[i++ % attempts.length] as Attempt);
    const { report } = await runDaily(await dailySet(), reader, { sink, concurrency: 1 });
    const { tally } = report.result as unknown as ShownResult;
    assert.deepEqual([tally.declined, tally.faults], [8, { malformed_output: 14, timeout: 8 }]);
    assert.equal(readRun(sink.files).entries.filter((entry) => entry.kind === "end").length, 30);
  });
});

describe("a reader from outside", () => {
  it("that throws is a fault, others are unchanged; a built-in's error is our bug", async () => {
    const made = await dailySet();
    const throwing = readerOf((asked) => {
      if (asked.id.endsWith("-15")) throw new Error("out of luck");
      return half;
    });
    const { report } = await runDaily(made, throwing);
    assert.deepEqual((report.result as unknown as ShownResult).tally.faults, { protocol: 1 });
    assert.equal((report.result as unknown as ShownResult).headline.brier.n, 29);
    await assert.rejects(runDaily(made, { ...throwing, builtIn: true }), /out of luck/);
  });

  it("cannot use its tools after its end", async () => {
    const kept: Tools[] = [];
    const late: unknown[] = [];
    const sink = memorySink();
    const reader = readerOf(async (_, tools) => {
      for (const old of kept) late.push(await old.call("rows", { table: "readings" }));
      kept.push(tools);
      const own = await tools.call("rows", { table: "readings", limit: 1 });
      assert.equal(own.ok, true);
      return half;
    });
    await runDaily(await dailySet({ days: 13 }), reader, { sink, concurrency: 1 });
    assert.equal(late.length, 3);
    for (const answer of late)
      assert.deepEqual(answer, {
        ok: false,
        fault: { class: "aborted", message: "the trajectory has ended" },
      });
    assert.equal(readRun(sink.files).entries.filter((entry) => entry.kind === "tool").length, 3);
  });

  it("may call a tool by any name: a fault, recorded, never a crash", async () => {
    const names = [
      "x".repeat(70_000),
      "\ud800",
      "",
      "Rows",
      7 as unknown as string,
      null as unknown as string,
    ];
    const sink = memorySink();
    const reader = readerOf(async (_, tools) => {
      for (const name of names) assert.equal((await tools.call(name, {})).ok, false);
      return half;
    });
    const { report } = await runDaily(await dailySet({ days: 12 }), reader, { sink });
    assert.equal((report.result as unknown as ShownResult).verdict, "green");
    assert.equal(
      readRun(sink.files).entries.filter((entry) => entry.kind === "tool").length,
      2 * names.length,
    );
  });
});
