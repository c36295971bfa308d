// Compiles src and test into dist/, unless dist/ is already what this very text compiles to.
// The stamp holds two digests, of all that goes in and of all that came out: whatever differs, all is compiled anew.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const stamp = path.join(dist, "built.json");
const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");

const wanted = given();
if (wanted !== null && isBuilt(wanted)) {
  console.log("dist is up to date");
} else {
  fs.rmSync(dist, { recursive: true, force: true });
  const { status, signal } = spawnSync(process.execPath, [compiler, "-p", "."], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) {
    console.error(`scripts/build.mjs: tsc ended with ${signal ?? status}`);
    process.exit(1);
  }
  fs.writeFileSync(stamp, `${JSON.stringify({ given: wanted, made: digestOf(["dist"]) })}\n`);
}

/** Sources, settings, and the packages whose types are looked at, as they are installed. */
function given() {
  const installed = path.join("node_modules", ".package-lock.json");
  if (!fs.existsSync(path.join(root, installed))) return null;
  return digestOf(["src", "test", "tsconfig.json", "package.json", installed, "scripts/build.mjs"]);
}

function isBuilt(wanted) {
  if (!fs.existsSync(stamp)) return false;
  try {
    const built = JSON.parse(fs.readFileSync(stamp, "utf8"));
    return built.given === wanted && built.made === digestOf(["dist"]);
  } catch {
    return false; // a stamp that was cut off is none
  }
}

/** Of names and bytes of all files below, the stamp left out. */
function digestOf(places) {
  const hash = createHash("sha256");
  const files = places.flatMap((place) =>
    fs.statSync(path.join(root, place)).isDirectory()
      ? fs
          .readdirSync(path.join(root, place), { recursive: true })
          .map((name) => path.join(place, name))
          .filter((file) => fs.statSync(path.join(root, file)).isFile())
      : [place],
  );
  for (const file of files.sort()) {
    if (path.join(root, file) === stamp) continue;
    const bytes = fs.readFileSync(path.join(root, file));
    hash.update(`${JSON.stringify([file, bytes.length])}\n`).update(bytes);
  }
  return hash.digest("hex");
}
