/** A replay needs the run folder and the engine alone: no network, no case set, no profile, no public data. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { blindcast, lastLine, repository, temporaryFolder } from "./command-line.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true }));

/** Loaded before the program: whatever touches the network, or what a run was made from, ends it. */
const cut = path.join(folder, "cut.mjs");
fs.writeFileSync(
  cut,
  `import dns from "node:dns";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
const blocked = (what) => { throw new Error("CUT OFF: " + what); };
for (const name of ["openSync", "readFileSync", "existsSync", "statSync", "readdirSync"]) {
  const real = fs[name];
  fs[name] = (file, ...rest) =>
    /[\\\\/](casesets|profiles|vega-datasets)([\\\\/]|$)/.test(String(file)) ? blocked(file) : real(file, ...rest);
}
net.Socket.prototype.connect = () => blocked("network");
dns.lookup = () => blocked("network");
globalThis.fetch = () => blocked("network");
syncBuiltinESMExports();
`,
);
const env = { NODE_OPTIONS: `--import ${pathToFileURL(cut).href}` };

describe("replay.offline", () => {
  it("a moved run is verified with all else cut off; a backtest, under the same cut, is not even begun", () => {
    const committed = path.join(repository, "replay", "seattle-climatology");
    const moved = path.join(folder, "moved");
    fs.cpSync(committed, moved, { recursive: true });
    fs.copyFileSync(`${committed}.policy`, path.join(folder, "policy"));
    const words = ["replay", moved, "--policy", path.join(folder, "policy"), "--json"];
    const ran = blindcast(words, { cwd: folder, env });
    assert.equal(ran.status, 0, ran.stderr);
    const { result_digest } = lastLine(ran);
    assert.equal(result_digest, JSON.parse(fs.readFileSync(path.join(moved, "close.json"), "utf8")).result);
    const begun = blindcast(["backtest", "seattle-rain", "--out", path.join(folder, "run")], {
      cwd: folder,
      env,
    });
    assert.notEqual(begun.status, 0);
    assert.match(begun.stderr, /CUT OFF: .*seattle-rain/);
  });
});
