/** The slices and the control on a terminal: known renderings, 80 columns for every number and word, honest words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { controlSlice } from "../../src/report/control-slices.ts";
import { cutoffSlices, type SliceOptions } from "../../src/report/cutoff-slices.ts";
import { controlText, cutoffText } from "../../src/report/cutoff-text.ts";
import { knowledgeCutoff, monthIndex } from "../stats/knowledge-cutoff.ts";
import { assertEvery } from "../support/all.ts";
import {
  controlRow,
  emptyRow,
  sixMonths,
  someControl,
  someSlices,
  someWords,
  withRow,
  words,
} from "./made-slices.ts";

const estimation: SliceOptions = {
  unit: "months",
  bandwidth: 6,
  donut: 0,
  better: "higher",
  power: 0.8,
  level: 0.95,
  resamples: 1000,
  seed: 1,
};

test("cutoffText: table, picture and sentence of slices made by hand", () => {
  assert.equal(
    cutoffText(sixMonths, words).join("\n"),
    `\
arm latest: Brier score, lower is better
Cutoff 2024-10: cases before it 60, after it 44; time in months
Bare gap, all cases: 0.1180 (> 0: before looks better); by itself not leakage

Leak: the jump at the cutoff; > 0: cases before it look too good
Local lines, triangular weights; counts are before / after
                          h = 3 months         h = 6 months        h = 12 months
  leak                               –               0.0780               0.0700
  95 % interval                      –     [0.0184, 0.1376]     [0.0184, 0.1376]
  standard error                     –               0.0260               0.0260
  df                                 –                  8.3                  8.3
  CR1, to compare                    –               0.0241               0.0241
  cases                        18 / 44              40 / 44              40 / 44
  clusters                       3 / 7                6 / 7                6 / 7
  state                  not estimable            estimated            estimated
Minimum detectable effect, h = 6 months: 0.0835 at 80 % power

mean Brier score (lower is better: down)
         │                              │                  ○
         │                              │            ─●─
    0.25 ┤                              │      ──●─●─
         │                              │●──●─●
    0.20 ┤                              │
         │                              │
    0.15 ┤                              │
         │                   ●─●──●─●──●│
    0.10 ┤           ○   ─●──           │
         │                              │
    0.05 ┤                              │
         │                              │
    0.00 ┤                              │
         └┬──────────────┬──────────────┬──────────────┬──────────────┬
         -12            -6              0              6             12
  months before (-) and after the cutoff, the end of 2024-10; ● means of bins of
  1 month; ○ the same, not used by the lines; ─ the lines at h

detected: cases before the cutoff look too good by 0.0780 (95 % interval 0.0184
to 0.1376).`,
  );
});

test("cutoffText: every month of a sweep stands beside the envelope, and the greatest never alone", () => {
  const month = (cutoff: string, estimate: number | null) => ({
    cutoff,
    estimate,
    se: estimate === null ? null : 0.03,
    df: estimate === null ? null : 7.5,
    ci95: estimate === null ? null : ([estimate - 0.07, estimate + 0.07] as const),
    state: estimate === null ? ("not estimable" as const) : ("estimated" as const),
  });
  const slices = {
    ...sixMonths,
    cutoff: "2024-07..2024-10",
    sensitivity: [
      month("2024-07", null),
      month("2024-08", -0.01),
      month("2024-09", 0.2),
      month("2024-10", 0.078),
    ],
    envelope: { lo: -0.01, hi: 0.2, estimated: 3, of: 4 },
  };
  const lines = cutoffText(slices, words);
  const at = lines.indexOf("Cutoff moved over its interval, h = 6 months: leak [95 % interval]");
  assert.ok(at > 0);
  assert.deepEqual(lines.slice(at + 1, at + 4), [
    "  2024-07 not estimable                  2024-08  -0.0100 [-0.0800, 0.0600]",
    "  2024-09   0.2000 [0.1300, 0.2700]      2024-10   0.0780 [0.0080, 0.1480]",
    "  envelope: -0.0100 to 0.2000 over the 3 of 4 months that can be estimated",
  ]);
  const none = cutoffText({ ...slices, sensitivity: [month("2024-07", null)], envelope: null }, words);
  assert.ok(none.includes("  envelope: none of the 1 months can be estimated"));
  const exact = [{ ...month("2024-07", 0.5), state: "degenerate" as const }];
  assert.ok(cutoffText({ ...slices, sensitivity: exact }, words).includes("  2024-07   0.5000 degenerate"));
  const long = Array.from({ length: 30 }, () => month("2024-07", 0.1));
  assert.ok(cutoffText({ ...slices, sensitivity: long }, words).includes("  … and 6 more months"));
});

test("cutoffText: what the intervals are by is told where not all are t's, and df stands as it is", () => {
  const of = (...rows: readonly ("t" | "bootstrap")[]) =>
    cutoffText(
      {
        ...sixMonths,
        discontinuity: sixMonths.discontinuity.map((row, i) => ({ ...row, method: rows[i] as "t" })),
      },
      words,
    );
  const lines = of("t", "t", "bootstrap");
  const at = lines.findIndex((line) => line.startsWith("  95 % interval"));
  assert.equal(
    lines[at + 1],
    "  interval by                        –                    t            bootstrap",
  );
  assert.ok(
    lines.includes("  df                                 –                  8.3                  8.3"),
  );
  assert.doesNotMatch(of("t", "t", "t").join("\n"), /interval by/);
});

test("cutoffText: a degenerate fit has its estimate, and no interval and no error", () => {
  const flat = {
    estimate: 0.25,
    ci95: [0.25, 0.25] as [number, number],
    se: 1e-17,
    state: "degenerate" as const,
  };
  const lines = cutoffText(withRow(flat, { mde: null }), words);
  const row = (label: string) =>
    lines
      .find((line) => line.startsWith(`  ${label} `))
      ?.slice(38, 59)
      .trim();
  assert.deepEqual(["leak", "95 % interval", "standard error", "df", "CR1, to compare", "state"].map(row), [
    "0.2500",
    "–",
    "–",
    "–",
    "–",
    "degenerate",
  ]);
  assert.match(
    lines.join(" "),
    /the points lie on the lines exactly, or as far above as below within every cluster, so that no error can be estimated/,
  );
  const control = { ...controlRow, ...flat, placebo_ci95: null, mde: null };
  const text = controlText([control], { ...words, unit: "months" });
  for (const line of ["  leak             0.2500", "  95 % interval    –", "  slope interval   –"])
    assert.ok(text.includes(line), line);
});

test("cutoffText: cases on one side alone are two lines and no table of dashes", () => {
  const slices = withRow(emptyRow(6), { n: { pre: 288, post: 0 }, gap_not_leakage: null, mde: null });
  assert.deepEqual(cutoffText(slices, words), [
    "arm latest: Brier score, lower is better",
    "Cutoff 2024-10: all 288 cases lie before its cutoff: each answer may be memory,",
    "and nothing is there to compare with.",
  ]);
  const moved = {
    ...slices,
    cutoff: "2024-08..2024-10",
    sensitivity: [
      {
        cutoff: "2024-08",
        estimate: 0.1,
        se: 0.02,
        df: 8,
        ci95: [0.05, 0.15] as const,
        state: "estimated" as const,
      },
    ],
    envelope: { lo: 0.1, hi: 0.1, estimated: 1, of: 1 },
  };
  assert.ok(
    cutoffText(moved, words).includes("  2024-08   0.1000 [0.0500, 0.1500]"),
    "a month has both sides",
  );
  const empty = { ...controlRow, estimate: null, ci95: null, n_pre: 0, state: "not estimable" as const };
  assert.deepEqual(controlText([empty], words).slice(4), [
    "latest-2 against early-1, split at the end of 2024-10",
    "not estimable: all 44 shared cases lie after the split, and nothing is there to",
    "compare with.",
  ]);
});

test("cutoffText: a donut is shaded and told, a slice without lines or cases has none", () => {
  const shaded = cutoffText({ ...sixMonths, plot: { ...sixMonths.plot, donut: 1 } }, words).join("\n");
  assert.ok(shaded.includes("donut 1 month") && shaded.includes("░░│░░") && shaded.includes("╌"));
  const bare = cutoffText({ ...sixMonths, plot: { ...sixMonths.plot, fit: null, bins: [] } }, words).join(
    "\n",
  );
  assert.doesNotMatch(bare, /[●○░╌]|─ the lines/);
  const unfitted = cutoffText({ ...sixMonths, plot: { ...sixMonths.plot, fit: null } }, words).join("\n");
  assert.doesNotMatch(unfitted, /[●╌]|lines at h|by the lines/);
  assert.match(unfitted, /○ means of bins/);
  assert.match(cutoffText(sixMonths, { ...words, better: "higher" }).join("\n"), /higher is better: up/);
});

test("controlText: one control row by hand, its split, slope and assumption", () => {
  assert.equal(
    controlText([controlRow], { ...words, unit: "days" }).join("\n"),
    `\
arm latest: Brier score, lower is better, against a control
Leak: the treated model's lead over the control, before the split less after it
Assumed: but for what it remembers, its lead is the same before and after

latest-2 against early-1, split at the end of 2024-10
  leak             0.0912
  95 % interval    [0.0251, 0.1573]
  standard error   0.0301
  df               11.2
  CR1, to compare  0.0288
  cases            60 / 44
  clusters         14 in all
  placebo slope    -0.0012 a day after the split; 0 if the lead is skill alone
  slope interval   [-0.0043, 0.0019]
  detectable       0.0926 at 80 % power
  state            estimated
detected: against the control, latest-2 looks too good before the split by
0.0912 (95 % interval 0.0251 to 0.1573).`,
  );
  const early = controlText([{ ...controlRow, before_cutoff: true }], words);
  assert.ok(early.includes("  detectable       –"), "what it could have seen is no bound");
  const swept = { ...controlRow, split: "2024-08..2024-10" };
  assert.ok(
    controlText([swept], words).join("\n").includes("split at the end of 2024-10 (2024-08..2024-10)"),
  );
});

test("texts: at most 80 columns, no number that is none, no certificate, the same lines again", () => {
  const sound = (lines: readonly string[]) => {
    assertEvery(lines, (line) => line.length <= 80 && line.isWellFormed() && !/[\p{Cc}\p{Cf}]/u.test(line));
  };
  const said = (lines: readonly string[]) =>
    assert.doesNotMatch(lines.join("\n"), /NaN|Infinity|undefined|\bnull\b|\bclean|no leakage|ruled out/i);
  fc.assert(
    fc.property(
      someSlices,
      fc.array(someControl, { minLength: 1, maxLength: 3 }),
      someWords,
      (slices, rows, some) => {
        const named = { ...some, title: "arm latest" };
        const lines = cutoffText(slices, named);
        assert.deepEqual(cutoffText(slices, named), lines);
        said(lines);
        said(
          controlText(
            rows.map((row) => ({ ...row, treated: "latest-2" })),
            named,
          ),
        );
        sound(cutoffText(slices, some));
        sound(controlText(rows, some));
      },
    ),
  );
});

test("texts of real models: a gap without a jump is no proof, a control shows what the jump cannot", (t) => {
  const data = knowledgeCutoff(t);
  if (data === undefined) return;
  const known = { title: "direct probe", outcome: "known rate", better: "higher" } as const;
  const of = (name: string) => data.answers.filter(({ model }) => model === name);
  const textOf = (name: string) => {
    const month = data.documented.get(name)!;
    const cases = of(name).map((row) => ({ at: row.month, outcome: row.known, cluster: String(row.month) }));
    const slices = cutoffSlices(cases, { lo: month, hi: month }, estimation, "x");
    return cutoffText(slices, known).join(" ").replace(/ +/g, " ");
  };
  const sonnet = textOf("claude-sonnet-5");
  assert.match(sonnet, /Bare gap, all cases: 0\.7489 \(> 0: before looks better\); by itself not leakage/);
  assert.match(sonnet, /not detected: .* The bare gap is 0\.7489: knowledge that fades out/);
  assert.match(textOf("gpt-4o"), /all 280 cases lie after its stated cutoff: nothing lies before it/);
  assert.match(textOf("gemini-3.6-flash"), /degenerate: the points lie on the lines exactly/);
  const other = new Map(of("gpt-4o").map((row) => [row.event, row.known]));
  const cases = of("claude-sonnet-5").flatMap(({ event, month, known: treated }) => {
    const control = other.get(event);
    return control === undefined ? [] : [{ at: month, treated, control, cluster: String(month) }];
  });
  const split = { lo: monthIndex("2025-08"), hi: monthIndex("2025-08") };
  const row = controlSlice({ treated: "claude-sonnet-5", control: "gpt-4o", cases, split }, estimation);
  const said = controlText([row], { ...known, unit: "months" }).join(" ");
  assert.match(
    said,
    /detected: against the control, claude-sonnet-5 looks too good before the split by 0\.7912/,
  );
});
