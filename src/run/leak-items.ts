/** What a judge of leaks is asked: each document that an attempt was served, against what was known of the case before. */

import type { BoundedCase } from "../caseset/bounded-case.ts";
import { canonical } from "../core/canonical.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { clip } from "../core/words.ts";
import type { Judge, JudgeItem } from "../model/judge.ts";
import type { ServedRow } from "../model/reader.ts";
import { replyText, type Store } from "../store/door.ts";
import type { Column, Table } from "../store/table.ts";
import type { Judging } from "./judging.ts";
import { retrieved } from "./retrieved.ts";

/** Judges every document once a trajectory; what the judge gets comes from rows available by the horizon alone. */
export function leakJudging(judge: Judge, store: Store): Judging {
  const documents = documentTables(store);
  return {
    judge,
    items: (item, attempt, body) => {
      const found = retrieved(attempt, body, documents);
      if (found.length === 0) return [];
      const rest: Omit<JudgeItem, "document"> = {
        dimension: "leak",
        question: item.question,
        subject: item.subject,
        reference_answer: knownBefore(item, store),
        horizon: formatInstant(item.horizon),
      };
      return found.map(({ document }) => ({ ...rest, document }));
    },
  };
}

/** Tables whose rows are documents. */
export const documentTables = (store: Pick<Store, "tables">): ReadonlySet<string> =>
  new Set([...store.tables.values()].filter(({ text }) => text.length > 0).map(({ name }) => name));

/** The last row of the case's subject in each table that has it as an entity, as of the horizon; no label is read. */
function knownBefore(item: BoundedCase, store: Store): string {
  const { id, horizon, reads, subject } = item;
  const before = `by ${formatInstant(horizon)}`;
  if (subject === null) return `The case names no subject; nothing is said to be known of it ${before}.`;
  const door = store.open({ caseId: id, horizon, tables: reads, overlay: null, subject: "judge" });
  const rows = reads.flatMap((name) => {
    const { entity, columns } = store.tables.get(name) as Table;
    if (entity === null) return [];
    const where = { [(columns[entity] as Column).name]: subject.entity };
    const reply = door.call("rows", { table: name, where, latest: true });
    return reply.ok ? (JSON.parse(replyText(reply)) as { rows: ServedRow[] }).rows : [];
  });
  if (rows.length === 0) return `No row names ${subject.entity} ${before}.`;
  const known = rows.map(
    ({ ref, available_at, body }) => `${ref}, known ${available_at}: ${canonical(body)}`,
  );
  return clip(`Known of ${subject.entity} ${before}: ${known.join("; ")}.`, limits.wordsCharacters);
}
