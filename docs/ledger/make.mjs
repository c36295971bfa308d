// Makes harbour.jsonl of this folder: `node docs/ledger/make.mjs [--out FOLDER]`; seeded, without a clock.
// A ledger of eight trials that are not real: five rules and a second seed of one of them, without any skill, over 60
// months each; one trial failed, and one began and never ended. Each row holds the SHA-256 of the line before it.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { stream } from "../dice.mjs";

const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : import.meta.dirname;
const MONTHS = 60;

const digest = (text) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const twelve = (value) => Number(value.toPrecision(12));

/** Keys in order, at each depth. */
const canonical = (value) =>
  JSON.stringify(value, (_, each) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

const lines = [];
function append(row) {
  const prev = digest(lines.at(-1) ?? "");
  lines.push(canonical({ ...row, row: lines.length, prev, v: "blindcast.trial/1" }));
  return lines.length - 1;
}

const next = stream(6);
let day = 0;
const at = (hour) => `2026-03-${String(++day).padStart(2, "0")}T${hour}:00:00Z`;
const run = (n) => `01KHARB0${String(n).padStart(18, "0")}`;

function begin(n, rule, seed = 1) {
  const config = {
    profile: { name: "harbour", returns: { per: "month", periods_per_year: 12 } },
    reader: { name: "rules", params: { rule } },
  };
  const row = { at: at("09"), config, identity: digest(rule), kind: "start", repeats: 1, run: run(n), seed, units: "month" };
  return append(row);
}

function measures(seed) {
  const returns = Array.from({ length: MONTHS }, () => Number((0.04 * (next() + next() + next() - 1.5)).toFixed(5)));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const centre = mean(returns);
  const moment = (power) => mean(returns.map((value) => Array(power).fill(value - centre).reduce((a, b) => a * b, 1)));
  const [m2, m3, m4] = [moment(2), moment(3), moment(4)];
  const figures = {
    sharpe: twelve(centre / Math.sqrt((m2 * MONTHS) / (MONTHS - 1))),
    skewness: twelve(m3 / (m2 * Math.sqrt(m2))),
    kurtosis: twelve(m4 / (m2 * m2)),
  };
  const series = digest(canonical(returns));
  const repeats = [{ ...figures, periods: MONTHS, seed, series, state: "ok" }];
  return { measures: { repeats, returns, state: "ok" }, series };
}

const end = (n, start, seed = 1) => append({ at: at("10"), kind: "end", run: run(n), start, ...measures(seed) });

["tide", "moon", "wind", "fog", "gulls"].forEach((rule, n) => end(n, begin(n, rule)));
end(5, begin(5, "moon", 2), 2);
append({ at: at("10"), kind: "fail", reason: "harbour-7 left without a return", run: run(6), start: begin(6, "ferries") });
begin(7, "tide");

fs.mkdirSync(out, { recursive: true });
fs.writeFileSync(path.join(out, "harbour.jsonl"), lines.map((line) => `${line}\n`).join(""));
