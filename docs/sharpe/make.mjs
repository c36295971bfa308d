// Makes returns.csv of this folder: `node docs/sharpe/make.mjs [--out FOLDER]`; seeded, without a clock. Twenty rules that
// are dice: monthly returns of ten years, each a draw about 0, whatever the rule is called.
import * as fs from "node:fs";
import * as path from "node:path";
import { stream } from "../dice.mjs";

const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : import.meta.dirname;

const RULES = 20;
const MONTHS = 120;
const FIRST_YEAR = 2015;

const next = stream(1);
/** About normal: twelve dice, less their mean. */
const normal = () => Array.from({ length: 12 }, next).reduce((sum, die) => sum + die, -6);
const lastDay = (m) => new Date(Date.UTC(FIRST_YEAR, m + 1, 0)).toISOString().slice(0, 10);

const names = Array.from({ length: RULES }, (_, i) => `rule-${String(i + 1).padStart(2, "0")}`);
const rows = Array.from({ length: MONTHS }, (_, m) =>
  [lastDay(m), ...names.map(() => (0.04 * normal()).toFixed(4))].join(","),
);
fs.mkdirSync(out, { recursive: true });
fs.writeFileSync(path.join(out, "returns.csv"), `${["month_end", ...names].join(",")}\n${rows.join("\n")}\n`);
