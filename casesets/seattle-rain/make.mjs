// Makes cases.jsonl, labels.jsonl and the seattle-recall family from the CSV of vega-datasets.
// `node casesets/seattle-rain/make.mjs [--out FOLDER]`; a test proves that the committed files are its output.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : root;
const csv = path.join(root, "node_modules/vega-datasets/data/seattle-weather.csv");

const ZONE = "America/Los_Angeles";
const FIRST_CASE = "2014-01-01";
const LAST_CASE = "2015-12-31";
const CUTOFFS = ["2012-12", "2013-12", "2014-12", "2015-06"];
const DAY = 86_400_000;

const utc = (date) => Date.UTC(+date.slice(0, 4), +date.slice(5, 7) - 1, +date.slice(8, 10));
const dateOf = (millis) => new Date(millis).toISOString().slice(0, 10);
const seconds = (millis) => new Date(millis).toISOString().replace(".000Z", "Z");

/** The first instant of a local date: at 08:00 UTC, or an hour earlier while daylight saving time lasts. */
function firstInstant(date) {
  const hourAt = new Intl.DateTimeFormat("en-US", { timeZone: ZONE, hour: "numeric", hourCycle: "h23" });
  for (const hour of [7, 8]) {
    const at = utc(date) + hour * 3_600_000;
    if (hourAt.format(at) === "00") return at;
  }
  throw new Error(`no midnight on ${date}`);
}

/** ISO 8601: the week of a date is the week of its Thursday. */
function isoWeek(date) {
  const thursday = utc(date) + (3 - ((new Date(utc(date)).getUTCDay() + 6) % 7)) * DAY;
  const year = new Date(thursday).getUTCFullYear();
  const week = 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY));
  return `${year}-W${String(week).padStart(2, "0")}`;
}

const days = fs
  .readFileSync(csv, "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [date, precipitation] = line.split(",");
    const resolved = firstInstant(dateOf(utc(date) + DAY));
    return {
      id: `rain-${date}`,
      date,
      outcome: Number(precipitation) > 0 ? 1 : 0,
      freeze: firstInstant(date),
      resolved,
    };
  });

const asked = days.filter(({ date }) => date >= FIRST_CASE && date <= LAST_CASE);
const cases = asked.map(({ id, date, freeze, resolved }) => ({
  id,
  kind: "forecast",
  question: `Will it rain (precipitation > 0) in Seattle on ${date}?`,
  freeze: seconds(freeze),
  reads: ["weather"],
  resolution: {
    statement: "precipitation > 0 in the NOAA daily summary",
    source: "weather",
    vintage: "first",
    at: seconds(resolved),
  },
  label_interval: [seconds(freeze), seconds(resolved - 1000).replace("Z", ".999999Z")],
  answer: "probability",
  tags: ["rain"],
  cluster: isoWeek(date),
}));
const labels = asked.map(({ id, outcome, resolved }) => ({
  case: id,
  outcome,
  vintage: "first",
  resolved_at: seconds(resolved),
  available_time: seconds(resolved),
}));

const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  fs.writeFileSync(path.join(out, name), text);
};
const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
write("casesets/seattle-rain/cases.jsonl", lines(cases));
write("casesets/seattle-rain/labels.jsonl", lines(labels));

/** A month means all of it: its instant is the first of the next month, UTC. */
const checkpoints = CUTOFFS.map((month) => {
  const cutoff = Date.UTC(+month.slice(0, 4), +month.slice(5, 7), 1);
  const remembered = days
    .filter(({ resolved }) => resolved <= cutoff)
    .map(({ id, outcome, resolved }) => ({ id, outcome, resolved_at: seconds(resolved) }));
  const text = lines(remembered);
  const file = `seattle-recall/${month}.jsonl`;
  write(`profiles/checkpoints/${file}`, text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `  - snapshot: seattle-recall-${month}
    pretrain: "${month}:documented"
    posttrain: "${month}:documented"
    artifact: {file: ${file}, sha256: "${sha256}"}
    sources: ["made by casesets/seattle-rain/make.mjs"]
`;
});
write(
  "profiles/checkpoints/seattle-recall.yaml",
  `# Made by casesets/seattle-rain/make.mjs: four memories of Seattle's rain that end at their cutoffs.
family: seattle-recall
description: Remembers each day whose outcome was known by the cutoff, and nothing later.
checkpoints:
${checkpoints.join("")}`,
);
