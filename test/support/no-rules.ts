/** Rules of a run whose profile declares nothing of leakage, and whose tables have no text. */
import type { ScoreRules } from "../../src/score/score-rules.ts";

export const noRules: ScoreRules = {
  documents: new Set(),
  judged: false,
  threshold: null,
  queries: null,
  staged: null,
};
