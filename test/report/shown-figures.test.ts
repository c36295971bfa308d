/** Figures of every size, as they are printed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  counted,
  figuresIn,
  shownAmount,
  shownFigure,
  shownInterval,
  shownPercent,
} from "../../src/report/shown-figures.ts";

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
    [0.00048, "0.0005"],
    [-0.00005, "-0.0001"],
    [0.00004, "0.0000"],
    [-0.000012, "0.0000"],
    [-1.25e-300, "0.0000"],
    [-1.2e300, "-1.2e300"],
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

test("shownFigure: of outcomes that span next to nothing small figures are told, with powers of ten", () => {
  const shown = [
    [0.00048, "4.8e-4"],
    [-0.000012, "-1.2e-5"],
    [-1.25e-300, "-1e-300"],
    [0.0005, "0.0005"],
    [0, "0.0000"],
  ] as const;
  assert.deepEqual(
    shown.map(([value]) => shownFigure(value, 0.002)),
    shown.map(([, text]) => text),
  );
  assert.equal(shownFigure(0.00048, 0.01), "0.0005");
  const fine = figuresIn([-0.001, 0.002]);
  assert.deepEqual([fine.figure(0.00012), fine.interval([-0.0001, 1])], ["1.2e-4", "[-1.0e-4, 1.0000]"]);
  assert.equal(figuresIn(null).figure(0.00012), "0.0001");
  assert.equal(figuresIn([0, 1]).interval([-0.00001, 0.2]), "[0.0000, 0.2000]");
});

test("shownFigure: at most eight columns, within half a unit of its last digit, and no zero has a sign", () => {
  fc.assert(
    fc.property(fc.double({ min: -1e308, max: 1e308, noNaN: true }), fc.constantFrom(1, 0), (value, span) => {
      const text = shownFigure(value, span);
      assert.ok(text.length <= 8, text);
      const least = span === 0 ? 1e-300 : 0.00005;
      assert.ok(Math.abs(Number(text) - value) <= 0.5 * Math.abs(value) + least, text);
      if (span === 0) assert.equal(Number(text) === 0, value === 0);
      assert.doesNotMatch(text, /^-0\.0*$/);
    }),
  );
});

test("shownAmount, counted, shownPercent: a unit in its number, a share without trailing digits", () => {
  assert.deepEqual(
    [
      shownAmount(1, "months"),
      shownAmount(6, "months"),
      shownAmount(1, "days"),
      shownAmount(20.00004, "days"),
    ],
    ["1 month", "6 months", "1 day", "20 days"],
  );
  assert.deepEqual([counted(1, "case"), counted(0, "case")], ["1 case", "0 cases"]);
  assert.deepEqual([shownPercent(0.95), shownPercent(0.975), shownPercent(0.8)], ["95 %", "97.5 %", "80 %"]);
});
