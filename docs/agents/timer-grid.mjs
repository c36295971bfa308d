/** Tries the timer's eight rules in 60 configurations on sp500-timing, one run each: `node docs/agents/timer-grid.mjs`. */
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const of = (rule, ...grids) => grids.map((params) => ({ rule, ...params }));
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

export const grid = [
  ...of("hold", {}),
  ...of("average", ...range(3, 12).map((months) => ({ months }))),
  ...of("momentum", ...range(1, 12).map((months) => ({ months }))),
  ...of("reversal", ...range(1, 6).map((months) => ({ months }))),
  ...of("cross", ...[10, 20, 50].flatMap((short) => [100, 150, 200].map((long) => ({ short, long })))),
  ...of("breakout", ...[60, 120, 240].flatMap((days) => [5, 10].map((within) => ({ days, within })))),
  ...of("volatility", ...[20, 60, 120].flatMap((days) => [8, 10, 12].map((target) => ({ days, target })))),
  ...of("season", ...[9, 10, 11, 12].map((from) => ({ from, to: 4 })), ...[3, 5, 6].map((to) => ({ from: 11, to }))),
];

/** `--cli FILE`: the command to run; `--out DIR`: where run folders go; what follows `--` goes to each run. */
function main(argv) {
  const agent = path.join(path.dirname(fileURLToPath(import.meta.url)), "timer.mjs");
  const rest = argv.includes("--") ? argv.slice(argv.indexOf("--") + 1) : [];
  const flag = (name, other) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : other);
  const [cli, out] = [flag("--cli", null), flag("--out", "runs")];
  for (const [i, params] of grid.entries()) {
    const words = Object.entries(params).flatMap(([key, value]) => ["--param", `${key}=${value}`]);
    const folder = path.join(out, `timing-${String(i + 1).padStart(2, "0")}`);
    const args = ["backtest", "sp500-timing", "--profile", "timing-grid", "--reader", `module:${agent}`, ...words, "--out", folder, "--json", ...rest];
    const [command, before] = cli === null ? ["npx", ["blindcast"]] : [process.execPath, [cli]];
    const { status, stdout, stderr } = spawnSync(command, [...before, ...args], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
    if (status !== 0) throw new Error(`${JSON.stringify(params)}: status ${status}\n${stderr}`);
    const { decisions } = JSON.parse(stdout.trim().split("\n").at(-1));
    console.log(`${String(i + 1).padStart(2)} ${JSON.stringify(params)} Sharpe ${decisions.sharpe?.toFixed(4)} per month`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
