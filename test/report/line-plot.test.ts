/** Lines over time: places checked by arithmetic, ticks of the calendar, lines that end where they are unknown, the same bytes again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { type LinePanel, lineFrame } from "../../src/report/line-frame.ts";
import { lineSvg } from "../../src/report/line-plot.ts";
import { timeTicks } from "../../src/report/time-axis.ts";
import { axisRange, heightOn } from "../../src/report/value-axis.ts";
import { assertEvery } from "../support/all.ts";
import { textsOf, xmlFault } from "./well-formed.ts";

const at = (text: string) => parseInstant(text, "", "") as Instant;
const day = (n: number) => at(`2021-03-0${n}T00:00:00Z`);
const panel = (values: readonly (number | null)[], more: Partial<LinePanel> = {}): LinePanel => ({
  label: "growth (of 1)",
  height: 200,
  level: 1,
  reach: 1,
  shaded: false,
  lines: [{ label: "first", marks: values.map((value, i) => ({ at: day(i + 1), value })) }],
  ...more,
});

test("lineFrame: marks stand where arithmetic puts them, in every panel on one axis of time", () => {
  const longer = panel([1, 2, 3, 4, 5]);
  const frame = lineFrame([panel([1, 1.5, 1.25]), longer]);
  const range = axisRange([1, 1.5]);
  assert.deepEqual(frame.panels[0]?.spots, [
    {
      places: [
        { across: 0, up: heightOn(1, range) },
        { across: 0.25, up: heightOn(1.5, range) },
        { across: 0.5, up: heightOn(1.25, range) },
      ],
      unknown: null,
    },
  ]);
  assert.equal(frame.panels[0]?.level, heightOn(1, range));
  assert.deepEqual(
    frame.ticks.map(({ label, across }) => [label, across]),
    [1, 2, 3, 4, 5].map((n) => [`2021-03-0${n}`, (n - 1) / 4]),
  );
});

test("lineFrame: a line ends at its first unknown value, whatever is known later; the time that it has no value for stays", () => {
  const { panels, ticks } = lineFrame([panel([1, 1.2, null, 1.4, null])]);
  assert.deepEqual(
    panels[0]?.spots.map(({ places, unknown }) => [places.map(({ across }) => across), unknown]),
    [[[0, 0.25], day(3)]],
  );
  assert.equal(ticks.at(-1)?.across, 1);
  assert.throws(() => lineFrame([panel([])]), RangeError);
  assert.throws(() => lineFrame([panel([1, Number.NaN])]), RangeError);
});

test("timeTicks: starts of years, months, days, hours and seconds, by how much there is", () => {
  const labels = (from: string, to: string) => timeTicks(at(from), at(to), 8).map(({ label }) => label);
  assert.deepEqual(labels("2001-02-01T05:00:00Z", "2006-02-01T04:59:59Z"), [
    "2002",
    "2003",
    "2004",
    "2005",
    "2006",
  ]);
  assert.deepEqual(labels("2001-02-01T05:00:00Z", "2020-04-01T00:00:00Z"), ["2005", "2010", "2015", "2020"]);
  assert.deepEqual(labels("2021-01-04T00:00:00Z", "2021-05-20T00:00:00Z"), [
    "2021-02",
    "2021-03",
    "2021-04",
    "2021-05",
  ]);
  assert.deepEqual(labels("2021-01-05T00:00:00Z", "2021-02-01T00:00:00Z"), [
    "2021-01-11",
    "2021-01-18",
    "2021-01-25",
    "2021-02-01",
  ]);
  assert.deepEqual(labels("2021-01-05T22:10:00Z", "2021-01-06T01:00:00Z"), [
    "01-05 22:30",
    "01-05 23:00",
    "01-05 23:30",
    "01-06 00:00",
    "01-06 00:30",
    "01-06 01:00",
  ]);
  assert.deepEqual(labels("2021-01-05T22:10:00.5Z", "2021-01-05T22:10:02Z"), [
    "01-05 22:10:01",
    "01-05 22:10:02",
  ]);
  assert.deepEqual(labels("2021-01-05T22:10:00.25Z", "2021-01-05T22:10:00.5Z"), [
    "2021-01-05T22:10:00.25Z",
    "2021-01-05T22:10:00.5Z",
  ]);
  assert.deepEqual(labels("2021-01-05T22:10:00.25Z", "2021-01-05T22:10:00.25Z"), ["2021-01-05T22:10:00.25Z"]);
});

const someInstant = fc.integer({ min: -9e15, max: 9e15 });

test("timeTicks: one at least and few, ascending, within, each at the instant that its label says", () => {
  fc.assert(
    fc.property(someInstant, fc.integer({ min: 0, max: 9e15 }), (from, span) => {
      const to = Math.min(9e15, from + span);
      const ticks = timeTicks(from, to, 8);
      assert.ok(ticks.length >= 1 && ticks.length <= 8);
      assertEvery(
        ticks,
        (tick, i) => tick.at >= from && tick.at <= to && (i === 0 || tick.at > (ticks[i - 1]?.at ?? 0)),
      );
      assertEvery(ticks, (tick) =>
        formatInstant(tick.at).replace("T", " ").includes(tick.label.replace("T", " ")),
      );
    }),
  );
});

test("lineSvg: a path through the marks, a cross and words at the end of what is known, each label, the same bytes again", async () => {
  const two = [
    panel([1, 1.2, 1.1, null, null]),
    panel([0, -5, -2.5, null, null], { label: "below", height: 100, level: 0, reach: -1, shaded: true }),
  ];
  const words = { title: "Growth", caption: ["A sentence of -1."] };
  const svg = await lineSvg(two, words);
  assert.equal(xmlFault(svg), null);
  // 720 wide, 68 left and 24 right; a row of words and one of the line's, 15 each and 6, below 26 and a title of 20.
  const x = (across: number) => Number((68 + across * 628).toFixed(2));
  const range = axisRange([1, 1.2]);
  const y = (value: number) => Number((46 + 36 + 200 * (1 - heightOn(value, range))).toFixed(2));
  const path = [1, 1.2, 1.1].map((value, i) => `${x(i / 4)},${y(value)}`).join("L");
  assert.ok(svg.includes(`d="M${path}"`), `M${path}`);
  assert.ok(svg.includes(`translate(${x(0.5)},${y(1.1)})`), "the cross");
  const told = textsOf(svg);
  for (const each of [
    "Growth",
    "growth (of 1)",
    "first",
    "below",
    "not known from 2021-03-04",
    "time (UTC)",
    "2021-03-01",
    "2021-03-05",
    "1.20",
    "−4",
    "A sentence of −1.",
  ])
    assert.ok(told.includes(each), `${each} in ${told.join("|")}`);
  assert.equal(
    told.filter((each) => each.startsWith("not known")).length,
    1,
    "not once more where it is shaded",
  );
  assert.equal(await lineSvg(two, words), svg, "the same bytes again");
  assert.doesNotMatch(await lineSvg([panel([1, 1.2])], words), /not known/);
});

test("lineSvg: lines are told apart by colour and dash, twenty of them", async () => {
  const lines = Array.from({ length: 20 }, (_, i) => ({
    label: `line ${i}`,
    marks: [1, 2].map((n) => ({ at: day(n), value: i * n })),
  }));
  const svg = await lineSvg([panel([], { lines })], { title: "Many", caption: [] });
  const plain = [...svg.matchAll(/<g [^>]*aria-label="line"[^>]*>/g)].map(([group]) => group);
  assert.equal(plain.length, 20);
  assert.equal(new Set(plain).size, 20);
});

const someValue = fc.oneof(
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, min: 0.5, max: 2 }),
);
const somePanel: fc.Arbitrary<LinePanel> = fc.record({
  label: fc.string({ unit: "binary", maxLength: 200 }),
  height: fc.constant(100),
  level: fc.constantFrom(0, 1),
  reach: fc.constantFrom(-1, 0, 1),
  shaded: fc.boolean(),
  lines: fc.array(
    fc.record({
      label: fc.option(fc.oneof(fc.string({ unit: "binary" }), fc.constant('<&">\u0000\ud800'))),
      marks: fc
        .uniqueArray(someInstant, { minLength: 1, maxLength: 6 })
        .chain((ats) =>
          fc.tuple(
            ...[...ats]
              .sort((a, b) => a - b)
              .map((one) => someValue.map((value) => ({ at: one as Instant, value }))),
          ),
        ),
    }),
    { minLength: 1, maxLength: 7 },
  ),
});

test("lineSvg: well-formed for any words, and no coordinate that is none, for any finite values and instants", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(somePanel, { minLength: 1, maxLength: 3 }),
      fc.string({ unit: "binary" }),
      async (panels, title) => {
        const svg = await lineSvg(panels, { title, caption: ["A sentence."] });
        assert.equal(xmlFault(svg), null);
        assert.doesNotMatch(svg, /="[^"]*(?:NaN|Infinity|undefined)/);
      },
    ),
    { numRuns: 25 },
  );
});
