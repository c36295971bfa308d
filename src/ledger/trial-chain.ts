/** The chain of a trial ledger's rows: each names the digest of the line before, and ends a trial that is under way or begins one. */
import { type Sha256, toHex, utf8 } from "../core/bytes.ts";
import { isCanonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { type TrialContent, type TrialRow, trialLine, trialRowFault } from "./trial-row.ts";

export type TrialRows = {
  readonly place: Place;
  readonly rows: readonly TrialRow[];
  /** SHA-256 of the last line, without its newline; of the empty text where there is none. */
  readonly head: string;
};

export type TrialChain = {
  /** How many rows were taken. */
  readonly rows: () => number;
  readonly head: () => string;
  /** Takes the next line, without its newline; one that is refused is not taken. */
  readonly take: (line: string) => TrialRow;
  /** The line that would be taken next for a content. */
  readonly next: (content: TrialContent) => string;
};

/**
 * A chain without rows; row n stands at `place:n+1`. Refuses TrialLedgerBroken for a line in another spelling or of another
 * shape, at another number, that does not follow the line before, or ends what is not under way; LimitExceeded.
 */
export function trialChain(place: Place, sha256: Sha256): TrialChain {
  const digest = (text: string) => `sha256:${toHex(sha256(utf8(text)))}`;
  /** By start row: the run of a trial under way, or the row that ended it. */
  const trials = new Map<number, string | number>();
  let head = digest("");
  let rows = 0;
  const at = () => `${place}:${rows + 1}`;
  const broken = (found: string, expected: string, subject = `row ${rows}`): never =>
    refuse("TrialLedgerBroken", { place: at(), subject, found, expected });

  function check(row: TrialRow): void {
    if (row.row !== rows) broken(`row number ${row.row}`, `${rows}: rows are missing, or were moved`);
    if (row.prev !== head)
      broken(
        `prev ${row.prev}`,
        rows === 0 ? `${head}, that of the empty text` : `${head}: ${changed(rows)}`,
      );
    if (row.kind === "start") return;
    const trial = trials.get(row.start);
    if (typeof trial === "number") broken(`a second end of row ${row.start}`, `one, which is row ${trial}`);
    if (trial === undefined) broken(`an end of row ${row.start}`, "the number of a start row before it");
    if (trial !== row.run) broken(`run ${row.run}`, `${trial}, which began in row ${row.start}`);
  }

  function demandRoom(line: string): void {
    const found = line.length * 3 > limits.entryBytes ? utf8(line).length : 0;
    if (found > limits.entryBytes)
      refuse("LimitExceeded", { place: at(), what: "bytes of a row", found, limit: limits.entryBytes });
    if (rows >= limits.trialRows)
      refuse("LimitExceeded", { place, what: "rows", found: rows + 1, limit: limits.trialRows });
  }

  return {
    rows: () => rows,
    head: () => head,
    take(line) {
      demandRoom(line);
      const row = parseLine(line, broken);
      check(row);
      if (row.kind === "start") trials.set(rows, row.run);
      else trials.set(row.start, rows);
      head = digest(line);
      rows++;
      return row;
    },
    next(content) {
      const line = trialLine(content, rows, head);
      demandRoom(line);
      check(JSON.parse(line) as TrialRow);
      return line;
    },
  };
}

const changed = (row: number) =>
  `the digest of row ${row - 1}, which was changed, unless row ${row} was not written after it`;

function parseLine(line: string, broken: (found: string, expected: string) => never): TrialRow {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch (error) {
    return broken((error as Error).message, "canonical JSON");
  }
  if (!isCanonical(line, value)) return broken(line.slice(0, 200), "canonical JSON");
  const fault = trialRowFault(value);
  return fault === undefined ? (value as unknown as TrialRow) : broken(fault.found, fault.expected);
}

/** All rows of a ledger's text, each line with its newline. Refuses as trialChain does, and a last line that is torn. */
export function parseTrialRows(text: string, place: Place, sha256: Sha256): TrialRows {
  const chain = trialChain(place, sha256);
  const lines = text.split("\n");
  const torn = lines.pop() as string;
  const rows = lines.map((line) => chain.take(line));
  if (torn !== "")
    refuse("TrialLedgerBroken", {
      place: `${place}:${rows.length + 1}`,
      subject: `row ${rows.length}`,
      found: "a line without its newline",
      expected: "whole lines",
    });
  return { place, rows, head: chain.head() };
}

/** The head as it was after the first `rows` rows; undefined where there are fewer. */
export function trialHeadAt(ledger: TrialRows, rows: number): string | undefined {
  return rows === ledger.rows.length ? ledger.head : ledger.rows[rows]?.prev;
}

/** Refuses TrialLedgerBroken: there were more rows once. */
export function tooFewRows(place: Place, found: number, expected: number): never {
  return refuse("TrialLedgerBroken", {
    place,
    subject: `row ${found}`,
    found: "the end of the ledger",
    expected: `at least ${expected} rows, which it had`,
  });
}
