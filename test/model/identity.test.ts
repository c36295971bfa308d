/** Identities of readers from outside: filled from the profile, held to the checkpoint, and refused where they are none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { completeIdentity, identityDrift, type SaidIdentity } from "../../src/model/identity.ts";
import { refused } from "../core/refused.ts";
import { familyOf, row } from "./a-family.ts";

const complete = (said: SaidIdentity, profile: SaidIdentity = {}) =>
  completeIdentity(said, null, { identity: profile, temperature: 0.5, params: { k: "v" } }, "--reader");
const whole: SaidIdentity = {
  name: "mine",
  snapshot: "m-2013-06-01",
  pretrain_cutoff: "2013-06:documented",
  posttrain_cutoff: "2013-12:documented",
  prompt_digest: "none",
  uses_tools: true,
};

test("what the reader says stands over the profile, and what neither says is missing", () => {
  const identity = complete({ name: "own", temperature: 1 }, { ...whole, temperature: 0 });
  assert.deepEqual(identity, { ...whole, name: "own", temperature: 1, params: { k: "v" } });
  assert.equal(complete({ name: "own" }).snapshot, undefined);
  assert.equal(complete(whole).temperature, 0.5, "else the profile's");
});

test("the checkpoint stands over the profile, and contradicts nobody but the reader itself", () => {
  const family = familyOf([row("m-2014", "2014-12:documented", { pretrain: "2014-06:documented" })]);
  const checkpoint = family.checkpoints[0] ?? null;
  const routed = (said: SaidIdentity) =>
    completeIdentity(said, checkpoint, { identity: whole, temperature: 0, params: {} }, "--reader");
  assert.deepEqual(
    [routed({}).snapshot, routed({}).pretrain_cutoff, routed({}).posttrain_cutoff],
    ["m-2014", "2014-06:documented", "2014-12:documented"],
  );
  assert.equal(routed({ snapshot: "m-2014" }).snapshot, "m-2014");
  const { details } = refused("ReaderIdentityMismatch", () => routed({ snapshot: "m-2015" }));
  assert.deepEqual([details.field, details.found, details.expected], ["snapshot", "m-2015", "m-2014"]);
});

test("a floating snapshot, cutoffs in the wrong order or of no month, and a digest that is none are refused", () => {
  refused("EvalCheckpointFloating", () => complete({ ...whole, snapshot: "m-latest" }));
  refused("CutoffInvalid", () => complete({ ...whole, posttrain_cutoff: "2012-12:documented" }));
  refused("CutoffInvalid", () => complete({ ...whole, pretrain_cutoff: "2013:documented" }));
  refused("FieldInvalid", () => complete({ ...whole, prompt_digest: "notadigest" }));
  assert.equal(complete({ ...whole, posttrain_cutoff: "2013-06:documented" }).name, "mine");
  assert.equal(complete({ ...whole, posttrain_cutoff: null }).posttrain_cutoff, null);
  assert.equal(complete({ ...whole, prompt_digest: `sha256:${"a".repeat(64)}` }).name, "mine");
});

test("an instance that is another is told by its first field", () => {
  const stamped = complete(whole);
  assert.equal(identityDrift(stamped, complete(whole)), undefined);
  assert.match(
    identityDrift(stamped, complete({ ...whole, posttrain_cutoff: null })) as string,
    /its posttrain_cutoff is null, stamped is "2013-12:documented"/,
  );
});
