/** Paths as a person would write them. */
import * as path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of blindcast's own package: dist/src/cli is three below it. */
export const packageFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** A path as a person would write it from here. */
export function shownPath(file: string): string {
  const own = path.relative(packageFolder, file);
  const here = path.relative(process.cwd(), file);
  return here.startsWith("..") ? (own.startsWith("..") ? file : own) : here;
}
