/** Lists of capabilities that are refused, each one fault away from the list of the repository. */
import type { Pair } from "./pairs.ts";
import type { Files } from "./source.ts";

const LIST = "test/capabilities.json";
type Line = { capability: string; file: string; symbol: string };

export function capabilityPairs(files: Files): Pair[] {
  const accepted: Files = Object.fromEntries(
    Object.entries(files).filter(([path]) => path.startsWith("src/") || path === LIST),
  );
  const listed = JSON.parse(files[LIST] ?? "[]") as Line[];
  const [first, ...rest] = listed as [Line, ...Line[]];
  const list = (lines: readonly Line[]): Pair => ({
    refused: { ...accepted, [LIST]: JSON.stringify(lines) },
    accepted,
  });
  const doubled = { "src/cli/doubled.ts": `export function ${first.symbol}() {}\n` };
  return [
    list(rest), // missing
    list([first, ...listed]), // listed twice
    list([{ ...first, capability: "another" }, ...listed]), // one home, two capabilities
    list([{ ...first, symbol: "isNotThere" }, ...rest]), // undefined
    list([{ ...first, file: "src/core/is-not-there.ts" }, ...rest]),
    { refused: { ...accepted, ...doubled }, accepted }, // two homes
  ];
}
