/** The tool `members` in a run: broken doors are caught by it, sound ones are not, and its replies are replayed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, type Tools } from "../../src/model/reader.ts";
import { memorySink } from "../../src/run/sink.ts";
import type { OpenRequest, Store } from "../../src/store/door.ts";
import { closedRun, replayed, told } from "../replay/operator.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, date, readerOf, runDaily } from "../support/daily-set.ts";
import { brokenRules, honest, naiveStore } from "../support/naive-store.ts";
import type { Rule } from "../support/naive-versions.ts";
import { readRun } from "../support/read-run.ts";

/** Somebody joins every day, which is known a day later, and leaves a week later, which is known a day after that. */
const STAY = 7;
const crew = [...Array(40).keys()]
  .map(
    (i) => `m${i},1,${date(i)},,${date(i + 1)}\nm${i},1,${date(i)},${date(i + STAY)},${date(i + STAY + 1)}\n`,
  )
  .join("");
const daily = await dailySet({ crew });
const cases = daily.set.cases.map((item) => item.id);
const dayOf = (id: string): number =>
  Math.round((Date.parse(id.slice(4)) - Date.parse(date(0))) / 86_400_000);

const onReaderPath = (rule: Rule, store: Store): Store =>
  naiveStore([...store.tables.values()], ({ overlay }: OpenRequest) =>
    overlay?.view === "probe" ? honest : rule,
  );
const asking = (
  args: (day: number) => object,
  heard: (day: number, who: readonly string[]) => void = () => {},
) =>
  readerOf(async ({ id }: { id: string }, tools: Tools) => {
    const reply = await tools.call("members", { table: "crew", ...args(dayOf(id)) } as never);
    assert.ok(reply.ok);
    heard(
      dayOf(id),
      (reply.rows ?? []).map(({ body }) => String(body["who"])),
    );
    return answered(0.5);
  });

async function run(store: Store, reader: ReturnType<typeof asking>, { set } = daily) {
  const sink = memorySink();
  const { report } = await runDaily({ set, store }, reader, { sink });
  const result = report.result as unknown as {
    verdict: string;
    failed_cases: readonly { case: string; rule: string; call: string }[];
  };
  const inReach = (report.evidence as unknown as { plants: { in_reach: number } }).plants.in_reach;
  return { result, inReach, record: readRun(sink.files) };
}

test("members in a run: those of the horizon as known then, who left but is not known to have left among them", async () => {
  const heard = new Map<number, readonly string[]>();
  const { result, inReach, record } = await run(
    daily.store,
    asking(
      () => ({}),
      (day, who) => heard.set(day, who),
    ),
  );
  assert.equal(result.verdict, "green");
  assert.equal(heard.size, cases.length);
  assertEvery([...heard], ([day, who]) => {
    // On day d it is known who joined by d - 1, and who left by d - 1.
    const expected = [...Array(STAY).keys()].map((i) => `m${day - 1 - i}`);
    return String([...who].sort()) === String(expected.sort());
  });
  assert.equal(inReach, cases.length);
  const calls = record.entries.filter((entry) => entry.kind === "tool");
  assertEvery(calls, ({ name, result: told, unplanted }) => name === "members" && told === unplanted);
});

/** Nobody is known to leave: a real later version would hide the same row with a plant as without. */
const staying = await dailySet({
  crew: [...Array(40).keys()].map((i) => `m${i},1,${date(i)},,${date(i + 1)}\n`).join(""),
});

for (const [name, made] of [
  ["valid time only", daily],
  ["a day late", daily],
  ["newest version, then bounded", staying],
] as const) {
  test(`members through a door that is broken for readers alone fails each case that asks: ${name}`, async () => {
    const asks = asking(() => ({}));
    const { result } = await run(onReaderPath(brokenRules[name], made.store), asks, made);
    assert.equal(result.verdict, "red");
    assert.deepEqual(new Set(result.failed_cases.map((failure) => failure.case)), new Set(cases));
    const rules = made === staying ? ["plant-shows"] : ["plant-served", "row-after-horizon"];
    assertEvery(
      result.failed_cases,
      ({ rule, call }) => rules.includes(rule) && call === 'members {"table":"crew"}',
    );
    assert.equal((await run(made.store, asks, made)).result.verdict, "green");
  });
}

test("members of long ago are not in reach of what is planted now", async () => {
  const { result, inReach } = await run(
    daily.store,
    asking((day) => ({ at: `${date(day - 9)}T00:00:00Z` })),
  );
  assert.deepEqual([result.verdict, inReach], ["green", 0]);
});

test("replay: members are served from the record to a reader that is executed again, and another call than the recorded is found", async () => {
  const heard: string[] = [];
  const reader = asking(
    () => ({}),
    (day, who) => heard.push(`${day} ${who.join()}`),
  );
  const closed = await closedRun(daily, reader);
  const before = heard.splice(0);
  const found = await replayed(closed.files, { readers: () => reader });
  assert.equal(told(found), "verified", found.failure?.message);
  assert.deepEqual(found.replayed?.arms, { routed: "re-executed" });
  assert.deepEqual(heard, before);
  const asksElsewhere = asking((day) => ({ at: `${date(day)}T00:00:00Z` }));
  assert.equal(
    told(await replayed(closed.files, { readers: () => asksElsewhere })),
    "re-serve ReplayRequestUnknown",
  );
});
