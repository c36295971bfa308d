/** The SVG of a cutoff: places checked by hand, the same bytes again, well-formed for hostile words and every number. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { cutoffSvg } from "../../src/report/cutoff-plot.ts";
import type { CutoffSlices } from "../../src/report/cutoff-slices.ts";
import { assertEvery, assertNone } from "../support/all.ts";
import { emptyRow, sixMonths, someSlices, someWords, withRow, words } from "./made-slices.ts";
import { textsOf, xmlFault } from "./well-formed.ts";

const attributesOf = (svg: string, element: string) =>
  [...svg.matchAll(new RegExp(`<${element} ([^>]*)`, "g"))].map(([, inside]) =>
    Object.fromEntries(
      [...(inside as string).matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
  );

test("cutoffSvg: points, lines, jump and ticks stand where arithmetic puts them", async () => {
  const svg = await cutoffSvg(sixMonths, words);
  // 720 wide, 68 left and 24 right: the cutoff is at 382, 314 is 2h; 300 high from 80 down, .045 of it a foot below 0.
  const circles = attributesOf(svg, "circle");
  assert.equal(circles.length, 14);
  const top = 0.275 + (0.275 - 0.0925) * 0.06;
  const y = (value: number) => String(Number((80 + (300 * (1 - value / top)) / 1.045).toFixed(2)));
  assert.deepEqual(
    circles.map(({ cx }) => Number(cx)).sort((a, b) => a - b),
    sixMonths.plot.bins.map(({ from }) => Number((382 + ((from + 0.5) * 314) / 12).toFixed(2))),
  );
  assertEvery(
    circles.filter(({ cx }) => cx === "473.58"),
    ({ r, cy }) => r === "9" && cy === y(0.235),
  );
  assertEvery(
    circles.filter(({ cx }) => cx === "395.08"),
    ({ r }) => r === "4.5",
  );
  assert.ok(svg.includes(`<path d="M382,${y(0.13)}L382,${y(0.2)}"`), svg);
  const [bar] = [382 - 314 * 0.026].map((x) => Number(x.toFixed(2)));
  assert.ok(svg.includes(`<path d="M${bar},${y(0.13 + 0.0184)}L${bar},${y(0.13 + 0.1376)}"`), "its interval");
  const told = textsOf(svg);
  for (const each of ["0.25", "−12", "−3", "0", "12", "leak 0.0780", "cutoff 2024-10", "before the cutoff"])
    assert.ok(told.includes(each), each);
  assert.ok(told.includes("months before (−) and after the cutoff, the end of 2024-10"));
  assert.ok(told.includes("mean Brier score (lower is better ↓)"));
  assert.ok(svg.includes('<rect fill="white" height="100%" width="100%" />'));
});

test("cutoffSvg: the caption says what was found, its interval once, cases a side, the state, and what is not leakage", async () => {
  const captionOf = async (slices: CutoffSlices) => textsOf(await cutoffSvg(slices, words)).join(" ");
  const caption = await captionOf(sixMonths);
  for (const part of [
    "Detected: cases before the cutoff look too good by 0.0780 (95 % interval 0.0184 to 0.1376).",
    "40 cases in 6 clusters before, 44 in 7 after; estimated.",
    "Bare gap over all cases 0.1180: by itself not leakage.",
    "area by cases (4 to 16)",
    "Thin bar: the 95 % interval of the step.",
  ])
    assert.ok(caption.includes(part), part);
  assert.equal(caption.split("0.1376").length, 2);
  const undetected = await captionOf(withRow({ estimate: -0.01, ci95: [-0.07, 0.05] }));
  assert.match(undetected, /Not detected: the 95 % interval of the jump reaches 0\.0500; at 80 % power/);
  assert.match(undetected, /Leak −0\.0100, 95 % interval \[−0\.0700, 0\.0500\]; > 0: cases before/);
});

test("cutoffSvg: no point reaches the labels of the axis, even one at the least outcome there is", async () => {
  const bins = sixMonths.plot.bins.map((bin) => ({ ...bin, mean: bin.from < 0 ? 0 : 1 }));
  const fit = { pre: { level: 0, slope: 0 }, post: { level: 1, slope: 0 } };
  const svg = await cutoffSvg({ ...sixMonths, plot: { ...sixMonths.plot, bins, fit, range: [0, 1] } }, words);
  assertEvery(
    attributesOf(svg, "circle"),
    ({ cy, r }) => Number(cy) + Number(r) + 1 < 380 && Number(cy) - Number(r) > 80,
  );
});

test("cutoffSvg: the interval is turned with the orientation, cut far off, and left out where there is none", async () => {
  const bars = (svg: string) =>
    attributesOf(svg, "path").filter(({ d }) => /^M373\.84,.*L373\.84,/.test(d ?? ""));
  const ends = (svg: string) =>
    attributesOf(svg, "path").filter(({ d }) => /^M370\.7,.*L376\.98,/.test(d ?? ""));
  const drawn = await cutoffSvg(sixMonths, words);
  assert.deepEqual([bars(drawn).length, ends(drawn).length], [1, 2]);
  const row = { estimate: -0.07, ci95: [-0.1376, -0.0184] as [number, number] };
  const turned = await cutoffSvg(withRow(row), { ...words, better: "higher" });
  assert.deepEqual(bars(turned), bars(drawn), "a fall of the better one is the same step");
  const wide = await cutoffSvg(withRow({ ci95: [-0.02, 9] }), words);
  assert.deepEqual([bars(wide).length, ends(wide).length], [1, 1]);
  const legend = textsOf(wide).join(" ");
  assert.match(legend, /the 95 % interval of the step, cut where it has no end stroke\./);
  assert.doesNotMatch(textsOf(drawn).join(" "), /cut where/);
  const flat = { ci95: [0.07, 0.07] as [number, number], state: "degenerate" as const };
  for (const slices of [withRow(flat), withRow({ ci95: null })]) {
    const without = await cutoffSvg(slices, words);
    assert.deepEqual([bars(without), /Thin bar/.test(without)], [[], false]);
  }
});

test("cutoffSvg: not estimable draws no line and says what is missing", async () => {
  const slices = withRow(emptyRow(6, { n_pre: 12, clusters_pre: 2 }), {
    plot: { ...sixMonths.plot, fit: null },
    mde: null,
  });
  const drawn = await cutoffSvg(sixMonths, words);
  const svg = await cutoffSvg(slices, words);
  assert.ok(/aria-label="link"/.test(drawn) && !/aria-label="link"/.test(svg));
  const told = textsOf(svg).join(" ");
  assert.ok(told.includes("Not estimable: 12 cases in 2 clusters before and 44 cases in 7 clusters after"));
  assert.ok(textsOf(svg).includes("not estimable"));
  assert.doesNotMatch(told, /line|hollow|bar:/, "nothing of what is not drawn");
  assert.ok(
    !svg.includes("fill-opacity") || attributesOf(svg, "circle").every(({ fill }) => fill === undefined),
  );
  assert.ok(told.includes("20 cases and 5 clusters a side are needed"));
  const empty = await cutoffSvg({ ...slices, plot: { ...slices.plot, bins: [] } }, words);
  assert.ok(textsOf(empty).includes("no case this near the cutoff"));
  const plot = { ...slices.plot, donut: 1.5 };
  assert.match(
    textsOf(await cutoffSvg({ ...slices, plot }, words)).join(" "),
    /\. Shaded: donut of 1\.5 months, left out\.$/m,
  );
});

test("cutoffSvg: a donut is shaded, and the lines are dashed over it", async () => {
  const plain = await cutoffSvg(sixMonths, words);
  const svg = await cutoffSvg({ ...sixMonths, plot: { ...sixMonths.plot, donut: 1.5 } }, words);
  const shade = (text: string) => attributesOf(text, "rect").filter(({ width }) => width === "78.5");
  assert.deepEqual([shade(plain).length, shade(svg).length], [0, 1]);
  assert.ok(svg.includes('stroke-dasharray="3 3"') && !plain.includes('stroke-dasharray="3 3"'));
  assert.ok(textsOf(svg).join(" ").includes("Shaded: donut of 1.5 months"));
});

test("cutoffSvg: the same bytes again, whatever was drawn between; nothing from outside and nothing that varies", async () => {
  const first = await cutoffSvg(sixMonths, words);
  await cutoffSvg(withRow(emptyRow(6)), { ...words, title: "another" });
  assert.equal(await cutoffSvg(sixMonths, words), first);
  // As on every Node version: a change of the picture changes this line on purpose.
  assert.equal(
    createHash("sha256").update(first).digest("hex"),
    "f697bb7d628094e68980c15448ca515525a9103e0b410dcc51c79a7f0bbbe924",
  );
  assertNone([" id=", " class=", "<style", "href", "url(", "<script", "http://www.w3.org/1999"], (each) =>
    first.includes(each),
  );
  assert.equal(first.match(/https?:/g)?.length, 1);
  assertNone(first.match(/="[^"]*"/g) as string[], (value) => /\d\.\d{3}/.test(value));
});

test("cutoffSvg: hostile words are text and nothing else", async () => {
  const title = `</text></svg><script>alert("1")</script> & ' ]]> \u0000\u0007\u001b[31m \ud800 \uffff \u202e \n end`;
  const svg = await cutoffSvg(sixMonths, { ...words, title, outcome: `<b onload="x">` });
  assert.equal(xmlFault(svg), null);
  assert.ok(!svg.includes("<script") && !svg.includes("<b "));
  const told = textsOf(svg).join(" ");
  assert.ok(told.includes(`<script>alert("1")</script> & '`), told);
  assert.ok(told.includes(`mean <b onload="x"> (lower is better ↓)`));
});

test("cutoffSvg: well-formed and without a number that is none, for any slices and words", async () => {
  await fc.assert(
    fc.asyncProperty(someSlices, someWords, async (slices, some) => {
      const svg = await cutoffSvg(slices, { ...some, title: "arm latest" });
      assert.equal(xmlFault(svg), null);
      assert.doesNotMatch(svg, /NaN|Infinity|undefined|null|⚠/);
      assert.doesNotMatch(svg, /\bclean|no leakage|ruled out/i);
      const titled = await cutoffSvg(slices, some);
      assert.equal(xmlFault(titled), null);
    }),
    { numRuns: 15 },
  );
});

test("xmlFault: finds what an XML reader would refuse", () => {
  assert.equal(xmlFault("<a x='1'><b/>&lt;</a>\n"), null);
  assertEvery(
    [
      "<a><b></a>",
      "<a>&</a>",
      "<a x=1/>",
      "<a>\u0007</a>",
      "<a>\ud800</a>",
      "<a/><b/>",
      "<a",
      "a",
      '<a x="<"/>',
    ],
    (text) => xmlFault(text) !== null,
  );
});
