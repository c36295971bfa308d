/** YAML files (1.2 core schema), held to what JSON can hold: each value with its line and column. */
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  visit,
} from "yaml";
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
  const deep = offsetOfDeep(text, lines);
  if (deep !== undefined) {
    const { line, col } = lines.linePos(deep);
    complain("YamlInvalid", {
      place: `${place}:${line}:${col}`,
      problem: `nested deeper than ${limits.jsonDepth}`,
    });
    return undefined;
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    version: "1.2",
    schema: "core",
  });
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return `${place}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings];
  for (const { code, pos, message } of faults) {
    if (code === "DUPLICATE_KEY") complain("DuplicateKey", { place: at(pos[0]), key: wordAt(text, pos[0]) });
    else complain("YamlInvalid", { place: at(pos[0]), problem: firstLine(message) });
  }
  if (faults.length > 0 || !isPlain(document, at, complain)) return undefined;
  const root = document.contents as Node | null;
  return { value: document.toJS(), placeOf: (pointer) => at(offsetOf(root, pointer)) };
}

/**
 * Where the text nests far too deep, found without recursion: the library composes recursively, and a process that
 * runs out of stack while it compiles a regular expression ends without a word.
 */
function offsetOfDeep(text: string, lines: LineCounter): number | undefined {
  const parser = new Parser((offset) => lines.addNewLine(offset));
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)); // what is done is not kept: only its nesting is looked at
    if (parser.stack.length > limits.jsonDepth + PARSER_FRAMES) return parser.offset;
  }
  lines.lineStarts.length = 0;
  return undefined;
}

/** A document and a scalar stand on the parser's stack beside the collections. */
const PARSER_FRAMES = 2;

const firstLine = (message: string) =>
  (message.split("\n")[0] as string).replace(/ at line \d+, column \d+:?$/, "");

/** What JSON can hold: no aliases, keys that are texts and differ, well-formed Unicode, bounded nesting. */
function isPlain(document: Document, at: (offset: number) => Place, complain: Complain): boolean {
  let plain = true;
  const invalid = (node: unknown, problem: string) => {
    plain = false;
    complain("YamlInvalid", { place: at(isNode(node) ? (node.range?.[0] ?? 0) : 0), problem });
  };
  const isTooDeep = (node: Node, path: readonly unknown[]) => {
    if (path.filter(isCollection).length < limits.jsonDepth) return false;
    invalid(node, `nested deeper than ${limits.jsonDepth}`);
    return true;
  };
  visit(document, {
    Alias: (_, node) => invalid(node, `an alias *${node.source}, expected the value itself`),
    Scalar: (_, node) => {
      if (typeof node.value === "string" && !node.value.isWellFormed())
        invalid(node, "a lone surrogate, expected Unicode");
    },
    Seq: (_, node, path) => (isTooDeep(node, path) ? visit.BREAK : undefined),
    Map: (_, node, path) => {
      if (isTooDeep(node, path)) return visit.BREAK;
      const seen = new Set<string>();
      for (const { key } of node.items) {
        if (!isScalar(key) || key.value === null) {
          invalid(key ?? node, "a key that is no text");
          continue;
        }
        const name = String(key.value);
        if (seen.has(name)) {
          plain = false;
          complain("DuplicateKey", { place: at(key.range?.[0] ?? 0), key: name });
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return plain;
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

/** The key at an offset, without its quotes. */
function wordAt(text: string, offset: number): string {
  const parts = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^:\n]*))/.exec(text.slice(offset, offset + 1000));
  return (parts?.[1] ?? parts?.[2] ?? parts?.[3] ?? "").trim();
}
