import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { round12, roundAll } from "../../src/core/round.ts";

test("round12: twelve significant digits, integers as they are", () => {
  assert.equal(round12(0.1 + 0.2), 0.3);
  assert.equal(round12(1 / 3), 0.333333333333);
  assert.equal(round12(-2 / 3), -0.666666666667);
  assert.equal(round12(1234567.891234567), 1234567.89123);
  assert.equal(round12(9007199254740991), 9007199254740991);
  assert.equal(round12(123456789012345), 123456789012345);
  assert.equal(round12(1.5e-300), 1.5e-300);
  assert.equal(round12(0), 0);
});

test("round12: is its own fixed point, keeps order and sign, and is near", () => {
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      assert.equal(round12(round12(a)), round12(a));
      assert.equal(round12(-a), -round12(a));
      if (!Number.isSafeInteger(a) && Math.abs(a) > 1e-290)
        assert.ok(Math.abs(round12(a) - a) <= Math.abs(a) * 5.0001e-12, `${a}`);
      if (a < b && !Number.isSafeInteger(a) && !Number.isSafeInteger(b)) assert.ok(round12(a) <= round12(b));
    }),
    { numRuns: 2000 },
  );
});

test("roundAll: rounds every number of a value, and nothing else", () => {
  const value = JSON.parse(
    '{"a":[0.30000000000000004,"0.30000000000000004",null,true],"__proto__":{"b":1e-20}}',
  ) as Json;
  assert.equal(
    JSON.stringify(roundAll(value)),
    '{"a":[0.3,"0.30000000000000004",null,true],"__proto__":{"b":1e-20}}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (any) => {
      const rounded = roundAll(any as Json);
      assert.deepEqual(roundAll(rounded), rounded);
    }),
  );
});
