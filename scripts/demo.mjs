// The first backtest: three readers on the shipped case set, each report printed; the first run is signed with a key that
// is thrown away afterwards, and replayed under its policy. All of it stays in one folder under runs/.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const main = path.join(root, "dist", "src", "cli", "main.js");

fs.mkdirSync(path.join(root, "runs"), { recursive: true });
const folder = fs.mkdtempSync(path.join(root, "runs", "demo-"));
fs.mkdirSync(path.join(folder, "ledgers"));
console.log(`in ${path.relative(root, folder)}:`);

blindcast("keys", "new", "--out", "key.pem");
blindcast("backtest", "seattle-rain", "--reader", "climatology", "--key", "key.pem", "--out", "climatology");
fs.rmSync(path.join(folder, "key.pem"));
blindcast("replay", "climatology", "--policy", "key.pem.policy");
for (const reader of ["persistence", "recall:seattle-recall"])
  blindcast("backtest", "seattle-rain", "--reader", reader, "--out", reader.replace(/:.*/, ""));

function blindcast(...words) {
  console.log(`\n$ blindcast ${words.join(" ")}`);
  const { status, signal } = spawnSync(process.execPath, [main, ...words], { cwd: folder, stdio: "inherit" });
  if (status === 0) return;
  console.error(`scripts/demo.mjs: blindcast ended with ${signal ?? status}`);
  process.exit(1);
}
