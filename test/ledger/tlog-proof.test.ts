import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toBase64 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import { parseNote } from "../../src/ledger/note.ts";
import { formatTlogProof, parseTlogProof, type TlogProof } from "../../src/ledger/tlog-proof.ts";
import { refused } from "../core/refused.ts";
import { checkpointText, leafHashes, log, noteOf, signed } from "./a-log.ts";
import { parsed, refusedManglings } from "./one-spelling.ts";

const parse = (text: string): TlogProof => parseTlogProof(text, "open.tlog-proof");
const HEAD = "c2sp.org/tlog-proof@v1";
const note = noteOf(checkpointText(), signed(log, checkpointText()));

test("parseTlogProof: the example of C2SP tlog-proof, less its extra line", () => {
  const hashes = [
    "gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=",
    "B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=",
    "EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=",
    "RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=",
    "AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=",
  ];
  const text = `${HEAD}\nindex 73894\n${hashes.join("\n")}\n\n${note}`;
  const proof = parse(text);
  assert.equal(proof.index, 73_894);
  assert.deepEqual(proof.proof.map(toBase64), hashes);
  assert.equal(proof.checkpoint, note);
  assert.equal(parseNote(proof.checkpoint, "open.tlog-proof").text, checkpointText());
  assert.equal(formatTlogProof(proof), text);
  const extra = text.replace("\n", "\nextra YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6\n");
  const { details } = refused("ProofMalformed", () => parse(extra));
  assert.equal(details.place, "open.tlog-proof:2");
  assert.ok(details.found.startsWith("extra YWdl"));
});

test("formatTlogProof and parseTlogProof are inverse, whatever the note is", () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const proofs = fc.record(
    {
      index: fc.oneof(fc.nat(9), fc.maxSafeNat()),
      proof: fc.array(hash, { maxLength: limits.proofHashes }),
      checkpoint: fc.oneof(fc.constant(note), fc.string({ unit: "binary" }), fc.constant("\n\n")),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(proofs, (proof) => assert.deepEqual(parse(formatTlogProof(proof)), proof)));
});

test("parseTlogProof: every mangling is refused, or is the one spelling of another proof", () => {
  const text = formatTlogProof({ index: 10, proof: leafHashes(2), checkpoint: "note\n" });
  const { read, codes } = refusedManglings(text, parse, formatTlogProof);
  assert.ok(read > 100);
  assert.deepEqual([...codes], ["ProofMalformed"]);
});

test("parseTlogProof: any text is a proof or a refusal", () => {
  const hash = toBase64(leafHashes(1)[0] as Uint8Array);
  const pieces = fc.constantFrom(
    "\n",
    "\n\n",
    `${HEAD}\n`,
    "index 7\n",
    "index ",
    "1",
    `${hash}\n`,
    "\r",
    note,
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: pieces, maxLength: 8 })),
      (text) => {
        const result = parsed(() => parse(text));
        if ("value" in result) assert.equal(formatTlogProof(result.value), text);
      },
    ),
    { numRuns: 3000 },
  );
});

test("ProofMalformed says where, what was found and what was expected, and the neighbour is a proof", () => {
  const [a] = leafHashes(1).map(toBase64) as [string];
  const good = `${HEAD}\nindex 0\n${a}\n\nnote`;
  const many = (count: number) => `${HEAD}\nindex 0\n${`${a}\n`.repeat(count)}\nnote`;
  const faults: [string, string, string, string][] = [
    ["", "", "", "an empty line"],
    [good.replace("\n\n", "\n"), "", good.replace("\n\n", "\n"), "an empty line"],
    [good.replaceAll("\n", "\r\n"), "", good.replaceAll("\n", "\r\n"), "an empty line"],
    [good.replace("@v1", "@v2"), ":1", "c2sp.org/tlog-proof@v2", HEAD],
    [good.replace("v1\n", "v1\r\n"), ":1", `${HEAD}\r`, HEAD],
    ["\n\nnote", ":1", "", HEAD],
    [`${HEAD}\n\nnote`, ":2", "", '"index <number>"'],
    [good.replace("index 0", "Index 0"), ":2", "Index 0", '"index <number>"'],
    [good.replace("index 0", "index"), ":2", "index", '"index <number>"'],
    [good.replace("index 0", "index  0"), ":2", " 0", "decimal digits"],
    [good.replace("index 0", "index 00"), ":2", "00", "decimal digits"],
    [good.replace("index 0", "index -1"), ":2", "-1", "decimal digits"],
    [good.replace("index 0", "index 9007199254740992"), ":2", "9007199254740992", "below 2^53"],
    [good.replace(a, "AQ=="), ":3", "AQ==", "base64 of 32 bytes"],
    [good.replace(a, `${a}\r`), ":3", `${a}\r`, "base64 of 32 bytes"],
    [good.replace(a, `${a}\n${a.slice(1)}`), ":4", a.slice(1), "base64 of 32 bytes"],
    [many(64), "", "64 hashes", "at most 63"],
  ];
  for (const [text, place, found, expected] of faults) {
    const { details } = refused("ProofMalformed", () => parse(text));
    assert.equal(details.place, `open.tlog-proof${place}`);
    assert.equal(details.found, found);
    assert.ok(details.expected.includes(expected), details.expected);
  }
  for (const text of [good, many(63), many(0)]) assert.equal(formatTlogProof(parse(text)), text);
});

test("formatTlogProof: refuses to write what is no proof", () => {
  const [hash] = leafHashes(1) as [Uint8Array];
  const good = { index: 0, proof: [hash], checkpoint: note };
  for (const each of [
    { index: -1 },
    { index: 0.5 },
    { index: Number.NaN },
    { proof: [hash.slice(1)] },
    { proof: Array.from({ length: 64 }, () => hash) },
  ])
    refused("ProofMalformed", () => formatTlogProof({ ...good, ...each }));
  assert.ok(formatTlogProof(good).endsWith(`\n\n${note}`));
});
