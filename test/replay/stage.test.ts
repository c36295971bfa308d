import assert from "node:assert/strict";
import { test } from "node:test";
import { refuse } from "../../src/core/refusal.ts";
import { inStages } from "../../src/replay/stage.ts";
import { stageNames } from "../../src/verify.ts";

const broken = () => refuse("FileUnreadable", { place: "a", cause: "broken" });

test("stages: what they give goes on to the next, and each is reported", async () => {
  const staged = await inStages(async (stages) => {
    const one = await stages.run("files", () => 1);
    stages.skip("policy", "none");
    const two = await stages.run("note", async () => one + 1, "half of it");
    return two * 2;
  });
  assert.deepEqual(staged, {
    stages: [
      { stage: "files", state: "passed" },
      { stage: "policy", state: "skipped", reason: "none" },
      { stage: "note", state: "skipped", reason: "half of it" },
    ],
    failure: null,
    value: 4,
  });
});

test("stages: the first refusal ends them, with its stage, code, line and next step", async () => {
  let reached = false;
  for (const work of [broken, async () => broken()]) {
    const staged = await inStages(async (stages) => {
      await stages.run("files", () => 1);
      await stages.run("root", work, "would be skipped");
      reached = true;
    });
    const failure = {
      stage: "root",
      code: "FileUnreadable",
      message: "FileUnreadable: a: broken",
      hint: null,
    };
    const stages = [
      { stage: "files", state: "passed" },
      { stage: "root", state: "failed" },
    ];
    assert.deepEqual(staged, { stages, failure, value: null });
  }
  assert.equal(reached, false);
});

test("stages: an error that is no refusal is thrown, and so is a refusal outside of every stage", async () => {
  const bug = new TypeError("a bug");
  const throwing = (stages: Parameters<Parameters<typeof inStages>[0]>[0]) =>
    stages.run("files", () => {
      throw bug;
    });
  await assert.rejects(inStages(throwing), bug);
  await assert.rejects(
    inStages(async () => broken()),
    { code: "FileUnreadable" },
  );
});

test("stages: out of their order they are a bug", async () => {
  const order = (first: (typeof stageNames)[number], second: (typeof stageNames)[number]) =>
    inStages(async (stages) => {
      await stages.run(first, () => 1);
      await stages.run(second, () => 1);
    });
  for (let i = 1; i < stageNames.length; i++) {
    const [before, after] = [stageNames[i - 1], stageNames[i]] as [
      (typeof stageNames)[0],
      (typeof stageNames)[1],
    ];
    assert.equal((await order(before, after)).failure, null);
    await assert.rejects(order(after, before), /out of its order/);
    await assert.rejects(order(after, after), /out of its order/);
  }
});
