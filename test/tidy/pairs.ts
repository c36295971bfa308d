/** For each tidy rule, trees that it refuses and beside each the nearest one that it accepts. */
import type { Files } from "./source.ts";

export type Pair = { readonly refused: Files; readonly accepted: Files };

const x = "export const x = 1;\n";
/** A placeholder of a template, as text. */
const hole = ["$", "{a}"].join("");
const lines = (count: number) => "// a line\n".repeat(count);
const longFunction = (count: number) => `export function long() {\n${"  x();\n".repeat(count - 2)}}\n`;
const inCore = (text: string): Files => ({ "src/core/planted.ts": text });
const inTest = (text: string): Files => ({ "test/core/planted.ts": text });

function pair(refused: Files, accepted: Files): Pair {
  return { refused, accepted };
}

/** A room's file that imports another file, which exists. */
function imports(from: string, target: string, how: "value" | "type" | "call" | "export" = "value"): Files {
  const up = "../".repeat(from.split("/").length - 2) || "./";
  const specifier = `${up}${target.slice("src/".length)}`;
  const statement = {
    value: `import { x } from "${specifier}";\nexport const y = x;\n`,
    type: `import type { x } from "${specifier}";\nexport type Y = typeof x;\n`,
    call: `export const y = () => import("${specifier}");\n`,
    export: `export { x } from "${specifier}";\n`,
  }[how];
  return { [from]: statement, [target]: x };
}

const roomPairs: Record<string, readonly Pair[]> = {
  "room order": [
    pair(imports("src/core/a.ts", "src/run/b.ts"), imports("src/run/a.ts", "src/core/b.ts")),
    pair(
      imports("src/stats/a.ts", "src/caseset/b.ts", "type"),
      imports("src/stats/a.ts", "src/core/b.ts", "type"),
    ),
    pair(
      imports("src/store/a.ts", "src/ledger/b.ts", "call"),
      imports("src/store/a.ts", "src/caseset/b.ts", "call"),
    ),
    pair(imports("src/model/a.ts", "src/store/b.ts"), imports("src/model/a.ts", "src/store/b.ts", "type")),
    pair(imports("src/model/deep/a.ts", "src/run/b.ts"), imports("src/model/deep/a.ts", "src/model/b.ts")),
    pair(imports("src/run/a.ts", "src/report/b.ts"), imports("src/report/a.ts", "src/run/b.ts")),
    pair(imports("src/run/a.ts", "src/forecast/b.ts"), imports("src/report/a.ts", "src/forecast/b.ts")),
    pair(imports("src/forecast/a.ts", "src/run/b.ts"), imports("src/forecast/a.ts", "src/score/b.ts")),
    pair(imports("src/report/a.ts", "src/profile/b.ts"), imports("src/profile/a.ts", "src/report/b.ts")),
    pair(
      imports("src/score/a.ts", "src/profile/b.ts", "export"),
      imports("src/replay/a.ts", "src/profile/b.ts"),
    ),
    pair(imports("src/replay/a.ts", "src/backtest.ts"), imports("src/backtest.ts", "src/replay/b.ts")),
    pair(imports("src/backtest.ts", "src/cli/b.ts"), imports("src/cli/a.ts", "src/backtest.ts")),
    pair(imports("src/verify.ts", "src/run/b.ts"), imports("src/verify.ts", "src/ledger/b.ts")),
    pair({ "src/attic/a.ts": x }, { "src/core/a.ts": x }),
    pair({ "src/stray.ts": x }, { "src/index.ts": x }),
    pair(imports("src/core/a.ts", "src/attic/b.ts"), imports("src/core/a.ts", "src/core/b.ts")),
  ],
  "no import cycle": [
    pair(
      {
        ...imports("src/core/a.ts", "src/core/b.ts"),
        ...imports("src/core/b.ts", "src/core/a.ts", "type"),
        "src/core/a.ts": 'import { y } from "./b.ts";\nexport const x = y;\n',
      },
      imports("src/core/a.ts", "src/core/b.ts"),
    ),
    pair(
      {
        "src/run/a.ts": 'import "./b.ts";\n',
        "src/run/b.ts": 'import "./c.ts";\n',
        "src/run/c.ts": 'export type { A } from "./a.ts";\n',
      },
      {
        "src/run/a.ts": 'import "./b.ts";\nimport "./c.ts";\n',
        "src/run/b.ts": 'import "./c.ts";\n',
        "src/run/c.ts": x,
      },
    ),
  ],
  "no index file in a room": [
    pair({ "src/core/index.ts": x }, { "src/index.ts": x }),
    pair({ "src/model/readers/index.ts": x }, { "src/store/index-table.ts": x }),
  ],
  "packages in their rooms": [
    pair({ "src/store/a.ts": 'import "yaml";\n' }, { "src/core/a.ts": 'import "yaml";\n' }),
    pair(
      { "src/run/a.ts": 'import { add } from "date-fns/add";\n' },
      { "src/core/a.ts": 'import { add } from "date-fns/add";\n' },
    ),
    pair(
      { "src/model/a.ts": 'import "@sinclair/typebox/compiler";\n' },
      { "src/model/a.ts": 'import "@sinclair/typebox";\n' },
    ),
    pair({ "src/core/a.ts": 'import "arquero";\n' }, { "src/report/a.ts": 'import "arquero";\n' }),
    pair(
      { "src/core/a.ts": 'export const load = () => import("left-pad");\n' },
      { "src/core/a.ts": 'import "node:fs";\n' },
    ),
    pair({ "src/core/a.ts": 'import "fs";\n' }, { "src/core/a.ts": 'import "node:fs";\n' }),
    pair(
      { "src/run/a.ts": 'import type { Argv } from "yargs";\n' },
      { "src/cli/a.ts": 'import type { Argv } from "yargs";\n' },
    ),
  ],
  "verify runs in a browser": [
    pair(
      {
        ...imports("src/verify.ts", "src/core/b.ts"),
        "src/core/b.ts": 'import "./c.ts";\n',
        "src/core/c.ts": 'import "node:crypto";\n',
      },
      {
        ...imports("src/verify.ts", "src/core/b.ts"),
        "src/core/b.ts": 'import "./c.ts";\n',
        "src/core/c.ts": 'import "@noble/hashes/sha2.js";\n',
        "src/core/d.ts": 'import "node:crypto";\n',
      },
    ),
  ],
  "walks import nothing from src": [
    pair(
      { "test/walk/a.test.ts": 'import "../../src/core/b.ts";\n' },
      { "test/walk/a.test.ts": 'import "../support/b.ts";\n' },
    ),
  ],
};

const ambientPairs: Record<string, readonly Pair[]> = {
  "ambient: Date.now": [
    pair(
      inCore("export const at = () => Date.now();\n"),
      inCore("export const at = Date.UTC(2014, 0, 1);\n"),
    ),
    pair(
      inCore('export const at = globalThis.Date["now"];\n'),
      inCore('// Date.now() is banned\nexport const at = "Date.now()";\n'),
    ),
  ],
  "ambient: new Date()": [
    pair(inCore("export const at = new Date();\n"), inCore("export const at = new Date(0);\n")),
    pair(
      inCore("export const at = new Date;\n"),
      inCore("export const at = (now: number) => new Date(now);\n"),
    ),
    pair(inCore("export const at = Date();\n"), inCore("export const at = Date.parse(text);\n")),
  ],
  "ambient: performance.now": [
    pair(inCore("export const at = performance.now();\n"), {
      "src/cli/machine.ts": "export const at = performance.now();\n",
    }),
  ],
  "ambient: Math.random": [
    pair(inCore("export const die = Math.random();\n"), inCore("export const die = random.below(6);\n")),
  ],
  "ambient: **": [
    pair(inCore("export const y = 2 ** 3;\n"), inCore("/** a comment */\nexport const y = 2 * 2 * 2;\n")),
    pair(inCore("export let y = 2;\ny **= 3;\n"), inCore("export let y = 2;\ny *= 3;\n")),
  ],
  "ambient: Math.pow": [
    pair(inCore("export const y = Math.pow(2, 3);\n"), inCore("export const y = Math.sqrt(2);\n")),
  ],
  "ambient: process.env": [
    pair(inCore("export const key = process.env.KEY;\n"), {
      "src/cli/keys.ts": "export const key = process.env.KEY;\n",
    }),
    pair(
      inCore('export const key = process["env"]["KEY"];\n'),
      inCore("export const key = process.platform;\n"),
    ),
  ],
  "ambient: localeCompare": [
    pair(inCore("export const less = a.localeCompare(b) < 0;\n"), inCore("export const less = a < b;\n")),
  ],
  "ambient: toLocale": [
    pair(
      inCore("export const shown = n.toLocaleString();\n"),
      inCore("export const shown = n.toString();\n"),
    ),
    pair(
      inCore("export const shown = s.toLocaleUpperCase();\n"),
      inCore("export const shown = s.toUpperCase();\n"),
    ),
  ],
  "ambient: ambient taken apart": [
    pair(
      inCore("const { random } = Math;\nexport const die = random();\n"),
      inCore("const { random } = world;\nexport const die = random();\n"),
    ),
  ],
};

const shapePairs: Record<string, readonly Pair[]> = {
  "file length": [pair(inCore(lines(401)), inCore(lines(400))), pair(inTest(lines(401)), inTest(lines(400)))],
  "function length": [
    pair(inCore(longFunction(71)), inCore(longFunction(70))),
    pair(inTest(`it("a", () => {\n${lines(70)}});\n`), inTest(`describe("a", () => {\n${lines(70)}});\n`)),
    pair(inTest(`test("a", () => {\n${lines(70)}});\n`), inTest(`test("a", () => {\n${lines(68)}});\n`)),
    pair(
      inCore(`class A {\n  m() {\n${lines(69)}  }\n}\n`),
      inCore(`class A {\n  m() {\n${lines(68)}  }\n  n() {\n${lines(68)}  }\n}\n`),
    ),
  ],
  "no default export": [
    pair(inCore("export default function f() {}\n"), inCore("export function f() {}\n")),
    pair(inCore("const f = 1;\nexport { f as default };\n"), inCore("const f = 1;\nexport { f };\n")),
    pair(inTest("export default 1;\n"), inTest("switch (1) {\n  default:\n}\n")),
  ],
  "no any": [
    pair(inCore("export const y: any = 1;\n"), inCore("// any\nexport const any: unknown = 1;\n")),
    pair(inTest("export const y = 1 as any;\n"), inTest("export const y = 1 as unknown;\n")),
  ],
  "no test run alone": [
    pair(inTest('test.only("a", () => {});\n'), inTest('test("only", () => {});\n')),
    pair(inTest('test("a", { only: true }, () => {});\n'), inTest('test("a", { only: false }, () => {});\n')),
  ],
  "nothing put off": [
    pair(inCore("// TODO: a better one\n"), inCore('// done\nexport const y = "TODO";\n')),
    pair(inTest("f(/* FIXME */);\n"), inTest("f(/* mended */);\n")),
    pair(
      inCore("export function f() {\n  g();\n  // TODO\n}\n"),
      inCore("export function f() {\n  g();\n  // todos are not kept\n}\n"),
    ),
  ],
};

const shipped: Files = { "casesets/oslo-rain/caseset.yaml": "", "profiles/checkpoints/oslo-recall.yaml": "" };

const wordPairs: Record<string, readonly Pair[]> = {
  "domain-neutral words": [
    pair(inCore("export const drawdown = 1;\n"), {
      "src/profile/planted.ts": "export const drawdown = 1;\n",
    }),
    pair(inCore("export const closePrices = 1;\n"), {
      "src/stats/planted.ts": "export const closePrices = 1;\n",
    }),
    pair(
      inCore("/** A return series. */\n"),
      inCore("export function f(series: number[]) {\n  return series;\n}\n"),
    ),
    pair(inCore('export const y = "sharpe_ratio";\n'), {
      "src/core/refusal.ts": 'export const y = "sharpe_ratio";\n',
    }),
    pair(inCore("export const y = broker.fill;\n"), inCore("export const y = cells.fill(0);\n")),
    pair(inCore(`export const y = \`${hole} portfolio\`;\n`), {
      "src/cli/planted.ts": `export const y = \`${hole} portfolio\`;\n`,
    }),
    pair(inCore("// the ticker\n"), inTest("// the ticker\n")),
    pair(inCore("export const delisting = 1;\n"), inCore("export const membership = 1;\n")),
  ],
  "content outside, capability inside": [
    pair(
      { ...shipped, ...inCore('export const y = "oslo-rain";\n') },
      { ...shipped, ...inCore('export const y = "rain";\n') },
    ),
    pair({ ...shipped, ...inCore("// as in Oslo\n") }, { ...shipped, ...inTest("// as in Oslo\n") }),
    pair(
      { ...shipped, "src/cli/a.ts": 'yargs.option("oslo-recall");\n' },
      { ...shipped, "src/cli/a.ts": 'yargs.example("$0 backtest oslo-rain", "oslo");\n' },
    ),
    pair({ ...shipped, ...inCore('y.example("oslo-rain");\n') }, inCore('y.example("oslo-rain");\n')),
  ],
};

const homePairs: Record<string, readonly Pair[]> = {
  "one home for a function": [
    pair(
      { "src/stats/a.ts": "export function mean() {}\n", "src/report/b.ts": "export function mean() {}\n" },
      {
        "src/stats/a.ts": "export function mean() {}\n",
        "src/report/b.ts": 'export { mean } from "../stats/a.ts";\n',
      },
    ),
    pair(
      { "src/stats/a.ts": "export const mean = () => 1;\n", "src/report/b.ts": "function mean() {}\n" },
      { "src/stats/a.ts": "const mean = () => 1;\n", "src/report/b.ts": "function mean() {}\n" },
    ),
    pair(
      { "src/cli/a.ts": "export function text() {}\n", "src/cli/b.ts": "export function text() {}\n" },
      { "src/cli/a.ts": "export function run() {}\n", "src/cli/b.ts": "export function run() {}\n" },
    ),
  ],
};

export const pairs: Readonly<Record<string, readonly Pair[]>> = {
  ...roomPairs,
  ...ambientPairs,
  ...shapePairs,
  ...wordPairs,
  ...homePairs,
};
