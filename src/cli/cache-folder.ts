/** Where what can be fetched again is kept. */
import * as path from "node:path";

/** null where neither XDG_CACHE_HOME nor HOME says where. */
export function cacheFolder(): string | null {
  const home = process.env["HOME"];
  const folder = process.env["XDG_CACHE_HOME"] ?? (home === undefined ? null : path.join(home, ".cache"));
  return folder === null ? null : path.join(folder, "blindcast");
}
