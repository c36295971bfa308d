/** What a workspace's audit logs say of a trial ledger: rows that runs appended, which may neither change nor go. */
import * as fs from "node:fs";
import * as path from "node:path";
import { refuse } from "../core/refusal.ts";
import { isThere, onDisk } from "./disk.ts";
import { parseLeaf } from "./leaves.ts";
import { readLeaves } from "./log-files.ts";
import { type TrialRows, trialHeadAt } from "./trial-chain.ts";

/** After its first `rows` rows a ledger had this head; `place` is the leaf that says so. */
export type HeldHead = { readonly rows: number; readonly head: string; readonly place: string };

/**
 * Of the ledger of this name, in the order of logs and leaves. No signature is checked: whoever can write here could
 * change both. Refuses what parseLeaf does for a leaf that speaks of the ledger.
 */
export function* heldHeads(workspace: string, ledger: string): Generator<HeldHead> {
  const audit = path.join(workspace, "ledgers", "audit");
  const mark = Buffer.from(`"ledger":${JSON.stringify(ledger)}`);
  for (const folder of foldersIn(audit))
    for (const { bytes, index } of readLeaves({ folder, key: null })) {
      if (!bytes.includes(mark)) continue;
      const place = `${path.join(folder, "leaves.jsonl")}:${index + 1}`;
      const leaf = parseLeaf(bytes.toString(), place, ["blindcast.open/1", "blindcast.trial-row/1"]);
      if (leaf.v === "blindcast.trial-row/1") yield { rows: leaf.row + 1, head: leaf.line, place };
      else if (leaf.trials !== null) yield { rows: leaf.trials.rows, head: leaf.trials.head, place };
    }
}

/** Refuses TrialLedgerBroken where the ledger does not begin with what it was. Heads are read first, then the ledger. */
export function demandHeld(ledger: TrialRows, { rows, head, place }: HeldHead): void {
  const found = trialHeadAt(ledger, rows);
  if (found === head) return;
  const have = ledger.rows.length;
  const last = Math.max(0, Math.min(rows - 1, have));
  const words =
    found === undefined
      ? {
          found:
            have === 0
              ? "no row: the ledger is empty, or not there any more"
              : `the end of the ledger after ${have} ${have === 1 ? "row" : "rows"}`,
          expected: `${rows}, which ${place} says`,
        }
      : { found: `a line of ${found}`, expected: `one of ${head}, which ${place} says` };
  refuse("TrialLedgerBroken", { place: `${ledger.place}:${last + 1}`, subject: `row ${last}`, ...words });
}

const foldersIn = (audit: string): readonly string[] =>
  onDisk(audit, () =>
    isThere(audit)
      ? fs
          .readdirSync(audit, { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map(({ name }) => path.join(audit, name))
          .sort()
      : [],
  );
