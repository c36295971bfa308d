/** A judge that a profile declares and nobody gives, or another than it says, is refused before anything is spent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backtest } from "../../src/backtest.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { floorJudge } from "../../src/model/floor-judge.ts";
import { answered } from "../../src/model/reader.ts";
import { knownEntities } from "../../src/run/known-entities.ts";
import { leakJudging } from "../../src/run/leak-items.ts";
import { memorySink } from "../../src/run/sink.ts";
import { dailyInputs, dailySet, readerOf } from "../support/daily-set.ts";

const daily = await dailySet({ days: 16 });
const entities = knownEntities(daily.set, daily.store);
const { find: names, digest } = entities;
const judging = leakJudging(floorJudge({ names, digest, zone: "UTC" }), daily.store);

async function run(profile: object, given: { judging?: typeof judging; entities?: typeof entities }) {
  const sink = memorySink();
  const [set, selection, checks, world] = dailyInputs(
    daily,
    readerOf(() => answered(0.5)),
    { profile, sink },
  );
  const more = given.judging === undefined ? {} : { judging: given.judging };
  try {
    await backtest(set, { ...selection, entities: given.entities ?? null }, checks, { ...world, ...more });
    return "ran";
  } catch (error) {
    assert.ok(isRefusal(error, "FieldInvalid"));
    assert.deepEqual([...sink.files.keys()], [], "nothing was written");
    return `${error.details.field}: ${error.details.found}`;
  }
}

describe("a judge that is declared", () => {
  it("and not given, another than the one given, or without entities, is refused; as it is given, it runs", async () => {
    assert.equal(await run({ judge: "floor" }, { entities }), "judge: floor");
    assert.equal(await run({ judge: "http:bench" }, { judging, entities }), "judge: http:bench");
    assert.equal(await run({ judge: "floor" }, { judging }), "judge: declared");
    assert.equal(await run({ query_findings: "list" }, {}), "query_findings: declared");
    assert.equal(await run({ judge: "floor", query_findings: "list" }, { judging, entities }), "ran");
    assert.equal(await run({}, { judging, entities }), "ran");
  });
});
