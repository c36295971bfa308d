/** Banned ambient calls in src: each is a rule of its own, and names what stands in its place. */
import ts from "typescript";
import { inside, look, type Rule, type Source } from "./source.ts";

/** `name` of an object, as `Date.now` and as `Date["now"]`. */
function member(node: ts.Node): { object: string; name: string } | undefined {
  if (ts.isPropertyAccessExpression(node)) return { object: node.expression.getText(), name: node.name.text };
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
    return { object: node.expression.getText(), name: node.argumentExpression.text };
  return undefined;
}

function property(object: string, name: string): (node: ts.Node) => boolean {
  return (node) => {
    const found = member(node);
    return found?.object.replace(/^globalThis\./, "") === object && found.name === name;
  };
}

function method(test: RegExp): (node: ts.Node) => boolean {
  return (node) => test.test(member(node)?.name ?? "");
}

/** `new Date()` without an instant, and `Date()`, which ignores what it is given. */
function dateOfNow(node: ts.Node): boolean {
  const isDate = (expression: ts.Expression) => ts.isIdentifier(expression) && expression.text === "Date";
  if (ts.isCallExpression(node)) return isDate(node.expression);
  return ts.isNewExpression(node) && isDate(node.expression) && (node.arguments ?? []).length === 0;
}

/** `const { random } = Math`, which would hide a ban on `Math.random`. */
function takenApart(node: ts.Node): boolean {
  return (
    ts.isVariableDeclaration(node) &&
    ts.isObjectBindingPattern(node.name) &&
    /^(globalThis\.)?(Math|Date|process)$/.test(node.initializer?.getText() ?? "")
  );
}

function power(node: ts.Node): boolean {
  return (
    ts.isBinaryExpression(node) &&
    (node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken ||
      node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskEqualsToken)
  );
}

type Ban = {
  readonly what: string;
  readonly instead: string;
  readonly hit: (node: ts.Node) => boolean;
  readonly exempt?: (source: Source) => boolean;
};

const inCli = ({ path }: Source) => path.startsWith("src/cli/");

const bans: readonly Ban[] = [
  { what: "Date.now", instead: "world.clock.now()", hit: property("Date", "now") },
  { what: "new Date()", instead: "an instant that is passed in", hit: dateOfNow },
  { what: "performance.now", instead: "world.clock", hit: property("performance", "now"), exempt: inCli },
  { what: "Math.random", instead: "stream(seed, name) of core/random", hit: property("Math", "random") },
  { what: "**", instead: "products, or Math.sqrt: its bits differ between Node versions", hit: power },
  { what: "Math.pow", instead: "products, or Math.sqrt", hit: property("Math", "pow") },
  { what: "process.env", instead: "a value that cli reads", hit: property("process", "env"), exempt: inCli },
  { what: "localeCompare", instead: "< and >, by code unit", hit: method(/^localeCompare$/) },
  { what: "toLocale", instead: "the formats of core", hit: method(/^toLocale/) },
  { what: "ambient taken apart", instead: "its members by their full name", hit: takenApart, exempt: inCli },
];

export const ambientRules: readonly Rule[] = bans.map(({ what, instead, hit, exempt }) => ({
  name: `ambient: ${what}`,
  check: (tree) =>
    look(
      inside(tree, "src").filter((source) => exempt?.(source) !== true),
      (node) => (hit(node) ? `${what} is banned; use ${instead}` : undefined),
    ),
}));
