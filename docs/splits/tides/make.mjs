// Makes cases.jsonl, labels.jsonl and tables/ of this folder: `node docs/splits/tides/make.mjs [--out FOLDER]`; seeded, no clock.
// A harbour that does not exist: forty-five weeks of a gauge, and a question every sixth day about the next ten, so that labels of
// neighbours are formed over the same days. Storms come more often in winter; an outcome is announced two days after its window.
import * as fs from "node:fs";
import * as path from "node:path";
import { stream } from "../../dice.mjs";

const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : import.meta.dirname;
const DAY = 86_400_000;
const FIRST = Date.UTC(2031, 0, 1);
const DAYS = 318;
const WINDOW = 10;

const draw = stream(51);
const day = (i) => new Date(FIRST + i * DAY).toISOString().slice(0, 10);
const noon = (i) => `${day(i)}T12:00:00Z`;
const isWinter = (i) => ["01", "02", "03", "11", "12"].includes(day(i).slice(5, 7));
const levels = Array.from({ length: DAYS }, (_, i) => {
  const storm = draw() < (isWinter(i) ? 0.14 : 0.03) ? 1.1 : 0;
  return Math.round((1.6 + 0.9 * draw() + storm) * 100) / 100;
});

const cases = [];
const labels = [];
for (let i = 30; i + WINDOW + 2 < DAYS; i += 6) {
  const id = `tide-${day(i)}`;
  const end = i + WINDOW;
  cases.push({
    id,
    kind: "forecast",
    question: `Will the gauge stand above 2.8 m on any of the ten days from ${day(i)} on?`,
    freeze: noon(i),
    reads: ["gauge"],
    resolution: { statement: "level > 2.8 on any of the ten days", source: "gauge", vintage: "first", at: noon(end) },
    label_interval: [noon(i), noon(end)],
    answer: "probability",
    cluster: day(i).slice(0, 7),
  });
  labels.push({
    case: id,
    outcome: levels.slice(i + 1, end + 1).some((level) => level > 2.8) ? 1 : 0,
    vintage: "first",
    resolved_at: noon(end),
    available_time: noon(end + 2),
  });
}

const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
fs.mkdirSync(path.join(out, "tables"), { recursive: true });
fs.writeFileSync(path.join(out, "cases.jsonl"), lines(cases));
fs.writeFileSync(path.join(out, "labels.jsonl"), lines(labels));
fs.writeFileSync(
  path.join(out, "tables", "gauge.csv"),
  `date,level\n${levels.map((level, i) => `${day(i)},${level}\n`).join("")}`,
);
