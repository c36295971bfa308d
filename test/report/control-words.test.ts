/** The sentence of a control row: detected or not, drift beside it, and a split that comes too early. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ControlRow } from "../../src/report/control-slices.ts";
import { controlSentence, slopeFiguresIn, slopeUnit, splitCaution } from "../../src/report/control-words.ts";
import { controlRow, someControl, words } from "./made-slices.ts";

const months = { ...words, unit: "months" as const };
const said = (row: Partial<ControlRow>, some = months) => controlSentence({ ...controlRow, ...row }, some);
const undetected = { estimate: 0.02, ci95: [-0.04, 0.08] as [number, number] };
const smaller = { estimate: -0.1, ci95: [-0.18, -0.02] as [number, number] };
const drifts = { placebo_slope: 0.012, placebo_ci95: [0.004, 0.02] as [number, number] };

test("controlSentence: as the jump's, of a lead over the control", () => {
  assert.equal(
    said({}),
    "detected: against the control, latest-2 looks too good before the split by 0.0912 (95 % interval 0.0251 to 0.1573).",
  );
  assert.equal(
    said(undetected),
    "not detected: the 95 % interval of the excess reaches 0.0800; at 80 % power an excess above 0.0926 would have been detected.",
  );
  assert.equal(
    said({ ...undetected, mde: 0.35 }),
    "not detected: the 95 % interval of the excess reaches 0.0800, and these cases cannot tell: even an excess over the whole range of the outcome (0.0100 to 0.3600) would often be missed.",
  );
  assert.equal(
    said(smaller),
    "not detected: the lead of latest-2 is smaller before the split, by 0.1000 (95 % interval 0.0200 to 0.1800); at 80 % power an excess above 0.0926 would have been detected.",
  );
  assert.match(
    said(smaller, { ...months, flags: true } as typeof months),
    /0\.1800\): check --better, or what else changed there; at 80 % power/,
  );
  const swept = {
    sensitivity: [
      {
        cutoff: "2024-09",
        estimate: 0.2,
        se: 0.02,
        df: 9,
        ci95: [0.15, 0.25] as const,
        state: "estimated" as const,
      },
    ],
  };
  assert.match(said({ ...undetected, ...swept }), /Moved to 2024-09 it is detected: 0\.2000 \(95 % interval/);
});

test("controlSentence: without an error or without cases it judges nothing and says why", () => {
  assert.equal(
    said({ state: "degenerate", estimate: 0.5, ci95: [0.5, 0.5] }),
    "degenerate: the lead does not vary within a side, or only within clusters, so that no error can be estimated: its excess of 0.5000 cannot be judged.",
  );
  assert.equal(said({ ci95: null }), "not judged: an estimate of 0.0912 without an interval.");
  const none = { state: "not estimable" as const, estimate: null, ci95: null };
  assert.equal(
    said({ ...none, n_pre: 3, n_post: 40, clusters: 9 }),
    "not estimable: 3 cases before the split and 40 after, 9 clusters in all; 20 cases and 5 clusters a side are needed.",
  );
  assert.equal(
    said({ ...none, n_pre: 0, n_post: 40 }),
    "not estimable: all 40 shared cases lie after the split, and nothing is there to compare with.",
  );
});

test("controlSentence: a lead that moves after the split, by its interval, may be drift; one that may not is not told", () => {
  assert.equal(
    said(drifts),
    "detected: against the control, latest-2 looks too good before the split by 0.0912 (95 % interval 0.0251 to 0.1573), but the lead also moves after the split (slope 0.0120 a month, 95 % interval 0.0040 to 0.0200): that it is constant does not hold, so this may be drift.",
  );
  assert.match(
    said({ ...drifts, ...undetected }),
    /would have been detected, but the lead also moves .* so drift may hide an excess\.$/,
  );
  assert.match(said({ placebo_slope: -0.012, placebo_ci95: [-0.02, -0.004] }), /slope -0\.0120 a month/);
  for (const placebo_ci95 of [null, [-0.01, 0.02] as const, [0, 0.02] as const])
    assert.doesNotMatch(said({ ...drifts, placebo_ci95 }), /moves/);
  const days = { ...words, unit: "days" as const };
  assert.match(
    controlSentence({ ...controlRow, placebo_slope: 0.00004, placebo_ci95: [0.00002, 0.00006] }, days),
    /slope 4\.0e-5 a day, 95 % interval 2\.0e-5 to 6\.0e-5/,
    "a day's slope is small, and not nothing",
  );
  assert.deepEqual([slopeUnit(days), slopeUnit(words)], ["day", "unit of time"]);
  assert.equal(slopeFiguresIn([0, 1], months).figure(0.00004), "0.0000");
});

test("controlSentence: a split before the end of the treated model's cutoff bounds nothing, and says why", () => {
  const early = { before_cutoff: true };
  const caution =
    " The split lies before the end of the cutoff of latest-2: cases after it may be remembered too, and what is remembered on both sides is not seen here.";
  assert.equal(splitCaution({ ...controlRow, ...early }), caution);
  assert.equal(splitCaution(controlRow), "");
  assert.equal(said(early), `${said({})}${caution}`);
  assert.equal(
    said({ ...early, ...undetected }),
    `not detected: the 95 % interval of the excess reaches 0.0800.${caution}`,
  );
  assert.doesNotMatch(said({ ...early, ...smaller }), /would have been detected/);
  assert.ok(said({ ...early, state: "degenerate", estimate: 0.5, ci95: [0.5, 0.5] }).endsWith(caution));
});

test("controlSentence: only an interval above 0 is detected, and no words certify anything", () => {
  fc.assert(
    fc.property(someControl, fc.constantFrom("months" as const, "days" as const), (row, unit) => {
      const text = controlSentence({ ...row, treated: "latest-2" }, { ...words, unit });
      const found = row.state === "estimated" && row.estimate !== null && (row.ci95?.[0] ?? 0) > 0;
      assert.doesNotMatch(text, /\bclean|no leakage|ruled out|NaN|Infinity|undefined|\bnull\b/i);
      assert.equal(text.startsWith("detected: "), found, text);
      if (row.before_cutoff) assert.doesNotMatch(text, /would (have been detected|often be missed)/);
    }),
  );
});
