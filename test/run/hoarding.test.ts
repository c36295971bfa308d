/** A reader that keeps all it was ever served gains nothing, since each trajectory has a reader of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AskedCase,
  type Attempt,
  answered,
  type Reader,
  type ReaderSource,
  type ServedRow,
  type Tools,
} from "../../src/model/reader.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, readerOf, runDaily } from "../support/daily-set.ts";

const daily = await dailySet();
/** Later horizons first, one at a time: what a shared reader sees then answers the earlier questions. */
const descending = { ...daily, set: { ...daily.set, cases: [...daily.set.cases].reverse() } };

async function readAll(tools: Tools): Promise<readonly ServedRow[]> {
  const reply = await tools.call("rows", { table: "readings", limit: 1000 });
  return reply.ok ? (reply.rows ?? []) : [];
}

const guess = (rows: readonly ServedRow[]): Attempt =>
  answered(rows.filter((row) => Number(row.body["value"]) > 50).length / rows.length);

/** Answers the asked day from a hoard where it can, else guesses as its twin does. */
function hoarder(): Reader & { readonly known: number[] } {
  const hoard = new Map<string, ServedRow>();
  const known: number[] = [];
  return {
    known,
    async answer(asked: AskedCase, tools: Tools | null) {
      const rows = await readAll(tools as Tools);
      for (const row of rows) hoard.set(row.ref, row);
      const seen = hoard.get(`readings#${asked.asked_day}`);
      known.push(seen === undefined ? 0 : 1);
      return seen === undefined ? guess(rows) : answered(Number(seen.body["value"]) > 50 ? 1 : 0);
    },
  };
}

const twin = readerOf(async (_asked, tools) => guess(await readAll(tools)));
const sourceOf = (open: () => Reader): ReaderSource => ({ ...twin, open });
const run = async (source: ReaderSource, concurrency = 1) =>
  (await runDaily(descending, source, { concurrency })).report;

const brierOf = (report: Awaited<ReturnType<typeof run>>) =>
  (report.result as unknown as { headline: { brier: { mean: number } } }).headline.brier.mean;

test("one instance shared over descending horizons would gain: the hoard knows the answers", async () => {
  const shared = hoarder();
  const gained = await run(sourceOf(() => shared));
  const plain = await run(twin);
  assert.deepEqual(shared.known, [0, ...Array(daily.set.cases.length - 1).fill(1)]);
  assert.ok(brierOf(gained) < brierOf(plain) / 10, `${brierOf(gained)} is not far below ${brierOf(plain)}`);
});

test("opened fresh for each trajectory, the hoarder scores exactly what its twin scores", async () => {
  const opened: ReturnType<typeof hoarder>[] = [];
  const fresh = () => {
    const reader = hoarder();
    opened.push(reader);
    return reader;
  };
  const plain = await run(twin);
  for (const concurrency of [1, 4])
    assert.equal((await run(sourceOf(fresh), concurrency)).resultDigest, plain.resultDigest);
  assert.equal(opened.length, 2 * daily.set.cases.length);
  assertEvery(opened, ({ known }) => known.length === 1 && known[0] === 0);
});

test("shared by its (arm, repeat), it is asked in the order of the horizons, and its hoard knows no answer", async () => {
  const opened: ReturnType<typeof hoarder>[] = [];
  const source = sourceOf(() => {
    const reader = hoarder();
    opened.push(reader);
    return reader;
  });
  const profile = { process: "shared", repeats: 2 } as const;
  const { report } = await runDaily(descending, source, { profile, concurrency: 3 });
  const plain = await runDaily(descending, twin, { profile: { repeats: 2 }, concurrency: 3 });
  assert.equal(brierOf(report), brierOf(plain.report));
  assert.equal(opened.length, 2);
  assertEvery(
    opened,
    ({ known }) => known.length === daily.set.cases.length && known.every((one) => one === 0),
  );
  const { stamp, failed_cases } = report.result as unknown as {
    stamp: { process: string };
    failed_cases: unknown[];
  };
  assert.deepEqual([stamp.process, failed_cases], ["shared", []]);
});
