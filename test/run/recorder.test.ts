import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { type Digest, digestOf } from "../../src/core/digest.ts";
import { answered, type Tools } from "../../src/model/reader.ts";
import { type Bound, type Entry, type EntryBody, entryLine, type Standing } from "../../src/run/entry.ts";
import { Recorder } from "../../src/run/recorder.ts";
import { memorySink } from "../../src/run/sink.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, familyOf, readerOf, runDaily } from "../support/daily-set.ts";

const text = fc.string({ unit: "grapheme" });
const digest = fc.string().map((seed) => digestOf(seed));
const count = fc.nat();
const maybe = fc.option(fc.integer());
const used = fc.record({
  input_tokens: maybe,
  cached_input_tokens: maybe,
  output_tokens: maybe,
  cost: fc.constantFrom(null, 0.25, 1e21, -0),
  model_calls: maybe,
  retries: maybe,
});
const usage = fc.option(used);
const timeout = fc.constant("timeout" as const);
const modelled = {
  name: text,
  model: text,
  served: fc.option(text),
  request: digest,
  result: digest,
  bytes: count,
  status: fc.option(count),
  class: fc.option(timeout),
  retries: fc.array(fc.record({ class: timeout, status: fc.option(count), ms: count, wait_ms: count }), {
    maxLength: 3,
  }),
  cached: fc.boolean(),
  usage: used,
  ms: count,
};
const args = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const bodies: fc.Arbitrary<EntryBody> = fc.oneof(
  fc.record({
    kind: fc.constant("probe" as const),
    name: fc.constantFrom("presence" as const, "absence" as const),
    args,
    result: digest,
    bytes: count,
    ms: count,
  }),
  fc.record({
    kind: fc.constant("tool" as const),
    name: text,
    args,
    result: digest,
    bytes: count,
    ms: count,
    unplanted: digest,
    in_reach: fc.boolean(),
    usage,
  }),
  fc.record({ kind: fc.constant("model" as const), ...modelled }),
  fc.record({
    kind: fc.constant("judge" as const),
    ...modelled,
    args,
    value: fc.option(count),
    reason: text,
  }),
  fc.record({
    kind: fc.constant("answer" as const),
    probability: fc.double({ min: 0, max: 1, noNaN: true }),
    usage,
    ms: count,
  }),
  fc.record({ kind: fc.constant("decline" as const), reason: text, usage, ms: count }),
  fc.record({
    kind: fc.constant("fault" as const),
    class: fc.constant("timeout" as const),
    message: text,
    usage,
    ms: count,
  }),
  fc.record({ kind: fc.constant("end" as const), steps: count }),
  fc.record({ kind: fc.constant("end" as const), abandoned: count }),
);
const bounds: fc.Arbitrary<Bound> = fc.record({ case: text, horizon: text, as_of: text, view: digest });
const standings: fc.Arbitrary<Standing> = fc.record({
  v: fc.constant("blindcast.entry/1" as const),
  run: text,
  seq: count,
  at: text,
  arm: text,
  repeat: count,
  attempt: count,
  step: count,
  prev: text,
});

test("an entry's line is the canonical JSON of its three parts in one object", () => {
  const property = fc.property(bodies, bounds, standings, (body, bound, standing) => {
    assert.equal(
      entryLine(body, bound, standing),
      canonical({ ...body, ...bound, ...standing } as unknown as Json),
    );
  });
  fc.assert(property, { numRuns: 1000 });
});

const sha256 = (...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

/** RFC 6962 section 2.1, as it is written there. */
function merkleRoot(lines: readonly string[]): Buffer {
  if (lines.length === 0) return sha256("");
  if (lines.length === 1) return sha256(Buffer.from([0]), lines[0] as string);
  let k = 1;
  while (k * 2 < lines.length) k *= 2;
  return sha256(Buffer.from([1]), merkleRoot(lines.slice(0, k)), merkleRoot(lines.slice(k)));
}

const daily = await dailySet({ days: 66, from: 28 });
const family = familyOf(
  ["b-old", "2019-12:documented"],
  ["a-mid", "2020-01:documented"],
  ["new", "2020-02:documented"],
);

/** Readers that wait in different ways, several at a time, so that entries of trajectories arrive mixed. */
async function mixedRun() {
  const reader = readerOf(async (asked, tools: Tools, snapshot) => {
    const turns =
      (asked.id.length * 7 + asked.repeat * 3 + snapshot.length + Number(asked.asked_day.slice(-2))) % 5;
    for (let i = 0; i <= turns; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      await tools.call("rows", { table: "readings", limit: 1 + (i % 2) * 200 });
    }
    return turns === 4 ? { kind: "decline", reason: "no_data", usage: null } : answered(0.5);
  }, family);
  const sink = memorySink();
  const { plan, report } = await runDaily(daily, reader, {
    sink,
    family,
    profile: { repeats: 2 },
    concurrency: 5,
  });
  const lines = (name: string) => {
    const all = (sink.files.get(name) as Buffer).toString("utf8").split("\n");
    assert.equal(all.pop(), "");
    return all;
  };
  const stored = lines("entries.jsonl");
  return { sink, plan, report, stored, lines, entries: stored.map((line) => JSON.parse(line) as Entry) };
}
const mixed = await mixedRun();

const trajectoryOf = (entry: Entry) => `${entry.case} ${entry.arm} ${entry.repeat}`;

test("entries lie in (case's position, arm by code units, repeat, step) order, and arrived in another", () => {
  const { plan, entries } = mixed;
  const position = new Map(plan.cases.map((item, i) => [item.id, i]));
  const rank = (entry: Entry) =>
    [position.get(entry.case) as number, entry.arm, entry.repeat, entry.step] as const;
  const inOrder = (a: Entry, b: Entry) => {
    const [x, y] = [rank(a), rank(b)];
    const differing = x.findIndex((part, i) => part !== y[i]);
    return differing >= 0 && (x[differing] as number | string) < (y[differing] as number | string);
  };
  assertEvery(entries.slice(1), (entry, i) => inOrder(entries[i] as Entry, entry));
  assert.deepEqual(
    new Set(entries.map((entry) => entry.arm)),
    new Set(["control:a-mid", "control:b-old", "latest", "routed"]),
  );
  assert.deepEqual(
    entries.map((entry) => entry.seq).sort((a, b) => a - b),
    entries.map((_entry, i) => i),
  );
  assert.notDeepEqual(
    entries.map((entry) => entry.seq),
    entries.map((_entry, i) => i),
  );
});

test("each line is canonical, and of a trajectory each entry holds the leaf of the one before", () => {
  const { stored, entries, sink } = mixed;
  assertEvery(stored, (line) => canonical(JSON.parse(line)) === line);
  const manifest = sha256(sink.files.get("run.json") as Buffer).toString("hex");
  const begun = new Set<string>();
  assertEvery(entries, (entry, i) => {
    const first = !begun.has(trajectoryOf(entry));
    begun.add(trajectoryOf(entry));
    const before = first ? manifest : sha256(Buffer.from([0]), stored[i - 1] as string).toString("hex");
    const step = first ? 0 : (entries[i - 1] as Entry).step + 1;
    return entry.prev === before && entry.step === step && entry.attempt === 0;
  });
  const ends = entries.filter((entry) => entry.kind === "end");
  assert.equal(ends.length, begun.size);
  assertEvery(
    ends,
    (end) => end.steps === entries.filter((one) => trajectoryOf(one) === trajectoryOf(end)).length,
  );
});

test("the root in the report is the RFC 6962 root over the lines", () => {
  const { stored, report } = mixed;
  const evidence = report.evidence as unknown as { entries: { root: string; size: number } };
  assert.deepEqual(evidence.entries, { root: merkleRoot(stored).toString("base64"), size: stored.length });
});

test("bodies: each result is stored once, where the index says, and its bytes have its digest and length", () => {
  const { entries, lines, sink } = mixed;
  const index = lines("blobs.idx").map(
    (line) =>
      JSON.parse(line) as {
        deflated: boolean;
        digest: Digest;
        length: number;
        offset: number;
        stored: number;
      },
  );
  const pack = sink.files.get("blobs.pack") as Buffer;
  assertEvery(index, ({ deflated, digest: of, length, offset, stored }) => {
    const bytes = pack.subarray(offset, offset + stored);
    const raw = deflated ? inflateRawSync(bytes) : bytes;
    return raw.length === length && digestOf(raw) === of;
  });
  const digests = index.map((blob) => blob.digest);
  assert.deepEqual(digests, [...new Set(digests)].sort());
  assert.equal(
    pack.length,
    index.reduce((total, { stored }) => total + stored, 0),
  );
  assert.deepEqual(new Set(index.map(({ deflated }) => deflated)), new Set([true, false]));
  const results = entries.flatMap((entry) => ("result" in entry ? [entry.result] : []));
  assert.deepEqual(new Set(digests), new Set(results));
  assert.ok(results.length > digests.length, "some bodies are equal");
});

test("probe bodies, which hold plants, are not in the pack before the run is sealed", () => {
  const sink = memorySink();
  const recorder = new Recorder(sink, { now: () => 0, elapsed: () => 0 }, "run", "manifest");
  const [held, plain] = ["a plant", "rows"].map((body) => digestOf(body)) as [Digest, Digest];
  recorder.hold("a plant", held);
  recorder.keep("rows", plain);
  recorder.keep("rows", plain);
  const pack = () => (sink.files.get("blobs.pack") as Buffer).toString("utf8");
  assert.equal(pack(), "rows");
  assert.deepEqual([recorder.body(held), recorder.body(plain)], ["a plant", "rows"]);
  recorder.seal(0);
  assert.equal(pack(), "rowsa plant");
  assert.equal(recorder.body(held), "a plant");
});

test("at close the journal is gone, and the folder holds the closed set of names", () => {
  const names = [...mixed.sink.files.keys()].sort();
  assert.deepEqual(names, [
    "blobs.idx",
    "blobs.pack",
    "cases.jsonl",
    "caseset.json",
    "close.json",
    "entries.jsonl",
    "family.json",
    "labels.jsonl",
    "open.json",
    "plants.jsonl",
    "profile.json",
    "report.json",
    "run.json",
  ]);
});

test("concurrency moves the arrival alone: the same lines but for their seq, instants and chain", async () => {
  const again = await mixedRun();
  const bare = ({ seq: _seq, at: _at, prev: _prev, ...rest }: Entry) =>
    "ms" in rest ? { ...rest, ms: 0 } : rest;
  assert.deepEqual(again.entries.map(bare), mixed.entries.map(bare));
});
