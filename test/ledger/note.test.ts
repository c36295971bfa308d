import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromHex, toBase64, toHex, utf8 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import { checkSignature } from "../../src/ledger/node-signatures.ts";
import { formatNote, type Note, parseNote } from "../../src/ledger/note.ts";
import { isKeyName, parseVerifierKey } from "../../src/ledger/verifier-key.ts";
import { refused, shared } from "../core/refused.ts";
import { checkpointText, cosignedBy, first, log, noteOf, sha256, signed } from "./a-log.ts";
import { parsed, refusedManglings } from "./one-spelling.ts";

const parse = (text: string): Note => parseNote(text, "note");

const PETER_TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const PETER =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
const ENOCH =
  "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

/** Notes as others print them, with the keys that signed them: C2SP signed-note, Go's sumdb/note, Go's checksum database. */
const printed: readonly (readonly [string, readonly string[]])[] = [
  [
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n",
    ["example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"],
  ],
  [
    `${PETER_TEXT}\n${PETER}${ENOCH}`,
    [
      "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
      "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop",
    ],
  ],
  [
    "go.sum database tree\n63096908\n8lHrQPRYe4KT4WQ9/Qk8/taKnD6IRHbFgfN7vQE2Y54=\n\n— sum.golang.org Az3gri/oVBN1jAhNZ/iS+W31psFAWRT20/GyrhpU6taFwulQGetBkH5S7wpGXdS935jiIGiUUAXBVHzT/P6fYhqAmAk=\n",
    ["sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"],
  ],
];

test("parseNote: the notes that others print verify under the keys that they print", () => {
  for (const [text, keys] of printed) {
    const note = parse(text);
    assert.equal(formatNote(note), text);
    assert.equal(note.signatures.length, keys.length);
    note.signatures.forEach(({ name, id, signature }, i) => {
      const key = parseVerifierKey(keys[i] as string, "keys", sha256);
      assert.deepEqual([name, id], [key.name, key.id]);
      assert.equal(checkSignature(key.publicKey, utf8(note.text), signature), true);
      assert.equal(checkSignature(key.publicKey, utf8(`${note.text}\n`), signature), false);
    });
  }
});

test("parseNote: the text of a note may have empty lines: the last one ends it", () => {
  const text =
    "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
  const note = parse(text);
  assert.ok(note.text.endsWith("\n\ned è subito sera.\n"));
  assert.deepEqual(
    note.signatures.map(({ name, id, signature }) => [name, id, signature.length]),
    [["quasimodo.example/salvatore", "367ba04b", 64]],
  );
  assert.equal(formatNote(note), text);
  assert.equal(parse("\n\n\n— a AAAAAAE=\n").text, "\n\n");
});

test("parseNote: the frozen note of a log and a witness", (t) => {
  const text = shared(t, "reference/audit-vectors.json");
  if (text === undefined) return;
  const vectors = JSON.parse(text) as { note: string; logVkey: string; witnessVkey: string };
  const note = parse(vectors.note);
  assert.equal(formatNote(note), vectors.note);
  const [byLog, byWitness] = note.signatures;
  const logKey = parseVerifierKey(vectors.logVkey, "log", sha256);
  assert.ok(byLog !== undefined && byWitness !== undefined && byLog.id === logKey.id);
  assert.equal(checkSignature(logKey.publicKey, utf8(note.text), byLog.signature), true);
  assert.equal(byWitness.signature.length, 72);
});

const signatures = fc.record(
  {
    name: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter(isKeyName),
    id: fc.uint8Array({ minLength: 4, maxLength: 4 }).map(toHex),
    signature: fc.uint8Array({ minLength: 1, maxLength: 80 }),
  },
  { noNullPrototype: true },
);
const texts = fc
  .array(
    fc
      .string({ unit: "binary", maxLength: 20 })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no note holds them
      .map((line) => line.replace(/[\0-\x1f]/g, "").toWellFormed()),
    { minLength: 1, maxLength: 5 },
  )
  .map((lines) => `${lines.join("\n")}\n`);

test("formatNote and parseNote are inverse on notes of every kind", () => {
  const notes = fc.record(
    { text: texts, signatures: fc.array(signatures, { minLength: 1, maxLength: 5 }) },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(notes, (note) => assert.deepEqual(parse(formatNote(note)), note)));
});

test("parseNote: every mangling is refused, or is the one spelling of another note", () => {
  const text = checkpointText();
  const { read, codes } = refusedManglings(
    noteOf(text, signed(log, text), cosignedBy(first, text)),
    parse,
    formatNote,
  );
  assert.ok(read > 100);
  assert.deepEqual([...codes], ["NoteMalformed"]);
});

test("parseNote: any text is a note or a refusal", () => {
  const pieces = fc.constantFrom("\n", "\n\n", "— ", "a", " ", "AAAAAAE=", "\r", "\0", "+", "\ud800", PETER);
  let read = 0;
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: pieces, maxLength: 12 })),
      (text) => {
        const result = parsed(() => parse(text));
        if (!("value" in result)) return;
        read++;
        assert.equal(formatNote(result.value), text);
      },
    ),
    { numRuns: 3000 },
  );
  assert.ok(read > 0);
});

test("NoteMalformed says what was found and what was expected, and the neighbour is a note", () => {
  const line = "— a AAAAAAE=\n";
  const many = (count: number) => `t\n\n${line.repeat(count)}`;
  const faults: [string, string, string, string][] = [
    ["", "", "a newline", "t\n\n— a AAAAAAE=\n"],
    [`t\n\n${line.trimEnd()}`, "t\n\n— a AAAAAAE=", "a newline", `t\n\n${line}`],
    [`t\n${line}`, `t\n${line}`, "an empty line", `t\n\n${line}`],
    [`${line}`, `${line}`, "an empty line", `\n\n${line}`],
    ["t\n\n", "0 lines", "at least 1", `t\n\n${line}`],
    [`t\n\n${line}\n`, "0 lines", "at least 1", `t\n\n${line}\n${line}`],
    [many(101), "101 lines", "at most 100", many(100)],
    [`t\r\n\r\n${line}`, "\r", "no control character", `t\n\n${line}`],
    [`t\tu\n\n${line}`, "\t", "no control character", `t u\n\n${line}`],
    [`t\0\n\n${line}`, "\0", "no control character", `t\u007f\n\n${line}`],
    [`t\ud800\n\n${line}`, "a lone surrogate", "Unicode", `t\u{1f600}\n\n${line}`],
    [`t\n\n- a AAAAAAE=\n`, "- a AAAAAAE=", "<name> <base64>", `t\n\n${line}`],
    [`t\n\n— a  AAAAAAE=\n`, "— a  AAAAAAE=", "<name> <base64>", `t\n\n${line}`],
    [`t\n\n— a AAAAAAE= \n`, "— a AAAAAAE= ", "<name> <base64>", `t\n\n${line}`],
    [`t\n\n—  AAAAAAE=\n`, "", "a name without spaces", `t\n\n${line}`],
    [`t\n\n— a+b AAAAAAE=\n`, "a+b", "plus signs", `t\n\n${line}`],
    [`t\n\n— a\u00a0b AAAAAAE=\n`, "a\u00a0b", "a name without spaces", `t\n\n${line}`],
    [`t\n\n— a \n`, "0 bytes", "a key's id of 4 bytes and a signature", `t\n\n${line}`],
    [`t\n\n— a AAAAAA==\n`, "4 bytes", "a key's id of 4 bytes and a signature", `t\n\n${line}`],
    [`t\n\n— a AAAAAAF=\n`, "AAAAAAF=", "base64", `t\n\n${line}`],
    [`t\n\n— a AAAAAAE\n`, "AAAAAAE", "base64", `t\n\n${line}`],
    [`t\n\n— a AAAAAA-_\n`, "AAAAAA-_", "base64", `t\n\n— a AAAAAA+/\n`],
  ];
  for (const [text, found, expected, neighbour] of faults) {
    const { details } = refused("NoteMalformed", () => parse(text));
    assert.equal(details.place, "note");
    assert.equal(details.found, found);
    assert.ok(details.expected.includes(expected), `${details.expected} for ${JSON.stringify(text)}`);
    assert.equal(formatNote(parse(neighbour)), neighbour);
  }
  const long = `${"t".repeat(limits.noteCharacters)}\n\n${line}`;
  assert.match(refused("NoteMalformed", () => parse(long)).message, /characters", expected at most 1048576$/);
  const third = refused("NoteMalformed", () => parse(`t\n\n${line}x\n`));
  assert.match(third.message, /^NoteMalformed: note: line 4 of the note: "x", expected /);
});

test("formatNote: refuses to write what is no note", () => {
  const signature = { name: "a", id: "00000000", signature: Uint8Array.of(1) };
  const wrong: Note[] = [
    { text: "t", signatures: [signature] },
    { text: "", signatures: [signature] },
    { text: "t\r\n", signatures: [signature] },
    { text: "t\n", signatures: [] },
    { text: "t\n", signatures: [{ ...signature, name: "a b" }] },
    { text: "t\n", signatures: [{ ...signature, name: "a\n" }] },
    { text: "t\n", signatures: [{ ...signature, id: "0000000" }] },
    { text: "t\n", signatures: [{ ...signature, id: "0000000000" }] },
    { text: "t\n", signatures: [{ ...signature, signature: new Uint8Array(0) }] },
  ];
  for (const note of wrong) refused("NoteMalformed", () => formatNote(note));
  assert.equal(formatNote({ text: "t\n", signatures: [signature] }), "t\n\n— a AAAAAAE=\n");
  assert.equal(toBase64(fromHex("0000000001")), "AAAAAAE=");
});
