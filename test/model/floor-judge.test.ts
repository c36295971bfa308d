import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CaseSubject } from "../../src/caseset/case-base.ts";
import { type EntityIndex, entityFinder } from "../../src/caseset/entity-names.ts";
import { digestOf } from "../../src/core/digest.ts";
import { floorJudge, floorVerdict } from "../../src/model/floor-judge.ts";
import type { JudgeItem } from "../../src/model/judge.ts";
import { assertEvery, assertNone } from "../support/all.ts";

const entity = (name: string, first: string | null, ...aliases: string[]): EntityIndex[number] => ({
  name,
  aliases,
  first_available: first === null ? null : `${first}T09:00:00Z`,
});
const index: EntityIndex = [
  entity("Harbour Line", "2029-03-05", "HL"),
  entity("Harbour Line II", "2031-06-20"),
  entity("Night Boat", null),
  entity("Red Line", "2029-01-01", "HL"),
  entity("Zenith", "2031-06-01"),
];
const rules = { names: entityFinder(index), zone: "America/Los_Angeles" };
/** Before Harbour Line II; the local day is 2031-05-31. */
const horizon = "2031-06-01T05:00:00Z";
const opening: CaseSubject = { entity: "Harbour Line", values: ["opened", "delayed"] };
const count: CaseSubject = { entity: "Harbour Line", values: "number" };

type Body = JudgeItem["document"]["body"];
const itemOf = (body: Body, subject: CaseSubject | null = null): JudgeItem => ({
  dimension: "leak",
  document: { ref: "notes#1", available_at: "2031-05-30T00:00:00Z", body },
  question: "Will the Harbour Line open by 3 June 2031?",
  subject,
  reference_answer: "Announced.",
  horizon,
});
function judged(body: Body | string, subject: CaseSubject | null = null): string {
  const verdict = floorVerdict(itemOf(typeof body === "string" ? { text: body } : body, subject), rules);
  assert.ok(verdict.scored);
  return `${verdict.value} ${verdict.rationale}`;
}
const scoreOf = (body: Body | string, subject: CaseSubject | null = null) => Number(judged(body, subject)[0]);
const NOTHING = "0 no date and no known name from after the horizon";

test("0: nothing later is named", () => {
  const texts = [
    "",
    "The Harbour Line opened on 30 May 2031.",
    "On 31 May 2031 HL carried 41,200.",
    "By 2031 it may open.",
    "In May 2031 or on 2031-05-31",
  ];
  for (const text of texts)
    for (const subject of [null, opening, count]) assert.equal(judged(text, subject), NOTHING, text);
  assert.equal(judged({ year: 2031, days: 366, open: true, note: null }), NOTHING, "numbers are no texts");
  assert.equal(
    judged("Zenith sails, and so does the Night Boat"),
    "1 names Zenith, first available 2031-06-01T09:00:00Z",
  );
  assert.equal(judged("The Night Boat sails"), NOTHING, "a name that no row has is unknown");
});

test("1: a date, or an entity, from after the horizon, in words that say which", () => {
  assert.equal(judged("It is expected on 2031-06-03."), "1 2031-06-03 is after the horizon");
  assert.equal(judged("Expected on 3rd of June, 2031"), "1 3rd of June, 2031 is after the horizon");
  assert.equal(judged("Ready by Q3 2031"), "1 Q3 2031 is after the horizon");
  assert.equal(
    judged("As seen from the Harbour Line II"),
    "1 names Harbour Line II, first available 2031-06-20T09:00:00Z",
  );
  assert.equal(judged("at 2031-05-31T23:00:00-07:00"), "1 2031-05-31T23:00:00-07:00 is after the horizon");
  assert.equal(judged({ a: "Nothing", b: "In 2032" }), "1 2032 is after the horizon");
});

test("0: what is first available at the horizon itself, a date that begins there, and an instant that is it", () => {
  const at = (instant: string, text: string) => {
    const verdict = floorVerdict({ ...itemOf({ text }), horizon: instant }, rules);
    return verdict.scored ? verdict.value : verdict;
  };
  const [first, before] = ["2031-06-20T09:00:00Z", "2031-06-20T08:59:59.999999Z"];
  assert.deepEqual([at(first, "Harbour Line II"), at(before, "Harbour Line II")], [0, 1]);
  // 00:00 of that day in Los Angeles
  const [midnight, evening] = ["2031-06-21T07:00:00Z", "2031-06-21T06:59:59.999999Z"];
  for (const text of ["On 21 June 2031", "at 2031-06-21T00:00:00-07:00"])
    assert.deepEqual([at(midnight, text), at(evening, text)], [0, 1], text);
});

test("4: one sentence that gives the subject, under any name, a value of the kind for a later instant", () => {
  assert.equal(
    judged("The Harbour Line opened on 3 June 2031.", opening),
    "4 Harbour Line: opened, 3 June 2031",
  );
  assert.equal(
    judged("Rain. On 2031-06-03 HL was Delayed again. More rain.", opening),
    "4 Harbour Line: Delayed, 2031-06-03",
  );
  assert.equal(judged("Harbour Line: 41,200 on 2031-06-03", count), "4 Harbour Line: 41,200, 2031-06-03");
  assert.equal(
    judged("ＨＡＲＢＯＵＲ　ＬＩＮＥ opened ２０３１-０６-０３", opening),
    "4 Harbour Line: opened, 2031-06-03",
  );
  const unlisted: CaseSubject = { entity: "Ebb", values: ["sailed"] };
  assert.equal(
    judged("The Ebb sailed on 3 June 2031", unlisted),
    "4 Ebb: sailed, 3 June 2031",
    "the index need not have it",
  );
  const years: CaseSubject = { entity: "Harbour Line", values: ["2031", "2032"] };
  assert.equal(judged("Harbour Line opened on 3 June 2031", years), "4 Harbour Line: 2031, 3 June 2031");
});

test("not 4: another subject, another sentence, another kind of value, an earlier date", () => {
  const texts = [
    "The Red Line opened on 3 June 2031.",
    "The Harbour Line is late. The Red Line opened on 3 June 2031.",
    "The Harbour Line II opened on 3 June 2031.",
    "The Harbour Line opened on 30 May 2031. Rain came on 3 June 2031.",
    "The Harbour Line reopened on 3 June 2031.",
    "The ebb sailed, Harbour Line or not, on 3 June 2031",
    "The Red Line opened on 3 June 2031\nHarbour Line: no news",
  ];
  assertEvery(texts, (text) => scoreOf(text, opening) === 1);
  const numbers = [
    "The Harbour Line opened on 3 June 2031.",
    "Harbour Line, Terminal 3, at 10:30 on 3 June 2031",
    "The 3rd Harbour Line of the 2030s, 2031-06-03",
    "Harbour Line: see note-041 of 2031-06-03",
  ];
  assertEvery(numbers, (text) => scoreOf(text, count) === 1);
  assert.equal(scoreOf("The Harbour Line opened on 3 June 2031."), 1, "a case without a subject");
});

test("4: a row whose cells say so together; a text of several sentences is no part of another's", () => {
  assert.equal(
    judged({ line: "Harbour Line", day: "2031-06-03", status: "opened" }, opening),
    "4 Harbour Line: opened, 2031-06-03",
  );
  assert.equal(
    judged({ line: "HL", day: "2031-06-03", people: 41200 }, count),
    "4 Harbour Line: 41200, 2031-06-03",
  );
  assert.equal(
    judged({ line: "Harbour Line", note: "Rain. It opened on 2031-06-03. More rain." }, opening),
    "4 Harbour Line: opened, 2031-06-03",
  );
  assert.equal(
    judged({ day: "2031-06-03", note: "Rain. Harbour Line opened." }, opening),
    "4 Harbour Line: opened, 2031-06-03",
  );
  assert.equal(scoreOf({ title: "Rain. Harbour Line.", note: "Rain. Opened 2031-06-03." }, opening), 1);
  assert.equal(scoreOf({ line: "Red Line II", day: "2031-06-03", status: "opened" }, opening), 1);
  assert.equal(scoreOf({ line: "Harbour Line", day: "2031-05-30", status: "opened" }, opening), 0);
  assert.equal(
    scoreOf({ line: "Harbour Line", day: "2031-06-03", year: 2031 }, count),
    1,
    "a year of a date is no value",
  );
  assert.equal(scoreOf({ line: "Harbour Line", day: "2031-06-03", open: true }, count), 1);
});

test("a name that two entities bear names the subject too, the longer name another", () => {
  assert.equal(scoreOf("HL opened on 2031-06-03", { entity: "Red Line", values: ["opened"] }), 4);
  assert.equal(scoreOf("HL opened on 2031-06-03", { entity: "hl", values: ["opened"] }), 4);
  assert.equal(scoreOf("Harbour Line II opened on 2031-06-03", { entity: "HL", values: ["opened"] }), 1);
});

test("the judge calls nobody, says who it is, and gives the verdict that the rule gives", async () => {
  const digest = digestOf("index");
  const judge = floorJudge({ ...rules, digest });
  const { prompt_digest, ...said } = judge.identity;
  assert.match(prompt_digest, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(said, {
    name: "floor",
    snapshot: "floor-1",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    uses_tools: false,
    params: { entities: digest },
  });
  const none = () => assert.fail("the floor judge asks for nothing");
  const opened = { deadline: none, paused: none, refusal: none, record: none };
  const item = itemOf({ text: "The Harbour Line opened on 3 June 2031." }, opening);
  const judgement = await judge.judge(item, opened as never);
  assert.deepEqual(judgement.kind === "verdict" && judgement.verdict, floorVerdict(item, rules));
});

const pieces = [
  "Harbour Line",
  "HL",
  "Zenith",
  "Red Line",
  "opened",
  "delayed",
  "3 June 2031",
  "30 May 2031",
  "41,200",
  ". ",
  "\n",
  " ",
  "it",
  "\ud800",
];
const words = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((some) => some.join(" "));
const body = fc.record({ a: words, b: words, n: fc.option(fc.integer()) });
const subject = fc.constantFrom(null, opening, count);

test("scores are 0, 1 or 4, no lower for more words, and hang on nothing but the document's cells", () => {
  const scores = new Set<number>();
  const property = fc.property(body, subject, words, (cells, about, more) => {
    const score = scoreOf(cells, about);
    scores.add(score);
    if (cells.n !== 2031) assert.ok(scoreOf({ ...cells, c: more }, about) >= score);
    assert.equal(scoreOf({ b: cells.b, n: cells.n, a: cells.a }, about), score);
    const item = itemOf(cells, about);
    const moved = {
      ...item,
      question: "Another?",
      reference_answer: "opened on 3 June 2031",
      document: { ...item.document, ref: "x#2031-06-03" },
    };
    assert.deepEqual(floorVerdict(moved, rules), floorVerdict(item, rules));
  });
  fc.assert(property, { numRuns: 500 });
  assert.deepEqual([...scores].sort(), [0, 1, 4]);
});

test("a verdict of 4 quotes a name, a value and a date that stand in the document", () => {
  let seen = 0;
  const property = fc.property(body, (cells) => {
    const [score, ...rest] = judged(cells, opening).split(" ");
    if (score !== "4") return;
    seen++;
    const [value, date] = rest.join(" ").replace("Harbour Line: ", "").split(", ") as [string, string];
    const text = `${cells.a}\n${cells.b}`;
    assertEvery([value, date], (quoted) => text.includes(quoted));
    assert.ok(text.includes("Harbour Line") || text.includes("HL"));
    assertNone([date], (quoted) => quoted.startsWith("30"));
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(seen > 10, `${seen}`);
});

test("a hostile document takes time in its length", () => {
  const started = process.hrtime.bigint();
  for (const piece of ["HL ", "HL opened 2031-06-03. ", "2031-06-03 ", "1 ", "A. ", "opened "]) {
    const text = piece.repeat(200_000 / piece.length);
    for (const about of [opening, count]) scoreOf(text, about);
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  assert.ok(seconds < 20, `${seconds} s for 12 documents of 200,000 characters`);
});
