/** A tree of files as the tidy rules see it: sources parsed, with their imports, functions, comments and words. */
import ts from "typescript";

/** Path from the root, with `/`, to text. A planted tree is written down so; the real one is read so. */
export type Files = Readonly<Record<string, string>>;

export type Import = {
  readonly specifier: string;
  /** The file of a relative import, from the root; null for a package. */
  readonly target: string | null;
  readonly typeOnly: boolean;
  readonly line: number;
};

export type Source = {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
};

export type Tree = { readonly files: Files; readonly sources: readonly Source[] };

/** What a rule found: where, and in words that name the remedy. */
export type Finding = { readonly path: string; readonly line: number; readonly found: string };

export type Rule = {
  readonly name: string;
  readonly check: (tree: Tree) => Finding[];
};

const parsed = new Map<string, Source>();

export function treeOf(files: Files): Tree {
  const names = Object.keys(files).filter((name) => name.endsWith(".ts"));
  return { files, sources: names.sort().map((name) => sourceOf(name, files[name] as string)) };
}

/** Parses each text once: the real tree is looked at again with every planted file. */
function sourceOf(path: string, text: string): Source {
  const known = parsed.get(path);
  if (known !== undefined && known.text === text) return known;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
  const source = { path, text, tree, imports: importsOf(path, tree) };
  parsed.set(path, source);
  return source;
}

export function inside(tree: Tree, folder: string): Source[] {
  return tree.sources.filter(({ path }) => path.startsWith(`${folder}/`));
}

const nodes = new WeakMap<Source, readonly ts.Node[]>();

/** Every node of a source, parents before children; gathered once, as most rules look at them all. */
export function nodesOf(source: Source): readonly ts.Node[] {
  const known = nodes.get(source);
  if (known !== undefined) return known;
  const all: ts.Node[] = [];
  const gather = (node: ts.Node): void => {
    all.push(node);
    ts.forEachChild(node, gather);
  };
  gather(source.tree);
  nodes.set(source, all);
  return all;
}

export function lineOf(source: Source, position: number): number {
  return source.tree.getLineAndCharacterOfPosition(position).line + 1;
}

function finding(source: Source, node: ts.Node, found: string): Finding {
  return { path: source.path, line: lineOf(source, node.getStart(source.tree)), found };
}

/** The findings of one look at every node of every source. */
export function look(
  sources: readonly Source[],
  see: (node: ts.Node, source: Source) => string | undefined,
): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    for (const node of nodesOf(source)) {
      const found = see(node, source);
      if (found !== undefined) findings.push(finding(source, node, found));
    }
  }
  return findings;
}

/** Imports, re-exports, `import()`, `require()` and `import("…").Type`. */
function importsOf(path: string, tree: ts.SourceFile): Import[] {
  const imports: Import[] = [];
  const visit = (node: ts.Node): void => {
    const found = importOf(node);
    if (found !== undefined) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
      imports.push({ ...found, target: targetOf(path, found.specifier), line });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return imports;
}

function importOf(node: ts.Node): Pick<Import, "specifier" | "typeOnly"> | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, typeOnly: onlyTypes(node.importClause) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    const { exportClause } = node;
    const named = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : [];
    const typeOnly = node.isTypeOnly || (named.length > 0 && named.every((each) => each.isTypeOnly));
    return { specifier: node.moduleSpecifier.text, typeOnly };
  }
  if (
    ts.isImportTypeNode(node) &&
    ts.isLiteralTypeNode(node.argument) &&
    ts.isStringLiteral(node.argument.literal)
  )
    return { specifier: node.argument.literal.text, typeOnly: true };
  if (!ts.isCallExpression(node)) return undefined;
  const [first] = node.arguments;
  const called = node.expression;
  const loads =
    called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === "require");
  if (!loads || first === undefined || !ts.isStringLiteralLike(first)) return undefined;
  return { specifier: first.text, typeOnly: false };
}

function onlyTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false; // imported for what it does
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.length > 0 && named.elements.every((each) => each.isTypeOnly);
}

function targetOf(path: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  const parts = path.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

type Comment = { readonly text: string; readonly line: number };
const comments = new WeakMap<Source, readonly Comment[]>();

/** Every comment with its line. */
export function commentsOf(source: Source): readonly Comment[] {
  const known = comments.get(source) ?? gatherComments(source);
  comments.set(source, known);
  return known;
}

function gatherComments(source: Source): Comment[] {
  const seen = new Map<number, ts.CommentRange>();
  const gather = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return; // its text is a comment before its host already
    const { pos } = node;
    if (pos !== node.getStart(source.tree)) {
      for (const range of ts.getLeadingCommentRanges(source.text, pos) ?? []) seen.set(range.pos, range);
      for (const range of ts.getTrailingCommentRanges(source.text, pos) ?? []) seen.set(range.pos, range);
    }
    for (const child of node.getChildren(source.tree)) gather(child);
  };
  gather(source.tree);
  return [...seen.values()].map(({ pos, end }) => ({
    text: source.text.slice(pos, end),
    line: lineOf(source, pos),
  }));
}

/** The lower-case words of a text, camel case and kebab case taken apart. */
export function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return apart.toLowerCase().match(/[a-z]+/g) ?? [];
}
