/** Lines out of bytes: the same however the bytes were cut, and no more memory than one line may have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "../../src/core/limits.ts";
import { lineSource } from "../../src/model/agent-lines.ts";
import type { Received } from "../../src/model/agent-session.ts";

const reading = (chunks: readonly Buffer[]) => {
  const left = [...chunks];
  return lineSource(() => left.shift() ?? null);
};

function allOf(chunks: readonly Buffer[]): { lines: Received[]; rest: string } {
  const source = reading(chunks);
  const lines: Received[] = [];
  for (let line = source.next(); line !== null; line = source.next()) {
    lines.push(line);
    if (line.kind === "broken") break;
  }
  return { lines, rest: source.rest() };
}

test("lines do not depend on where their bytes were cut", () => {
  const texts = fc.array(
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(texts, fc.string(), fc.array(fc.nat({ max: 9 })), (whole, end, sizes) => {
      const last = end.replaceAll("\n", "").toWellFormed();
      const bytes = Buffer.from(`${whole.map((text) => `${text.toWellFormed()}\n`).join("")}${last}`);
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      chunks.push(bytes.subarray(at));
      assert.deepEqual(allOf(chunks), {
        lines: whole.map((text) => ({ kind: "line", text: text.toWellFormed() })),
        rest: last,
      });
    }),
  );
});

test("bytes that are not UTF-8 break a line", () => {
  assert.deepEqual(allOf([Buffer.from("ä\n")]).lines, [{ kind: "line", text: "ä" }]);
  assert.deepEqual(allOf([Buffer.from("ä\n", "latin1")]).lines, [
    { kind: "broken", problem: "a line that is not UTF-8" },
  ]);
});

test("a line of the most bytes is one; a byte more breaks it before its end has come", () => {
  const most = Buffer.alloc(limits.lineBytes, "x");
  const [line] = allOf([most, Buffer.from("\n")]).lines;
  assert.ok(line?.kind === "line" && line.text.length === limits.lineBytes);
  assert.equal(allOf([most]).lines.length, 0);
  assert.deepEqual(allOf([most, Buffer.from("x")]).lines, [
    { kind: "broken", problem: `a line of more than ${limits.lineBytes} bytes` },
  ]);
});

test("an endless line is given up after its limit, not read to its end", () => {
  const chunk = Buffer.alloc(65_536, "x");
  let read = 0;
  const source = lineSource(() => {
    read += chunk.length;
    return chunk;
  });
  assert.equal(source.next()?.kind, "broken");
  assert.ok(read <= limits.lineBytes + 2 * chunk.length, `${read} bytes were read`);
});
