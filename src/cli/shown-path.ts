/** Paths as a person would write them. */
import * as path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of blindcast's own package: dist/src/cli is three below it. */
export const packageFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** A path from here where it lies below, else the whole one: it can be opened as it is shown. */
export function openablePath(file: string): string {
  const here = path.relative(process.cwd(), file);
  return here.startsWith("..") || path.isAbsolute(here) ? path.resolve(file) : here;
}

/** A path as a person would write it from here; what lies in blindcast's own package, as from there: not to be opened. */
export function shownPath(file: string): string {
  const own = path.relative(packageFolder, file);
  const here = path.relative(process.cwd(), file);
  return here.startsWith("..") ? (own.startsWith("..") ? file : own) : here;
}
