/** Forgeries that the stages `re-serve`, `rules` and `score` refuse. */
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { noUsage } from "../../src/model/reader.ts";
import type { ReplayOptions } from "../../src/replay/replay.ts";
import { readerOf } from "../support/daily-set.ts";
import { type Change, entryOf, type Forgery, nothing, set } from "./forging.ts";
import { bodyText, type Draft, type Fields, rebody, reword } from "./operator.ts";

const spaced = (body: string) => body.replace('{"rows":[', '{ "rows" : [');
/** A call of a model, or a judge's, beside a reader and a stamp that have none. */
const modelled = (draft: Draft, of: Fields, more: Fields) => {
  const { args: _, in_reach, unplanted, ...rest } = entryOf(draft, "tool", 0);
  const call = { model: "m", served: null, request: unplanted, status: 200, class: null, retries: [] };
  const made = { ...rest, ...call, cached: false, usage: { ...noUsage }, ...more, name: "endpoint" };
  const at = draft.entries.indexOf(of) + (more["kind"] === "judge" ? 1 : 0);
  draft.entries.splice(at, 0, made as Fields);
};
export const serveForgeries: Forgery[] = [
  {
    bad: (draft) => modelled(draft, entryOf(draft, "tool", 0), { kind: "model", seq: 1000 }),
    expected: "bounds EntryShapeWrong",
    says: /kind: model, expected no call of a model by a reader that is built in/,
  },
  {
    bad: (draft) =>
      modelled(draft, entryOf(draft, "answer", 0), {
        kind: "judge",
        args: { dimension: "leak", document: "a".repeat(64), ref: "", reference_answer: "" },
        value: 4,
        reason: "",
        seq: 1000,
      }),
    expected: "bounds EntryShapeWrong",
    says: /kind: judge, expected no verdict, since the stamp has no judge/,
  },
  {
    bad: (draft) => set(entryOf(draft, "tool", 0), { args: { limit: 2, table: "readings" } }),
    expected: "re-serve ReplayRequestUnknown",
    says: /:3: executed again, the reader asked for rows \{"limit":1,"table":"readings"\}, recorded is rows \{"limit":2,/,
    // What a door that spells its answers in another way would have given is the same answer.
    good: (draft) =>
      rebody(draft, entryOf(draft, "tool", 0), spaced(bodyText(draft, entryOf(draft, "tool", 0)))),
  },
  {
    bad: (draft) => {
      draft.entries = draft.entries.filter((entry) => entry !== entryOf(draft, "tool", -1));
    },
    expected: "re-serve ReplayRequestUnknown",
    says: /recorded is no further call/,
  },
  {
    bad: (draft) => {
      const call = entryOf(draft, "tool", 1);
      const at = draft.entries.indexOf(call);
      draft.entries.splice(at, 0, { ...call, seq: (call["seq"] as number) - 0.5 });
    },
    expected: "re-serve ReplayResponseUnused",
    says: /:5: rows \{.*\}: recorded, and never asked for/,
  },
  {
    bad: (draft) => {
      const answer = entryOf(draft, "answer");
      const call = entryOf(draft, "tool", 1);
      draft.entries.splice(draft.entries.indexOf(answer) + 1, 0, { ...call, seq: 1000 });
    },
    expected: "entries TrajectoryUnended",
    says: /:6: .*tool after its answer, expected a judge or its end/,
  },
  {
    // A built-in reader never runs out of time: its bad answers are not taken back so.
    bad: (draft) => {
      const { probability: _, ...rest } = entryOf(draft, "answer", 3);
      const at = draft.entries.indexOf(entryOf(draft, "answer", 3));
      draft.entries[at] = { ...rest, kind: "fault", class: "timeout", message: "too late" };
    },
    expected: "re-serve ReplayAnswerMismatch",
    says: /recorded is \{"class":"timeout","kind":"fault","message":"too late","usage":null\}/,
  },
  {
    bad: (draft) => set(entryOf(draft, "answer", 3), { probability: 0.5 }),
    expected: "re-serve ReplayAnswerMismatch",
    says: /the reader gave \{"kind":"answer","probability":0\.\d+,"usage":null\}, recorded is .*"probability":0\.5,/,
    good: (draft) => set(entryOf(draft, "answer", 3), { ms: 1234 }),
  },
  {
    // Rows that no door would have given: the reader stumbles over them, and no run recorded that.
    bad: (draft) =>
      rebody(
        draft,
        entryOf(draft, "tool", 1),
        '{"rows":[{"available_at":"2020-01-02T00:00:00Z","body":{},"ref":"readings#x"}]}',
      ),
    expected: "re-serve ReplayAnswerMismatch",
    says: /the reader gave .*InstantInvalid: .* \(thrown\), recorded is/,
  },
  {
    bad: (draft) =>
      rebody(draft, entryOf(draft, "tool", 1), '{"fault":{"class":"bad_request","message":"no"}}'),
    expected: "re-serve ReplayAnswerMismatch",
    says: /the reader gave \{"class":"bad_request","kind":"fault","message":"no","usage":null\}/,
  },
  {
    bad: nothing,
    options: {
      readers: (_run, store) =>
        readerOf((asked) => {
          try {
            store.open({
              caseId: asked.id,
              horizon: 0 as never,
              tables: [],
              overlay: null,
              subject: "a curious reader",
            });
          } catch {
            // it swallows what it is refused
          }
          return { kind: "answer", probability: 0.5, usage: null };
        }),
    },
    expected: "re-serve ReplayTouchedStore",
    says: /store: a curious reader: reached for a door/,
  },
];

const plants = (change: (lines: Fields[]) => void) => (draft: Draft) => {
  const lines = draft.plants
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Fields);
  change(lines);
  draft.plants = lines.map((line) => `${canonical(line as Json)}\n`).join("");
};
const planted = (draft: Draft, kind: string) => {
  const probe = entryOf(draft, "probe", 0);
  const replies = JSON.parse(bodyText(draft, probe)) as { kind: string; reply: { rows: Json[] } }[];
  return canonical(replies.find((reply) => reply.kind === kind)?.reply.rows[0] as Json);
};
const addRow =
  (row: (draft: Draft) => string): Change =>
  (draft) => {
    const call = entryOf(draft, "tool", 1);
    rebody(draft, call, bodyText(draft, call).replace('{"rows":[', `{"rows":[${row(draft)},`));
  };
/** Nobody executes these again: what they serve is the scorer's matter. */
const scored: Partial<ReplayOptions> = { readers: () => null };
const later =
  '{"available_at":"2020-03-01T00:00:00Z","body":{"date":"2020-03-01","value":1},"ref":"readings#2020-03-01"}';
export const ruleForgeries: Forgery[] = [
  {
    bad: (draft) => {
      draft.committed = `${draft.plants}\n`;
    },
    expected: "rules PlantCommitmentMismatch",
    says: /run\/plants\.jsonl: secret, salt and these plants give sha256:.*, the open leaf has sha256:/,
  },
  {
    bad: plants((lines) => void lines.pop()),
    expected: "rules FieldInvalid",
    says: /plants\.jsonl:15: plant: no more lines, expected case day-2020-01-15, table readings, new-key/,
  },
  {
    bad: plants((lines) => void lines.push(lines[0] as Fields)),
    expected: "rules FieldInvalid",
    says: /plants\.jsonl:16: plant: case day-2020-01-11, table readings, past, expected no more lines/,
  },
  {
    bad: plants((lines) => set(lines[1] as Fields, { real: "" })),
    expected: "rules FieldInvalid",
    says: /plants\.jsonl:2: real: , expected 64 digits/,
  },
  {
    bad: plants((lines) => set(lines[4] as Fields, { available_at: "2020-01-01T00:00:00Z" })),
    expected: "rules FieldInvalid",
    says: /available_at of the revision plant: 2020-01-01T00:00:00Z, expected after 2020-01-12T00:00:00Z/,
  },
  {
    bad: plants((lines) => set(lines[1] as Fields, { kind: 7 })),
    expected: "rules FieldInvalid",
    says: /plants\.jsonl:2: kind: 7, expected a text/,
  },
  {
    bad: (draft) => {
      draft.plants = draft.plants.replace("\n", " \n");
    },
    expected: "rules NotCanonical",
    says: /plants\.jsonl:1:\d+/,
  },
  {
    bad: addRow((draft) => planted(draft, "revision")),
    options: scored,
    expected: "rules PlantServed",
    says: /run\/entries\.jsonl:4: rows \{.*\}: the planted row readings#/,
    good: addRow(
      () =>
        '{"available_at":"2020-01-02T00:00:00Z","body":{"date":"2020-01-01","value":1},"ref":"readings#x"}',
    ),
  },
  {
    bad: (draft) => set(entryOf(draft, "tool", 1), { unplanted: digestOf("another") }),
    options: scored,
    expected: "rules PlantServed",
    says: /run\/entries\.jsonl:4: rows \{.*\}: the answer changes with the case's plants/,
  },
  {
    bad: (draft) => set(entryOf(draft, "tool", 1), { planted: 2 }),
    options: scored,
    expected: "rules PlantServed",
    says: /the answer was made from 2 planted rows/,
  },
  {
    bad: addRow(() => later),
    options: scored,
    expected: "rules LeakServed",
    says: /:4: rows \{.*\}: readings#2020-03-01, available 2020-03-01T00:00:00Z, after the horizon 2020-01-11T00:00:00Z/,
    good: addRow(() => later.replaceAll("2020-03-01", "2020-01-11")),
  },
  {
    bad: (draft) => {
      const probe = entryOf(draft, "probe", 1);
      rebody(draft, probe, bodyText(draft, entryOf(draft, "probe", 0)));
    },
    expected: "rules PlantUnproven",
    says: /:2: absence readings: revision plant readings#/,
  },
  {
    bad: (draft) => set(entryOf(draft, "probe", 0), { args: null }),
    expected: "rules PlantUnproven",
    says: /presence readings: no such probe/,
  },
];

export const scoreForgeries: Forgery[] = [
  {
    bad: (draft) => reword(draft, ({ result }) => set(result["headline"] as Fields, { n: 99 })),
    expected: "score RescoreMismatch",
    says: /run\/report\.json: result\.headline\.n: 5 by the record, reported is 99/,
  },
  {
    bad: (draft) => reword(draft, ({ evidence }) => set(evidence, { host: { node: "x" } })),
    expected: "score RescoreMismatch",
    says: /evidence\.host\.node: "test" by the record, reported is "x"/,
  },
  {
    bad: (draft) => reword(draft, (report) => void Object.assign(report, { note: "well done" })),
    expected: "score RescoreMismatch",
    says: /report\.json: note: nothing by the record, reported is "well done"/,
  },
  ...[
    "no report",
    "null\n",
    "[]\n",
    '{"result":{"failed_cases":{"length":9}}}\n',
    '"\\ud800"\n',
    "\ufeff{}\n",
  ].map(
    (report): Forgery => ({
      bad: (draft) => {
        draft.report = report;
      },
      expected: "score RescoreMismatch",
      says: /report\.json: /,
    }),
  ),
  {
    // What every object has and none holds is no value of a report.
    bad: (draft) =>
      reword(draft, ({ result }) => {
        const { selection } = result["stamp"] as { selection: Fields };
        set(selection, { filters: { toString: 1 } });
      }),
    expected: "score RescoreMismatch",
    says: /result\.stamp\.selection\.filters\.toString: nothing by the record, reported is 1/,
  },
  {
    bad: (draft) => {
      draft.spoken = { result: digestOf("another result") };
    },
    expected: "score RescoreMismatch",
    says: /run\/close\.json: result: sha256:[0-9a-f]{64} by the record, reported is sha256:/,
  },
  {
    bad: (draft) => {
      draft.spoken = { report: digestOf("another report") };
    },
    expected: "score ReportDigestMismatch",
    says: /run\/report\.json: sha256:[0-9a-f]{64}, the close leaf has sha256:/,
  },
  {
    bad: (draft) => set(draft.manifest, { report_version: 99 }),
    expected: "score EngineMismatch",
    says: /run\/run\.json: report_version: 99, this is \d+/,
  },
];
