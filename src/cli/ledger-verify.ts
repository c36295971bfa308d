/** What `blindcast ledger verify` does: each row follows the one before, and is as audit logs and reports know it. */
import { type BlindcastError, refuse } from "../core/refusal.ts";
import { demandHeld, type HeldHead, heldHeads } from "../ledger/trial-leaves.ts";
import type { LedgerRows, Trial } from "../ledger/trial-ledger.ts";
import { wrapWords } from "../report/cutoff-words.ts";
import { counted } from "../report/shown-figures.ts";
import { integer, type Raw, text } from "./arguments.ts";
import { exitStatus } from "./exit-status.ts";
import { brokenBy, type LedgerPlace, type LedgerRead, readLedger } from "./ledger-read.ts";
import { countsText, tornText, unfinishedText } from "./ledger-text.ts";
import { emphasis, printData, printWords, refusalText } from "./print.ts";

/** What `--rows N --head DIGEST` says that the ledger was; null without them. */
export function claimOf(raw: Raw): HeldHead | null {
  const rows = integer(raw, "rows", 0, Number.MAX_SAFE_INTEGER);
  const head = text(raw, "head");
  if (rows === undefined && head === undefined) return null;
  if (rows === undefined || head === undefined)
    return refuse("ArgumentInvalid", {
      place: rows === undefined ? "--head" : "--rows",
      found: head ?? String(rows),
      expected: rows === undefined ? "--rows beside it" : "--head beside it",
    });
  if (!/^sha256:[0-9a-f]{64}$/.test(head))
    refuse("ArgumentInvalid", {
      place: "--head",
      found: head,
      expected: "sha256: and 64 hexadecimal digits",
    });
  return { rows, head, place: "--head" };
}

/** What a ledger was held against: a claim, and up to which row the audit logs know it. */
type Held = { readonly claim: HeldHead | null; readonly audited: number | null };

/** Exit status: 0 verified, 1 broken or torn. */
export async function verifyLedger(
  place: LedgerPlace,
  claim: HeldHead | null,
  json: boolean,
): Promise<number> {
  try {
    const held = heldOf(place);
    const found = await readLedger(place.file);
    if (claim !== null) demandHeld(found.rows, claim);
    return tellVerified(found, { claim, audited: demandAudited(found.rows, held) }, json);
  } catch (error) {
    return tellBroken(place.file, brokenBy(error), json);
  }
}

/**
 * How many rows the audit logs of its workspace name; null where it is in none. Refuses TrialLedgerBroken where one of
 * them is not as it was named.
 */
export function demandAudited(ledger: LedgerRows, held: readonly HeldHead[] | null): number | null {
  if (held === null) return null;
  for (const each of held) demandHeld(ledger, each);
  return held.reduce((most, { rows }) => Math.max(most, rows), 0);
}

/** What the audit logs of its workspace say of a ledger, read before it is: each of its rows is older than its leaf. */
export function heldOf({ name, workspace }: LedgerPlace): readonly HeldHead[] | null {
  return workspace === null ? null : [...heldHeads(workspace, name)];
}

function tellBroken(file: string, refusal: BlindcastError, json: boolean): number {
  printWords(refusalText(refusal));
  const { code, message, hint = null, details } = refusal;
  const named = "subject" in details ? /^row (\d+)/.exec(String(details.subject))?.[1] : undefined;
  const row = named === undefined ? null : Number(named);
  const words = `${emphasis("broken", false)}${row === null ? "" : ` at row ${row}`}`;
  printData(json ? JSON.stringify({ verdict: "broken", place: file, row, code, message, hint }) : words);
  return exitStatus.red;
}

function tellVerified({ figures, trials }: LedgerRead, held: Held, json: boolean): number {
  const verdict = figures.torn === 0 ? "verified" : "torn";
  const { trials: count, unfinished: _, broken: __, ...counts } = figures;
  const unfinished = trials.filter(({ state }) => state === "unfinished").map(unended);
  printData(
    json
      ? JSON.stringify({ verdict, ...counts, trials: count, unfinished, audited_rows: held.audited })
      : [
          `${emphasis(verdict, verdict === "verified")}: ${countsText(figures)}`,
          `head ${figures.head}`,
          ...unfinishedText(trials),
          ...tornText(figures),
          ...heldText(held),
        ].join("\n"),
  );
  return verdict === "verified" ? exitStatus.verified : exitStatus.red;
}

const unended = ({ start: row, run, at }: Trial) => ({ row, run, at });

function heldText({ claim, audited }: Held): string[] {
  const known = Math.max(claim?.rows ?? 0, audited ?? 0);
  const after = known === 0 ? "its last rows were not" : `nothing after row ${known - 1} was`;
  return [
    ...(claim === null ? [] : [`its first ${counted(claim.rows, "row")} had that head`]),
    ...(audited === 0 ? ["no audit log beside it names a row of it"] : []),
    ...(audited === null || audited === 0 ? [] : [`audit logs beside it know it up to row ${audited - 1}`]),
    ...wrapWords(
      `It does not prove that ${after} changed or taken away, nor that it has no other copies.`,
      80,
      "  ",
    ),
  ];
}
