import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { contract } from "../../src/core/contract.ts";
import type { Code } from "../../src/core/refusal.ts";
import { checkExecution } from "../../src/profile/decision-run.ts";
import {
  findFamily,
  findProfile,
  loadProfile,
  type Profile,
  profileOf,
  profileOnDisk,
} from "../../src/profile/profile.ts";
import { noted, refused, repository, temporary, written } from "../core/refused.ts";

const folder = temporary();
const put = (name: string, text: string) => written(folder, `${name}.yaml`, text);
const load = (file: string) => loadProfile(file, path.basename(file), [folder]) as Profile;

test("loadProfile: what a profile does not say is the contract's", () => {
  const { name, seed, repeats, temperature, family, execution, bootstrap, process } = load(
    put("bare", "name: bare\n"),
  );
  assert.deepEqual(
    { name, seed, repeats, temperature, family, execution, bootstrap, process },
    {
      name: "bare",
      seed: 1,
      repeats: 1,
      temperature: 0,
      family: null,
      execution: null,
      bootstrap: {
        resamples: contract.bootstrapResamples,
        level: contract.bootstrapLevel,
        cluster: "declared",
      },
      process: "trajectory",
    },
  );
});

test("loadProfile: leakage is merged key by key over what is extended, and a judge can be taken back", () => {
  put(
    "leaky",
    "name: leaky\nexecution: none\njudge: floor\nleakage: {reference: discontinuity, bandwidth: P90D, leak_threshold: 3}\n",
  );
  const { leak } = load(put("own", "name: own\nextends: leaky\njudge: none\nleakage: {bandwidth: P60D}\n"));
  assert.deepEqual([leak.judge, leak.threshold, leak.slices?.bandwidth], [null, 3, 60]);
  assert.deepEqual(leak.slices?.references, ["discontinuity"]);
});

test("loadProfile: the shipped default says that nothing is traded", () => {
  const file = findProfile("default", [path.join(repository, "profiles")]);
  const shipped = load(file);
  checkExecution(shipped, "forecast");
  assert.equal(shipped.name, "default");
  assert.equal(load(put("as-shipped", `name: default\nexecution: none\n`)).execution, shipped.execution);
});

test("loadProfile: a chain of extends, the nearest saying counts, key by key, those of bootstrap too", () => {
  put("base", "name: base\nseed: 5\nrepeats: 2\nexecution: none\nbootstrap: {resamples: 500, level: 0.9}\n");
  put("middle", "name: middle\nextends: base\nseed: 6\nbootstrap: {level: 0.8}\n");
  const top = load(put("top", "name: top\nextends: middle\nrepeats: 3\n"));
  assert.deepEqual([top.name, top.seed, top.repeats, top.execution], ["top", 6, 3, "none"]);
  assert.deepEqual(top.bootstrap, { resamples: 500, level: 0.8, cluster: "declared" });
  assert.equal(top.place, "top.yaml");
});

test("loadProfile: a path after extends starts at the extending file's folder", () => {
  written(folder, "deep/base.yaml", "name: base\nseed: 9\n");
  const file = written(folder, "deep/er/own.yaml", "name: own\nextends: ../base.yaml\n");
  assert.equal((loadProfile(file, "deep/er/own.yaml", []) as Profile).seed, 9);
  written(folder, "deep/bad.yaml", "name: bad\nsede: 9\n");
  const bad = written(folder, "deep/er/worse.yaml", "name: own\nextends: ../bad.yaml\n");
  assert.equal(
    refused("UnknownKey", () => loadProfile(bad, "deep/er/worse.yaml", [])).details.place,
    "deep/bad.yaml:2:1",
  );
});

test("loadProfile: an ancestor that is not there is refused where it is named; a ring ends", () => {
  const orphan = put("orphan", "name: orphan\nextends: nobody\n");
  const { details } = refused("ProfileUnknown", () => load(orphan));
  assert.deepEqual(details, {
    place: "orphan.yaml:2:1",
    found: "nobody",
    looked: [path.join(folder, "nobody.yaml")],
  });
  put("ring-a", "name: ring-a\nextends: ring-b\n");
  const ring = put("ring-b", "name: ring-b\nextends: ring-a\n");
  assert.equal(refused("LimitExceeded", () => load(ring)).details.what, "profiles that extend each other");
  const self = put("self", "name: self\nextends: self\n");
  refused("LimitExceeded", () => load(self));
});

test("loadProfile: each fault has its code and place, and its neighbour is read", () => {
  const rows: [code: Code, bad: string, good: string][] = [
    ["UnknownKey", "name: p\nsede: 1\n", "name: p\nseed: 1\n"],
    ["UnknownKey", "name: p\nbootstrap: {resample: 200}\n", "name: p\nbootstrap: {resamples: 200}\n"],
    ["KeyMissing", "seed: 1\n", "name: p\nseed: 1\n"],
    ["FieldInvalid", "name: p\nseed: -1\n", "name: p\nseed: 0\n"],
    ["FieldInvalid", "name: p\nseed: 9007199254740992\n", "name: p\nseed: 9007199254740991\n"],
    ["FieldInvalid", "name: p\nseed: 1.5\n", "name: p\nseed: 1\n"],
    ["FieldInvalid", "name: p\nrepeats: 0\n", "name: p\nrepeats: 1\n"],
    ["FieldInvalid", "name: p\nrepeats: 1001\n", "name: p\nrepeats: 1000\n"],
    ["FieldInvalid", "name: p\ntemperature: .inf\n", "name: p\ntemperature: 1.5\n"],
    ["FieldInvalid", "name: p\nexecution: some\n", "name: p\nexecution: none\n"],
    ["FieldInvalid", "name: p\nbootstrap: {level: 1}\n", "name: p\nbootstrap: {level: 0.99}\n"],
    ["FieldInvalid", "name: p\nbootstrap: {resamples: 99}\n", "name: p\nbootstrap: {resamples: 100}\n"],
    ["FieldInvalid", "name: p\nbootstrap: {cluster: week}\n", "name: p\nbootstrap: {cluster: none}\n"],
    ["FieldInvalid", "name: p\nwaive: [delisting]\n", "name: p\nwaive: [delisting-not-exercised]\n"],
    ["DuplicateKey", "name: p\nname: q\n", "name: p\n"],
    ["YamlInvalid", "name: p\nseed: *x\n", "name: p\nseed: 1\n"],
  ];
  for (const [code, bad, good] of rows) {
    assert.match(refused(code, () => load(put("p", bad))).details.place, /^p\.yaml:[12]:\d+$/);
    load(put("p", good));
  }
  assert.deepEqual(
    noted((complain) => loadProfile(put("p", "sede: 1\nrepeats: 0\n"), "p.yaml", [], complain)),
    ["KeyMissing p.yaml:1:1", "UnknownKey p.yaml:1:1", "FieldInvalid p.yaml:2:1"],
  );
});

test("checkExecution: a profile that does not say is refused by its file", () => {
  const silent = load(put("silent", "name: silent\n"));
  const { details } = refused("EvalExecutionUndeclared", () => checkExecution(silent, "forecast"));
  assert.deepEqual(details, { place: "silent.yaml", profile: "silent", trades: false });
  const none = load(put("loud", "name: loud\nexecution: none\n"));
  checkExecution(none, "forecast");
  const trading = refused("EvalExecutionUndeclared", () => checkExecution(none, "decision"));
  assert.equal(trading.details.place, "loud.yaml:2:1"); // positions that nothing fills
  assert.match(trading.message, /no component in `execution`/);
  assert.match(trading.hint ?? "", /component: next-available-price/);
  assert.doesNotMatch(trading.hint ?? "", /execution: none/, "which is what stands there");
});

test("placeOf: a key is in the file that says it, of those that extend each other; an absent one in none of its own", () => {
  put("below", `name: below\nreturns: {per: day}\n${TRADING}  costs: {}\n`);
  const { placeOf } = load(put("above", "extends: below\nname: above\nreturns:\n  per: month\n"));
  assert.deepEqual(
    ["/returns/per", "/returns", "/execution/prices/columns/1", "/universe", "/name"].map(placeOf),
    [
      "above.yaml:4:3",
      "above.yaml:3:1",
      `${path.join(folder, "below.yaml")}:5:42`,
      "above.yaml:1:1",
      "above.yaml:2:1",
    ],
  );
  const at = (text: string) =>
    refused("FieldInvalid", () => load(put("terms", `name: terms\n${TRADING}${text}`))).details;
  const costly = at("  costs: {basis_points: 5000}\n  leverage: 50\n");
  assert.deepEqual([costly.place, costly.field], ["terms.yaml:5:3", "execution.costs"]);
  const late = at("  costs: {}\n  latency: P1D\n");
  assert.deepEqual([late.place, late.field], ["terms.yaml:6:3", "execution.latency"]);
  load(put("terms", `name: terms\n${TRADING}  costs: {}\n  latency: PT24H\n`));
});

const TRADING =
  "execution:\n  component: next-available-price\n  prices: {table: index, columns: [open, close]}\n";

test("findProfile, findFamily: a path, else each folder in order; what was looked at is told", () => {
  const near = written(folder, "near/x.yaml", "name: x\n");
  const far = written(folder, "far/x.yaml", "name: x\n");
  const folders = [path.join(folder, "near"), path.join(folder, "far")];
  assert.equal(findProfile("x", folders), near);
  assert.equal(findProfile(far, folders), far);
  assert.equal(findFamily("x", [...folders].reverse(), "--reader"), far);
  const unknown = refused("ProfileUnknown", () => findProfile("y", folders)).details;
  assert.equal(unknown.place, "--profile");
  assert.deepEqual(
    unknown.looked,
    folders.map((one) => path.join(one, "y.yaml")),
  );
  assert.equal(
    refused("FamilyUnknown", () => findFamily("./y.yaml", folders, "--reader")).details.looked[0],
    "./y.yaml",
  );
  refused("ProfileUnknown", () => findProfile(`${folder}/near`, folders));
});

test("profileOnDisk ∘ profileOf keeps every key", () => {
  const disk = {
    name: "p",
    seed: 3,
    repeats: 2,
    temperature: 0.5,
    family: "f",
    execution: "none" as const,
    bootstrap: { resamples: 200, level: 0.9, cluster: "none" as const },
    process: "trajectory" as const,
  };
  assert.deepEqual(profileOnDisk(profileOf(disk, "p.yaml")), disk);
  const waiving = { ...disk, waive: ["delisting-not-exercised" as const] };
  assert.deepEqual(profileOnDisk(profileOf(waiving, "p.yaml")), waiving);
  assert.equal("execution" in profileOnDisk(profileOf({ name: "p" }, "p.yaml")), false);
});
