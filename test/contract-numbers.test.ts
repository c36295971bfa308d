import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { contract } from "../src/core/contract.ts";
import { root } from "./tidy/repository.ts";

/** Rows `| name | value | meaning |` under the one table of the page. */
function documented(text: string): { name: string; value: string; meaning: string }[] {
  return text
    .split("\n")
    .filter((line) => /^\| `/.test(line))
    .map((line) => {
      const [name, value, meaning] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      return {
        name: (name as string).replaceAll("`", ""),
        value: value as string,
        meaning: meaning as string,
      };
    });
}

const rows = documented(fs.readFileSync(path.join(root, "docs", "contract-numbers.md"), "utf8"));

test("contract numbers: the page has each number of core/contract and no other, in the same order", () => {
  assert.ok(rows.length > 0, "no row was read");
  assert.deepEqual(
    rows.map(({ name, value }) => `${name} = ${value}`),
    Object.entries(contract).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  );
});

test("contract numbers: each row says what its number means", () => {
  for (const { name, meaning } of rows) assert.match(meaning, /\w{3}.*\.$/, name);
});

test("contract numbers: a row that is changed, lost or added is seen", () => {
  const [first] = documented(
    "| name | value | meaning |\n|---|---|---|\n| `alpha` | 0.05 | Level of a test. |\n",
  );
  assert.deepEqual(first, { name: "alpha", value: "0.05", meaning: "Level of a test." });
  assert.equal(documented("| alpha | 0.05 |\n").length, 0);
});
