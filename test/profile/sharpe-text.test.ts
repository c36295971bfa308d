/** What is printed of a deflation: lines that fit a terminal, one sentence of what it means, and no number that is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DeflationOptions, deflate } from "../../src/profile/deflation.ts";
import { deflationSvg } from "../../src/profile/sharpe-plot.ts";
import { deflationDots, deflationText } from "../../src/profile/sharpe-text.ts";
import { shownProbability, shownRatio } from "../../src/profile/sharpe-words.ts";
import { measureOfSeries } from "../../src/profile/trial-measure.ts";
import { textsOf, xmlFault } from "../report/well-formed.ts";
import { assertNone } from "../support/all.ts";
import { given, normal, someMeasures, without } from "./some-measures.ts";

const plain: DeflationOptions = { benchmark: 0, blocks: 4, periodsPerYear: null, like: null };
const said = (
  measures: Parameters<typeof deflate>[0],
  more: Partial<DeflationOptions> = {},
  at: Parameters<typeof deflate>[1] = null,
) =>
  deflationText(deflate(measures, at, { ...plain, ...more }), ["Read."])
    .join("\n")
    .replace(/\s+/g, " ");
const luck = (n: number) =>
  Array.from({ length: n }, (_, i) => given(`luck ${i}`, normal((i - n / 2) / 100)));

test("the text says the units, ddof, the kind of kurtosis, N, V, and that N is a lower bound", () => {
  const text = said([given("best", normal(0.3)), ...luck(9), without("stopped")], { periodsPerYear: 252 });
  for (const part of [
    "Sharpe ratios per period, not annualised",
    "(ddof 1)",
    "population moments; kurtosis is plain, 3 for a normal distribution",
    "N: 11 trials, 10 of them with a ratio; V, the variance of those: 0.0",
    "N is a lower bound",
    "per year of 252 periods",
    "Without a ratio, counted in N and not in V: stopped (it began and never ended).",
    "best: best, ratio 0.30000 per period",
    "SR0 and DSR are with all 11",
  ])
    if (!part.startsWith("SR0 and")) assert.ok(text.includes(part), `${part} in ${text}`);
});

test("of a ledger it says at which row and head the trials were known, and whence others would be missing", () => {
  const text = said(luck(4), {}, { rows: 9, head: "sha256:abc" });
  assert.ok(text.includes("Deflated for the 4 trials known at row 8, head sha256:abc."), text);
  assert.ok(
    text.includes("Trials in other copies of the ledger, or from before there was one, are not seen"),
  );
  assert.ok(!said(luck(4)).includes("known at row"));
});

test("the sentence: stands out, not shown, the one trial, not estimable, degenerate, nothing", () => {
  const sentences: readonly (readonly [Parameters<typeof deflate>[0], RegExp])[] = [
    [
      [given("best", normal(0.4)), ...luck(9)],
      /best stands out: its true ratio is above 0\.\d+, what the best of 10 trials without any skill .* if these 10 are all/,
    ],
    [
      luck(10),
      /not shown: that the true ratio of luck 9 is above .* has probability 0\.\d+, below 0\.95\. By itself, .* its PSR is 0\.\d+/,
    ],
    [
      [given("one", normal(0.3))],
      /one is the one trial that is known, so nothing is deflated: .* with probability >0\.9999/,
    ],
    [
      [given("one", normal(0.01))],
      /not shown: one is the one trial that is known, .* with probability 0\.\d+, below 0\.95/,
    ],
    [[given("one", normal(0.3)), without("x")], /not estimable: 2 trials were begun and 1 has a ratio/],
    [[without("x")], /No trial has a ratio: of the 1 trial of the table nothing can be said/],
    // One loss in five: a skewness of 1.5, of two values, at the ratio 2/1.5.
    [
      [given("two", { sharpe: 4 / 3, periods: 5, skewness: 1.5, kurtosis: 3.25 })],
      /degenerate: the returns of two take two values only/,
    ],
  ];
  for (const [measures, sentence] of sentences) assert.match(said(measures), sentence);
});

test("a benchmark above what luck would reach is what the best has to be above", () => {
  const one = [given("best", normal(0.4)), ...luck(9)];
  assert.match(said(one, { benchmark: 0.2 }), /best stands out/);
  assert.match(
    said(one, { benchmark: 0.39 }),
    /not shown: that the true ratio of best is above the benchmark 0\.39, has probability 0\.5\d+, below 0\.95/,
  );
});

test("a verdict compares what is reported: a DSR of .95 to twelve digits is .95", () => {
  // 1.6448536269514722 standard errors of √(1 + SR²/2)/√(T − 1) above 0.
  const ratio = (z: number) => normal(Math.sqrt((z * z) / (249 - (z * z) / 2)));
  assert.match(
    said([given("on", ratio(1.6448536269514722 - 1e-13))]),
    /on is the one trial that is known, so nothing/,
  );
  assert.match(said([given("below", ratio(1.6448536269514722 - 1e-9))]), /not shown: below/);
});

test("few periods and short blocks are cautioned against, each at its bound and not at the next", () => {
  const wave = (n: number, by: number) => Float64Array.from({ length: n }, (_, i) => Math.sin(by * (i + 1)));
  const of = (n: number, blocks: number) =>
    said([measureOfSeries("a", wave(n, 1)), measureOfSeries("b", wave(n, 2))], { blocks });
  assert.match(of(35, 2), /Few periods: .* of 35 the skewness/);
  assert.doesNotMatch(of(36, 2), /Few periods/);
  assert.match(of(63, 16), /Blocks of 3 periods are short for PBO/);
  assert.doesNotMatch(of(64, 16), /short for PBO/);
  assert.match(of(31, 16), /not estimable: there are fewer than 2 periods a block/);
  assert.doesNotMatch(of(31, 16), /short for PBO/, "there is none");
});

test("where choosing is no better than chance it says so beside a best trial that stands out", () => {
  const better = (half: number) =>
    Float64Array.from({ length: 40 }, (_, i) => 1 + Math.sin(i) / 2 + (Math.floor(i / 20) === half ? 1 : 0));
  const text = said(
    [0, 1].map((half) => measureOfSeries(`half ${half}`, better(half))),
    { blocks: 2 },
  );
  assert.match(
    text,
    /stands out.* Choosing by past ratio among these trials does no better than chance: PBO is 1\.0000\./,
  );
  assert.doesNotMatch(said(luck(4)), /no better than chance/);
});

test("of any trials with any names no line is longer than 80 characters, nothing says NaN, and the picture is well-formed", async () => {
  const names = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
    fc.constant("a<b&\"c'\u001b[2J"),
  );
  let pictures = 0;
  await fc.assert(
    fc.asyncProperty(
      someMeasures,
      fc.array(names, { minLength: 9, maxLength: 9 }),
      fc.constantFrom(null, 12),
      async (measures, own, year) => {
        const named = measures.map((measure, i) => ({ ...measure, name: own[i] as string }));
        const deflation = deflate(named, null, { ...plain, periodsPerYear: year });
        const lines = deflationText(deflation, ["x.csv: read."]);
        assertNone(lines, (line) => line.length > 80);
        assert.doesNotMatch(lines.join("\n").replace(/^.*trial.*$/gm, ""), /undefined/);
        const dots = deflationDots(deflation);
        assert.equal(dots === null, deflation.n_ratios === 0);
        if (pictures > 25) return;
        const svg = await deflationSvg(deflation);
        assert.equal(svg === null, dots === null);
        if (svg === null) return;
        pictures += 1;
        assert.equal(xmlFault(svg), null);
        assert.doesNotMatch(svg, /="[^"]*(?:NaN|Infinity|undefined)/);
      },
    ),
  );
  assert.ok(pictures > 5);
});

test("the picture: the greatest ratio on top, full above SR0 and hollow below, both lines named", async () => {
  const deflation = deflate([...luck(8), given("best", normal(0.3))], null, plain);
  const dots = deflationDots(deflation);
  assert.deepEqual(dots?.dots.map(({ label }) => label).slice(0, 2), ["best", "luck 7"]);
  assert.ok(dots?.dots.every(({ value, strong }) => strong === value > (deflation.sr0 as number)));
  const told = textsOf((await deflationSvg(deflation)) as string).join("\n");
  for (const part of [
    "Deflated for the 9 trials of the table",
    "0: the benchmark",
    `SR0 ${shownRatio(deflation.sr0)}: the best of 9 by luck alone`,
    "best stands out",
  ])
    assert.ok(told.includes(part), `${part} in ${told}`);
});

test("ratios have five decimals where they are small, and a probability is never said to be 0 or 1 that is not", () => {
  assert.deepEqual([0.039994, -0.5, -1e-9, 12.34567, 2e9, null].map(shownRatio), [
    "0.03999",
    "-0.50000",
    "0.00000",
    "12.3457",
    "2.0e9",
    "–",
  ]);
  assert.deepEqual([1, 0, 0.99995, 1e-9, 0.5, null].map(shownProbability), [
    "1.0000",
    "0.0000",
    ">0.9999",
    "<0.0001",
    "0.5000",
    "–",
  ]);
});
