/** Folders made one by one: Node's recursive mkdir never returns where a parent cannot be made (under /proc, say). */
import * as fs from "node:fs";
import * as path from "node:path";

/** Makes a folder and what it lacks above it; the first that was made, or undefined where all were there. */
export function makeFolders(folder: string): string | undefined {
  const missing: string[] = [];
  for (let next = path.resolve(folder); !fs.existsSync(next); next = path.dirname(next)) missing.push(next);
  for (const one of missing.toReversed()) fs.mkdirSync(one);
  return missing.at(-1);
}
