/** Built-in readers know the columns as they were read: an event over a wrong one is refused, though none was declared. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefusal } from "../../src/core/refusal.ts";
import { builtInReader } from "../../src/model/built-in.ts";
import { readerContext } from "../../src/model/readers/table-reads.ts";
import { memorySink } from "../../src/run/sink.ts";
import { refused } from "../core/refused.ts";
import { dailySet, runDaily } from "../support/daily-set.ts";

test("an event over a column that is not there, or of another type, is refused where no column was declared", async () => {
  const { set, store } = await dailySet();
  assert.equal(set.tables.get("readings")?.columns.size, 0);
  const context = readerContext(set, store);
  const reader = (event: string) => () =>
    builtInReader("climatology", { context, params: { event }, temperature: 0, memories: new Map() });
  assert.deepEqual(refused("ColumnUnknown", reader("rain > 0")).details.known, ["date", "value"]);
  assert.equal(refused("FieldInvalid", reader("date = 7")).details.expected, "a string, as column date is");
  assert.equal(reader("value >= 50")().name, "climatology");
});

test("a built-in whose table is not among a case's reads is refused before anything runs", async () => {
  const made = await dailySet();
  const options = {
    context: readerContext(made.set, made.store),
    params: {},
    temperature: 0,
    memories: new Map(),
  };
  const reader = builtInReader("climatology", options);
  const cases = made.set.cases.map((item, i) => (i === 3 ? { ...item, reads: [] } : item));
  const sink = memorySink();
  await assert.rejects(runDaily({ ...made, set: { ...made.set, cases } }, reader, { sink }), (error) => {
    assert.ok(isRefusal(error, "TableUnknown"));
    assert.deepEqual([error.details.place, error.details.found], [made.set.cases[3]?.place, "readings"]);
    return true;
  });
  assert.equal(sink.files.size, 0);
  assert.equal((await runDaily(made, reader)).scores.length, 30);
});
