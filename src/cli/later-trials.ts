/** A replayed run's trial among those that its ledger has now: what it was worth when the run closed, and what it is today. */
import type { Json } from "../core/canonical.ts";
import { roundAll } from "../core/round.ts";
import { trialHeadAt } from "../ledger/trial-chain.ts";
import { openTrialFile, trialFileOf } from "../ledger/trial-file.ts";
import { findWorkspace } from "../ledger/workspace.ts";
import type { Section } from "../report/section.ts";

type Worth = {
  readonly rows: number;
  readonly n_trials: number;
  readonly sr0: number | null;
  /** Of the run's own trial. */
  readonly sharpe: number | null;
  readonly dsr: number | null;
};
/** `today`: null where the ledger of the workspace ends where the run's did; `state` says why else there is none. */
export type ThenAndNow = {
  readonly ledger: string;
  readonly closed: Worth;
  readonly today: Worth | null;
  readonly state: "later" | "same" | "no ledger here" | "another ledger";
};

type Evidence = {
  readonly ledger: string;
  readonly rows: number;
  readonly head: string;
  readonly row: number;
};
type Figures = {
  readonly n_trials: number;
  readonly sr0: number | null;
  readonly own: { readonly sharpe: number | null; readonly dsr: number | null } | null;
};

/** Looks for the ledger in the workspace of the run's folder; null where the run kept none, or nothing is derived of it. */
export async function trialsThenAndNow(
  evidence: Json,
  section: Section | null,
  folder: string,
): Promise<ThenAndNow | null> {
  const { trials } = evidence as { readonly trials?: Evidence & { readonly figures: Figures | null } };
  if (trials === undefined || trials.figures === null || section === null) return null;
  const { ledger, rows, head, row, figures } = trials;
  const known = await openTrialFile(trialFileOf(findWorkspace(folder), ledger)).read();
  const of = { ledger, closed: worthOf(rows, figures), today: null };
  if (known.rows.length === 0) return { ...of, state: "no ledger here" };
  if (trialHeadAt(known, rows) !== head) return { ...of, state: "another ledger" };
  if (known.rows.length === rows) return { ...of, state: "same" };
  const today = worthOf(known.rows.length, roundAll(section.ofTrials(known, row)) as unknown as Figures);
  return { ...of, today, state: "later" };
}

function worthOf(rows: number, { n_trials, sr0, own }: Figures): Worth {
  return { rows, n_trials, sr0, sharpe: own?.sharpe ?? null, dsr: own?.dsr ?? null };
}

/** Label and words, line by line. */
export function thenAndNowRows({ ledger, closed, today, state }: ThenAndNow): [string, string][] {
  const words = ({ n_trials: n, rows, sr0, sharpe, dsr }: Worth) =>
    `${n} ${n === 1 ? "trial" : "trials"} known at row ${rows - 1}: ratio ${shown(sharpe)}, SR0 ${shown(sr0)}, DSR ${shown(dsr)}`;
  const said: { readonly [S in ThenAndNow["state"]]: string } = {
    later: today === null ? "" : words(today),
    same: "the ledger has no further rows",
    "no ledger here": `no ledger ${ledger} in the run's workspace: what was tried since is not known`,
    "another ledger": `the ledger ${ledger} of the run's workspace has other rows than the run's: nothing is compared`,
  };
  return [
    ["deflated then", words(closed)],
    ["deflated now", said[state]],
  ];
}

const shown = (value: number | null) => (value === null ? "–" : value.toFixed(4));
