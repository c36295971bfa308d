// Makes cases.jsonl and tables/ of this folder from make/world.mjs.
// `node casesets/saltmarsh-exchange/make.mjs [--out FOLDER]`; seeded, without a clock; a test proves that the committed files
// are its output.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { FIRST_DAY, holidays, LAST_DAY, members, misprint, survivors } from "./make/world.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : root;

const SEED = 20150102;
const ZONE = "America/New_York";
const DAY = 86_400_000;

/** mulberry32. */
function stream(seed) {
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

// Tables.

const tradingDays = [];
for (let at = Date.parse(FIRST_DAY); at <= Date.parse(LAST_DAY); at += DAY) {
  const day = new Date(at).toISOString().slice(0, 10);
  const weekday = new Date(at).getUTCDay();
  if (weekday !== 0 && weekday !== 6 && !holidays.includes(day.slice(5))) tradingDays.push(day);
}

/** 2410 is 24.10. */
const decimal = (hundredths) =>
  `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;

/** Opens and closes of one member, in hundredths; a stream of its own, so that no member's prices hang on another's. */
function pathOf({ priced, start, drift, swing }, seed) {
  const draw = stream(seed);
  /** Of mean 0 and deviation 1. */
  const bell = () => (draw(10_001) + draw(10_001) + draw(10_001) - 15_000) / 5_000;
  const moved = (price, points) => Math.max(1, Math.round(price * (1 + points / 10_000)));
  let last = start;
  return tradingDays.flatMap((day) => {
    if (!priced.some(([from, until]) => from <= day && (until === undefined || day < until))) return [];
    const [, points] = drift.find(([until]) => day < until);
    const open = moved(last, (swing / 3) * bell());
    last = moved(open, points + swing * bell());
    return [{ day, open, close: last }];
  });
}

const priceRows = members.flatMap((member, i) =>
  pathOf(member, SEED + i).flatMap(({ day, open, close }) => {
    const row = (listed, opened) => [day, member.id, decimal(opened), decimal(close), listed];
    return member.id === misprint.member && day === misprint.day
      ? [row(day, open + misprint.open), row(misprint.listed, open)]
      : [row(day, open)];
  }),
);

const morning = (day) => `${day}T08:00`;
const memberRows = members.flatMap(({ id, stints }) =>
  stints.flatMap(({ from, to, corrected }, i) => [
    [id, i + 1, from, "", morning(from)],
    ...(to === undefined ? [] : [[id, i + 1, from, to, morning(to)]]),
    ...(corrected === undefined ? [] : [[id, i + 1, from, ...corrected]]),
  ]),
);
const nameRows = members.flatMap(({ id, names }) =>
  names.map(([since, ticker, name]) => [id, since, ticker, name, morning(since)]),
);
const leftRows = members.flatMap(({ id, left }) => {
  if (left === undefined) return [];
  const [date, terminal, reason, published] = left;
  return [[id, date, terminal, reason, published]];
});

// Cases.

/** The first instant of a month, counted from year 0: at 05:00 UTC, or an hour earlier while daylight saving time lasts. */
function firstInstant(month) {
  const hourAt = new Intl.DateTimeFormat("en-US", { timeZone: ZONE, hour: "numeric", hourCycle: "h23" });
  for (const hour of [4, 5]) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1, hour);
    if (hourAt.format(at) === "00") return at;
  }
  throw new Error(`no midnight on the first of month ${month}`);
}
const seconds = (millis) => new Date(millis).toISOString().replace(".000Z", "Z");
const named = (month) => `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;

function caseOf(month, more) {
  const [horizon, end] = [firstInstant(month), firstInstant(month + 1)];
  return {
    kind: "decision",
    horizon: seconds(horizon),
    window: [seconds(firstInstant(month - 12)), seconds(horizon)],
    label_interval: [seconds(horizon), seconds(end - 1000).replace("Z", ".999999Z")],
    answer: "positions",
    tags: [`${named(month).slice(0, 4)}-q${Math.floor((month % 12) / 3) + 1}`],
    cluster: named(month).slice(0, 4),
    ...more,
  };
}

const months = (from, count) => Array.from({ length: count }, (_, i) => from + i);
const changing = months(2016 * 12, 24).map((month) =>
  caseOf(month, {
    id: named(month),
    question: `Which members of the list should be held during ${named(month)}, and how much of each?`,
    reads: ["members", "names", "prices", "delistings"],
    universe: "members",
  }),
);
const fixed = months(2017 * 12, 12).map((month) =>
  caseOf(month, {
    id: `survivors-${named(month)}`,
    question: `Which of these eight should be held during ${named(month)}, and how much of each?`,
    reads: ["names", "prices"],
    members: survivors,
  }),
);
/** Keys in one order, whichever the kind. */
const ordered = ({ id, kind, question, horizon, window, reads, universe, members: list, ...rest }) => ({
  id,
  kind,
  question,
  horizon,
  window,
  reads,
  ...(universe === undefined ? { members: list } : { universe }),
  ...rest,
});

const put = (name, text) => {
  const file = path.join(out, "casesets/saltmarsh-exchange", name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};
const csv = (header, rows) => `${[header, ...rows.map((row) => row.join(","))].join("\n")}\n`;
/** By the given cells, as texts. */
const sorted = (rows, ...cells) => {
  const keyOf = (row) => cells.map((cell) => row[cell]).join(" ");
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

put("cases.jsonl", [...changing, ...fixed].map((one) => `${JSON.stringify(ordered(one))}\n`).join(""));
put("tables/members.csv", csv("member,stint,from,to,published", sorted(memberRows, 4, 0)));
put("tables/names.csv", csv("member,since,ticker,name,published", sorted(nameRows, 4, 0)));
put("tables/prices.csv", csv("date,member,open,close,listed", sorted(priceRows, 4, 0, 1)));
put("tables/delistings.csv", csv("member,date,return,reason,published", sorted(leftRows, 4, 0)));
