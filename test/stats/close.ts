/** Closeness in relative terms, for numbers checked against an outside source. */

import assert from "node:assert/strict";

export function close(actual: number, expected: number, tolerance: number, what = ""): void {
  const size = Math.max(Math.abs(actual), Math.abs(expected));
  const near = actual === expected || Math.abs(actual - expected) <= tolerance * size;
  assert.ok(near, `${what} expected ${expected}, got ${actual} (tolerance ${tolerance})`);
}

/** As close, in absolute terms: for answers printed to so many decimals. */
export function within(actual: number, expected: number, distance: number, what = ""): void {
  assert.ok(
    Math.abs(actual - expected) <= distance,
    `${what} expected ${expected} ± ${distance}, got ${actual}`,
  );
}
