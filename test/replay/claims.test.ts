/** What a record says of itself is held to what it holds: selection, profile, local times, labels; the key signs no more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical } from "../../src/core/canonical.ts";
import { builtInReader } from "../../src/model/built-in.ts";
import { readerContext } from "../../src/model/readers/table-reads.ts";
import { dailySet, date } from "../support/daily-set.ts";
import { closedRun, type Draft, type Fields, forged, replayed, reword, told } from "./operator.ts";

const daily = await dailySet({ days: 16 });
const context = readerContext(daily.set, daily.store);
const reader = builtInReader("climatology", { context, params: {}, temperature: 0, memories: new Map() });
const run = await closedRun(daily, reader);

const lines = (draft: Draft, name: string) =>
  (draft.loaded.get(name) as string)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);
const put = (draft: Draft, name: string, all: readonly Fields[]) =>
  void draft.loaded.set(name, all.map((line) => `${canonical(line as never)}\n`).join(""));
/** The first line of a file, changed. */
const first = (draft: Draft, name: string, fields: Fields) => {
  const [one, ...rest] = lines(draft, name);
  put(draft, name, [{ ...one, ...fields }, ...rest]);
};
const stampOf = (draft: Draft) => draft.manifest["stamp"] as Fields;
/** The operator's report says the same of the stamp. */
const stamp = (draft: Draft, fields: Fields) => {
  Object.assign(stampOf(draft), fields);
  reword(draft, ({ result }) => Object.assign(result, { stamp: stampOf(draft) }));
};

const lies: readonly (readonly [name: string, expected: string, lie: (draft: Draft) => void])[] = [
  [
    "labels that are not the case set's",
    "bounds CasesDigestMismatch",
    (draft) => {
      const flipped = lines(draft, "labels.jsonl").map((label) => ({
        ...label,
        outcome: label["outcome"] === 1 ? 0 : 1,
      }));
      put(draft, "labels.jsonl", flipped);
    },
  ],
  [
    "two labels of a case at one instant",
    "bounds LabelDuplicate",
    (draft) => {
      const [one, ...rest] = lines(draft, "labels.jsonl") as [Fields, ...Fields[]];
      const other = { ...one, outcome: one["outcome"] === 1 ? 0 : 1, vintage: "second" };
      put(draft, "labels.jsonl", [one, other, ...rest]);
    },
  ],
  [
    "a set of another size than was run whole",
    "bounds CaseCountMismatch",
    (draft) => void Object.assign(draft.manifest["caseset"] as Fields, { cases: 5 }),
  ],
  [
    "filters that the cases do not pass",
    "bounds FieldInvalid",
    (draft) => {
      const selection = { ...(stampOf(draft)["selection"] as Fields), filters: ["id=day-2020-01-11"] };
      stamp(draft, { selection: selection as never });
    },
  ],
  [
    "intervals drawn otherwise than the profile says",
    "bounds FieldInvalid",
    (draft) => stamp(draft, { bootstrap: { cluster: "none", level: 0.51, resamples: 100 } }),
  ],
  ["a seed that is not the profile's", "bounds FieldInvalid", (draft) => stamp(draft, { seed: 7 })],
  [
    "a deadline that makes a label late",
    "bounds FieldInvalid",
    (draft) => first(draft, "cases.jsonl", { deadline: `${date(9)}T00:00:00Z` }),
  ],
  [
    "a case asked for another season",
    "bounds FieldInvalid",
    (draft) => first(draft, "cases.jsonl", { asked_day: "2020-07-11" }),
  ],
];

for (const [name, expected, lie] of lies) {
  test(`claims: ${name}: ${expected}, though its operator signed it`, async () => {
    const found = await replayed(await forged(run, lie));
    assert.equal(told(found), expected, found.failure?.message);
  });
}

test("claims: with the run's own zone data a local time is exact, with another it may be a day off", async () => {
  const files = await forged(run, (draft) =>
    first(draft, "cases.jsonl", { deadline: `${date(11)}T06:00:00Z` }),
  );
  assert.equal(told(await replayed(files, { zoneData: "another" })), "verified");
  const exact = await replayed(files, { zoneData: "test" });
  assert.equal(told(exact), "bounds FieldInvalid", exact.failure?.message);
  assert.equal(told(await replayed(run.files, { zoneData: "test" })), "verified");
});
