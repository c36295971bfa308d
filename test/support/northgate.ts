/**
 * The key of casesets/northgate-ferries, which was made by hand when its pages were written, and what is measured against it.
 * A pair of a case and a document that the case can read is in the key where its tier or what the floor's rule makes of it is
 * above 0; every other pair has neither: nothing later is told, and nothing in the words looks as if it were.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { repository } from "../core/refused.ts";

export type KeyLine = {
  readonly case: string;
  readonly document: string;
  /** What it tells of what came later, from 0 to 4, as a person reads it. */
  readonly tier: number;
  /** What the floor's rule gives by hand: 1 for a later date or a name that the register has later, 4 for an answer. */
  readonly floor: number;
};
export type QueryLine = {
  readonly case: string;
  readonly query: string;
  readonly finds: readonly string[];
  readonly subtracted: readonly string[];
};
export type Note = {
  readonly id: string;
  readonly published: string;
  readonly title: string;
  readonly text: string;
};
export type NorthgateCase = {
  readonly id: string;
  readonly question: string;
  readonly freeze: string;
  readonly leak_threshold?: number;
};

export const northgate = path.join(repository, "casesets/northgate-ferries");

function linesOf<T>(file: string): T[] {
  const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}
const fixture = <T>(name: string) => linesOf<T>(path.join(repository, "test/fixtures", name));

export const key = fixture<KeyLine>("northgate-key.jsonl");
export const scripted = fixture<QueryLine>("northgate-queries.jsonl");
export const notes = linesOf<Note>(path.join(northgate, "tables/notes.jsonl"));
export const cases = linesOf<NorthgateCase>(path.join(northgate, "cases.jsonl"));
export const outcomes = new Map(
  linesOf<{ case: string; outcome: 0 | 1 }>(path.join(northgate, "labels.jsonl")).map((label) => [
    label.case,
    label.outcome,
  ]),
);

const byPair = new Map(key.map((line) => [`${line.case} ${line.document}`, line]));

/** Of every pair; what is not in the key is 0. */
export const keyed = (id: string, document: string): Pick<KeyLine, "tier" | "floor"> =>
  byPair.get(`${id} ${document}`) ?? { tier: 0, floor: 0 };

/** The version of each document that a case can read: the last published by its freeze. */
export function readableBy({ freeze }: Pick<NorthgateCase, "freeze">): Note[] {
  const last = new Map<string, Note>();
  for (const note of notes) if (note.published <= freeze) last.set(note.id, note);
  return [...last.values()];
}

export type Scored = { readonly case: string; readonly document: string; readonly score: number };

type Rates = { readonly recall: number; readonly precision: number; readonly hits: number };

/** Of the pairs at or above a level by the key, how many are scored so; of those scored so, how many are by the key. */
function ratesOf(
  scored: readonly Scored[],
  by: "tier" | "floor",
  level: number,
  from: number = level,
): Rates {
  const is = scored.map((one) => [keyed(one.case, one.document)[by] >= level, one.score >= from] as const);
  const hits = is.filter(([wanted, given]) => wanted && given).length;
  const share = (of: 0 | 1) => hits / is.filter((each) => each[of]).length;
  return { recall: share(0), precision: share(1), hits };
}

/** Recall and precision as lines: of the level that a score says, and of a major part, which the floor gives as 4. */
export function ratesText(what: string, scored: readonly Scored[]): string[] {
  const line = (words: string, { recall, precision, hits }: Rates) =>
    `${what}: ${words.padEnd(34)} recall ${recall.toFixed(3)}  precision ${precision.toFixed(3)}  (${hits} hits)`;
  return [
    line(">= 1 against the true tier", ratesOf(scored, "tier", 1)),
    line("4 against the true tier 4", ratesOf(scored, "tier", 4)),
    line("4 against the true tiers 3 and 4", ratesOf(scored, "tier", 3, 4)),
    line(">= 1 against the rule by hand", ratesOf(scored, "floor", 1)),
    line("4 against the rule by hand", ratesOf(scored, "floor", 4)),
  ];
}

/** Where findings are not the key's; the key is right in each. */
export const findingDisagreements: readonly (Pick<QueryLine, "case" | "query"> & {
  readonly given: readonly string[];
  readonly why: string;
})[] = [
  {
    case: "skerry-link-2030-06-08",
    query: "kittiwake colony on the north face",
    given: ["Kittiwake"],
    why: "a query all in lower case has no capitals to tell the bird from the ship",
  },
];

/** What the key says that a scripted query finds, or what is known to be found instead; sorted. */
export function findsOf({ case: id, query, finds }: QueryLine): readonly string[] {
  const known = findingDisagreements.find((one) => one.case === id && one.query === query);
  return [...(known?.given ?? finds)].sort();
}
