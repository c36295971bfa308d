/** Small tables of documents, and doors over them. */
import assert from "node:assert/strict";
import type { Json } from "../../src/core/canonical.ts";
import { type Instant, instant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { createStore, replyText, type Store } from "../../src/store/door.ts";
import type { PlantedRow } from "../../src/store/overlay.ts";
import type { Table } from "../../src/store/table.ts";
import { type Row, type Schema, START, tableOfRows } from "../support/random-table.ts";

export const day = (n: number): Instant => instant(START + n * MICROS_PER_DAY);
const plain: Schema = {
  name: "t",
  key: ["id"],
  entity: null,
  text: ["note, #1"],
  forward: false,
  span: false,
  delay: null,
};

type Doc = {
  readonly id: string;
  readonly text: string | null | undefined;
  readonly valid?: number;
  readonly available?: number;
  readonly gone?: boolean;
  readonly group?: string;
};

/** Rows whose text is a note; valid on day 0, known on day 0, unless they say otherwise. */
const rowsOf = (docs: readonly Doc[]): Row[] =>
  docs.map(({ id, text, valid = 0, available = 0, gone = false, group = null }) => ({
    valid: day(valid),
    available: day(available),
    retracted: gone,
    cells: {
      at: "at",
      id,
      n: 0,
      released: "released",
      flag: true,
      group,
      rank: null,
      x: null,
      "note, #1": text,
      until: null,
    },
  }));
export const tableOf = (docs: readonly Doc[], change: Partial<Schema> = {}): Table =>
  tableOfRows({ ...plain, ...change }, rowsOf(docs));

export const doorAt = (store: Store, at: Instant, rows: readonly PlantedRow[] | null = null) =>
  store.open({
    caseId: "c",
    horizon: at,
    tables: [...store.tables.keys()],
    overlay: rows === null ? null : { view: "reader", rows },
    subject: "test",
  });

export type Answer = {
  readonly rows: readonly { readonly ref: string }[];
  readonly scores: readonly number[];
  readonly total?: number;
  readonly truncated?: true;
};
export function answerOf(tables: readonly Table[], at: number, args: Json): Answer {
  const reply = doorAt(createStore(tables), day(at)).call("search", args);
  assert.ok(reply.ok, replyText(reply));
  return JSON.parse(replyText(reply)) as Answer;
}
export const found = (tables: readonly Table[], at: number, query: string) => {
  const { rows, scores } = answerOf(tables, at, { query });
  return rows.map(({ ref }, i) => [ref, scores[i]]);
};
