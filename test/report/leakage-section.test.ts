/** The leakage section: slices and control of a run as computed from its answers by hand, and a reason for what is not there. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryBundle } from "../../src/replay/memory-bundle.ts";
import { replay } from "../../src/replay/replay.ts";
import { renderText } from "../../src/report/render-text.ts";
import { memorySink } from "../../src/run/sink.ts";
import { controlDifference } from "../../src/stats/control-difference.ts";
import { discontinuity } from "../../src/stats/discontinuity.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { dailySet, familyOf, readerOf, reading, runDaily } from "../support/daily-set.ts";

const DAY = 86_400_000;
const dayOf = (id: string) =>
  Math.round((Date.parse(`${id.slice(4)}T00:00:00Z`) - Date.UTC(2020, 0, 1)) / DAY);
const daily = await dailySet({ days: 140, from: 20, cluster: (i) => `week-${Math.floor(i / 7)}` });
const family = familyOf(["old", "2019-10:documented"], ["new", "2020-01..2020-03:estimated"]);
/** The first instant after March: r = 0. */
const CUTOFF = 91;

/** Off by `near` of an outcome that may be remembered, else by `far`, with a wobble that depends on the day alone. */
const wobble = (i: number) => ((i * 13) % 7) / 100;
const off = (snapshot: string, i: number) => (snapshot === "new" && i + 1 < CUTOFF ? 0.1 : 0.4) + wobble(i);
const reader = readerOf((asked, _tools, snapshot) => {
  const i = dayOf(asked.id);
  const outcome = reading(i) > 50 ? 1 : 0;
  return { kind: "answer", probability: Math.abs(outcome - off(snapshot, i)), usage: null };
}, family);

type Section = {
  slices: Record<string, { reason: string | null; slices: Shown | null }> | null;
  control:
    | ({ estimate: number; se: number; treated: string; control: string } & Record<string, unknown>)
    | null;
  documents: unknown;
  queries: unknown;
};
type Shown = {
  cutoff: string;
  gap_not_leakage: number;
  discontinuity: { h: number; estimate: number; se: number; state: string; n_pre: number }[];
  sensitivity: { cutoff: string; estimate: number; state: string }[];
};
type Result = { leakage: Section | null; not_estimated: { section: string; reason: string }[] };
const close = (a: number, b: number) => Math.abs(a - b) < 1e-11;

const leakage = {
  reference: ["discontinuity" as const, "clean-control" as const],
  bandwidth: "P40D",
};
const run = (profile: object, own = reader, of: typeof family | null = family, sink = memorySink()) =>
  runDaily(daily, own, { family: of, profile: { bootstrap: { resamples: 100 }, ...profile }, sink });
/** The one run of this profile, which the tests below look at. */
const recorded = memorySink();
const declared = run({ leakage }, reader, family, recorded);
const days = daily.set.cases.map(({ id }) => dayOf(id));
const brierOf = (snapshot: string) => Float64Array.from(days, (i) => off(snapshot, i) * off(snapshot, i));
/** A case of day i resolves at the end of it. */
const r = (cutoff: number) => Float64Array.from(days, (i) => i + 1 - cutoff);
const clusters = Int32Array.from(days, (i) => Math.floor(i / 7) - 2);

describe("the leakage section", () => {
  it("is off, and says so, where the profile declares nothing", async () => {
    const { report } = await run({});
    const { leakage: section, not_estimated: missing } = report.result as unknown as Result;
    assert.equal(section, null);
    assert.ok(missing.some(({ reason }) => reason === "the profile declares no leakage reference"));
  });

  it("has the latest arm's jump at its cutoff, at h/2, h and 2h, and along the cutoff's interval", async () => {
    const { report } = await declared;
    const latest = (report.result as unknown as Result).leakage?.slices?.["latest"];
    const shown = latest?.slices as Shown;
    assert.equal(latest?.reason, null);
    assert.equal(shown.cutoff, "2020-01..2020-03");
    const at = (cutoff: number, bandwidth: number) =>
      discontinuity({ r: r(cutoff), y: brierOf("new"), better: "lower", clusters, bandwidth, donut: 0 });
    assertEvery(shown.discontinuity, ({ h, estimate, se, state, n_pre }, i) => {
      const own = at(CUTOFF, [20, 40, 80][i] as number);
      const counted = h === [20, 40, 80][i] && n_pre === own.nPre && state === own.state;
      return (
        counted &&
        (state === "not estimable" ? estimate === null : close(estimate, own.estimate) && close(se, own.se))
      );
    });
    assert.ok(
      (shown.discontinuity[1]?.estimate as number) > 0.1,
      "better before the cutoff is a leak above 0",
    );
    assert.deepEqual(
      shown.sensitivity.map(({ cutoff }) => cutoff),
      ["2020-01", "2020-02", "2020-03"],
    );
    assertEvery(shown.sensitivity, ({ estimate, state }, i) => {
      const own = at([31, 60, 91][i] as number, 40);
      return state === own.state && (state === "not estimable" || close(estimate, own.estimate));
    });
  });

  it("says of the routed arm that no case of it resolves before its checkpoint's cutoff", async () => {
    const { report } = await declared;
    const { leakage: section, not_estimated: missing } = report.result as unknown as Result;
    assert.equal(section?.slices?.["routed"]?.slices, null);
    assert.ok(
      missing.some(
        (one) => one.section === "leakage.slices.routed" && /none resolves before/.test(one.reason),
      ),
    );
  });

  it("has the difference to a control that answered every case", async () => {
    const { report } = await declared;
    const { control } = (report.result as unknown as Result).leakage as Section;
    assert.ok(control !== null);
    const [own, other] = [brierOf("new"), brierOf("old")];
    const expected = controlDifference({
      d: own.map((y, i) => (other[i] as number) - y),
      r: r(CUTOFF),
      clusters,
    });
    assert.deepEqual([control.treated, control.control], ["new", "old"]);
    assert.ok(close(control.estimate, expected.estimate) && close(control.se, expected.se));
    assert.ok(control.estimate > 0.1);
    assert.equal(control["before_cutoff"], false, "it is split at the cutoff itself");
    const { placebo_slope: slope, placebo_ci95: interval } = control;
    assert.deepEqual([slope, interval], [0, null], "after the cutoff both answer alike: an exact line");
  });

  it("places a case by its statement or in fact, whichever is earlier", async () => {
    // In fact 18 hours before what the statement says, on odd days; a day and a half after it, on each fifth.
    const moved = (i: number) => (i % 2 === 1 ? -0.75 : i % 5 === 0 ? 1.5 : 0);
    const instant = (day: number) => new Date(Date.UTC(2020, 0, 1) + day * DAY).toISOString();
    const early = await dailySet({
      days: 140,
      from: 20,
      cluster: (i) => `week-${Math.floor(i / 7)}`,
      label: (i) => ({
        resolved_at: instant(i + 1 + moved(i)),
        available_time: instant(i + 1),
      }),
    });
    const { report } = await runDaily(early, reader, {
      family,
      profile: { bootstrap: { resamples: 100 }, leakage },
    });
    const shown = (report.result as unknown as Result).leakage?.slices?.["latest"]?.slices as Shown;
    const by = (shift: (i: number) => number) =>
      discontinuity({
        r: Float64Array.from(days, (i) => i + 1 + shift(i) - CUTOFF),
        y: brierOf("new"),
        better: "lower",
        clusters,
        bandwidth: 40,
        donut: 0,
      }).estimate;
    const estimate = shown.discontinuity[1]?.estimate as number;
    assert.ok(
      close(
        estimate,
        by((i) => Math.min(0, moved(i))),
      ),
    );
    for (const other of [() => 0, moved, (i: number) => Math.max(0, moved(i))])
      assert.ok(!close(estimate, by(other)), "neither alone, nor the later");
  });

  it("takes the month in which a case resolved for its cluster, where the profile says so", async () => {
    const { report } = await run({ leakage: { ...leakage, cluster: "month" } });
    const shown = (report.result as unknown as Result).leakage?.slices?.["latest"]?.slices as Shown;
    const month = (i: number) => new Date(Date.UTC(2020, 0, 1) + (i + 1) * DAY).getUTCMonth();
    const own = discontinuity({
      r: r(CUTOFF),
      y: brierOf("new"),
      better: "lower",
      clusters: Int32Array.from(days, month),
      bandwidth: 80,
      donut: 0,
    });
    const row = shown.discontinuity[2] as Shown["discontinuity"][number] & Record<string, unknown>;
    assert.equal(row.h, 80);
    assert.deepEqual([row["clusters_pre"], row["clusters_post"]], [own.clustersPre, own.clustersPost]);
    assert.deepEqual([own.clustersPre, own.clustersPost], [3, 2], "January to March, April and May");
    const { control } = (report.result as unknown as Result).leakage as Section;
    assert.equal(control?.["clusters"], 5);
  });

  it("without a family is of the cutoff that its reader says, or says why there is none", async () => {
    const none = await run(
      { leakage },
      readerOf(() => ({ kind: "answer", probability: 0.5, usage: null })),
      null,
    );
    const missing = (none.report.result as unknown as Result).not_estimated;
    assert.ok(
      missing.some(({ section, reason }) => section === "leakage.slices.routed" && /no cutoff/.test(reason)),
    );
    assert.ok(
      missing.some(({ section, reason }) => section === "leakage.control" && /^no family/.test(reason)),
    );
    const plain = readerOf((asked) => {
      const i = dayOf(asked.id);
      return {
        kind: "answer",
        probability: Math.abs((reading(i) > 50 ? 1 : 0) - off("new", i)),
        usage: null,
      };
    });
    const said = {
      ...plain,
      identity: () =>
        ({ ...(plain.identity(null) as object), posttrain_cutoff: "2020-03:documented" }) as never,
    };
    const { report } = await run({ leakage }, said, null);
    const routed = (report.result as unknown as Result).leakage?.slices?.["routed"]?.slices as Shown;
    assert.equal(routed.cutoff, "2020-03");
    assert.ok((routed.discontinuity[1]?.estimate as number) > 0.1);
  });

  it("is in the text with its plot, never as a claim that nothing is there", async () => {
    const { report } = await declared;
    const lines = renderText(report, report.resultDigest, (text) => text).split("\n");
    assert.ok(lines.some((line) => /detected/.test(line)));
    assertNone(lines, (line) => /--better|--control|cutoff_lo/.test(line));
    assertNone(lines, (line) => /\bclean\b|no leakage|ruled out/i.test(line.replace(/clean-control/g, "")));
    assertNone(lines, (line) => /NaN|undefined|null/.test(line));
  });

  it("is made again by a replay, from the record alone", async () => {
    const { report } = await declared;
    const { replayed, verdict } = (await replay(memoryBundle(recorded.files, "run"), {
      policy: null,
    })) as never as {
      replayed: { report: { reportDigest: string } } | null;
      verdict: unknown;
    };
    assert.ok(replayed !== null, JSON.stringify(verdict));
    assert.equal(replayed.report.reportDigest, report.reportDigest);
  });
});
