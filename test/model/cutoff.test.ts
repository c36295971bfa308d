import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInstant } from "../../src/core/instant.ts";
import { formatMonth } from "../../src/core/month.ts";
import { type Cutoff, cutoffInstant, formatCutoff, parseCutoff } from "../../src/model/cutoff.ts";
import { refused } from "../core/refused.ts";

const parse = (text: string) => parseCutoff(text, "family.yaml:5:5", "m-1: posttrain") as Cutoff;
const until = (text: string) => formatInstant(cutoffInstant(parse(text)));

test("cutoffInstant: a month means all of it: the first instant of the next, UTC", () => {
  assert.equal(until("2024-10:documented"), "2024-11-01T00:00:00Z");
  assert.equal(until("2024-12:estimated"), "2025-01-01T00:00:00Z");
  assert.equal(until("2024-01:documented"), "2024-02-01T00:00:00Z");
  assert.equal(until("2024-06..2024-10:estimated"), "2024-11-01T00:00:00Z", "the upper bound");
  assert.equal(until("2023-11..2024-02:estimated"), "2024-03-01T00:00:00Z");
});

test("parseCutoff ∘ formatCutoff is the identity, and the instant is that of Date", () => {
  const month = fc.integer({ min: 1685 * 12, max: 2254 * 12 + 11 });
  const tag = fc.constantFrom<Cutoff["tag"]>("documented", "estimated");
  fc.assert(
    fc.property(month, fc.integer({ min: 0, max: 30 }), tag, (lo, length, tag) => {
      const cutoff = { lo, hi: Math.min(lo + length, 2254 * 12 + 11), tag };
      assert.deepEqual(parse(formatCutoff(cutoff)), cutoff);
      const next = new Date(0);
      next.setUTCFullYear(Math.floor(cutoff.hi / 12), (cutoff.hi % 12) + 1, 1);
      assert.equal(cutoffInstant(cutoff), next.getTime() * 1000);
    }),
  );
  assert.equal(formatMonth(2024 * 12), "2024-01");
  assert.equal(formatMonth(2024 * 12 + 11), "2024-12");
});

test("parseCutoff: refuses every other spelling, beside its nearest neighbour", () => {
  const pairs = [
    ["2024-10", "2024-10:documented"],
    ["2024-10:guessed", "2024-10:estimated"],
    ["2024-10:Documented", "2024-10:documented"],
    ["2024-13:documented", "2024-12:documented"],
    ["2024-00:documented", "2024-01:documented"],
    ["2024-1:documented", "2024-01:documented"],
    ["2024-10-01:documented", "2024-10:documented"],
    ["2024-10..2024-06:estimated", "2024-06..2024-10:estimated"],
    ["2024-10..2024-09:estimated", "2024-10..2024-10:estimated"],
    ["2024-06...2024-10:estimated", "2024-06..2024-10:estimated"],
    ["2024-06..2024-13:estimated", "2024-06..2024-12:estimated"],
    ["2024-06..:estimated", "2024-06:estimated"],
    ["none", "2024-10:documented"],
    ["", "2024-10:documented"],
    ["2024-10:documented ", "2024-10:documented"],
    ["9999-12:documented", "2254-12:documented"],
    ["0001-01:documented", "1685-01:documented"],
  ] as const;
  for (const [bad, good] of pairs) {
    const { details } = refused("CutoffInvalid", () => parse(bad));
    assert.equal(details.place, "family.yaml:5:5");
    assert.equal(details.subject, "m-1: posttrain");
    assert.equal(details.found, bad);
    cutoffInstant(parse(good));
  }
});
