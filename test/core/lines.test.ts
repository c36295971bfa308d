import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { cause, readLines, readText } from "../../src/core/lines.ts";
import { noted, refused, temporary, written } from "./refused.ts";

const folder = temporary();
const linesOf = (data: string | Uint8Array) => [...readLines(written(folder, "f", data), "f.jsonl")];

test("readLines: numbers lines from 1; the last may lack its newline", () => {
  assert.deepEqual(linesOf("a\nb\n"), [
    { text: "a", number: 1 },
    { text: "b", number: 2 },
  ]);
  assert.deepEqual(linesOf("a\n\nb"), [
    { text: "a", number: 1 },
    { text: "", number: 2 },
    { text: "b", number: 3 },
  ]);
  assert.deepEqual(linesOf("a\r\nb"), [
    { text: "a\r", number: 1 },
    { text: "b", number: 2 },
  ]);
  assert.deepEqual(linesOf(""), []);
  assert.deepEqual(linesOf("\n"), [{ text: "", number: 1 }]);
  assert.deepEqual(
    linesOf("\ufeffa\n\ufeffb\n").map(({ text }) => text),
    ["a", "\ufeffb"],
  );
});

test("readLines: gives back every text, split at its newlines", () => {
  const unit = fc.constantFrom("a", "é", "€", "😀", "\n", "\r", "\u2028", "\0");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const expected = text.split("\n");
      if (expected.at(-1) === "") expected.pop();
      assert.deepEqual(
        linesOf(text),
        expected.map((line, i) => ({ text: line, number: i + 1 })),
      );
    }),
  );
});

test("readLines: lines and characters that lie across chunks come whole", () => {
  const lines = Array.from({ length: 9 }, (_, i) => `${i}${"é😀€".repeat(50_000 + i * 7)}`);
  const data = Buffer.from(lines.join("\n"));
  assert.ok(data.length > 3 * (1 << 20));
  assert.deepEqual(
    linesOf(data).map(({ text }) => text),
    lines,
  );
});

test("readLines: what is not UTF-8 is refused by the line on which it stands", () => {
  const data = Buffer.from("a\nb\nc\xff\nd\n\xc3\n", "latin1");
  assert.equal(refused("FileUnreadable", () => linesOf(data)).details.place, "f.jsonl:3");
  const file = written(folder, "g", data);
  let read: string[] = [];
  const refusals = noted((complain) => {
    read = [...readLines(file, "g", complain)].map(({ text }) => text);
  });
  assert.deepEqual(refusals, ["FileUnreadable g:3", "FileUnreadable g:5"]);
  assert.deepEqual(read, ["a", "b", "d"], "the lines between are read");
  const far = Buffer.concat([Buffer.from("x\n".repeat(1 << 20)), Buffer.from("\xe9", "latin1")]);
  assert.equal(refused("FileUnreadable", () => linesOf(far)).details.place, `f.jsonl:${(1 << 20) + 1}`);
});

test("readLines: a line may be as long as the limit in bytes, not longer, wherever its newline falls", () => {
  const longest = "é".repeat(limits.lineBytes / 2);
  assert.equal(linesOf(`${longest}\n`)[0]?.text.length, limits.lineBytes / 2);
  for (const text of [`a\n${longest}x\nb\n`, `a\n${longest}x`, `a\n${longest}${longest}\n`]) {
    const { details } = refused("LimitExceeded", () => linesOf(text));
    assert.equal(details.place, "f.jsonl:2");
    assert.equal(details.limit, limits.lineBytes);
    assert.ok(details.found > limits.lineBytes);
  }
});

test("readLines: a file that is not there, or a folder, is refused without its path in the cause", () => {
  for (const file of [`${folder}/absent`, folder]) {
    const { details } = refused("FileUnreadable", () => [...readLines(file, "shown")]);
    assert.equal(details.place, "shown");
    assert.doesNotMatch(details.cause, /blindcast-test/);
  }
});

test("readText: keeps a byte order mark, so that its digest is the file's", () => {
  const file = written(folder, "t", "\ufeffa\n");
  assert.equal(readText(file, "t", 100), "\ufeffa\n");
  assert.equal(refused("LimitExceeded", () => readText(file, "t", 4)).details.found, 5);
  assert.equal(readText(file, "t", 5)?.length, 3);
  const wrong = written(folder, "w", Buffer.from([0xff]));
  assert.equal(refused("FileUnreadable", () => readText(wrong, "w", 100)).details.cause, "not UTF-8");
});

test("cause: an error of the file system without its path and call", () => {
  try {
    fs.readFileSync(`${folder}/it's not, here`);
  } catch (error) {
    assert.equal(cause(error), "ENOENT no such file or directory");
  }
  assert.equal(cause(new Error("the server answered 404")), "the server answered 404");
  assert.equal(cause("text"), "text");
});
