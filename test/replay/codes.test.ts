/** Each code of the stages after `entries`: what its operator signs and replay refuses, and the nearest that it accepts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInReader } from "../../src/model/built-in.ts";
import { readerContext } from "../../src/model/readers/table-reads.ts";
import { dailySet } from "../support/daily-set.ts";
import { ruleForgeries, scoreForgeries, serveForgeries } from "./engine-forgeries.ts";
import { nothing } from "./forging.ts";
import { closedRun, forged, replayed, told } from "./operator.ts";
import { blobForgeries, boundForgeries } from "./record-forgeries.ts";

const daily = await dailySet({ days: 15 });
const context = readerContext(daily.set, daily.store);
const run = await closedRun(
  daily,
  builtInReader("climatology", { context, params: {}, temperature: 0, memories: new Map() }),
);

const tables = {
  bounds: boundForgeries,
  blobs: blobForgeries,
  "re-serve": serveForgeries,
  rules: ruleForgeries,
  score: scoreForgeries,
};
for (const [stage, pairs] of Object.entries(tables))
  for (const [i, { bad, expected, says, good = nothing, options }] of pairs.entries())
    test(`replay: ${stage} ${i}: ${expected} though its operator signed it, and the nearest passes`, async () => {
      const found = await replayed(await forged(run, bad), options ?? {});
      assert.equal(told(found), expected, found.failure?.message);
      assert.match(found.failure?.message as string, says);
      assert.equal(found.replayed, null);
      assert.deepEqual(found.stages.at(-1), { stage: expected.split(" ")[0], state: "failed" });
      const accepted = await replayed(await forged(run, good), good === nothing ? {} : (options ?? {}));
      const neighbour = told(accepted);
      // A change that the report does not know of is accepted by its stage, and found by the last.
      assert.ok(
        neighbour === "verified" || (good !== nothing && neighbour === "score RescoreMismatch"),
        accepted.failure?.message,
      );
    });
