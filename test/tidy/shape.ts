/** Rules about the shape of a file: its length, its functions, and what it may not hold. */
import ts from "typescript";
import { commentsOf, inside, lineOf, look, type Rule, type Source, type Tree } from "./source.ts";

const FILE_LINES = 400;
const FUNCTION_LINES = 70;

const everywhere = (tree: Tree): Source[] => [...inside(tree, "src"), ...inside(tree, "test")];

const fileLines: Rule = {
  name: "file length",
  check: (tree) =>
    everywhere(tree).flatMap(({ path, text }) => {
      const lines = text.replace(/\n$/, "").split("\n").length;
      return lines <= FILE_LINES ? [] : [{ path, line: 1, found: `${lines} lines, at most ${FILE_LINES}` }];
    }),
};

const functionLines: Rule = {
  name: "function length",
  check: (tree) =>
    look(everywhere(tree), (node, source) => {
      if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return undefined;
      if (isDescribeBody(node)) return undefined;
      const lines = lineOf(source, node.getEnd()) - lineOf(source, node.getStart(source.tree)) + 1;
      return lines <= FUNCTION_LINES
        ? undefined
        : `a function of ${lines} lines, at most ${FUNCTION_LINES}: give its parts names`;
    }),
};

/** The body of `describe` is a heading over tests, each of them a function of its own. */
function isDescribeBody(node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && parent.expression.text === "describe"
  );
}

const noDefaultExport: Rule = {
  name: "no default export",
  check: (tree) =>
    look(everywhere(tree), (node) => {
      const found =
        ts.isExportAssignment(node) ||
        (node.kind === ts.SyntaxKind.DefaultKeyword && ts.isStatement(node.parent)) ||
        (ts.isExportSpecifier(node) && node.name.text === "default");
      return found ? "a default export: export it by its name" : undefined;
    }),
};

const noAny: Rule = {
  name: "no any",
  check: (tree) =>
    look(everywhere(tree), (node) =>
      node.kind === ts.SyntaxKind.AnyKeyword ? "any: say unknown, and narrow it" : undefined,
    ),
};

/** `test.only(…)` and `{ only: true }` leave the other tests out. */
const noOnly: Rule = {
  name: "no test run alone",
  check: (tree) =>
    look(everywhere(tree), (node) => {
      const called =
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        node.expression.name.text === "only";
      const option =
        ts.isPropertyAssignment(node) &&
        node.name.getText() === "only" &&
        node.initializer.kind === ts.SyntaxKind.TrueKeyword;
      return called || option ? "only: the other tests would not run" : undefined;
    }),
};

const noLater: Rule = {
  name: "nothing put off",
  check: (tree) =>
    everywhere(tree).flatMap((source) =>
      commentsOf(source)
        .filter(({ text }) => /\b(TODO|FIXME|XXX)\b/.test(text))
        .map(({ line }) => ({ path: source.path, line, found: "a comment that puts work off: do it now" })),
    ),
};

export const shapeRules: readonly Rule[] = [
  fileLines,
  functionLines,
  noDefaultExport,
  noAny,
  noOnly,
  noLater,
];
