import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInstant, type Instant, instant, parseInstant } from "../../src/core/instant.ts";
import { cutoffInstant } from "../../src/model/cutoff.ts";
import { insideWindow, latestCheckpoint, route, routeAll } from "../../src/model/route.ts";
import { refused } from "../core/refused.ts";
import { familyOf, row } from "./a-family.ts";

const at = (text: string) => parseInstant(text, "test", "at") as Instant;
const family = familyOf([
  row("m-2013", "2013-12:documented"),
  row("m-2012", "2012-12:documented"),
  row("m-span", "2014-01..2014-06:estimated"),
  row("m-unknown", undefined, { pretrain: "2014-01:documented" }),
]);

test("route: the newest checkpoint whose cutoff's upper bound precedes the horizon, strictly", () => {
  const rows = [
    ["2013-01-01T00:00:00Z", null],
    ["2013-01-01T00:00:00.000001Z", "m-2012"],
    ["2014-01-01T00:00:00Z", "m-2012"],
    ["2014-01-01T00:00:00.000001Z", "m-2013"],
    ["2014-07-01T00:00:00Z", "m-2013"],
    ["2014-07-01T00:00:00.000001Z", "m-span"],
    ["2100-01-01T00:00:00Z", "m-span"],
  ] as const;
  for (const [horizon, expected] of rows)
    assert.equal(route(family, at(horizon))?.snapshot ?? null, expected, horizon);
});

test("route: a tie of cutoffs goes to the later pretraining, then to the later release", () => {
  const tied = familyOf([
    row("c", "2013-12:documented", { pretrain: "2013-06:documented", released: "2014-01-02" }),
    row("b", "2013-12:documented", { pretrain: "2013-06:documented", released: "2014-01-01" }),
    row("a", "2013-10..2013-12:estimated", { pretrain: "2013-05:documented", released: "2014-02-01" }),
  ]);
  assert.equal(route(tied, at("2014-03-01T00:00:00Z"))?.snapshot, "c");
  assert.equal(latestCheckpoint(tied).snapshot, "c");
});

test("route: never a checkpoint that ends at or after the horizon, always the greatest of those before, in any order", () => {
  const months = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      months,
      fc.integer({ min: 0, max: 61 }),
      fc.integer({ min: -1, max: 1 }),
      (cutoffs, month, step) => {
        const name = (m: number) => `${2010 + Math.floor(m / 12)}-${String((m % 12) + 1).padStart(2, "0")}`;
        const some = familyOf(cutoffs.map((m) => row(`m${m}`, `${name(m)}:documented`)));
        const horizon = instant(at(`${name(month)}-01T00:00:00Z`) + step);
        const found = route(some, horizon);
        const before = cutoffs.filter((m) => m + 1 < month || (m + 1 === month && step > 0));
        assert.equal(found?.snapshot, before.length === 0 ? undefined : `m${Math.max(...before)}`);
        if (found?.posttrain) assert.ok(cutoffInstant(found.posttrain) < horizon);
      },
    ),
  );
});

test("latestCheckpoint, insideWindow: unknown is newest, and has seen everything", () => {
  const latest = latestCheckpoint(family);
  assert.equal(latest.snapshot, "m-unknown");
  assert.equal(insideWindow(latest, at("2200-01-01T00:00:00Z")), true);
  const m2013 = family.checkpoints[0] as (typeof family.checkpoints)[0];
  assert.equal(insideWindow(m2013, at("2014-01-01T00:00:00Z")), true, "at the cutoff's instant");
  assert.equal(insideWindow(m2013, at("2014-01-01T00:00:00.000001Z")), false);
});

test("routeAll: some unrouted are null; none routed is refused with the latest horizon and the earliest cutoff", () => {
  const horizons = [at("2012-06-01T00:00:00Z"), at("2013-06-01T00:00:00Z")];
  assert.deepEqual(
    routeAll(family, horizons).map((one) => one?.snapshot ?? null),
    [null, "m-2012"],
  );
  const early = [at("2013-01-01T00:00:00Z"), at("2012-06-01T00:00:00Z")];
  const { details } = refused("EvalCheckpointUnroutable", () => routeAll(family, early));
  assert.deepEqual(details, {
    place: "test.yaml",
    family: "test",
    cases: 2,
    horizon: "2013-01-01T00:00:00Z",
    cutoff: "2013-01-01T00:00:00Z",
  });
  const unknown = familyOf([row("m")]);
  assert.match(
    refused("EvalCheckpointUnroutable", () => routeAll(unknown, early)).message,
    /no instant that is known/,
  );
});

test("routeAll: refuses also half a million cases, without running out of stack", () => {
  const many = Array.from({ length: 500_000 }, (_, i) => instant(i));
  const { details } = refused("EvalCheckpointUnroutable", () => routeAll(family, many));
  assert.deepEqual([details.cases, details.horizon], [500_000, formatInstant(499_999)]);
});
