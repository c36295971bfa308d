/** Files that a person names by a path or by a name: YAML files of folders that are looked at in their order. */
import * as fs from "node:fs";
import * as path from "node:path";

/** Whether it is a path, and not a name alone. */
export const isPath = (name: string): boolean => /[/\\]|\.ya?ml$/.test(name);

/** The file, undefined where none is there, and every place that was looked at. */
export function lookFor(
  name: string,
  folders: readonly string[],
): { readonly found: string | undefined; readonly looked: readonly string[] } {
  const named = folders.map((folder) => path.join(folder, `${name}.yaml`));
  const looked = /\.ya?ml$/.test(name) ? [name] : [...new Set([...(isPath(name) ? [name] : []), ...named])];
  return { found: looked.find((file) => fs.existsSync(file) && fs.statSync(file).isFile()), looked };
}
