/** One home for each capability: the list in test/capabilities.json, and no function exported from two files. */
import ts from "typescript";
import { type Finding, inside, lineOf, type Rule, type Source, type Tree } from "./source.ts";

const LIST = "test/capabilities.json";

/** `{"capability": "brier", "file": "src/stats/brier.ts", "symbol": "brier"}` */
type Home = { readonly capability: string; readonly file: string; readonly symbol: string };

/** Capabilities that the list may not lose. */
const needed = (
  "account from fills|agent session|aggregate|arms|as-of visibility|backtest overfitting|bootstrap|bounded read|brier|budget|canonical json|compared trials|" +
  "case set loading|chat endpoint reader|child process reader|cluster-robust contrast|control difference|" +
  "control slices|cutoff discontinuity|cutoff slices|deflated ratio|deflation|delisting return|digest|duration|effective trials|entity index|entity names|execution|gaps of an account|floor judge|folds of a run|instant parsing|judge calls|kept prices|known outcomes|label intervals|limits|" +
  "local time|membership|merkle root|model evidence|module reader|multiple tests|normal quantile|plant|price path|probe|protocol client reader|purge|query finding|" +
  "random stream|ranked search|rate limit|reader identity|reader instances|recorded folds|recorder|refusal|reply cache|report result|" +
  "routing|selection|settlement|split audit|splits|staged arm|staged row|staged row check|stamp|strict json|t quantile|table of answers|table of series|text rendering|training labels|" +
  "trajectory scoring|trial chain|trial ledger|trial measure|trigger orders"
).split("|");

type Declared = {
  readonly name: string;
  readonly line: number;
  readonly exported: boolean;
  readonly callable: boolean;
};

/** What a file declares at its top. */
function declaredIn(source: Source): Declared[] {
  return source.tree.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const exported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const line = lineOf(source, statement.getStart(source.tree));
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name, initializer }) => ({
        name: name.getText(source.tree),
        line,
        exported,
        callable:
          initializer !== undefined &&
          (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)),
      }));
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined && statement.body !== undefined)
      return [{ name: statement.name.text, line, exported, callable: true }];
    if (ts.isClassDeclaration(statement) && statement.name !== undefined)
      return [{ name: statement.name.text, line, exported, callable: true }];
    return [];
  });
}

/** Each verb of the command line has these, by contract with main. */
const isVerbPart = (path: string, name: string) =>
  path.startsWith("src/cli/") && /^(command|describe|builder|run)$/.test(name);

/** An exported function's name is declared at the top of no other file of src, exported or not. */
const oneHome: Rule = {
  name: "one home for a function",
  check: (tree) => {
    const homes = new Map<string, { path: string; line: number; exported: boolean }[]>();
    for (const source of inside(tree, "src")) {
      for (const { name, line, exported, callable } of declaredIn(source)) {
        if (!callable || isVerbPart(source.path, name)) continue;
        homes.set(name, [...(homes.get(name) ?? []), { path: source.path, line, exported }]);
      }
    }
    return [...homes].flatMap(([name, found]) => {
      const first = found.find(({ exported }) => exported);
      if (first === undefined) return []; // private to each of its files
      return found
        .filter((each) => each !== first)
        .map(({ path, line }) => ({ path, line, found: `${name} is exported by ${first.path} already` }));
    });
  },
};

const capabilities: Rule = {
  name: "capabilities have one home",
  check: (tree) => {
    const text = tree.files[LIST];
    if (text === undefined) return [{ path: LIST, line: 1, found: "no such file" }];
    const homes = JSON.parse(text) as Home[];
    const at = (found: string): Finding => ({ path: LIST, line: 1, found });
    const exported = exportsOf(tree);
    const names = homes.map(({ capability }) => capability);
    const places = homes.map(({ file, symbol }) => `${file}#${symbol}`);
    return [
      ...needed.filter((name) => !names.includes(name)).map((name) => at(`${name} is missing`)),
      ...twice(names).map((name) => at(`${name} is listed twice`)),
      ...twice(places).map((place) => at(`${place} is the home of two capabilities`)),
      ...homes.flatMap((home) => homeFaults(home, exported)).map(at),
    ];
  },
};

const twice = (values: readonly string[]) => [
  ...new Set(values.filter((each, i) => values.indexOf(each) !== i)),
];

/** Each exported name with the files that export it. */
function exportsOf(tree: Tree): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const source of inside(tree, "src"))
    for (const { name, exported } of declaredIn(source))
      if (exported) files.set(name, [...(files.get(name) ?? []), source.path]);
  return files;
}

function homeFaults({ capability, file, symbol }: Home, exported: Map<string, string[]>): string[] {
  const files = exported.get(symbol) ?? [];
  return [
    ...(files.includes(file) ? [] : [`${capability}: ${file} exports no ${symbol}`]),
    ...files
      .filter((each) => each !== file)
      .map((each) => `${capability}: ${symbol} is exported by ${each} too`),
  ];
}

export const homeRules: readonly Rule[] = [oneHome, capabilities];
