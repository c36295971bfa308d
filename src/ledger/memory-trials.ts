/** A trial ledger in memory: for the library and for tests. Nothing of it outlives the process. */
import { nodeHashing } from "../core/digest.ts";
import { tooFewRows, trialChain } from "./trial-chain.ts";
import type { TrialLedger, TrialMark } from "./trial-ledger.ts";
import type { TrialContent, TrialRow } from "./trial-row.ts";

/** Refuses as one on a disk does. */
export function memoryTrialLedger(name: string): TrialLedger {
  const place = "memory";
  const chain = trialChain(place, nodeHashing.sha256);
  const lines: string[] = [];
  const rows: TrialRow[] = [];
  const append = async (content: TrialContent): Promise<TrialMark> => {
    const line = chain.next(content);
    rows.push(chain.take(line));
    return { row: lines.push(line) - 1, rows: lines.length, head: chain.head(), line };
  };
  return {
    name,
    place,
    start: (start) => append({ kind: "start", ...start }),
    end: (end) => append({ kind: "end", ...end }),
    fail: (fail) => append({ kind: "fail", ...fail }),
    async prefix(count) {
      if (count > lines.length) tooFewRows(place, lines.length, count);
      return lines
        .slice(0, count)
        .map((line) => `${line}\n`)
        .join("");
    },
    read: async () => ({ place, rows: [...rows], head: chain.head(), torn: 0 }),
  };
}
