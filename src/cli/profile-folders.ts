/** Where profiles, families and endpoints are looked for by name. */
import * as fs from "node:fs";
import * as path from "node:path";
import { upward } from "../core/folders.ts";
import { packageFolder } from "./shown-path.ts";

/** `profiles/` of the nearest workspace upward, then the package's. */
export function profileFolders(): string[] {
  const here = [...upward(process.cwd())]
    .map((folder) => path.join(folder, "profiles"))
    .filter((folder) => fs.existsSync(folder));
  return [...here.slice(0, 1), path.join(packageFolder, "profiles")];
}
