/** A run as a trial of a ledger: counted when it begins, whatever becomes of it, and once more when it has ended. */
import type { Json } from "../core/canonical.ts";
import { type Digest, digestOfJson } from "../core/digest.ts";
import { formatInstant, instant } from "../core/instant.ts";
import { leafLine, type TrialsMark } from "../ledger/leaves.ts";
import { type TrialRows, trialHeadAt } from "../ledger/trial-chain.ts";
import type { TrialLedger, TrialMark } from "../ledger/trial-ledger.ts";
import type { TrialRow } from "../ledger/trial-row.ts";
import type { Plan } from "./preflight.ts";
import type { Stamp } from "./stamp.ts";
import type { World } from "./world.ts";

/** The run's own first row, and what the ledger was with it. */
export type BegunTrial = { readonly start: number; readonly mark: TrialsMark & { readonly ledger: string } };

/** A run's trial with its last row, and the ledger up to it. */
export type EndedTrial = {
  readonly begun: BegunTrial;
  readonly mark: TrialsMark;
  readonly ledger: TrialRows;
};

/** What was measured of it, or why it failed. */
export type TrialOutcome =
  | { readonly measures: Json; readonly series: string | null }
  | { readonly failed: string };

/**
 * Digest of all that makes two runs two trials: the stamp and the profile without the seed, which a row has beside it.
 * The declared repeats of one seed are one trial.
 */
export function trialIdentity(stamp: Stamp, profile: Json): Digest {
  const { seed: _, profile: __, ...rest } = stamp;
  const { seed: ___, ...declared } = profile as { readonly [key: string]: Json };
  return digestOfJson({ profile: declared, stamp: rest });
}

/** Appends the run's first row, and its leaf; null where no ledger is kept. */
export async function startTrial(plan: Plan, world: World): Promise<BegunTrial | null> {
  const { trials } = world;
  if (trials === undefined) return null;
  const { stamp, selection, run } = plan;
  const { profile, seed, repeats, filters, limit } = selection.options;
  const { name, params } = stamp["reader"] as { name: string; params: Json };
  const mark = await trials.start({
    at: now(world),
    run,
    identity: trialIdentity(stamp, profile),
    seed,
    repeats,
    units: selection.trial?.units ?? null,
    config: {
      reader: { name, params },
      profile,
      cases: { n: plan.cases.length, filters: filters.map(({ key, value }) => `${key}=${value}`), limit },
    },
  });
  await appendLeafOnce(run, mark, trials, world);
  return { start: mark.row, mark: { head: mark.head, ledger: trials.name, rows: mark.rows } };
}

/** Appends the run's last row and its leaf, unless a process that died had; null where no ledger is kept. */
export async function endTrial(
  run: string,
  begun: BegunTrial | null,
  outcome: TrialOutcome,
  world: World,
): Promise<EndedTrial | null> {
  const { trials } = world;
  if (begun === null || trials === undefined) return null;
  const { start } = begun;
  const isEnd = (row: TrialRow) => row.kind !== "start" && row.start === start;
  if (!(await trials.read()).rows.some(isEnd)) {
    const row = { at: now(world), run, start };
    await ("failed" in outcome
      ? trials.fail({ ...row, reason: outcome.failed })
      : trials.end({ ...row, ...outcome }));
  }
  const known = await trials.read(); // others may have appended since: the run's ledger ends with its own row
  const rows = known.rows.slice(0, known.rows.findIndex(isEnd) + 1);
  const head = trialHeadAt(known, rows.length) as string;
  await appendLeafOnce(run, { head, row: rows.length - 1 }, trials, world);
  return { begun, mark: { head, rows: rows.length }, ledger: { place: known.place, rows, head } };
}

/** Of a row, unless a process that died after it had. The digest of a ledger's last line is its head. */
async function appendLeafOnce(
  run: string,
  { head, row }: Pick<TrialMark, "head" | "row">,
  { name }: TrialLedger,
  { ledger }: World,
): Promise<void> {
  const leaves = await ledger.leavesOf(run);
  if (leaves.some(({ leaf }) => leaf.v === "blindcast.trial-row/1" && leaf.row === row)) return;
  await ledger.append(leafLine({ v: "blindcast.trial-row/1", run, ledger: name, line: head, row }));
}

const now = ({ clock }: World) => formatInstant(instant(Math.floor(clock.now()) * 1000));
