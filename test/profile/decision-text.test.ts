/** What a terminal says of decisions: who was not traded and why, answers that were none, the unit of turnover. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { decisionText } from "../../src/profile/decision-text.ts";
import { assertEvery } from "../support/all.ts";

const account = (more: object) => ({
  repeat: 0,
  held: 0,
  periods: 3,
  total_return: 0.1,
  sharpe: 0.2,
  sharpe_per_year: 0.7,
  psr: 0.8,
  drawdown: -0.1,
  turnover: 2,
  unfilled: {},
  ...more,
});
const said = (accounts: readonly object[], faults: Json = []) => {
  const units = { per: "month", periods_per_year: 12, risk_free: 0 };
  const slices = { all: { cases: 3, arms: { routed: accounts } } };
  const lines = decisionText({
    result: { decisions: { units, slice: "all", slices } } as unknown as Json,
    evidence: { faults },
  });
  assertEvery(lines as string[], (line) => line.length <= 80);
  return (lines as string[]).join(" ");
};
const orders = (reason: string, ...entities: string[]) =>
  entities.map((entity) => ({ case: "a", entity, reason }));

test("decisionText: names up to three entities that were not traded, by reason, and counts the rest", () => {
  const one = account({
    held: 1,
    unfilled: { left: 1, "no-later-price": 3 },
    not_filled: [...orders("no-later-price", "FOO", "LEHMQ", "FOO"), ...orders("left", "GONE")],
  });
  assert.match(
    said([one]),
    /Not traded: 1 order for members that had left \(GONE\), 3 orders without a price after the decision \(FOO, LEHMQ\), 1 case without an answer: what was held stood/,
  );
  const many = account({
    unfilled: { superseded: 5 },
    not_filled: orders("superseded", "A", "B", "C", "D", "E"),
  });
  assert.match(said([many]), /5 orders that the next decision came before \(A, B, C and 2 more\)/);
  const cut = account({
    unfilled: { superseded: 9 },
    not_filled: orders("superseded", "A", "B", "C", "D", "E"),
  });
  assert.match(said([cut]), /\(A, B, C and at least 2 more\)/);
  const few = account({ unfilled: { superseded: 9 }, not_filled: orders("superseded", "A") });
  assert.match(said([few]), /\(A and others\)/);
  assert.doesNotMatch(said([account({})]), /Not traded/);
});

test("decisionText: says whose orders they are where there are more accounts than one; others list none", () => {
  const first = account({ unfilled: { lot: 1 }, not_filled: orders("lot", "TINY") });
  const text = said([first, account({ repeat: 1, unfilled: { lot: 2 } })]);
  assert.match(
    text,
    /Not traded \(all routed #0\): 1 order of less than a lot \(TINY\)\. Not traded \(all routed #1\): 2 orders of less than a lot\.$/,
  );
});

test("decisionText: counts cases whose answer was none, and shows the first; other faults are no answers of that kind", () => {
  const fault = (id: string, name: string, message: string) => ({
    case: id,
    arm: "routed",
    repeat: 0,
    class: name,
    message,
  });
  const faults = [
    fault("2001-03", "timeout", "too slow"),
    fault(
      "2001-04",
      "malformed_output",
      "positions whose sizes add up to 1.5, expected at most the leverage, 1",
    ),
    fault("2001-04", "malformed_output", "again"),
    fault("2001-05", "malformed_output", "other"),
  ];
  assert.match(
    said([account({ held: 3 })], faults),
    /2 cases had an answer that could not be used, first 2001-04 \(routed\): positions whose sizes add up to 1\.5, expected at most the leverage, 1/,
  );
  assert.doesNotMatch(said([account({ held: 1 })], faults.slice(0, 1)), /could not be used/);
});

test("decisionText: says what turnover is a multiple of", () => {
  assert.match(
    said([account({})]),
    /Turnover is what was bought and sold in all, as a multiple of the equity before each trade: into all of it and out again is 2\./,
  );
});
