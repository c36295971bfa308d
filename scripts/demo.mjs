// The first backtest: three readers on the shipped case set, each report printed, each run kept under runs/.
import { spawnSync } from "node:child_process";
import * as path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const main = path.join("dist", "src", "cli", "main.js");

for (const reader of ["climatology", "persistence", "recall:seattle-recall"]) {
  const words = ["backtest", "seattle-rain", "--reader", reader];
  console.log(`\n$ blindcast ${words.join(" ")}`);
  const { status, signal } = spawnSync(process.execPath, [main, ...words], { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    console.error(`scripts/demo.mjs: blindcast ended with ${signal ?? status}`);
    process.exit(1);
  }
}
