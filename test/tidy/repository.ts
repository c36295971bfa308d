/** The repository's own files, as far as the rules look at them. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Files } from "./source.ts";

/** The nearest folder upward that holds package.json: compiled tests stand in a folder of their own. */
export const root = upward(import.meta.dirname);

function upward(folder: string): string {
  return fs.existsSync(path.join(folder, "package.json")) ? folder : upward(path.dirname(folder));
}

/** Text of sources and of the list of capabilities; of data folders only the names. */
export function repositoryFiles(): Files {
  const files: Record<string, string> = {};
  for (const folder of ["src", "test"])
    for (const file of filesIn(folder))
      if (/\.ts$/.test(file) || file === "test/capabilities.json")
        files[file] = fs.readFileSync(path.join(root, file), "utf8");
  for (const folder of ["casesets", "profiles", "ledgers"])
    for (const file of filesIn(folder)) files[file] = "";
  return files;
}

function filesIn(folder: string): string[] {
  const at = path.join(root, folder);
  if (!fs.existsSync(at)) return [];
  return fs
    .readdirSync(at, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}
