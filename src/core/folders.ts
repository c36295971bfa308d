/** Folders: made one by one, and looked at upward; Node's recursive mkdir never returns where a parent cannot be made. */
import * as fs from "node:fs";
import * as path from "node:path";
import { limits } from "./limits.ts";

/**
 * Makes a folder and what it lacks above it, each with `mode` less the process's mask; the first that was made, or
 * undefined where all were there. Another process may make the same ones at the same time.
 */
export function makeFolders(folder: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let next = path.resolve(folder); !fs.existsSync(next); next = path.dirname(next)) missing.push(next);
  return missing.toReversed().filter((one) => makeOne(one, mode))[0];
}

/** True where it was made here, false where somebody else was faster. */
function makeOne(folder: string, mode: number | undefined): boolean {
  try {
    fs.mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && fs.statSync(folder).isDirectory()) return false;
    throw error;
  }
}

/** A folder, its parent, and so on to the root, as many as the limit. */
export function* upward(start: string): Generator<string> {
  let folder = path.resolve(start);
  for (let i = 0; i < limits.parents; i++) {
    yield folder;
    const parent = path.dirname(folder);
    if (parent === folder) return;
    folder = parent;
  }
}
