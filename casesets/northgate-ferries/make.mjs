// Makes cases.jsonl, labels.jsonl and tables/ of this folder, and from the notes that make/ has on each page the key of the
// tests: which page tells how much of each case. `node casesets/northgate-ferries/make.mjs [--out FOLDER]`; seeded, without a
// clock; a test proves that the committed files are its output.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { edited } from "./make/edited.mjs";
import { lawful } from "./make/lawful.mjs";
import {
  afterDelay,
  afterEither,
  afterOpening,
  delays,
  openings,
  people,
  places,
  themes,
} from "./make/patterns.mjs";
import { queries } from "./make/queries.mjs";
import { aliases, counted, fleet, promised, routes } from "./make/world.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const out = process.argv[2] === "--out" ? path.resolve(process.argv[3]) : root;

const SEED = 20310615;
const IDLE_PAGES = 48;
const DAY = 86_400_000;
const utc = (date) => Date.UTC(+date.slice(0, 4), +date.slice(5, 7) - 1, +date.slice(8, 10));
const dateOf = (millis) => new Date(millis).toISOString().slice(0, 10);
const later = (date, days) => dateOf(utc(date) + days * DAY);
const monthNames =
  "January February March April May June July August September October November December".split(" ");
const inWords = (date) => `${+date.slice(8)} ${monthNames[+date.slice(5, 7) - 1]} ${date.slice(0, 4)}`;
const slug = (name) => name.toLowerCase().replaceAll(" ", "-");

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
const draw = stream(SEED);
const pick = (list) => list[draw(list.length)];
/** Deals a list in a drawn order, and then again: no item comes twice before each has come once. */
const decks = new Map();
function deal(list, count) {
  const dealt = [];
  while (dealt.length < count) {
    const left = decks.get(list) ?? [];
    if (left.length === 0) left.push(...list);
    decks.set(list, left);
    const at = draw(left.length);
    if (!dealt.includes(left[at])) dealt.push(...left.splice(at, 1));
  }
  return dealt;
}

// Cases and labels.

const routeOf = new Map(routes.map((route) => [route.name, route]));
const FREEZE = "T06:00:00Z";

const asked = [
  ...promised.map(([route, due, freeze, question]) => {
    const [, fate] = routeOf.get(route).promises.find(([day]) => day === due);
    return {
      id: `${slug(route)}-${due}`,
      route,
      question,
      freeze,
      at: later(due, 1),
      statement: `the table of routes says opened of the ${route} by ${due}, and not delayed`,
      values: ["opened", "delayed"],
      outcome: fate === "opened" ? 1 : 0,
      tag: "promise",
    };
  }),
  ...counted.map(([route, month, freeze, least, words]) => ({
    id: `${slug(route)}-count-${month}`,
    route,
    question: `Will the ${route} carry ${least.toLocaleString("en-US")} passengers or more in ${words}?`,
    freeze,
    at: later(lastDay(month), 5),
    statement: `passengers >= ${least} in the row of the ${route} for the last day of ${month}`,
    values: "number",
    outcome: routeOf.get(route).months[month] >= least ? 1 : 0,
    tag: "count",
  })),
].sort((a, b) => (a.freeze < b.freeze ? -1 : 1));

function lastDay(month) {
  return dateOf(Date.UTC(+month.slice(0, 4), +month.slice(5, 7), 0));
}

/** Most cases fail at a major part of the answer; every seventh bears all, every ninth all but the answer itself. */
const thresholdOf = (i) => (i % 7 === 6 ? {} : { leak_threshold: i % 9 === 4 ? 4 : 3 });

const cases = asked.map(({ id, route, question, freeze, at, statement, values, tag }, i) => ({
  id,
  kind: "forecast",
  question,
  freeze: freeze + FREEZE,
  reads: ["notes", "routes"],
  resolution: { statement, source: "routes", vintage: "first", at: at + FREEZE },
  label_interval: [freeze + FREEZE, `${at}T05:59:59.999999Z`],
  answer: "probability",
  ...thresholdOf(i),
  subject: { entity: route, values },
  tags: [tag],
  cluster: freeze.slice(0, 7),
}));
const labels = asked.map(({ id, outcome, at }) => ({
  case: id,
  outcome,
  vintage: "first",
  resolved_at: at + FREEZE,
  available_time: at + FREEZE,
}));

// Tables.

const told = routes.flatMap(({ name, announced, promises, months }) => [
  [name, announced, "announced", "", `${announced}T09:00:00Z`],
  ...promises.map(([, fate, known]) => [name, known, fate, "", `${known}T18:00:00Z`]),
  ...Object.entries(months).map(([month, passengers]) => {
    const day = lastDay(month);
    return [name, day, "", passengers, `${later(day, 4)}T12:00:00Z`];
  }),
]);
const csv = (header, rows) => [header, ...rows.map((row) => row.join(","))].join("\n").concat("\n");
const byTime = (a, b) => (a.at(-1) < b.at(-1) ? -1 : a.at(-1) > b.at(-1) ? 1 : a[0] < b[0] ? -1 : 1);

/** Who is in the register on a day. */
const shipsOn = (day) =>
  fleet.flatMap(([name, kind, since]) => (kind === "ship" && since <= day ? [name] : []));
const availableFrom = new Map([
  ...routes.map(({ name, announced }) => [name, Date.parse(`${announced}T09:00:00Z`)]),
  ...fleet.map(([name, , since]) => [name, Date.parse(`${since}T08:00:00Z`)]),
]);

// Ordinary pages.

/** A ship whose name is a month's is left out: what a page means by it is not told by its words. */
function write(templates, day, route, date) {
  const ships = shipsOn(day).filter((ship) => ship !== "May");
  const words = { route, date, ship: pick(ships), place: pick(places), few: 7 + draw(60) };
  const speakers = deal(people, 4);
  return templates.map((template) =>
    template.replace(/\{(\w+)\}/g, (_, name) => (name === "who" ? speakers.pop() : words[name])),
  );
}

/** What people call a route: the express is never called by its year. */
const called = (route) => aliases.find(([name]) => name === route && name.includes("2035"))?.[1] ?? route;

const reports = routes.flatMap(({ name, promises }) =>
  promises.map(([, fate, known]) => {
    const kind = fate === "opened" ? openings : delays;
    const after = fate === "opened" ? afterOpening : afterDelay;
    const day = later(known, 1 + draw(3));
    const [title, ...text] = write(
      [
        ...deal(kind.titles, 1),
        ...deal(kind.sentences, 1),
        ...deal(after, 1 + draw(2)),
        ...deal(afterEither, draw(2)),
      ],
      day,
      called(name),
      inWords(known),
    );
    return { published: day, title, text: text.join(" ") };
  }),
);
const idle = Array.from({ length: IDLE_PAGES }, (_, i) => {
  const day = later("2029-11-20", Math.floor((i * 880) / IDLE_PAGES) + draw(14));
  const [{ titles, opens, follows }] = deal(themes, 1);
  const [title, ...text] = write([...deal(titles, 1), ...deal(opens, 1), ...deal(follows, 2 + draw(2))], day);
  return { published: day, title, text: text.join(" ") };
});

const pages = [...edited, ...lawful, ...reports, ...idle].sort((a, b) =>
  a.published < b.published ? -1 : a.published > b.published ? 1 : a.title < b.title ? -1 : 1,
);
const notes = pages.flatMap((page, i) => {
  const id = `note-${String(i + 1).padStart(3, "0")}`;
  const versions = [page, ...(page.again ?? [])];
  return versions.map(({ published, text, dates, later: names, states }) => ({
    row: { id, published: `${published}T07:30:00Z`, title: page.title, text },
    notes: {
      known: page.known,
      tiers: page.tiers ?? {},
      dates: dates ?? [],
      names: names ?? [],
      states: states ?? [],
    },
  }));
});

// The key: what each page tells of each case that could read it, from what was noted of the page when it was written.

/** The first instant of a day, a month or a year. */
const startOf = (date) =>
  Date.UTC(+date.slice(0, 4), +(date.slice(5, 7) || 1) - 1, +(date.slice(8, 10) || 1));

function tierOf({ known, tiers }, id, horizon) {
  if (known === undefined || startOf(known) + DAY / 2 <= horizon) {
    if (id in tiers) throw new Error(`${id}: nothing later was noted`);
    return 0;
  }
  return tiers[id] ?? 1;
}

function floorOf({ dates, names, states }, { route, values }, horizon) {
  const kind = values === "number" ? "number" : "word";
  if (states.some(([of, what, on]) => of === route && what === kind && startOf(on) > horizon)) return 4;
  const date = dates.some((each) => startOf(each) > horizon);
  return date || names.some((name) => availableFrom.get(name) > horizon) ? 1 : 0;
}

const key = asked.flatMap((item) => {
  const horizon = Date.parse(item.freeze + FREEZE);
  const visible = new Map();
  for (const note of notes) if (Date.parse(note.row.published) <= horizon) visible.set(note.row.id, note);
  return [...visible].flatMap(([document, note]) => {
    const tier = tierOf(note.notes, item.id, horizon);
    const floor = floorOf(note.notes, item, horizon);
    return tier === 0 && floor === 0 ? [] : [{ case: item.id, document, tier, floor }];
  });
});
/** Each tier that was noted is of a case that can read the page. */
for (const { row, notes: noted } of notes)
  for (const id of Object.keys(noted.tiers))
    if (!key.some((line) => line.case === id && line.document === row.id && line.tier === noted.tiers[id]))
      throw new Error(`${row.title}: not read by ${id}`);

const put = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  fs.writeFileSync(path.join(out, name), text);
};
const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const here = "casesets/northgate-ferries";
put(`${here}/cases.jsonl`, lines(cases));
put(`${here}/labels.jsonl`, lines(labels));
put(`${here}/tables/notes.jsonl`, lines(notes.map(({ row }) => row)));
put(`${here}/tables/routes.csv`, csv("route,day,status,passengers,published", told.sort(byTime)));
put(
  `${here}/tables/fleet.csv`,
  csv(
    "name,kind,registered,published",
    fleet.map(([name, kind, since]) => [name, kind, since, `${since}T08:00:00Z`]),
  ),
);
put(
  `${here}/tables/names.csv`,
  csv(
    "route,also,published",
    aliases.map(([route, also]) => [route, also, "2029-03-01T00:00:00Z"]),
  ),
);
put("test/fixtures/northgate-key.jsonl", lines(key));
put(
  "test/fixtures/northgate-queries.jsonl",
  lines(queries.map(([id, query, finds, subtracted]) => ({ case: id, query, finds, subtracted }))),
);
