import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../../src/core/digest.ts";
import type { Code } from "../../src/core/refusal.ts";
import type { Family, ModelCheckpoint } from "../../src/model/family.ts";
import { loadMemories, parseMemory } from "../../src/model/memory.ts";
import { noted, refused, temporary, written } from "../core/refused.ts";
import { familyOf, row } from "./a-family.ts";

const line = (id: string, resolved: string, outcome: unknown = 1) =>
  `${JSON.stringify({ id, outcome, resolved_at: resolved })}\n`;
const checkpoint = familyOf([row("m-2013", "2013-12:documented")]).checkpoints[0] as ModelCheckpoint;
const parse = (text: string) => parseMemory(text, "m.jsonl", checkpoint);

test("parseMemory: outcomes resolved at or before the cutoff's instant, nothing later", () => {
  const memory = parse(line("a", "2013-12-31T23:59:59Z", 0) + line("b", "2014-01-01T00:00:00Z"));
  assert.deepEqual(
    [...memory],
    [
      ["a", 0],
      ["b", 1],
    ],
  );
  const { details } = refused("CutoffInvalid", () =>
    parse(line("a", "2013-01-01T00:00:00Z") + line("c", "2014-01-01T00:00:00.000001Z")),
  );
  assert.equal(details.place, "m.jsonl:2");
  assert.equal(details.subject, "memory of c");
  assert.equal(details.found, "2014-01-01T00:00:00.000001Z, the cutoff is 2013-12:documented");
  assert.equal(parse("").size, 0);
});

test("parseMemory: each fault by its line", () => {
  const ok = line("a", "2013-01-01T00:00:00Z");
  const rows: [Code, string][] = [
    ["CaseDuplicate", ok],
    ["JsonInvalid", "{\n"],
    ["DuplicateKey", '{"id":"b","id":"b"}\n'],
    ["UnknownKey", '{"id":"b","outcome":1,"resolved_at":"2013-01-01T00:00:00Z","p":1}\n'],
    ["KeyMissing", '{"id":"b","outcome":1}\n'],
    ["FieldInvalid", line("b", "2013-01-01T00:00:00Z", 0.5)],
    ["FieldInvalid", line("b", "2013-01-01T00:00:00Z", "annulled")],
    ["InstantInvalid", line("b", "2013-01-01")],
  ];
  for (const [code, bad] of rows)
    assert.match(refused(code, () => parse(ok + bad)).details.place, /^m\.jsonl:2/);
  const { details } = refused("CaseDuplicate", () => parse(ok + ok));
  assert.deepEqual(details, { place: "m.jsonl:2", id: "a", first: "m.jsonl:1" });
  assert.deepEqual(
    noted((complain) => parseMemory(`{\n${ok}[]\n`, "m.jsonl", checkpoint, complain)),
    ["JsonInvalid m.jsonl:1", "FieldInvalid m.jsonl:3"],
  );
});

function family(text: string | Uint8Array, declared: string, rest: object = {}): Family {
  const folder = temporary();
  written(folder, "m/1.jsonl", text);
  return familyOf(
    [row("m-2013", "2013-12:documented", { artifact: { file: "m/1.jsonl", sha256: declared }, ...rest })],
    folder,
  );
}

test("loadMemories: bytes with the declared digest, byte order mark and all", () => {
  const text = line("a", "2013-01-01T00:00:00Z");
  const loaded = loadMemories(family(text, sha256Hex(text))).get("m-2013");
  assert.deepEqual([...(loaded?.memory ?? [])], [["a", 1]]);
  assert.deepEqual(loaded?.artifact, { sha256: sha256Hex(text), text });
  const marked = Buffer.from(`\ufeff${text}`);
  refused("JsonInvalid", () => loadMemories(family(marked, sha256Hex(marked))));
});

test("loadMemories: other bytes are refused with both digests before anything parses them", () => {
  const { details, message } = refused("ArtifactDigestMismatch", () =>
    loadMemories(family("{ not JSON", sha256Hex("x"))),
  );
  assert.deepEqual(details, {
    place: "test.yaml/checkpoints/0/snapshot",
    file: "m/1.jsonl",
    declared: sha256Hex("x"),
    found: sha256Hex("{ not JSON"),
  });
  assert.ok(message.includes(details.declared) && message.includes(details.found));
});

test("loadMemories: an artifact that is not declared, or not there", () => {
  const bare = familyOf([row("m-2013", "2013-12:documented")]);
  const { details } = refused("KeyMissing", () => loadMemories(bare));
  assert.deepEqual(details.present, ["snapshot", "posttrain"]);
  const gone = familyOf(
    [row("m", "2013-12:documented", { artifact: { file: "no.jsonl", sha256: sha256Hex("") } })],
    temporary(),
  );
  assert.equal(refused("FileUnreadable", () => loadMemories(gone)).details.place, "no.jsonl");
});
