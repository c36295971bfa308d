/** Rows of a trial ledger: their one spelling, and what is none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { limits } from "../../src/core/limits.ts";
import { type TrialContent, trialLine, trialRowFault } from "../../src/ledger/trial-row.ts";
import { end, fail, identityOf, start } from "./a-trial.ts";

const prev = identityOf(7);
const contents: readonly TrialContent[] = [
  { kind: "start", ...start(0) },
  { kind: "end", ...end(0, 0) },
  { kind: "fail", ...fail(0, 0) },
];
const rowOf = (content: TrialContent) => JSON.parse(trialLine(content, 4, prev)) as { [key: string]: Json };

describe("trial row", () => {
  it("has one spelling, with its number, the digest before it and its version", () => {
    assert.equal(
      trialLine(contents[2] as TrialContent, 4, prev),
      `{"at":"2026-01-05T09:00:00Z","kind":"fail","prev":"${prev}","reason":"a reason","row":4,"run":"01ARZ3NDEKTSV4RRFFQ69G0000","start":0,"v":"blindcast.trial/1"}`,
    );
    for (const content of contents) {
      assert.equal(trialRowFault(rowOf(content)), undefined);
      assert.equal(canonical(rowOf(content)), trialLine(content, 4, prev));
    }
  });

  it("takes any JSON for what is configured and measured, and gives it back", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json;
        const begun = rowOf({ kind: "start", ...start(0, { config: json }) });
        const ended = rowOf({ kind: "end", ...end(0, 0, { measures: json }) });
        assert.equal(trialRowFault(begun) ?? trialRowFault(ended), undefined);
        assert.equal(canonical(begun["config"] as Json), canonical(json));
        assert.equal(canonical(ended["measures"] as Json), canonical(json));
      }),
    );
  });

  it("lacks no key, and has none beside", () => {
    for (const content of contents) {
      const row = rowOf(content);
      for (const key of Object.keys(row)) {
        const { [key]: _, ...rest } = row;
        assert.equal(trialRowFault(rest)?.found, `${key} absent`);
      }
      assert.equal(trialRowFault({ ...row, note: 1 })?.found, "the key note");
    }
    const { series: _, ...withoutSeries } = rowOf(contents[1] as TrialContent);
    assert.match(trialRowFault(withoutSeries)?.expected ?? "", /64 hexadecimal digits, or null/);
  });

  it("has values of their kind only; beside each the nearest that is taken", () => {
    const [begun, ended, failed] = contents.map(rowOf) as [Row, Row, Row];
    type Row = { [key: string]: Json };
    const cases: readonly [Row, string, readonly Json[], readonly Json[]][] = [
      [begun, "v", ["blindcast.trial/2", null], ["blindcast.trial/1"]],
      [begun, "kind", ["began", null], ["start"]],
      [
        begun,
        "at",
        ["2026-01-05", "2026-01-05T09:00:00+00:00", "2026-01-05T09:00:00.0Z", "2026-02-30T09:00:00Z", 5],
        ["2026-01-05T09:00:00.5Z"],
      ],
      [begun, "run", ["", `${"0".repeat(25)}a`, "0".repeat(27)], ["0".repeat(26)]],
      [
        begun,
        "identity",
        [null, "a".repeat(64), `sha256:${"A".repeat(64)}`, `${prev}0`],
        [`sha256:${"a".repeat(64)}`],
      ],
      [begun, "seed", [-1, 0.5, 2 ** 53, "1", null], [0, 2 ** 53 - 1]],
      [begun, "repeats", [0, limits.repeats + 1, 1.5], [1, limits.repeats]],
      [begun, "units", ["", "x".repeat(201), 1], [null, "x", "x".repeat(200)]],
      [begun, "row", [-1, 0.5, "0"], [0]],
      [begun, "prev", [null, "sha256:"], [prev]],
      [ended, "start", [-1, null], [0]],
      [ended, "series", ["sha256:0", 1], [null, prev]],
      [failed, "reason", ["", null, "x".repeat(4_001)], ["x", "x".repeat(4_000)]],
    ];
    for (const [row, key, bad, good] of cases) {
      for (const value of bad)
        assert.match(trialRowFault({ ...row, [key]: value })?.found ?? "none", new RegExp(`^${key} `));
      for (const value of good) assert.equal(trialRowFault({ ...row, [key]: value }), undefined, key);
    }
    for (const value of [null, [], "row", 1]) assert.equal(trialRowFault(value)?.found, "no object");
  });

  it("is not written where no reader would take it: that is our mistake", () => {
    const bad = { kind: "start", ...start(0, { repeats: 0 }) } as const;
    assert.throws(() => trialLine(bad, 0, prev), /^RangeError: repeats 0, expected repeats a whole number/);
    assert.throws(
      () => trialLine({ kind: "end", ...end(0, 0, { measures: Number.NaN }) }, 1, prev),
      TypeError,
    );
  });
});
