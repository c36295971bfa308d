import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { normalCdf } from "../../src/stats/normal.ts";
import { studentCdf, studentQuantile } from "../../src/stats/student.ts";
import { close, within } from "./close.ts";
import { oracle } from "./oracle.ts";

// [t, df, P(T > t)]: mpmath 1.3 at 40 digits, betainc(df/2, ½, 0, df/(df + t²))/2; df 1e12 by quadrature.
const TAILS = [
  [0.3, 0.5, 0.4224295760652454],
  [1.7, 0.5, 0.2400675649578848],
  [12, 0.5, 0.09253026053460106],
  [0.3, 1.37, 0.4016603017506512],
  [2.5, 1.37, 0.09220376707515478],
  [12, 1.37, 0.011786487641516998],
  [1.7, 3.3, 0.08966163945354028],
  [2.5, 3.3, 0.04002641815417723],
  [12, 3.3, 0.0003892960608466945],
  [0.3, 7.77, 0.3860229376540472],
  [12, 7.77, 1.368299997671682e-6],
  [1.7, 29.5, 0.04982641308522479],
  [12, 29.5, 3.549868329060638e-13],
  [2.5, 100.1, 0.007022063608716771],
  [12, 100.1, 2.1640139378080087e-21],
  [1.7, 1234.5, 0.04469140999040331],
  [12, 1234.5, 9.261619423081789e-32],
  [0.3, 1e6, 0.3820886089894971],
  [2.5, 1e6, 0.006209744751081623],
  [37, 1e6, 9.149865430901131e-300],
  [2.5, 1e12, 0.00620966532585556],
  [12, 1e12, 1.776482121414449e-33],
] as const;

// [tail, df, t with P(T > t) = tail]: mpmath 1.3 at 40 digits.
const QUANTILES = [
  [0.025, 0.5, 164.55767348048852],
  [0.025, 1.37, 6.885073156641709],
  [0.2, 1.37, 1.191593222677238],
  [0.025, 3.3, 3.0248744618408083],
  [0.005, 7.77, 3.384451746758296],
  [0.025, 29.5, 2.0437249667721233],
  [0.4, 29.5, 0.2556438332441566],
  [0.025, 92, 1.9860863169511305],
  [0.025, 1234.5, 1.9618874833313455],
] as const;

const degrees = fc.double({ min: -2, max: 6, noNaN: true }).map((power) => Math.exp(power * Math.LN10));

test("studentCdf: 1e-12 relative to mpmath, for real df from ½ to 10¹²", () => {
  for (const [t, df, tail] of TAILS) {
    close(studentCdf(-t, df), tail, 1e-12, `t ${t}, df ${df}`);
    close(studentCdf(t, df), 1 - tail, 1e-14, `t ${t}, df ${df}`);
  }
});

test("studentQuantile: 1e-12 relative to mpmath, for real df", () => {
  for (const [tail, df, t] of QUANTILES) {
    close(studentQuantile(tail, df), -t, 1e-12, `tail ${tail}, df ${df}`);
    close(studentQuantile(1 - tail, df), t, 1e-12, `tail ${tail}, df ${df}`);
  }
});

test("studentQuantile: the closed forms at 1, 2 and 4 df (Shaw 2006, J. Comp. Finance 9(4))", () => {
  const tail = fc.double({ min: 1e-9, max: 0.499, noNaN: true });
  fc.assert(
    fc.property(tail, (p) => {
      close(studentQuantile(p, 1), -1 / Math.tan(Math.PI * p), 1e-12, `df 1, p ${p}`);
      const alpha = 4 * p * (1 - p);
      close(studentQuantile(p, 2), (2 * p - 1) / Math.sqrt(alpha / 2), 1e-12, `df 2, p ${p}`);
    }),
  );
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 0.4, noNaN: true }), (p) => {
      const root = Math.sqrt(4 * p * (1 - p));
      const t = 2 * Math.sqrt(Math.cos(Math.acos(root) / 3) / root - 1);
      close(studentQuantile(p, 4), -t, 1e-11, `df 4, p ${p}`);
    }),
  );
});

test("student: the cdf undoes the quantile, for any df and down to tiny tails", () => {
  fc.assert(
    fc.property(degrees, fc.double({ min: -40, max: -0.7, noNaN: true }), (df, logP) => {
      const p = Math.exp(logP);
      const t = studentQuantile(p, df);
      fc.pre(Number.isFinite(t));
      close(studentCdf(t, df), p, 2e-13 * (1 + df), `p ${p}, df ${df}`);
      close(studentQuantile(studentCdf(t, df), df), t, 1e-12 * (1 + 1 / df), `p ${p}, df ${df}`);
    }),
  );
});

test("student: the cdf rises, and is symmetric", () => {
  const t = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(degrees, t, t, (df, a, b) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      const slack = 1e-15;
      assert.ok(studentCdf(low, df) <= studentCdf(high, df) + slack, `df ${df}, ${low}..${high}`);
      within(studentCdf(-a, df) + studentCdf(a, df), 1, slack);
    }),
  );
});

test("student: tails are heavier than the normal's, and reach it as df grows", () => {
  fc.assert(
    fc.property(degrees, fc.double({ min: 0.01, max: 8, noNaN: true }), (df, t) => {
      assert.ok(studentCdf(-t, df) >= normalCdf(-t) * (1 - 1e-13), `df ${df}, t ${t}`);
    }),
  );
  for (const t of [0.1, 1, 1.7, 1.8, 3, 6]) close(studentCdf(-t, 1e15), normalCdf(-t), 1e-11, `t ${t}`);
});

test("student: agrees with jstat at jstat's accuracy", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 200, noNaN: true }),
      fc.double({ min: -8, max: 8, noNaN: true }),
      (df, t) => {
        within(studentCdf(t, df), oracle.studentt.cdf(t, df), 1e-7, `df ${df}, t ${t}`);
      },
    ),
  );
});

test("student: ends and refusals", () => {
  assert.deepEqual(
    [studentQuantile(0, 3), studentQuantile(0.5, 3), studentQuantile(1, 3)],
    [-Infinity, 0, Infinity],
  );
  assert.deepEqual([studentCdf(-Infinity, 3), studentCdf(0, 3), studentCdf(Infinity, 3)], [0, 0.5, 1]);
  assert.equal(studentQuantile(1e-300, 0.5), -Infinity);
  for (const df of [0, -1, Number.NaN, Infinity]) {
    assert.throws(() => studentCdf(1, df), RangeError);
    assert.throws(() => studentQuantile(0.9, df), RangeError);
  }
  for (const p of [-0.1, 1.1, Number.NaN]) assert.throws(() => studentQuantile(p, 3), RangeError);
  assert.throws(() => studentCdf(Number.NaN, 3), RangeError);
});
