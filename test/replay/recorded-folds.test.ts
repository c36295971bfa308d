/** A record with a split: its folds follow from its cases, and the labels that were served from its labels, whoever signed it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCase } from "../../src/caseset/bounded-case.ts";
import { parseLabel } from "../../src/caseset/label.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { answered, type ToolAnswer } from "../../src/model/reader.ts";
import { caseSetDigest } from "../../src/run/stamp.ts";
import { dailySet, readerOf } from "../support/daily-set.ts";
import { type Change, nothing } from "./forging.ts";
import {
  bodyText,
  closedRun,
  type Draft,
  type Fields,
  forged,
  rebody,
  replayed,
  reword,
  told,
} from "./operator.ts";

const daily = await dailySet({
  days: 40,
  splits: "  wide: {kind: kfold, folds: 5, embargo: P2D}\n  other: {kind: kfold, folds: 3}\n",
});
const heard: ToolAnswer[] = [];
const learner = readerOf(async (_, tools) => {
  const reply = await tools.call("training", { limit: 10 });
  heard.push(reply, await tools.call("training", { limt: 10 }));
  if (!reply.ok) throw new Error(reply.fault.message);
  const rows = reply.rows ?? [];
  return answered((1 + rows.filter(({ body }) => body["outcome"] === 1).length) / (2 + rows.length));
});
const run = await closedRun(daily, learner, { split: "wide", concurrency: 1 });
const before = heard.splice(0);

const stampOf = ({ manifest }: Draft) => manifest["stamp"] as Fields;
const splitOf = (draft: Draft) => stampOf(draft)["split"] as { name: string; folds: Fields[] };
/** The report says of the stamp what the manifest says. */
const restamped =
  (change: Change): Change =>
  (draft) => {
    change(draft);
    reword(draft, ({ result }) => {
      result["stamp"] = stampOf(draft) as Json;
    });
  };
/** The first answer of `training` with labels, and what becomes of it. */
const reserved =
  (change: (body: { rows?: Fields[]; fault?: Json }) => void): Change =>
  (draft) => {
    const full = draft.entries.find(
      (entry) => entry["name"] === "training" && bodyText(draft, entry).includes('"outcome"'),
    ) as Fields;
    const body = JSON.parse(bodyText(draft, full)) as { rows?: Fields[] };
    change(body);
    rebody(draft, full, canonical(body as Json));
  };

const forgeries: readonly (readonly [name: string, bad: Change, expected: string, says: RegExp])[] = [
  [
    "an outcome that was turned round",
    reserved(({ rows = [] }) => {
      const body = rows[0]?.["body"] as Fields;
      body["outcome"] = 1 - (body["outcome"] as number);
    }),
    "rules TrainingMismatch",
    /entries\.jsonl:\d+: training \{"limit":10\}: the record says .*its labels, cases and split give/,
  ],
  ["a label less", reserved(({ rows = [] }) => void rows.pop()), "rules TrainingMismatch", /training/],
  [
    "the label of a case that is purged",
    reserved(({ rows = [] }) => {
      rows[0] = { ...rows[0], ref: "training#day-2020-01-16" };
    }),
    "rules TrainingMismatch",
    /training#day-2020-01-16/,
  ],
  [
    "a fault instead of labels",
    reserved((body) => {
      delete body.rows;
      body.fault = { class: "bad_request", message: "no" };
    }),
    "rules TrainingMismatch",
    /fault/,
  ],
  [
    "no split, though labels were served",
    restamped((draft) => void delete stampOf(draft)["split"]),
    "rules TrainingMismatch",
    /split give a fault/,
  ],
  [
    "another split",
    restamped((draft) => {
      splitOf(draft).name = "other";
    }),
    "bounds FieldInvalid",
    /run\/run\.json: stamp\.split\.digest/,
  ],
  [
    "a split that the set does not declare",
    restamped((draft) => {
      splitOf(draft).name = "mine";
    }),
    "bounds FieldInvalid",
    /stamp\.split\.name: mine, expected a split that caseset\.json declares: wide, other|other, wide/,
  ],
  [
    "a fold of another size",
    restamped((draft) => {
      (splitOf(draft).folds[1] as Fields)["train"] = 23;
    }),
    "bounds FieldInvalid",
    /stamp\.split\.folds\.1\.train: 23/,
  ],
  [
    "a label that the run had not",
    (draft) => {
      const [first, ...rest] = linesOf(draft, "labels.jsonl");
      const label = JSON.parse(first as string) as Fields;
      label["outcome"] = 1 - (label["outcome"] as number);
      draft.loaded.set("labels.jsonl", [canonical(label as Json), ...rest, ""].join("\n"));
      redigest(draft);
    },
    "rules TrainingMismatch",
    /training/,
  ],
];
const linesOf = (draft: Draft, name: string) => (draft.loaded.get(name) as string).trimEnd().split("\n");

/** The set's digest is that of the changed files. */
function redigest(draft: Draft): void {
  const kept = JSON.parse(draft.loaded.get("caseset.json") as string);
  const cases = linesOf(draft, "cases.jsonl").map((line) => {
    const { asked_day: _, deadline: __, ...item } = JSON.parse(line);
    return parseCase("forecast", item, "cases") as never;
  });
  const labels = linesOf(draft, "labels.jsonl").map(
    (line) => parseLabel(JSON.parse(line), "labels") as never,
  );
  kept.digest = caseSetDigest({ onDisk: kept.declared, cases, labels }, kept.view);
  draft.loaded.set("caseset.json", `${canonical(kept)}\n`);
  const named = draft.manifest["caseset"] as Fields;
  named["digest"] = kept.digest;
  reword(draft, ({ result }) => {
    result["caseset"] = named as Json;
  });
}

describe("a record with a split", () => {
  it("is verified, and its reader is served the same labels again", async () => {
    const found = await replayed(run.files, { readers: () => learner });
    assert.equal(told(found), "verified", found.failure?.message);
    assert.deepEqual(found.replayed?.arms, { routed: "re-executed" });
    assert.deepEqual(heard.splice(0), before);
    assert.ok(before.some((reply) => reply.ok && reply.truncated === true));
    assert.equal(told(await replayed(await forged(run, nothing))), "verified");
  });

  for (const [name, bad, expected, says] of forgeries)
    it(`is refused with ${name}`, async () => {
      const found = await replayed(await forged(run, bad));
      assert.equal(told(found), expected, found.failure?.message);
      assert.match(found.failure?.message as string, says);
    });

  it("an end of an embargo that other zone data put elsewhere is taken as recorded, if it is no more than a day off", async () => {
    const moved = (until: string) =>
      restamped((draft) => {
        (splitOf(draft).folds[1] as Fields)["embargoed_until"] = until;
      });
    const own = (
      JSON.parse(Buffer.from(run.files.get("run.json") as Uint8Array).toString()) as Draft["manifest"]
    )["stamp"] as { split: { folds: { embargoed_until: string }[] } };
    const until = own.split.folds[1]?.embargoed_until as string;
    const later = (hours: number) =>
      new Date(Date.parse(until) + hours * 3_600_000).toISOString().replace(".000Z", "Z");
    const verdict = async (hours: number, zoneData: string) =>
      told(await replayed(await forged(run, moved(later(hours))), { zoneData }));
    assert.equal(await verdict(1, "elsewhere"), "verified");
    assert.equal(await verdict(1, "test"), "bounds FieldInvalid");
    assert.equal(await verdict(25, "elsewhere"), "bounds FieldInvalid");
    assert.equal(await verdict(0, "test"), "verified");
  });
});
