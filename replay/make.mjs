// Makes replay/seattle-climatology anew: 60 cases, signed with a key that is thrown away. Run `npm run build` first.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const here = import.meta.dirname;
const main = path.resolve(here, "..", "dist", "src", "cli", "main.js");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-replay-"));
fs.mkdirSync(path.join(scratch, "ledgers"));

blindcast("keys", "new", "--out", "key.pem", "--origin", "blindcast/replay");
const selection = ["seattle-rain", "--reader", "climatology", "--limit", "60"];
blindcast("backtest", ...selection, "--key", "key.pem", "--origin", "blindcast/replay", "--out", "run");
blindcast("replay", "run", "--policy", "key.pem.policy");
const run = path.join(here, "seattle-climatology");
fs.rmSync(run, { recursive: true, force: true });
fs.cpSync(path.join(scratch, "run"), run, { recursive: true });
fs.copyFileSync(path.join(scratch, "key.pem.policy"), `${run}.policy`);
fs.rmSync(scratch, { recursive: true });

function blindcast(...words) {
  const { status } = spawnSync(process.execPath, [main, ...words], { cwd: scratch, stdio: "inherit" });
  if (status !== 0) throw new Error(`blindcast ${words.join(" ")} ended with ${status}`);
}
