import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCutoff } from "../../src/model/cutoff.ts";
import { compareAge, type Family, loadFamily, type ModelCheckpoint } from "../../src/model/family.ts";
import { noted, refused, repository, temporary, written } from "../core/refused.ts";
import { familyOf, row } from "./a-family.ts";

const one = (...args: Parameters<typeof row>) => familyOf([row(...args)]).checkpoints[0] as ModelCheckpoint;
const posttrain = (checkpoint: ModelCheckpoint) => checkpoint.posttrain && formatCutoff(checkpoint.posttrain);

test("parseFamily: a floating alias is refused where it stands; a pinned name that contains the word is not", () => {
  for (const snapshot of ["m-latest", "m:latest", "org/latest", "latest", "M_LATEST", "m.latest"]) {
    const { details } = refused("EvalCheckpointFloating", () => one(snapshot, "2024-01:documented"));
    assert.deepEqual(details, { place: "test.yaml/checkpoints/0/snapshot", snapshot });
  }
  for (const snapshot of ["m-latest-2024-01-01", "platest", "m-2024-10-22"])
    one(snapshot, "2024-01:documented");
});

test("parseFamily: an undocumented post-training cutoff lies between pretraining and release, or is unknown", () => {
  const rest = { pretrain: "2023-06..2023-08:estimated", released: "2024-03-14" };
  assert.equal(posttrain(one("m", undefined, rest)), "2023-06..2024-03:estimated");
  assert.equal(posttrain(one("m", "2023-12:documented", rest)), "2023-12:documented", "a stated one stands");
  assert.equal(posttrain(one("m", undefined, { pretrain: "2023-06:documented" })), null);
  assert.equal(
    posttrain(one("m", undefined, { released: "2024-03-14" })),
    "2024-03:estimated",
    "the release bounds it",
  );
  assert.equal(posttrain(one("m")), null);
});

test("parseFamily: pretraining may end in the month of the release, not after it", () => {
  const rest = (pretrain: string, released: string) => ({ pretrain, released });
  const { details } = refused("CutoffInvalid", () =>
    one("m", undefined, rest("2024-04:documented", "2024-03-31")),
  );
  assert.equal(details.place, "test.yaml/checkpoints/0/pretrain");
  assert.equal(details.found, "2024-04:documented, released 2024-03");
  refused("CutoffInvalid", () => one("m", undefined, rest("2023-12..2024-04:estimated", "2024-03-31")));
  one("m", undefined, rest("2024-03:documented", "2024-03-01"));
});

test("parseFamily: a release that is no date, and an end before its start, are refused by row", () => {
  const released = refused("CutoffInvalid", () =>
    one("m", "2024-01:documented", { released: "2024-02-30" }),
  ).details;
  assert.deepEqual([released.place, released.found], ["test.yaml/checkpoints/0/released", "2024-02-30"]);
  one("m", "2024-01:documented", { released: "2024-02-29" });
  const cutoff = refused("CutoffInvalid", () => one("m", "2024-02..2024-01:estimated")).details;
  assert.deepEqual([cutoff.place, cutoff.subject], ["test.yaml/checkpoints/0/posttrain", "m: posttrain"]);
});

test("parseFamily: two rows that routing could not tell apart are ambiguous, and the message says what they share", () => {
  const a = row("a", "2024-01:documented", { pretrain: "2023-10:documented", released: "2024-02-01" });
  const twins = [
    [a, { ...a, snapshot: "b" }],
    [a, { ...a, snapshot: "b", posttrain: "2023-12..2024-01:estimated" }],
    [row("a"), row("b")],
  ];
  for (const rows of twins) {
    const { details } = refused("EvalFamilyAmbiguous", () => familyOf(rows));
    assert.deepEqual([details.place, details.a, details.b], ["test.yaml/checkpoints/1/snapshot", "a", "b"]);
    assert.match(details.same, /^cutoffs and release/);
  }
  const name = refused("EvalFamilyAmbiguous", () =>
    familyOf([a, { ...a, posttrain: "2024-02:documented" }]),
  ).details;
  assert.equal(name.same, "snapshot name");
  familyOf([a, { ...a, snapshot: "b", released: "2024-02-02" }]);
  familyOf([a, { ...a, snapshot: "b", pretrain: "2023-11:documented" }]);
});

test("compareAge: by post-training upper bound, unknown newest, then pretraining, then release; antisymmetric", () => {
  const { checkpoints } = familyOf([
    row("a", "2023-01:documented"),
    row("b", "2023-02..2023-06:estimated"),
    row("c", "2023-06:documented", { pretrain: "2023-01:documented" }),
    row("d", "2023-06:documented", { pretrain: "2023-02:documented" }),
    row("e", "2023-06:documented", { pretrain: "2023-02:documented", released: "2023-07-01" }),
    row("f", "2023-06:documented", { pretrain: "2023-02:documented", released: "2023-07-02" }),
    row("g", undefined, { pretrain: "2022-01:documented" }),
  ]);
  checkpoints.forEach((a, i) => {
    checkpoints.forEach((b, j) => {
      assert.equal(compareAge(a, b), Math.sign(i - j), `${a.snapshot} ${b.snapshot}`);
    });
  });
});

test("loadFamily: the shipped family, and each fault of a file by line and column", () => {
  const shipped = loadFamily(
    `${repository}/profiles/checkpoints/seattle-recall.yaml`,
    "seattle-recall.yaml",
  ) as Family;
  assert.equal(shipped.name, "seattle-recall");
  assert.equal(shipped.checkpoints.length, 4);
  const file = written(
    temporary(),
    "f.yaml",
    'family: f\ncheckpoints:\n  - {snapshot: a-latest}\n  - {snapshot: b, posttrain: "soon"}\n  - {snapshot: c, released: "2024"}\n',
  );
  assert.deepEqual(
    noted((complain) => loadFamily(file, "f.yaml", complain)),
    ["EvalCheckpointFloating f.yaml:3:6", "CutoffInvalid f.yaml:4:19", "CutoffInvalid f.yaml:5:19"],
  );
  const unknown = written(temporary(), "g.yaml", "family: g\ncheckpoints:\n  - {snapshot: a, cutoff: x}\n");
  assert.equal(refused("UnknownKey", () => loadFamily(unknown, "g.yaml")).details.place, "g.yaml:3:19");
  const empty = written(temporary(), "h.yaml", "family: h\ncheckpoints: []\n");
  refused("FieldInvalid", () => loadFamily(empty, "h.yaml"));
});
