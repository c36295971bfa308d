/** Words that stand only where they belong: those of an application, and the names of what data folders hold. */
import ts from "typescript";
import {
  commentsOf,
  type Files,
  type Finding,
  inside,
  lineOf,
  nodesOf,
  type Rule,
  type Source,
  wordsOf,
} from "./source.ts";

type Piece = { readonly words: readonly string[]; readonly line: number };

/** Identifiers, literals and comments, each as its words; an array's `.fill(` is left out. */
function* piecesOf(source: Source, skip: (node: ts.Node) => boolean): Generator<Piece> {
  for (const { text, line } of commentsOf(source)) yield { words: wordsOf(text), line };
  for (const node of nodesOf(source)) {
    const text = nameOrText(node);
    if (text === undefined || within(node, (each) => skip(each)) || isArrayFill(node)) continue;
    yield { words: wordsOf(text), line: lineOf(source, node.getStart(source.tree)) };
  }
}

function nameOrText(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) return node.text;
  if (ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node)) return node.text;
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
    ? node.text
    : undefined;
}

function within(node: ts.Node, test: (each: ts.Node) => boolean): boolean {
  for (let each: ts.Node | undefined = node; each !== undefined; each = each.parent)
    if (test(each)) return true;
  return false;
}

function isArrayFill(node: ts.Node): boolean {
  const access = node.parent;
  return (
    ts.isIdentifier(node) &&
    node.text === "fill" &&
    ts.isPropertyAccessExpression(access) &&
    access.name === node &&
    ts.isCallExpression(access.parent) &&
    access.parent.expression === access
  );
}

/** The first of the phrases that stands in the words, word by word. */
function phraseIn(words: readonly string[], phrases: readonly (readonly string[])[]): string | undefined {
  const found = phrases.find((phrase) =>
    words.some((_, at) => phrase.every((word, i) => words[at + i] === word)),
  );
  return found?.join(" ");
}

const applied = ["sharpe", "portfolio", "drawdown", "fill", "delisting", "ticker", "price"];
const appliedPhrases = [...applied.flatMap((word) => [[word], [`${word}s`]]), ["return", "series"]];
/** A picture's shapes have a fill. */
const drawings = [
  "src/report/cutoff-plot.ts",
  "src/report/dot-plot.ts",
  "src/report/line-plot.ts",
  "src/report/split-plot.ts",
  "src/report/svg-picture.ts",
];
const appliedHomes = ["src/stats/", "src/profile/", "src/cli/", "src/core/refusal", ...drawings];

const domainNeutral: Rule = {
  name: "domain-neutral words",
  check: (tree) => {
    const sources = inside(tree, "src").filter(
      ({ path }) => !appliedHomes.some((home) => path.startsWith(home)),
    );
    return sources.flatMap((source) =>
      worded(
        source,
        appliedPhrases,
        () => false,
        (phrase) => `"${phrase}" is an application's word: say it in neutral terms`,
      ),
    );
  },
};

function worded(
  source: Source,
  phrases: readonly (readonly string[])[],
  skip: (node: ts.Node) => boolean,
  say: (phrase: string) => string,
): Finding[] {
  const findings: Finding[] = [];
  for (const { words, line } of piecesOf(source, skip)) {
    const phrase = phraseIn(words, phrases);
    if (phrase !== undefined) findings.push({ path: source.path, line, found: say(phrase) });
  }
  return findings;
}

/** Words that the engine may say although the name of a data folder has them. */
const engineWords = new Set(
  (
    "answer answers audit backtest baseline bundle case cases certified checkpoint checkpoints control current " +
    "daily default demo end eval evaluate example exchange examples family finance first forecast grid in latest leakage ledger made " +
    "market meta model models monthly of question questions rain recall replay retrieval round rounds run sample " +
    "small sp suite test the timing tiny tool tournament track trial trials universe weekly yearly"
  ).split(" "),
);

/** `casesets/<name>/…`, `ledgers/<name>…`, and the stem of every YAML file under `profiles/`. */
function dataNames(files: Files): string[][] {
  const names = Object.keys(files).flatMap((path) => {
    const folder = /^(?:casesets|ledgers)\/([^/]+?)(?:\.[a-z]+)?(?:\/|$)/.exec(path)?.[1];
    return folder ?? /^profiles\/(?:.+\/)?([^/]+)\.ya?ml$/.exec(path)?.[1] ?? [];
  });
  const sequences = [...new Set(names)].map(wordsOf).filter((words) => words.length > 0);
  const proper = sequences.flatMap((words) =>
    words.filter((word) => word.length > 1 && !engineWords.has(word)).map((word) => [word]),
  );
  return [...sequences.filter((words) => words.some((word) => !engineWords.has(word))), ...proper];
}

/** Examples of the command line's help may name what is shipped. */
function isHelpExample(node: ts.Node): boolean {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "example"
  );
}

const contentOutside: Rule = {
  name: "content outside, capability inside",
  check: (tree) => {
    const names = dataNames(tree.files);
    return inside(tree, "src").flatMap((source) => {
      const inCli = source.path.startsWith("src/cli/");
      return worded(
        source,
        names,
        (node) => inCli && isHelpExample(node),
        (phrase) =>
          `"${phrase}" names what a data folder holds; src names none (an engine's own word goes into engineWords)`,
      );
    });
  },
};

export const wordRules: readonly Rule[] = [domainNeutral, contentOutside];
