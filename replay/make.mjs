// Makes the runs of this folder anew, each signed with a key that is thrown away. Run `npm run build` first.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const here = import.meta.dirname;
const main = path.resolve(here, "..", "dist", "src", "cli", "main.js");
const agents = path.resolve(here, "..", "docs", "agents");

make("seattle-climatology", ["seattle-rain", "--reader", "climatology", "--limit", "60"], 0);
const pages = ["northgate-ferries", "--reader", `module:${agents}/searcher.mjs`, "--profile", "leakage", "--limit", "20"];
make("northgate-searcher", pages, 1); // its pages tell what came later, so cases fail
const rule = ["--param", "rule=volatility", "--param", "days=20", "--param", "target=12"];
make("sp500-timer", ["sp500-timing", "--reader", `module:${agents}/timer.mjs`, ...rule, "--limit", "12"], 0);

/** `status`: that of the backtest; a replay that does not hold the record for true ends it all. */
function make(name, selection, status) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-replay-"));
  fs.mkdirSync(path.join(scratch, "ledgers"));
  const blindcast = (expected, ...words) => {
    const ended = spawnSync(process.execPath, [main, ...words], { cwd: scratch, stdio: "inherit" }).status;
    if (ended !== expected) throw new Error(`blindcast ${words.join(" ")} ended with ${ended}`);
  };
  blindcast(0, "keys", "new", "--out", "key.pem", "--origin", "blindcast/replay");
  const signed = ["--key", "key.pem", "--origin", "blindcast/replay", "--out", "run"];
  blindcast(status, "backtest", ...selection, ...signed);
  blindcast(0, "replay", "run", "--policy", "key.pem.policy");
  const run = path.join(here, name);
  fs.rmSync(run, { recursive: true, force: true });
  fs.cpSync(path.join(scratch, "run"), run, { recursive: true });
  fs.copyFileSync(path.join(scratch, "key.pem.policy"), `${run}.policy`);
  fs.rmSync(scratch, { recursive: true });
}
