/** YAML files (1.2 core schema): one document, no duplicate keys, no aliases; each value with its line and column. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { limits } from "./limits.ts";
import { readText } from "./lines.ts";
import { type Complain, type Place, strict } from "./refusal.ts";
import type { PlaceOf } from "./schema.ts";

/** Reads a file; `placeOf("/tables/weather/key")` says `caseset.yaml:12:5`. `undefined` where it was refused. */
export function readYaml(
  file: string,
  place: Place,
  complain: Complain = strict,
): { value: unknown; placeOf: PlaceOf } | undefined {
  const text = readText(file, place, limits.yamlBytes, complain);
  return text === undefined ? undefined : parseYaml(text, place, complain);
}

export function parseYaml(
  text: string,
  place: Place,
  complain: Complain = strict,
): { value: unknown; placeOf: PlaceOf } | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    version: "1.2",
    schema: "core",
  });
  for (const error of document.errors) {
    const { line, col } = lines.linePos(error.pos[0]);
    const at = `${place}:${line}:${col}`;
    if (error.code === "DUPLICATE_KEY")
      complain("DuplicateKey", { place: at, key: wordAt(text, error.pos[0]) });
    else
      complain("YamlInvalid", {
        place: at,
        problem: (error.message.split("\n")[0] as string).replace(/ at line \d+, column \d+:?$/, ""),
      });
  }
  if (document.errors.length > 0) return undefined;
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    complain("YamlInvalid", { place, problem: (error as Error).message });
    return undefined;
  }
  const root = document.contents as Node | null;
  const placeOf: PlaceOf = (pointer) => {
    const { line, col } = lines.linePos(offsetOf(root, pointer));
    return `${place}:${line}:${col}`;
  };
  return { value, placeOf };
}

/** The character at which a pointer's key (or list item) starts; the nearest parent's where it is absent. */
function offsetOf(root: Node | null, pointer: string): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replace(/~1/g, "/").replace(/~0/g, "~");
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === name);
      if (pair === undefined) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

function wordAt(text: string, offset: number): string {
  return (/^[^:\n]*/.exec(text.slice(offset))?.[0] ?? "").trim();
}
