/** Sentences: what each state says, what it never says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { allWords, jumpSentence, shownWords, sideOf, wrapWords } from "../../src/report/cutoff-words.ts";
import type { SensitivityRow } from "../../src/report/fit-figures.ts";
import { assertEvery } from "../support/all.ts";
import { emptyRow, sixMonths, someSlices, someWords, withRow, words } from "./made-slices.ts";

test("shownWords: nothing in them moves a cursor or breaks an XML text", () => {
  assert.equal(shownWords("a\u001b[31m\nb\u202e\ud800\uffff"), "a�[31m�b���");
  assert.equal(shownWords("x".repeat(300)).length, 240);
});

test("wrapWords: no line is longer than asked, and no letter is lost", () => {
  assert.deepEqual(wrapWords("aa bb cc", 5), ["aa bb", "cc"]);
  assert.deepEqual(wrapWords("  aa bb cc", 6, "  "), ["  aa", "  bb", "  cc"]);
  assert.deepEqual(wrapWords("abcdefgh", 3), ["abc", "def", "gh"]);
  assert.deepEqual(wrapWords("at 95 % of it", 6), ["at", "95 %", "of it"], "a percent stays with its number");
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

/** An interval of 0 in the middle: nothing is detected. */
const undetected = { estimate: -0.01, ci95: [-0.07, 0.05] as [number, number] };
/** Nothing to be cautious about. */
const noGap = { gap_not_leakage: null };
const month = (cutoff: string, estimate: number, reach: number): SensitivityRow => ({
  cutoff,
  estimate,
  se: 0.02,
  df: 8,
  ci95: [estimate - reach, estimate + reach],
  state: "estimated",
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

test("jumpSentence: undetected: how far the interval reaches and what would have been detected, each for what it is", () => {
  const said = (mde: number | null, some = words) =>
    jumpSentence(withRow(undetected, { ...noGap, mde }), some);
  const reaches = "not detected: the 95 % interval of the jump reaches 0.0500";
  const rough = " (roughly: its error has 8.3 degrees of freedom, and is itself uncertain)";
  assert.equal(said(0.09), `${reaches}; at 80 % power a jump above 0.0900 would have been detected${rough}.`);
  assert.equal(said(0.04), `${reaches}; at 80 % power a jump above 0.0400 would have been detected${rough}.`);
  assert.match(
    jumpSentence(withRow({ ...undetected, df: 10 }, { ...noGap, mde: 0.09 }), words),
    /above 0\.0900 would have been detected\.$/,
  );
  assert.equal(said(null), `${reaches}.`);
  assert.match(said(0.09, { ...words, power: 0.9, level: 0.99 }), /99 % interval .* at 90 % power/);
  assert.match(
    jumpSentence(withRow({ ...undetected, ci95: [0, 0.02] }), words),
    /^not detected: .* reaches 0\.0200/,
  );
});

test("jumpSentence: what could have been detected is more than the outcome spans: the cases cannot tell", () => {
  const at = (mde: number) => jumpSentence(withRow(undetected, { ...noGap, mde }), words);
  assert.equal(
    at(0.36),
    "not detected: the 95 % interval of the jump reaches 0.0500, and these cases cannot tell: even a jump over the whole range of the outcome (0.0100 to 0.3600) would often be missed.",
  );
  assert.match(at(0.35), /cannot tell/, "the span itself is not below the span");
  assert.match(at(0.34), /a jump above 0\.3400 would have been detected/);
});

test("jumpSentence: no jump beside a bare gap above 0, however small: knowledge may have faded, and where to look", () => {
  const gap = (gap_not_leakage: number | null, some = words, sensitivity: readonly SensitivityRow[] = []) =>
    jumpSentence(withRow(undetected, { gap_not_leakage, sensitivity }), some);
  const caution = (flags: string, control: string) =>
    ` The bare gap is 0.0300: knowledge that fades out before the stated cutoff leaves a gap and no jump, so this is no proof of absence. Look at the sweep over the cutoff's interval${flags} and at a control${control}.`;
  assert.ok(gap(0.03).endsWith(caution("", "")), gap(0.03));
  const flags = { ...words, flags: true };
  assert.ok(gap(0.03, flags).endsWith(caution(" (cutoff_lo, cutoff_hi)", " (--control)")));
  assert.ok(gap(0.03, flags, [month("2024-09", 0, 1)]).endsWith(caution("", " (--control)")));
  for (const none of [null, 0, -0.5, 1e-17]) assert.doesNotMatch(gap(none), /bare gap/);
  assert.doesNotMatch(jumpSentence(withRow({}, { gap_not_leakage: 0.9 }), words), /bare gap/, "detected");
});

test("jumpSentence: an interval below 0 looks worse before, is not detected, and asks what bends", () => {
  const row = { estimate: -0.1, ci95: [-0.18, -0.02] as const, df: 20 };
  const slices = withRow(row, { mde: 0.11, gap_not_leakage: 0.8 });
  const said = (check: string) =>
    `not detected: cases before the cutoff look worse, by 0.1000 (95 % interval 0.0200 to 0.1800): ${check} the outcome bends there; at 80 % power a jump above 0.1100 would have been detected. The bare gap is 0.8000`;
  assert.ok(jumpSentence(slices, words).startsWith(said("check whether")), jumpSentence(slices, words));
  assert.ok(jumpSentence(slices, { ...words, flags: true }).startsWith(said("check --better, or whether")));
});

test("jumpSentence: undetected, but at which other months of the interval it is, or that it is at none", () => {
  const moved = (...sensitivity: readonly SensitivityRow[]) =>
    jumpSentence(
      withRow(undetected, { ...noGap, mde: null, cutoff: "2024-06..2024-10", sensitivity }),
      words,
    );
  const reaches = "not detected: the 95 % interval of the jump reaches 0.0500.";
  const own = month("2024-10", 0.3, 0.1);
  const search = "a stated interval may not be searched for its greatest month.";
  assert.equal(
    moved(month("2024-08", 0.1, 0.15), month("2024-09", 0.2, 0.05), own),
    `${reaches} Moved to 2024-09 it is detected: 0.2000 (95 % interval 0.1500 to 0.2500); ${search}`,
  );
  assert.equal(
    moved(month("2024-07", 0.1, 0.05), month("2024-08", 0.3, 0.05), month("2024-09", 0.2, 0.05), own),
    `${reaches} Moved to 2024-07, 2024-08 and 2024-09 it is detected: 0.1000 to 0.3000; ${search}`,
  );
  const many = Array.from({ length: 9 }, (_, i) => month(`2023-0${i + 1}`, 0.2, 0.05));
  assert.match(moved(...many), /Moved to 2023-01, .*2023-06 and 3 more it is detected/);
  assert.equal(
    moved(month("2024-09", 0.01, 0.05), own),
    `${reaches} Moved to any other month of the interval it is not detected either.`,
    "the estimate's own month is no other month",
  );
  const none: SensitivityRow = {
    cutoff: "2024-07",
    estimate: null,
    se: null,
    df: null,
    ci95: null,
    state: "not estimable",
  };
  const exact: SensitivityRow = { ...month("2024-08", 0.2, 0), state: "degenerate" };
  assert.equal(
    moved(none, exact, month("2024-09", 0.01, 0.05), own),
    `${reaches} Moved to any other month of the interval (1 of 3 can be estimated) it is not detected either.`,
  );
  assert.equal(moved(none, own), `${reaches} At no other month of the interval can it be estimated.`);
});

test("jumpSentence: cases on one side alone: what they may be, and that nothing is there to compare with", () => {
  const one = (n: { pre: number; post: number }, more = {}) =>
    jumpSentence(withRow(emptyRow(6), { n, ...more }), words);
  assert.equal(
    one({ pre: 288, post: 0 }),
    "all 288 cases lie before its cutoff: each answer may be memory, and nothing is there to compare with.",
  );
  assert.equal(
    one({ pre: 0, post: 150 }),
    "all 150 cases lie after its stated cutoff: nothing lies before it to compare with.",
  );
  const cutoff = "2024-06..2024-12, stated 2024-10";
  assert.equal(
    one({ pre: 0, post: 150 }, { cutoff }),
    "all 150 cases lie after its stated cutoff, which may be as late as 2024-12: nothing lies before it to compare with.",
  );
  const seen = { cutoff, sensitivity: [month("2024-12", 0.2, 0.05)] };
  assert.match(one({ pre: 0, post: 150 }, seen), /as late as 2024-12: .* Moved to 2024-12 it is detected/);
  assert.match(one({ pre: 0, post: 1 }), /^the only case lies after its stated cutoff/);
  assert.deepEqual([allWords(1, "case"), allWords(2, "case")], ["the only case lies", "all 2 cases lie"]);
  assert.deepEqual([sideOf(sixMonths), sideOf({ ...sixMonths, n: { pre: 0, post: 0 } })], [null, null]);
});

test("jumpSentence: without an error or without cases it judges nothing and says why", () => {
  const flat = { estimate: 0.25, ci95: [0.25, 0.25] as [number, number], state: "degenerate" as const };
  const exact =
    "degenerate: the points lie on the lines exactly, or as far above as below within every cluster, so that no error can be estimated: the jump of 0.2500 cannot be judged.";
  assert.equal(jumpSentence(withRow(flat, { mde: null, ...noGap }), words), exact);
  assert.match(
    jumpSentence(withRow(flat, { mde: null }), words),
    /judged\. The bare gap is 0\.1180: knowledge/,
  );
  const few = withRow(emptyRow(6, { n_pre: 1, clusters_pre: 1, n_post: 30, clusters_post: 4 }), {
    plot: { ...sixMonths.plot, donut: 1 },
  });
  assert.equal(
    jumpSentence(few, words),
    "not estimable: 1 case in 1 cluster before and 30 cases in 4 clusters after, within 1 month to 6 months of the cutoff; 20 cases and 5 clusters a side are needed.",
  );
  const elsewhere = { sensitivity: [month("2024-09", 0.2, 0.05)], ...noGap };
  const found = / Moved to 2024-09 it is detected: 0\.2000/;
  assert.match(jumpSentence(withRow(flat, { mde: null, ...elsewhere }), words), found);
  assert.match(jumpSentence({ ...few, ...elsewhere }, words), found);
  const nowhere = { sensitivity: [month("2024-09", 0.2, 0.5)] };
  assert.equal(jumpSentence({ ...few, ...nowhere }, words), jumpSentence(few, words));
  assert.equal(
    jumpSentence(withRow({ ci95: null }, noGap), words),
    "not judged: an estimate of 0.0780 without an interval.",
  );
});

test("jumpSentence: only an interval above 0 is detected, and no words certify anything", () => {
  fc.assert(
    fc.property(someSlices, someWords, fc.boolean(), (slices, some, flags) => {
      const { state, estimate, ci95 } = slices.discontinuity[1]!;
      const text = jumpSentence(slices, { ...some, flags });
      const found = state === "estimated" && estimate !== null && ci95 !== null && ci95[0] > 0;
      assert.doesNotMatch(text, /\bclean|no leakage|ruled out|NaN|Infinity|undefined|\bnull\b/i);
      assert.equal(text.startsWith("detected: "), found && sideOf(slices) === null, text);
    }),
  );
});
