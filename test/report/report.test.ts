/** The report: states that stay apart, counts that reconcile, arms that do not pool, a premium that means what it says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { renderText } from "../../src/report/render-text.ts";
import { scoreTable } from "../../src/report/tables.ts";
import { brier } from "../../src/stats/brier.ts";
import { dailySet, date, familyOf, readerOf, reading, runDaily } from "../support/daily-set.ts";
import type { ShownResult } from "../support/report-shape.ts";

const dayOf = (id: string) =>
  Math.round((Date.parse(`${id.slice(4)}T00:00:00Z`) - Date.UTC(2020, 0, 1)) / 86_400_000);
const half = () => ({ kind: "answer", probability: 0.5, usage: null }) as const;

describe("states (law 5)", () => {
  it("keeps declined, faults, unsettled and void apart, each with its count", async () => {
    const label = (i: number) => {
      if (i === 11) return null; // open
      if (i === 12) return { available_time: `${date(15)}T00:00:00Z` }; // late
      if (i === 13) return { outcome: "annulled" };
      return i === 14 ? { resolved_at: `${date(13)}T00:00:00Z` } : {}; // resolved before freeze
    };
    const reader = readerOf((asked) => {
      const i = dayOf(asked.id);
      if (i === 20) return { kind: "decline", reason: "no_data", usage: null };
      if (i === 21) return { kind: "fault", class: "timeout", message: "60 s", usage: null };
      if (i === 22) return { kind: "answer", probability: 1.7, usage: null };
      return i === 23 ? { kind: "answer", probability: Number.NaN, usage: null } : half();
    });
    const { report, scores } = await runDaily(await dailySet({ label }), reader);
    const result = report.result as unknown as ShownResult;
    assert.deepEqual(result.tally, {
      cases: 30,
      settled: 26,
      unsettled: 2,
      void: 2,
      sampled: 30,
      dropped: 0,
      answered: 26,
      declined: 1,
      faults: { malformed_output: 2, timeout: 1 },
      unscored: 8,
    });
    assert.deepEqual(
      result.unsettled.map((one) => [one.case, one.state, one.reason.split(":")[0]]),
      [
        [`day-${date(11)}`, "unsettled", "open"],
        [`day-${date(12)}`, "unsettled", "late"],
        [`day-${date(13)}`, "void", "annulled"],
        [`day-${date(14)}`, "void", "resolved before freeze"],
      ],
    );
    assert.equal(result.headline.n, 30);
    assert.equal(result.headline.brier.n, 22);
    assert.equal(result.headline.brier.mean, 0.25);
    assert.equal(result.headline.brier.state, "degenerate");
    assert.equal(result.verdict, "green");
    assert.equal(scores.filter((score) => score.state === "fault").length, 3);
  });

  it("property: cases = settled + unsettled + void, sampled = answered + declined + faults, for any mix", async () => {
    const kinds = fc.array(fc.constantFrom("answer", "decline", "fault"), { minLength: 30, maxLength: 30 });
    const labels = fc.array(fc.constantFrom("in time", "none", "annulled"), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(kinds, labels, async (kind, state) => {
        const label = (i: number) =>
          state[i] === "none" ? null : state[i] === "annulled" ? { outcome: "annulled" } : {};
        const reader = readerOf((asked) => {
          const one = kind[dayOf(asked.id) - 10];
          if (one === "decline") return { kind: "decline", reason: "x", usage: null };
          return one === "fault" ? { kind: "fault", class: "timeout", message: "x", usage: null } : half();
        });
        const { report } = await runDaily(await dailySet({ label }), reader, {
          profile: { bootstrap: { resamples: 100 } },
        });
        const { tally } = report.result as unknown as ShownResult;
        const faults = Object.values(tally.faults as Record<string, number>).reduce((a, b) => a + b, 0);
        assert.equal(tally.cases, tally.settled + tally.unsettled + tally.void);
        assert.equal(tally.sampled, tally.answered + tally.declined + faults);
        assert.equal(
          tally.sampled,
          (report.result as unknown as ShownResult).headline.brier.n + tally.unscored,
        );
      }),
      { numRuns: 15 },
    );
  });

  it("averages the repeats of a case first, and counts cases", async () => {
    const reader = readerOf((asked) => ({
      kind: "answer",
      probability: asked.repeat === 0 ? 0 : 1,
      usage: null,
    }));
    const { report } = await runDaily(await dailySet(), reader, { profile: { repeats: 3 } });
    const { headline, tally } = report.result as unknown as ShownResult;
    assert.equal(tally.sampled, 90);
    assert.equal(headline.brier.n, 30);
    const expected = [...Array(30).keys()].map((i) => (reading(i + 10) > 50 ? 1 / 3 : 2 / 3));
    assert.ok(Math.abs(headline.brier.mean - expected.reduce((a, b) => a + b, 0) / 30) < 1e-12);
  });
});

describe("a run without a score", () => {
  it("is red, and says that nothing was scored", async () => {
    const declining = readerOf(() => ({ kind: "decline", reason: "x", usage: null }));
    const { report } = await runDaily(await dailySet(), declining);
    const result = report.result as unknown as ShownResult;
    assert.equal(result.verdict, "red");
    assert.deepEqual(result.findings[0], { finding: "nothing-scored", cases: 30 });
    assert.match(
      renderText(report, report.resultDigest, (text) => text),
      /^RED {2}no case has a score$/m,
    );
  });
});

describe("slices", () => {
  it("keep a tag of any name", async () => {
    const { report } = await runDaily(await dailySet({ tags: () => ["__proto__", "a.b"] }), readerOf(half));
    const { slices } = JSON.parse(JSON.stringify(report.result)) as ShownResult;
    assert.deepEqual(Object.keys(slices.tag), ["__proto__", "a.b"]);
  });

  it("are made by tag, and left out with a reason where tags are too many to be slices", async () => {
    const two = await runDaily(
      await dailySet({ tags: (i) => [i % 2 === 0 ? "even" : "odd", "all"] }),
      readerOf(half),
    );
    const { slices } = two.report.result as unknown as ShownResult;
    assert.deepEqual(Object.keys(slices.tag), ["all", "even", "odd"]);
    assert.deepEqual(
      [slices.tag["all"]?.brier.n, slices.tag["even"]?.brier.n, slices.tag["odd"]?.brier.n],
      [30, 15, 15],
    );
    const many = await runDaily(await dailySet({ days: 150, tags: (i) => [`tag-${i}`] }), readerOf(half));
    const result = many.report.result as unknown as ShownResult;
    assert.deepEqual(result.slices.tag, {});
    assert.match(result.not_estimated.at(-1)?.reason ?? "", /140 tags, at most 100/);
  });
});

describe("premium (chapter 41)", () => {
  const family = familyOf(["m-2019", "2019-11:documented"], ["m-2020", "2020-01:documented"]);

  it("a latest checkpoint that is better by skill alone: inside < 0 and net near 0", async () => {
    const made = await dailySet({ days: 120 });
    const skill = readerOf((asked, _, snapshot) => {
      const outcome = reading(dayOf(asked.id)) > 50 ? 1 : 0;
      const wrong = snapshot === "m-2020" ? 0.2 : 0.4;
      return { kind: "answer", probability: Math.abs(outcome - wrong), usage: null };
    }, family);
    const { report } = await runDaily(made, skill, { family });
    const { premium, arms } = report.result as unknown as ShownResult;
    assert.ok(premium.inside.mean < -0.1, `${premium.inside.mean}`);
    assert.ok(Math.abs(premium.net.mean) < 1e-12, `${premium.net.mean}`);
    assert.equal(premium.inside.n, 21); // 11 to 31 January: resolved by 1 February
    assert.equal(premium.placebo.n, 89);
    assert.deepEqual([arms.routed.n, arms.latest.n, arms.control["m-2019"]?.n], [110, 110, 89]);
  });

  it("a latest checkpoint that remembers: net is the memory", async () => {
    const memory = readerOf((asked, _, snapshot) => {
      const i = dayOf(asked.id);
      if (snapshot === "m-2020" && i < 31)
        return { kind: "answer", probability: reading(i) > 50 ? 1 : 0, usage: null };
      return half();
    }, family);
    const { report } = await runDaily(await dailySet({ days: 120 }), memory, { family });
    const { premium } = report.result as unknown as ShownResult;
    assert.equal(premium.inside.mean, -0.25);
    assert.equal(premium.placebo.mean, 0);
    assert.equal(premium.net.mean, -0.25);
  });

  it("takes as many controls as a family has", async () => {
    const months = [
      "2019-11",
      "2019-12",
      ...[...Array(10).keys()].map((i) => `2020-${String(i + 1).padStart(2, "0")}`),
    ];
    const many = familyOf(...months.map((month) => [`m-${month}`, `${month}:documented`] as const));
    const noisy = readerOf((asked, _, snapshot) => {
      const i = dayOf(asked.id);
      const skill = snapshot === "m-2020-10" ? 0.1 : 0.3;
      return { kind: "answer", probability: skill + ((i * 13 + snapshot.length) % 7) / 20, usage: null };
    }, many);
    const made = await dailySet({ days: 400, cluster: (i) => `week-${Math.floor(i / 7)}` });
    const { report } = await runDaily(made, noisy, { family: many });
    const { premium, arms } = report.result as unknown as ShownResult;
    assert.ok(Object.keys(arms.control).length >= 9, `${Object.keys(arms.control).length}`);
    assert.equal(premium.net.state, "estimated");
    assert.ok(premium.net.ci95[0] < premium.net.mean && premium.net.mean < premium.net.ci95[1]);
  });

  it("a case that resolved early is inside, though its statement lies after the cutoff: it is no placebo", async () => {
    const memory = readerOf((asked, _, snapshot) => {
      const i = dayOf(asked.id);
      if (snapshot === "m-2020" && (i < 31 || i >= 100))
        return { kind: "answer", probability: reading(i) > 50 ? 1 : 0, usage: null };
      return half();
    }, family);
    // From day 100 on, each was asked on day 29 and in fact resolved on day 30, before the latest checkpoint's cutoff.
    const early = await dailySet({ days: 120 });
    const labels = early.set.labels.map((one) =>
      dayOf(one.caseId) >= 100 ? { ...one, resolvedAt: Date.UTC(2020, 0, 31) * 1000 } : one,
    );
    const cases = early.set.cases.map((one) =>
      dayOf(one.id) >= 100 ? { ...one, horizon: early.set.cases[19]?.horizon } : one,
    );
    const set = { ...early.set, labels, cases } as typeof early.set;
    const { report } = await runDaily({ set, store: early.store }, memory, { family });
    const { premium } = report.result as unknown as ShownResult;
    assert.equal(premium.placebo.mean, 0);
    assert.equal(premium.placebo.n, 69);
    assert.equal(premium.inside.n, 41);
    assert.equal(premium.net.mean, -0.25);
  });

  it("without a case after the latest cutoff: not separable, and it says so", async () => {
    const { report } = await runDaily(await dailySet({ days: 30 }), readerOf(half, family), { family });
    const { premium } = report.result as unknown as ShownResult;
    assert.equal(premium.placebo, null);
    assert.equal(premium.net, null);
    assert.match(premium.reason, /leakage and capability, not separable/);
    assert.equal(premium.inside.n, 20);
  });

  it("unrouted cases are counted and run on the latest alone", async () => {
    const young = familyOf(["m-2020", "2020-01:documented"]);
    const { report } = await runDaily(await dailySet({ days: 60 }), readerOf(half, young), { family: young });
    const { arms } = report.result as unknown as ShownResult;
    assert.deepEqual([arms.routed.n, arms.routed.unrouted, arms.latest.n], [28, 22, 50]);
  });
});

describe("renderings", () => {
  it("the text fits 80 columns at its figures, and says first what a reader needs first", async () => {
    const { report } = await runDaily(await dailySet(), readerOf(half));
    const lines = renderText(report, report.resultDigest, (text) => text).split("\n");
    assert.match(lines[0] as string, /daily · test · 30 cases/);
    assert.equal(lines[1], "GREEN  no case failed");
    assert.match(lines.join(" ").replace(/\s+/g, " "), /served 0, none in reach: not exercised/);
    const figures = lines.filter((line) => line.startsWith("routed"));
    assert.equal(figures.length, 1);
    for (const line of lines) assert.ok([...line].length <= 80 || line.includes("sha256:"), line);
  });

  it("the score table has a row a trajectory, absent scores as null", async () => {
    const reader = readerOf((asked) =>
      dayOf(asked.id) === 20 ? { kind: "decline", reason: "x", usage: null } : half(),
    );
    const { plan, scores } = await runDaily(await dailySet(), reader);
    const table = scoreTable(plan.cases, scores);
    assert.equal(table.numRows(), 30);
    assert.equal(table.get("brier", 10), null);
    assert.equal(table.get("state", 10), "declined");
    assert.equal(table.get("brier", 9), brier(0.5, 1));
  });
});
