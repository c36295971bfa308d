/** Figures and sentences: what each state says, what it never says, and how numbers of every size are printed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  controlSentence,
  jumpSentence,
  shownAmount,
  shownFigure,
  shownInterval,
  shownPercent,
  shownWords,
  wrapWords,
} from "../../src/report/cutoff-words.ts";
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

test("shownFigure: four decimals where they fit and say something, else fewer or powers of ten", () => {
  const shown = [
    [0, "0.0000"],
    [-0, "0.0000"],
    [0.11734, "0.1173"],
    [-99.99999, "-100.00"],
    [1234.5678, "1234.57"],
    [-1234567.8, "-1234568"],
    [123456789, "1.2e8"],
    [0.0005, "0.0005"],
    [0.00005, "5.0e-5"],
    [-0.000012, "-1.2e-5"],
    [-1.25e-300, "-1e-300"],
    [-Number.MAX_VALUE, "-1.8e308"],
    [Number.NaN, "–"],
    [Infinity, "–"],
    [null, "–"],
  ] as const;
  assert.deepEqual(
    shown.map(([value]) => shownFigure(value)),
    shown.map(([, text]) => text),
  );
  assert.equal(shownInterval([-0.25, 0.5]), "[-0.2500, 0.5000]");
  assert.equal(shownInterval(null), "–");
});

test("shownFigure: at most eight columns, within half a unit of its last digit, never a bare zero for what is not", () => {
  fc.assert(
    fc.property(fc.double({ min: -1e308, max: 1e308, noNaN: true }), (value) => {
      const text = shownFigure(value);
      assert.ok(text.length <= 8, text);
      assert.ok(Math.abs(Number(text) - value) <= 0.5 * Math.abs(value) + 1e-300, text);
      assert.equal(Number(text) === 0, value === 0);
    }),
  );
});

test("shownAmount, shownPercent: a unit in its number, a share without trailing digits", () => {
  assert.deepEqual(
    [
      shownAmount(1, "months"),
      shownAmount(6, "months"),
      shownAmount(1, "days"),
      shownAmount(20.00004, "days"),
    ],
    ["1 month", "6 months", "1 day", "20 days"],
  );
  assert.deepEqual([shownPercent(0.95), shownPercent(0.975), shownPercent(0.8)], ["95 %", "97.5 %", "80 %"]);
});

test("shownWords: nothing in them moves a cursor or breaks an XML text", () => {
  assert.equal(shownWords("a\u001b[31m\nb\u202e\ud800\uffff"), "a�[31m�b���");
  assert.equal(shownWords("x".repeat(300)).length, 240);
});

test("wrapWords: no line is longer than asked, and no letter is lost", () => {
  assert.deepEqual(wrapWords("aa bb cc", 5), ["aa bb", "cc"]);
  assert.deepEqual(wrapWords("  aa bb cc", 6, "  "), ["  aa", "  bb", "  cc"]);
  assert.deepEqual(wrapWords("abcdefgh", 3), ["abc", "def", "gh"]);
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.integer({ min: 4, max: 90 }),
      (text, columns) => {
        const lines = wrapWords(text, columns);
        assertEvery(lines, (line) => line.length <= columns && line.isWellFormed());
        const letters = (each: string) => each.replace(/\s/g, "");
        assert.equal(letters(lines.join("")), letters(text));
      },
    ),
  );
});

test("jumpSentence: an interval above 0 is detected, with its size, and with the sweep where that falls to 0", () => {
  const said = "detected: cases before the cutoff look too good by 0.0780 (95 % interval 0.0184 to 0.1376).";
  assert.equal(jumpSentence(sixMonths, words), said);
  const envelope = { lo: 0.01, hi: 0.4, estimated: 4, of: 5 };
  assert.equal(jumpSentence({ ...sixMonths, envelope }, words), said);
  assert.equal(
    jumpSentence({ ...sixMonths, envelope: { ...envelope, lo: -0.02 } }, words),
    `${said} Over the cutoff's interval the estimate falls to -0.0200, so this depends on the month.`,
  );
  assert.match(jumpSentence(sixMonths, { ...words, level: 0.9 }), /90 % interval/);
});

test("jumpSentence: an interval with 0 in it excludes a size and proves nothing, least of all beside a larger gap", () => {
  const row = { estimate: -0.01, ci95: [-0.07, 0.05] as [number, number] };
  const gap = (gap_not_leakage: number | null, mde = 0.09) =>
    jumpSentence(withRow(row, { gap_not_leakage, mde }), words);
  const said = "no jump detected at the cutoff; a jump above 0.0900 is ruled out at 80 % power.";
  assert.equal(gap(0.05), said);
  assert.equal(gap(null), said);
  assert.equal(gap(-0.5), said);
  assert.equal(
    gap(0.5),
    `${said} The bare gap of 0.5000 is larger: knowledge that fades out before the stated cutoff leaves a gap and no jump, so this is no proof of absence.`,
  );
  assert.match(gap(null, 0.04), /a jump above 0\.0500 is ruled out/);
  assert.match(jumpSentence(withRow({ ...row, ci95: [0, 0.02] }), words), /^no jump detected/);
  assert.match(jumpSentence(withRow(row), { ...words, power: 0.9 }), /at 90 % power/);
});

test("jumpSentence: an interval below 0 looks worse before, and is not detected", () => {
  const slices = withRow({ estimate: -0.1, ci95: [-0.18, -0.02] }, { mde: 0.11, gap_not_leakage: 0.8 });
  assert.equal(
    jumpSentence(slices, words),
    "not detected: cases before the cutoff look worse, by 0.1000 (95 % interval 0.0200 to 0.1800); a jump above 0.1100 is ruled out at 80 % power. The bare gap of 0.8000 is larger: knowledge that fades out before the stated cutoff leaves a gap and no jump, so this is no proof of absence.",
  );
});

test("jumpSentence: without an error or without cases it judges nothing and says why", () => {
  const flat = { estimate: 0.25, ci95: [0.25, 0.25] as [number, number], state: "degenerate" as const };
  assert.equal(
    jumpSentence(withRow(flat, { mde: null }), words),
    "degenerate: every outcome in the window lies on its side's line, so the jump of 0.2500 has no error to judge it by.",
  );
  const few = withRow(emptyRow(6, { n_pre: 1, clusters_pre: 1, n_post: 30, clusters_post: 4 }), {
    plot: { ...sixMonths.plot, donut: 1 },
  });
  assert.equal(
    jumpSentence(few, words),
    "not estimable: 1 case in 1 cluster before and 30 cases in 4 clusters after, within 1 month to 6 months of the cutoff; 20 cases and 5 clusters a side are needed.",
  );
  assert.equal(
    jumpSentence(withRow({ ci95: null }), words),
    "not judged: an estimate of 0.0780 without an interval.",
  );
});

test("controlSentence: as the jump's, of a lead over the control", () => {
  const said = (row: Partial<typeof controlRow>) => controlSentence({ ...controlRow, ...row }, words);
  assert.equal(
    said({}),
    "detected: against the control, latest-2 looks too good before the split by 0.0912 (95 % interval 0.0251 to 0.1573).",
  );
  assert.equal(
    said({ estimate: 0.02, ci95: [-0.04, 0.08] }),
    "no excess detected before the split; an excess above 0.0926 is ruled out at 80 % power.",
  );
  assert.equal(
    said({ estimate: -0.1, ci95: [-0.18, -0.02] }),
    "not detected: the lead of latest-2 is smaller before the split, by 0.1000 (95 % interval 0.0200 to 0.1800); an excess above 0.0926 is ruled out at 80 % power.",
  );
  assert.match(said({ state: "degenerate", estimate: 0.5, ci95: [0.5, 0.5] }), /^degenerate: .* 0\.5000/);
  assert.equal(
    said({ state: "not estimable", n_pre: 3, n_post: 40, clusters: 9 }),
    "not estimable: 3 cases before the split and 40 after, 9 clusters in all; 20 cases and 5 clusters a side are needed.",
  );
});

test("sentences: only an interval above 0 is detected, and no words certify anything", () => {
  const honest = (text: string, found: boolean) => {
    assert.doesNotMatch(text, /\bclean|no leakage|NaN|Infinity|undefined|\bnull\b/i);
    assert.equal(text.startsWith("detected: "), found, text);
  };
  fc.assert(
    fc.property(someSlices, someWords, (slices, some) => {
      const { state, estimate, ci95 } = slices.discontinuity[1]!;
      honest(
        jumpSentence(slices, some),
        state === "estimated" && estimate !== null && ci95 !== null && ci95[0] > 0,
      );
    }),
  );
  fc.assert(
    fc.property(someControl, (row) => {
      const found = row.state === "estimated" && row.estimate !== null && (row.ci95?.[0] ?? 0) > 0;
      honest(controlSentence({ ...row, treated: "latest-2" }, words), found);
    }),
  );
});
