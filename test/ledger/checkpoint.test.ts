import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toHex } from "../../src/core/bytes.ts";
import {
  type Checkpoint,
  formatCheckpoint,
  parseCheckpoint,
  parseCount,
} from "../../src/ledger/checkpoint.ts";
import { parseNote } from "../../src/ledger/note.ts";
import { refused, shared } from "../core/refused.ts";
import { checkpointText, EMPTY_ROOT } from "./a-log.ts";
import { parsed, refusedManglings } from "./one-spelling.ts";

const parse = (text: string): Checkpoint => parseCheckpoint(text, "checkpoint");
const LARGEST = Number.MAX_SAFE_INTEGER;

test("parseCheckpoint: the example of C2SP tlog-checkpoint, and one of Go's checksum database", () => {
  const sofa = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
  const { origin, size, root } = parse(sofa);
  assert.deepEqual([origin, size], ["example.com/behind-the-sofa", 20_852_163]);
  assert.ok(toHex(root).startsWith("0ac5186a91863e8e"));
  const go = "go.sum database tree\n63096908\n8lHrQPRYe4KT4WQ9/Qk8/taKnD6IRHbFgfN7vQE2Y54=\n";
  for (const text of [sofa, go]) assert.equal(formatCheckpoint(parse(text)), text);
});

test("parseCheckpoint: the frozen checkpoint has the frozen root", (t) => {
  const text = shared(t, "reference/audit-vectors.json");
  if (text === undefined) return;
  const { note, root } = JSON.parse(text) as { note: string; root: string };
  const checkpoint = parse(parseNote(note, "note").text);
  assert.deepEqual([checkpoint.size, toHex(checkpoint.root)], [2, root]);
});

test("formatCheckpoint and parseCheckpoint are inverse", () => {
  const checkpoints = fc.record(
    {
      origin: fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).filter((name) =>
        Object.hasOwn(
          parsed(() => parse(`${name}\n0\n${EMPTY_ROOT}\n`)),
          "value",
        ),
      ),
      size: fc.oneof(fc.nat(20), fc.maxSafeNat()),
      root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(checkpoints, (each) => assert.deepEqual(parse(formatCheckpoint(each)), each)));
  assert.equal(parse(checkpointText("a", LARGEST)).size, LARGEST);
});

test("parseCheckpoint: every mangling is refused, or is the one spelling of another checkpoint", () => {
  const { read, codes } = refusedManglings(checkpointText("ledger.example/a", 1205), parse, formatCheckpoint);
  assert.ok(read > 100);
  assert.deepEqual([...codes], ["CheckpointMalformed"]);
});

test("parseCheckpoint: any text is a checkpoint or a refusal", () => {
  const pieces = fc.constantFrom(
    "\n",
    "a",
    "0",
    "7",
    EMPTY_ROOT,
    "=",
    " ",
    "\r",
    "cosignature/v1",
    "\0",
    "\ud800",
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: pieces, maxLength: 7 })),
      (text) => {
        const result = parsed(() => parse(text));
        if ("value" in result) assert.equal(formatCheckpoint(result.value), text);
      },
    ),
    { numRuns: 3000 },
  );
});

test("CheckpointMalformed says which line, what was found and what was expected, and the neighbour is one", () => {
  const r = EMPTY_ROOT;
  const faults: [string, string, string, string][] = [
    ["", "checkpoint", "exactly 3 lines", `a\n0\n${r}\n`],
    [`a\n0\n${r}`, "checkpoint", "exactly 3 lines", `a\n0\n${r}\n`],
    [`a\n0\n${r}\n\n`, "checkpoint", "exactly 3 lines", `a\n0\n${r}\n`],
    [`a\n0\n${r}\nextension\n`, "checkpoint", "exactly 3 lines", `extension\n0\n${r}\n`],
    [`a\r\n0\r\n${r}\r\n`, "origin", "control characters", `a b\n0\n${r}\n`],
    [`a\n0\n${r}\r\n`, "root", "base64 of 32 bytes", `a\n0\n${r}\n`],
    [`\n0\n${r}\n`, "origin", "a name", ` \n0\n${r}\n`],
    [`\ud800\n0\n${r}\n`, "origin", "a name", `\u{1f600}\n0\n${r}\n`],
    ...["cosignature/v1", "subtree/v1", "SSHSIG", "SSHSIG.example", "DSSEv1 4 a"].map(
      (name): [string, string, string, string] => [
        `${name}\n0\n${r}\n`,
        "origin",
        "not reserved",
        `a/${name}\n0\n${r}\n`,
      ],
    ),
    ...[
      "",
      "01",
      "00",
      "-1",
      "+1",
      " 1",
      "1 ",
      "0x10",
      "1e3",
      "1.0",
      "1_0",
      "\u0661",
      "12345678901234567",
    ].map((size): [string, string, string, string] => [
      `a\n${size}\n${r}\n`,
      "size",
      "decimal digits",
      `a\n10\n${r}\n`,
    ]),
    ["a\n9007199254740992\n", "size", "below 2^53", `a\n9007199254740991\n${r}\n`],
    [`a\n0\n${r.slice(0, -1)}\n`, "root", "base64 of 32 bytes", `a\n0\n${r}\n`],
    ["a\n0\nAQ==\n", "root", "base64 of 32 bytes", `a\n0\n${r}\n`],
    [`a\n0\n${r.replace("U=", "V=")}\n`, "root", "base64 of 32 bytes", `a\n0\n${r}\n`],
  ];
  for (const [text, subject, expected, neighbour] of faults) {
    const whole = text.endsWith("92\n") ? `${text}${r}\n` : text;
    const { details } = refused("CheckpointMalformed", () => parse(whole));
    assert.equal(details.place, "checkpoint");
    assert.equal(details.subject, subject, JSON.stringify(whole));
    assert.ok(details.expected.includes(expected), details.expected);
    assert.equal(formatCheckpoint(parse(neighbour)), neighbour);
  }
  assert.equal(parse(`cosignature/v2\n0\n${r}\n`).origin, "cosignature/v2");
});

test("formatCheckpoint: refuses to write what is no checkpoint", () => {
  const good = parse(checkpointText());
  const wrong: Partial<Checkpoint>[] = [
    { origin: "" },
    { origin: "a\n1" },
    { origin: "cosignature/v1" },
    { size: -1 },
    { size: 0.5 },
    { size: 2 * LARGEST },
    { size: 1e21 },
    { size: Number.NaN },
    { root: new Uint8Array(31) },
  ];
  for (const each of wrong) refused("CheckpointMalformed", () => formatCheckpoint({ ...good, ...each }));
  assert.equal(formatCheckpoint(good), checkpointText());
});

test("parseCount: one spelling of each safe integer from 0", () => {
  for (const count of [0, 1, 9, 10, 4_294_967_296, LARGEST]) assert.equal(parseCount(String(count)), count);
  for (const text of ["", "-0", "00", "1n", "9007199254740993", "9999999999999999"])
    assert.equal(parseCount(text), undefined, text);
});
