/** Dots against reference lines: places checked by arithmetic, the same bytes again, well-formed for hostile names and any number. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DotPlotWords, dotSvg } from "../../src/report/dot-plot.ts";
import { type Dots, dotRange } from "../../src/report/dot-range.ts";
import { dotSketch } from "../../src/report/dot-sketch.ts";
import { assertNone } from "../support/all.ts";
import { textsOf, xmlFault } from "./well-formed.ts";

const words: DotPlotWords = { title: "Three", axis: "value", caption: ["A sentence of -1."] };
const three: Dots = {
  dots: [
    { label: "top", value: 3, reach: [2, 4], strong: true },
    { label: "middle", value: 1, reach: null, strong: false },
    { label: "least", value: -1, reach: [-1.5, 90], strong: false },
  ],
  lines: [
    { label: "0.3: none", value: 0.3 },
    { label: "2.3: bar", value: 2.3 },
  ],
};

const attributesOf = (svg: string, element: string) =>
  [...svg.matchAll(new RegExp(`<${element} ([^>]*)`, "g"))].map(([, inside]) =>
    Object.fromEntries(
      [...(inside as string).matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
  );

test("dotRange: all values and lines, reaches as far as six tenths of what the values span, and a margin", () => {
  const { lo, hi } = dotRange(three);
  assert.ok(Math.abs(lo - (-1.5 - 0.2)) < 1e-12 && Math.abs(hi - (3 + 2.4 + 0.2)) < 1e-12, `${lo} ${hi}`);
  const one = dotRange({ dots: [{ label: "a", value: 5, reach: null, strong: true }], lines: [] });
  assert.ok(one.lo < 5 && one.hi > 5);
  assert.throws(() => dotRange({ dots: [], lines: [] }), RangeError);
  assert.throws(() => dotRange({ ...three, lines: [{ label: "", value: Number.NaN }] }), RangeError);
});

test("dotSvg: dots, reaches and lines stand where arithmetic puts them, full or hollow", async () => {
  const svg = await dotSvg(three, words);
  const { lo, hi } = dotRange(three);
  // 720 wide, 90 left for short names and 24 right; a line of dots is 18 high, the first at half of one and 5 below the frame's top.
  const x = (value: number) => String(Number((90 + ((value - lo) / (hi - lo)) * 606).toFixed(2)));
  const circles = attributesOf(svg, "circle");
  assert.deepEqual(
    circles.map(({ cx }) => cx),
    [3, 1, -1].map(x),
  );
  const [first, second, third] = circles.map(({ cy }) => Number(cy)) as [number, number, number];
  assert.ok(Math.abs(second - first - 18) < 0.02 && Math.abs(third - second - 18) < 0.02);
  assert.deepEqual(
    circles.map(({ fill }) => fill === "white"),
    [false, true, true],
  );
  assert.ok(svg.includes(`M${x(2)},${first}L${x(4)},${first}`), "the reach of the top");
  assert.ok(svg.includes(`M${x(-1.5)},${third}L${x(hi)},${third}`), "cut at the frame");
  const uprights = attributesOf(svg, "line").filter(({ x1 }) => [x(0.3), x(2.3)].includes(x1 ?? ""));
  assert.equal(uprights.length, 2);
  const told = textsOf(svg);
  for (const each of [
    "top",
    "middle",
    "least",
    "0.3: none",
    "2.3: bar",
    "Three",
    "value",
    "A sentence of −1.",
  ])
    assert.ok(told.includes(each), each);
  assert.equal(await dotSvg(three, words), svg, "the same bytes again");
});

test("dotSvg: a thousand dots are no taller than a page, and only the first and last are named", async () => {
  const dots = Array.from({ length: 1000 }, (_, i) => ({
    label: `dot ${i}`,
    value: -i,
    reach: null,
    strong: false,
  }));
  const svg = await dotSvg({ dots, lines: [] }, words);
  assert.ok(Number(attributesOf(svg, "svg")[0]?.["height"]) < 1100);
  assert.equal(attributesOf(svg, "circle").length, 1000);
  assert.deepEqual(
    textsOf(svg).filter((each) => each.startsWith("dot ")),
    ["dot 0", "dot 999"],
  );
});

const someDots: fc.Arbitrary<Dots> = fc.record({
  dots: fc.array(
    fc.record({
      label: fc.oneof(
        fc.string(),
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.constant('<&">\u0000\ud800'),
      ),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
      reach: fc.option(
        fc.tuple(
          fc.double({ noNaN: true, noDefaultInfinity: true, max: 0 }),
          fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
        ),
      ),
      strong: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  lines: fc.array(
    fc.record({
      label: fc.string({ unit: "binary" }),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    { maxLength: 2 },
  ),
});

test("dotRange: of any finite values two finite ends that hold them all", () => {
  fc.assert(
    fc.property(someDots, (dots) => {
      const { lo, hi } = dotRange(dots);
      assert.ok(Number.isFinite(lo) && Number.isFinite(hi) && lo < hi, `${lo} ${hi}`);
      for (const { value } of [...dots.dots, ...dots.lines]) assert.ok(value >= lo && value <= hi);
    }),
  );
});

test("dotSvg: well-formed for any names, and no coordinate that is none, for any finite values", async () => {
  await fc.assert(
    fc.asyncProperty(someDots, fc.string({ unit: "binary" }), async (dots, title) => {
      const svg = await dotSvg(dots, { ...words, title });
      assert.equal(xmlFault(svg), null);
      assert.doesNotMatch(svg, /="[^"]*(?:NaN|Infinity|undefined)/);
    }),
    { numRuns: 25 },
  );
});

test("dotSketch: a line a dot, the marks in the order of their values, what is left out counted", () => {
  const [top, middle, least, ...key] = dotSketch(three, 20);
  const at = (line: string | undefined, mark: string) => [...(line as string)].indexOf(mark);
  assert.ok(at(top, "●") > at(middle, "○") && at(middle, "○") > at(least, "○"));
  assert.ok(at(middle, "┊") < at(middle, "○") && at(middle, "○") < at(middle, "│"));
  assert.ok((top as string).startsWith("  top    ") && (top as string).includes("─●─"));
  assert.deepEqual(key, ["  ┊ 0.3: none", "  │ 2.3: bar"]);
  assert.ok(dotSketch(three, 1).includes("  … and 2 more"));
});

test("dotSketch: no line longer than 79 columns and no mark lost, for any names and values", () => {
  fc.assert(
    fc.property(someDots, (dots) => {
      const short = { ...dots, lines: dots.lines.map((line) => ({ ...line, label: "x" })) };
      const lines = dotSketch(short, 20);
      assertNone(lines, (line) => line.length > 79);
      for (const [i, { strong }] of dots.dots.entries())
        assert.ok(lines[i]?.slice(1).includes(strong ? "●" : "○"));
    }),
  );
});
