/** The tool `training` over labels that come, are changed and are taken back: as of an instant, nothing of later ones shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ForecastCase, parseForecastCase } from "../../src/caseset/forecast-case.ts";
import { type Label, parseLabel } from "../../src/caseset/label.ts";
import { deadlinesOf, knownOutcomes, settle } from "../../src/caseset/settlement.ts";
import { type Duration, parseDuration } from "../../src/core/duration.ts";
import { formatInstant, type Instant, parseInstant } from "../../src/core/instant.ts";
import { knownLabels, type Training, trainingReply, withTraining } from "../../src/run/training.ts";
import { type Door, replyText } from "../../src/store/door.ts";
import { caseOnDisk, labelOnDisk } from "../caseset/a-case.ts";

/** Hours after the resolution of each case, which is its freeze too. */
const START = parseInstant("2014-06-02T07:00:00Z", "test", "start") as Instant;
const HOURS = 12;
const at = (hour: number) => formatInstant((START + hour * 3_600_000_000) as Instant);
const grace = parseDuration("PT9H", "test", "grace") as Duration;

function caseOf(id: string, vintage: number | null): ForecastCase {
  const resolution = { ...caseOnDisk.resolution, vintage: vintage === null ? "first" : at(vintage) };
  return parseForecastCase({ ...caseOnDisk, id, resolution }, `cases.jsonl: ${id}`) as ForecastCase;
}
function labelOf(id: string, outcome: Label["outcome"], available: number, resolved = 0): Label {
  const disk = {
    ...labelOnDisk,
    case: id,
    outcome,
    available_time: at(available),
    resolved_at: at(resolved),
  };
  return parseLabel(disk, `labels.jsonl: ${id}`) as Label;
}

const hour = fc.integer({ min: 0, max: HOURS });
const someLabel = fc.record({
  available: hour,
  outcome: fc.constantFrom<Label["outcome"]>(0, 1, 0, 1, "annulled"),
  resolved: fc.constantFrom(0, 0, -1_000), // long before its freeze: void
});
const someSet = fc
  .array(
    fc.record({
      vintage: fc.option(hour),
      labels: fc.uniqueArray(someLabel, { maxLength: 4, selector: ({ available }) => available }),
      isTrained: fc.boolean(),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((made) => {
    const cases = made.map(({ vintage }, i) => caseOf(`c${i}`, vintage));
    const labels = made.flatMap(({ labels }, i) =>
      labels.map(({ available, outcome, resolved }) => labelOf(`c${i}`, outcome, available, resolved)),
    );
    return { cases, labels, isTrained: made.map(({ isTrained }) => isTrained) };
  });
type Made = {
  readonly cases: readonly ForecastCase[];
  readonly labels: readonly Label[];
  readonly isTrained: readonly boolean[];
};

function trainingOf({ cases, labels, isTrained }: Made): Training {
  const known = knownLabels(cases, knownOutcomes(cases, labels, deadlinesOf(cases, "UTC", grace)));
  const rows = known.outcomes.flatMap(({ caseIndex }, i) => (isTrained[caseIndex] === true ? [i] : []));
  return { known, rows: Int32Array.from(rows) };
}
type Row = { available_at: string; body: { case: string; outcome: number; resolved_at: string } };

test("training: as of any instant its bytes are those of the labels available then, which settlement settles alike", () => {
  fc.assert(
    fc.property(
      someSet,
      hour,
      fc.nat({ max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      (made, now, offset, limit) => {
        const asOf = Date.parse(at(now)) * 1000;
        const args = { offset, limit };
        const early = { ...made, labels: made.labels.filter(({ availableAt }) => availableAt <= asOf) };
        const [whole, truncated] = [made, early].map((each) => trainingReply(trainingOf(each), asOf, args));
        assert.ok(whole?.ok && truncated?.ok);
        assert.equal(replyText(whole), replyText(truncated));

        const all = JSON.parse(replyText(trainingReply(trainingOf(made), asOf, { limit: 100 }))) as {
          rows: Row[];
        };
        const deadlines = deadlinesOf(made.cases, "UTC", grace);
        const settled = settle(made.cases, made.labels, { deadlines, asOf: asOf as Instant });
        const expected = settled.flatMap((one, i) =>
          one.state === "settled" && made.isTrained[i] === true
            ? [{ case: `c${i}`, outcome: one.outcome as number, resolved_at: formatInstant(one.resolvedAt) }]
            : [],
        );
        const found = all.rows.map(({ body }) => body);
        assert.deepEqual(
          [...found].sort((a, b) => (a.case < b.case ? -1 : 1)),
          expected,
        );
        const order = all.rows.map(({ available_at: known, body }) => `${known} ${body.case}`);
        assert.deepEqual(order, [...order].sort());

        const page = JSON.parse(replyText(whole)) as { rows: Row[]; total?: number; truncated?: boolean };
        assert.deepEqual(page.rows, all.rows.slice(offset, offset + limit));
        const isCut = offset + page.rows.length < all.rows.length;
        assert.deepEqual(
          [page.total, page.truncated],
          isCut ? [all.rows.length, true] : [undefined, undefined],
        );
      },
    ),
  );
});

test("training: a label that is changed, taken back and announced too late, hour by hour", () => {
  const cases = [caseOf("changed", 6), caseOf("annulled", 6), caseOf("late", 12), caseOf("first", null)];
  const labels = [
    labelOf("changed", 0, 1),
    labelOf("changed", 1, 4),
    labelOf("changed", 0, 7), // after the vintage: nobody's
    labelOf("annulled", 1, 2),
    labelOf("annulled", "annulled", 3),
    labelOf("late", 1, 5),
    labelOf("late", 0, 10), // after the deadline: from then on it is unsettled
    labelOf("first", 1, 3),
    labelOf("first", 0, 4),
  ];
  const training = trainingOf({ cases, labels, isTrained: [true, true, true, true] });
  const shown = (now: number) =>
    (JSON.parse(replyText(trainingReply(training, Date.parse(at(now)) * 1000, {}))) as { rows: Row[] }).rows
      .map(({ body }) => `${body.case} ${body.outcome}`)
      .join(", ");
  assert.deepEqual([0, 1, 2, 3, 4, 5, 7, 10].map(shown), [
    "",
    "changed 0",
    "changed 0, annulled 1",
    "changed 0, first 1",
    "first 1, changed 1",
    "first 1, changed 1, late 1",
    "first 1, changed 1, late 1",
    "first 1, changed 1",
  ]);
});

test("training: beside a door, as of its instant; the door's own tools stay the door's", () => {
  const training = trainingOf({
    cases: [caseOf("a", null)],
    labels: [labelOf("a", 1, 2)],
    isTrained: [true],
  });
  const called: string[] = [];
  const door = (now: number): Door => ({
    asOf: (Date.parse(at(now)) * 1000) as Instant,
    call: (tool) => {
      called.push(tool);
      return { ok: true, text: () => "{}", rows: null, planted: [] };
    },
  });
  const text = (now: number, tool: string) => replyText(withTraining(door(now), training).call(tool, {}));
  assert.equal(text(1, "training"), '{"rows":[]}');
  assert.match(
    text(2, "training"),
    /^\{"rows":\[\{"available_at":"2014-06-02T09:00:00Z","body":\{"case":"a","outcome":1,/,
  );
  assert.equal(text(2, "rows"), "{}");
  assert.deepEqual(called, ["rows"]);
  assert.match(text(2, "labels"), /no tool .*known: rows, aggregate, search, members, training/);
  const bare = door(2);
  assert.equal(withTraining(bare, null), bare);
});
