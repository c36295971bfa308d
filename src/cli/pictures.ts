/** Pictures to a folder: one SVG file each, named by what it shows, told on stderr. */
import * as fs from "node:fs";
import * as path from "node:path";
import { makeFolders } from "../core/folders.ts";
import { refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import { printWords } from "./print.ts";
import { shownPath } from "./shown-path.ts";

/** A file that is there is written over: equal inputs give equal pictures. `none`: why there may be none. Refuses StorageFailed. */
export function writePictures(
  folder: string,
  pictures: readonly { readonly name: string; readonly svg: string }[],
  none = "there are no slices of any cutoff to show",
): void {
  if (pictures.length === 0) {
    printWords(`no picture: ${none}`);
    return;
  }
  const taken = new Set<string>();
  for (const { name, svg } of pictures) {
    const file = path.join(folder, fileName(name, taken));
    try {
      makeFolders(folder);
      fs.writeFileSync(file, svg);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      refuse("StorageFailed", { place: file, cause, next: "choose another --plot folder" });
    }
    printWords(`picture: ${shownPath(path.resolve(file))}`);
  }
}

/** A file's name has at most 255 bytes. */
const NAME = 200;

/** Letters, digits, `.`, `_` and `-` of a name; a number where two names come to one. */
function fileName(name: string, taken: Set<string>): string {
  const base = clip(name.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^\.+/, ""), NAME) || "picture";
  for (let i = 1; ; i++) {
    const file = `${base}${i === 1 ? "" : `-${i}`}.svg`;
    if (taken.has(file.toLowerCase())) continue;
    taken.add(file.toLowerCase());
    return file;
  }
}
