// Makes cases.jsonl: one decision at the first instant of each month, New York time. No row of the source is needed.
// `node casesets/sp500-timing/make.mjs [--out FOLDER]`; a test proves that the committed file is its output.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : root;

const ZONE = "America/New_York";
/** A year of rows stands before the first. */
const [FIRST, LAST] = ["2001-02", "2020-03"];

/** The first instant of a month: at 05:00 UTC, or an hour earlier while daylight saving time lasts. */
function firstInstant(year, month) {
  const hourAt = new Intl.DateTimeFormat("en-US", { timeZone: ZONE, hour: "numeric", hourCycle: "h23" });
  for (const hour of [4, 5]) {
    const at = Date.UTC(year, month, 1, hour);
    if (hourAt.format(at) === "00") return at;
  }
  throw new Error(`no midnight on the first of month ${month + 1}, ${year}`);
}

const seconds = (millis) => new Date(millis).toISOString().replace(".000Z", "Z");

const cases = [];
for (let n = 2001 * 12 + 1; ; n++) {
  const [year, month] = [Math.floor(n / 12), n % 12];
  const id = `${year}-${String(month + 1).padStart(2, "0")}`;
  if (id > LAST) break;
  const [horizon, end] = [
    firstInstant(year, month),
    firstInstant(year + Math.floor((month + 1) / 12), (month + 1) % 12),
  ];
  cases.push({
    id,
    kind: "decision",
    question: `How much of the equity should be in the index ("index") during ${id}?`,
    horizon: seconds(horizon),
    reads: ["index"],
    label_interval: [seconds(horizon), seconds(end - 1000).replace("Z", ".999999Z")],
    answer: "positions",
    tags: [month >= 10 || month < 4 ? "november-april" : "may-october"],
    cluster: String(year),
  });
}
if (cases[0].id !== FIRST) throw new Error(`the first case is ${cases[0].id}`);

const folder = path.join(out, "casesets/sp500-timing");
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, "cases.jsonl"), cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
