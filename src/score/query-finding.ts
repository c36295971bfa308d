/** Query findings: entities that a reader asked for before any row could have told it of them. */

import type { BoundedCase } from "../caseset/bounded-case.ts";
import type { EntityFinder, EntityMatch } from "../caseset/entity-names.ts";
import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import type { Span } from "../core/sentences.ts";
import { createTermTrie, type TermTrie } from "../core/term-trie.ts";
import { nfkc, type Term, termsOf } from "../core/terms.ts";
import { datesIn } from "../core/text-dates.ts";
import type { Entry } from "../run/entry.ts";
import { callOf } from "./failure.ts";

/** A call, and an entity in it that is first available after the horizon. */
export type QueryFinding = {
  readonly step: number;
  readonly call: string;
  readonly entity: string;
  readonly first_available: string;
};

export type QueryFindings = {
  readonly findings: readonly QueryFinding[];
  /** Later entities that are no findings, one count a call: in the case's own text, else served before the call. */
  readonly subtracted: { readonly case: number; readonly served: number };
  /** Names that no row has and that nothing explains, one count a name and call. */
  readonly unknown: number;
  /** Texts that were looked at. */
  readonly queries: number;
};

/**
 * Over the calls of one attempt. A query is the `query` of a search, or a text in `where` of rows or an aggregate, whether or
 * not it was answered. Subtracted is what stands in the case's own text (id, question, resolution statement and source,
 * subject), in whatever case, or as a name in a reply before the call; under any of its names, and within a longer name too. So
 * a finding is never of an entity that the question names. Unknown are entities that no row names, and runs of capitalised terms
 * ("Harbour Line Three") that are part of no entity's name and of no date, stand neither in the case's own text nor in an
 * earlier reply, and are not words such as "The" or "What" alone. Time linear in what was asked and served.
 */
export function queryFindings(
  item: BoundedCase,
  attempt: readonly Entry[],
  body: (digest: Digest) => Json,
  find: EntityFinder,
): QueryFindings {
  const trie = createTermTrie();
  const number = runNumbers(trie);
  const calls = attempt.flatMap((entry) => (entry.kind === "tool" ? [askedOf(entry, find, number)] : []));
  const last = calls.findLastIndex(({ queries }) => queries > 0);
  const own = explainedBy((text) => find(text, "every"), trie);
  const served = explainedBy((text) => find(text, "nested"), trie);
  const findings: QueryFinding[] = [];
  const subtracted = { case: 0, served: 0 };
  let unknown = 0;
  if (last >= 0) for (const text of caseTexts(item)) own.take(text);
  for (const [i, { entry, entities, runs }] of calls.slice(0, last + 1).entries()) {
    for (const entity of entities) {
      const { name, firstAvailable: first } = entity;
      const by = own.explains(entity) ? "case" : served.explains(entity) ? "served" : null;
      if (first !== null && first <= item.horizon) continue;
      if (by !== null) subtracted[by] += first === null ? 0 : 1;
      else if (first === null) unknown++;
      else
        findings.push({
          step: entry.step,
          call: callOf(entry),
          entity: name,
          first_available: formatInstant(first),
        });
    }
    for (const run of runs) if (!own.runs.has(run) && !served.runs.has(run)) unknown++;
    if (i < last) for (const text of shownTexts(body(entry.result))) served.take(text);
  }
  const queries = calls.reduce((sum, call) => sum + call.queries, 0);
  return { findings, subtracted, unknown, queries };
}

type ToolEntry = Entry & { readonly kind: "tool" };
type Asked = {
  readonly entry: ToolEntry;
  readonly queries: number;
  /** Each once. */
  readonly entities: readonly EntityMatch[];
  /** Sequences of the trie, each once. */
  readonly runs: ReadonlySet<number>;
};

/** Equal runs have one number; of more than a limit, each has its own, and nothing is looked for that might explain it. */
function runNumbers(trie: TermTrie): (run: readonly Term[]) => number {
  let runs = 0;
  return (run) => (++runs > limits.unknownRuns ? -runs : trie.add(run));
}

function askedOf(entry: ToolEntry, find: EntityFinder, number: (run: readonly Term[]) => number): Asked {
  const entities = new Map<string, EntityMatch>();
  const runs = new Set<number>();
  const queries = queriesOf(entry);
  for (const query of queries) {
    const matches = find(query);
    for (const match of matches) if (!entities.has(match.name)) entities.set(match.name, match);
    for (const run of runsOf(query, matches)) runs.add(number(run));
  }
  return { entry, queries: queries.length, entities: [...entities.values()], runs };
}

function queriesOf({ name, args }: ToolEntry): readonly string[] {
  const { query, where } = (args ?? {}) as { readonly query?: Json; readonly where?: Json };
  if (name === "search") return typeof query === "string" ? [query] : [];
  return name === "rows" || name === "aggregate" ? [...textsIn(where)] : [];
}

/** Every text in a value; keys are none. */
function* textsIn(value: Json | undefined): Generator<string> {
  if (typeof value === "string") yield value;
  else if (value !== null && typeof value === "object")
    for (const each of Object.values(value)) yield* textsIn(each as Json);
}

/** What a reply showed: of its rows the cells, which have their references too. Not a fault: it quotes what was asked. */
function* shownTexts(reply: Json): Generator<string> {
  const { fault: _, rows, ...rest } = reply as { readonly [key: string]: Json };
  yield* textsIn(rest);
  for (const { body } of (rows ?? []) as readonly { readonly body?: Json }[]) yield* textsIn(body);
}

function caseTexts(item: BoundedCase): readonly string[] {
  const { id, question, subject } = item;
  const { statement, source } =
    item.kind === "forecast" ? item.resolution : { statement: null, source: null };
  return [
    id,
    question,
    ...(statement === null ? [] : [statement]),
    ...(source === null ? [] : [source]),
    ...(item.kind === "decision" ? (item.members ?? []) : []),
    ...(subject === null ? [] : [subject.entity]),
  ];
}

/** What texts have named so far: entities, and sequences of the trie. */
function explainedBy(find: EntityFinder, trie: TermTrie) {
  const seen = new Set<string>();
  const names = new Set<string>();
  const runs = new Set<number>();
  return {
    runs: runs as ReadonlySet<number>,
    explains: ({ name, shared }: EntityMatch) => names.has(name) || shared.some((other) => names.has(other)),
    take(text: string) {
      if (seen.has(text)) return;
      seen.add(text);
      for (const { name, shared } of find(text, "every"))
        for (const each of [name, ...shared]) names.add(each);
      const terms = termsOf(text);
      for (const start of terms.keys()) trie.walk(terms, start, (run) => void runs.add(run));
    },
  };
}

/** Runs of capitalised terms that nothing but a space or a joint stands between, outside names and dates. */
function runsOf(query: string, matches: readonly EntityMatch[]): readonly (readonly Term[])[] {
  const normal = nfkc(query);
  const taken = [...matches, ...datesIn(normal)].sort((a, b) => a.from - b.from);
  const runs: Term[][] = [];
  let next = 0;
  let reach = 0;
  let before: Term | undefined;
  for (const term of termsOf(normal)) {
    for (; next < taken.length && (taken[next] as Span).from <= term.from; next++)
      reach = Math.max(reach, (taken[next] as Span).to);
    if (!term.capital || term.from < reach) {
      before = undefined;
      continue;
    }
    if (before !== undefined && isJoint(normal, before, term)) (runs.at(-1) as Term[]).push(term);
    else runs.push([term]);
    before = term;
  }
  return runs.map(withoutWords).filter(({ length }) => length > 0);
}

const isJoint = (text: string, { to }: Term, { from }: Term): boolean =>
  from - to <= 3 && /^(?: |-|'|’|\.|\. | & )$/.test(text.slice(to, from));

/** "What is", "In", "The": capitals that begin a sentence, and months. */
const words = new Set(
  (
    "a an the and or of in on at by to for from with is are was were will would can could may might shall should do does did " +
    "has have had be who whom whose what when where why which how if i it its this that these those there any all no not new " +
    "january february march april june july august september october november december " +
    "monday tuesday wednesday thursday friday saturday sunday"
  ).split(" "),
);

function withoutWords(run: readonly Term[]): readonly Term[] {
  const first = run.findIndex(({ term }) => !words.has(term));
  const last = run.findLastIndex(({ term }) => !words.has(term));
  return first < 0 ? [] : run.slice(first, last + 1);
}
