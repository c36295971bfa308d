/** The workspace of a run: the folder whose `ledgers/` keeps what the run signed. */
import * as fs from "node:fs";
import * as path from "node:path";
import { upward } from "../core/folders.ts";

/** The nearest folder from `from` upward that has a folder `ledgers/`, else `from` itself; an absolute path. */
export function findWorkspace(from: string): string {
  for (const folder of upward(from)) {
    const ledgers = path.join(folder, "ledgers");
    if (fs.existsSync(ledgers) && fs.statSync(ledgers).isDirectory()) return folder;
  }
  return path.resolve(from);
}
