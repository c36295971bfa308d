/** Killed before each call to the file system in turn, and in the middle of each write: the log goes on, or says why not. */
import assert from "node:assert/strict";
import fsDefault, * as fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as path from "node:path";
import { it } from "node:test";
import { isRefusal } from "../../src/core/refusal.ts";
import { aPlace, linesOf, progress, read, verifiedLines } from "./a-ledger.ts";
import { childOf, describe, words } from "./children.ts";

/** Every call by which a ledger changes a disk. */
const changing =
  "closeSync fsyncSync ftruncateSync linkSync mkdirSync openSync renameSync rmSync rmdirSync writeSync";

if (words[0] === "append") await appendUntilKilled(words.slice(1) as [string, string, string, string]);

/** Prints the index of the second append, and how many calls it made; is killed before the call `at`. */
async function appendUntilKilled([workspace, pemFile, first, at]: [string, string, string, string]) {
  const place = aPlace(workspace, read(pemFile));
  let calls = 0;
  const watch = () => {
    for (const name of changing.split(" ")) {
      const real = (fsDefault as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
      (fsDefault as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
        if (++calls === Number(at)) {
          if (name === "writeSync" && args[1] instanceof Uint8Array)
            real?.(args[0], args[1], args[2], Math.floor((args[3] as number) / 2), args[4]);
          process.kill(process.pid, "SIGKILL");
        }
        return real?.(...args);
      };
    }
    syncBuiltinESMExports();
  };
  const ledger = place.open();
  for (let n = 0; n < Number(first); n++) await ledger.append(progress(n));
  watch();
  const index = await ledger.append(progress(100));
  console.log(`${index}\n${calls}`);
}

describe("folder ledger: killed at every point", () => {
  for (const first of [0, 2])
    it(`of an append to a log of ${first} leaves`, { timeout: 600_000 }, async (t) => {
      let points = 0;
      for (let at = 1; ; at++) {
        const place = aPlace();
        const pemFile = path.join(place.workspace, "key.pem");
        fs.writeFileSync(pemFile, place.pem, { mode: 0o600 });
        const child = childOf(import.meta.filename, [
          "append",
          place.workspace,
          pemFile,
          String(first),
          String(at),
        ]);
        const ended = await child.ended;
        const told = child.lines()[0];
        const index = await place
          .open()
          .append(progress(200))
          .catch((error) => {
            assert.ok(isRefusal(error), String(error));
            assert.fail(`killed before call ${at}: ${error.message}`);
          });
        const lines = await verifiedLines(place);
        assert.deepEqual(
          lines.slice(0, first),
          Array.from({ length: first }, (_, n) => progress(n)),
        );
        const rest = lines.slice(first, index);
        assert.ok(rest.length === 0 || (rest.length === 1 && rest[0] === progress(100)), rest.join("\n"));
        assert.equal(lines[index], progress(200));
        assert.equal(linesOf(place).length, index + 1);
        if (told !== undefined) assert.equal(lines[Number(told)], progress(100));
        if (ended === 0) {
          points = at - 1;
          assert.equal(Number(child.lines()[1]), points);
          break;
        }
        assert.equal(ended, "SIGKILL");
      }
      assert.ok(points > 20, `${points} calls`);
      t.diagnostic(`${points} calls`);
    });
});
