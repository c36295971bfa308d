/** Guards fire: every code of the closed union is raised somewhere in src and looked at in some test. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { codes } from "../../src/core/refusal.ts";
import { repository } from "./refused.ts";

/** Files that name codes without raising or demanding them. */
const exempt = [
  "src/core/refusal.ts",
  "src/core/refusal-codes.ts",
  "src/core/refusal-finance.ts",
  "src/core/refusal-messages.ts",
  "test/core/refusal.test.ts",
  "test/core/refusal-coverage.test.ts",
];

function sources(folder: string): { file: string; text: string }[] {
  return fs
    .readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.split(path.sep).join("/")}`)
    .filter((file) => file.endsWith(".ts") && !exempt.includes(file))
    .map((file) => ({ file, text: fs.readFileSync(path.join(repository, file), "utf8") }));
}

test("every code of a refusal is raised in src", () => {
  const files = sources("src");
  assert.ok(files.length > 20 && codes.length > 40, "the sources were found");
  const idle = codes.filter((code) => !files.some(({ text }) => text.includes(`"${code}"`)));
  assert.deepEqual(idle, [], "codes that nothing raises");
});

test("every code of a refusal is demanded by a test", () => {
  const files = sources("test");
  assert.ok(files.length > 10, "the tests were found");
  const untested = codes.filter((code) => !files.some(({ text }) => new RegExp(`\\b${code}\\b`).test(text)));
  assert.deepEqual(untested, [], "codes that no test looks at");
});

test("codes are words in PascalCase, each once", () => {
  assert.equal(new Set(codes).size, codes.length);
  for (const code of codes) assert.match(code, /^([A-Z][a-z]+)+$/);
});
