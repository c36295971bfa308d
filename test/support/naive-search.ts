/** Ranked search, slow and plainly right: the documents that a rule shows are listed, counted and scored one by one. */
import { canonical } from "../../src/core/canonical.ts";
import type { Reply } from "../../src/store/door.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import type { Table } from "../../src/store/table.ts";
import type { Search } from "../../src/store/tools.ts";
import { byValidAndKey, groupBy, type Rule, servedRow, type Version } from "./naive-versions.ts";

export type Document = {
  readonly table: Table;
  readonly version: Version;
  readonly words: readonly string[];
};

const WORD =
  /(?=[\p{L}\p{N}])[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]\p{M}*|[\p{L}\p{N}](?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{N}\p{M}])*/gu;

export function wordsOf(text: string): readonly string[] {
  return text.normalize("NFKC").toLowerCase().match(WORD) ?? [];
}

function documentOf(table: Table, version: Version): Document {
  const texts = table.text.map((column) => version.cells[column]);
  return { table, version, words: texts.flatMap((cell) => (typeof cell === "string" ? wordsOf(cell) : [])) };
}

/** BM25 of one document, k1 = 1.2 and b = 0.75, against the documents that are counted. */
export function naiveScore(
  document: Document,
  counted: readonly Document[],
  terms: readonly string[],
): number {
  const all = counted.filter(({ words }) => words.length > 0);
  const mean = all.reduce((sum, { words }) => sum + words.length, 0) / all.length;
  const times = (words: readonly string[], term: string) => words.filter((word) => word === term).length;
  let score = 0;
  for (const term of [...terms].sort()) {
    const n = all.length;
    const df = all.filter(({ words }) => words.includes(term)).length;
    const f = times(document.words, term);
    const idf = Math.log(1 + (n - df + 0.5) / (df + 0.5));
    score += (idf * (f * (1.2 + 1))) / (f + 1.2 * (1 - 0.75 + 0.75 * (document.words.length / mean)));
  }
  return score;
}

/** `countedBy` shows the documents that the scores are of, `rule` those that are found. */
export function naiveSearch(
  { tables, terms, k }: Search,
  allOf: (table: Table) => readonly Version[],
  asOf: number,
  rule: Rule,
  countedBy: Rule,
): Reply {
  const fits = (table: Table) => (version: Version) =>
    documentOf(table, version).words.some((word) => terms.includes(word));
  const shownBy = (by: Rule) =>
    tables.flatMap((table) =>
      [...groupBy(allOf(table), ({ key }) => canonical(key)).values()].flatMap((versions) => {
        const version = by(versions, asOf, table.forward, fits(table));
        return version === undefined ? [] : [documentOf(table, version)];
      }),
    );
  const counted = shownBy(countedBy);
  const found = shownBy(rule)
    .filter(({ words }) => words.some((word) => terms.includes(word)))
    .map((document) => ({ ...document, score: rounded(naiveScore(document, counted, terms)) }))
    .sort((a, b) => b.score - a.score || byTable(a.table, b.table) || byValidAndKey(a.version, b.version));
  const page = found.slice(0, k);
  const reply = {
    rows: page.map(({ table, version }) => servedRow(table, version)),
    scores: page.map(({ score }) => score),
    ...(page.length < found.length ? { total: found.length, truncated: true } : {}),
  };
  const planted =
    found.length === 0 ? [] : tables.flatMap((table) => usedPlants(table, allOf(table), asOf, rule));
  return { ok: true, text: () => canonical(reply), rows: null, planted };
}

const rounded = (score: number) => Number(score.toPrecision(12));
const byTable = (a: Table, b: Table) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Plants that are documents, and those that stand before one. */
function usedPlants(table: Table, all: readonly Version[], asOf: number, rule: Rule): PlantedRow[] {
  const isDocument = (version: Version | undefined) =>
    version !== undefined && documentOf(table, version).words.length > 0;
  return [...groupBy(all, ({ key }) => canonical(key)).values()].flatMap((versions) => {
    const real = versions.filter(({ plant }) => plant === null);
    const seen = rule(versions, asOf, table.forward, () => true);
    const behind = rule(real, asOf, table.forward, () => true);
    return versions.flatMap((version) => {
      const { plant, available, valid } = version;
      if (plant === null || plant.kind === "staged") return [];
      const shown = available <= asOf && (table.forward || valid <= asOf);
      const hides = shown && isDocument(behind) && (behind as Version).available <= available;
      return hides || (version === seen && isDocument(seen)) ? [plant] : [];
    });
  });
}
