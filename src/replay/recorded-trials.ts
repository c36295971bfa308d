/** The ledger of trials that a run keeps: as long as its leaves say, chained, with the run's own rows in it. */
import { strictUtf8 } from "../core/bytes.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { nodeHashing } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import type { CloseLeaf, OpenLeaf } from "../ledger/leaves.ts";
import { parseTrialRows, type TrialRows, trialHeadAt } from "../ledger/trial-chain.ts";
import type { TrialRow } from "../ledger/trial-row.ts";
import { type BegunTrial, type EndedTrial, type TrialOutcome, trialIdentity } from "../run/trials.ts";
import { fileIn, type RunFiles, wholeFile } from "./bundle.ts";
import { type Listing, TRIALS } from "./files.ts";
import type { RecordedRun } from "./record.ts";

type Leaves = { readonly open: OpenLeaf; readonly close: CloseLeaf };

/**
 * null where no ledger was kept. Refuses FileMissing, FileUnexpected, TrialLedgerBroken: rows that are no chain, another
 * head or number than the leaves name, a row of the run that says something else than its stamp does.
 */
export async function recordedTrials(
  bundle: RunFiles,
  { files }: Listing,
  { open, close }: Leaves,
  run: RecordedRun,
): Promise<EndedTrial | null> {
  const place = fileIn(bundle, TRIALS);
  const bytes = files.get(TRIALS);
  if (open.trials === null || close.trials === null) {
    if (open.trials !== null || close.trials !== null)
      refuse("FieldInvalid", {
        place: fileIn(bundle, "close.json"),
        field: "trials",
        found: JSON.stringify(close.trials),
        expected: "a ledger in both leaves, or in none",
      });
    if (bytes !== undefined)
      refuse("FileUnexpected", {
        place,
        problem: "the leaves name no ledger of trials, expected no such file",
      });
    return null;
  }
  if (bytes === undefined)
    return refuse("FileMissing", { place, problem: "not there, though the leaves name a ledger of trials" });
  const text = strictUtf8(await wholeFile(bundle, TRIALS, bytes));
  if (text === undefined) return refuse("FileUnreadable", { place, cause: "not UTF-8" });
  const ledger = parseTrialRows(text, place, nodeHashing.sha256);
  const broken = (subject: string, found: string, expected: string): never =>
    refuse("TrialLedgerBroken", { place, subject, found, expected });
  const { rows, head } = close.trials;
  if (ledger.rows.length !== rows || ledger.head !== head)
    broken("the whole", `${ledger.rows.length} rows, head ${ledger.head}`, `${rows} rows, head ${head}`);
  if (trialHeadAt(ledger, open.trials.rows) !== open.trials.head)
    broken(
      `row ${open.trials.rows - 1}`,
      `the digest ${trialHeadAt(ledger, open.trials.rows) ?? "of no row"}`,
      `${open.trials.head}, which the open leaf names`,
    );
  const begun: BegunTrial = { start: open.trials.rows - 1, mark: open.trials };
  demandOwnRow(ledger, begun, run, broken);
  return { begun, mark: close.trials, ledger };
}

type Broken = (subject: string, found: string, expected: string) => never;

/** Its first row is that of this run and this stamp. */
function demandOwnRow({ rows }: TrialRows, { start }: BegunTrial, run: RecordedRun, broken: Broken): void {
  const row = rows[start] as TrialRow;
  const identity = trialIdentity(run.manifest.stamp, run.profile);
  const said = row.kind === "start" ? `${row.kind} of ${row.run}, ${row.identity}` : row.kind;
  const expected = `start of ${run.manifest.run}, ${identity}`;
  if (said !== expected) broken(`row ${start}`, said, expected);
}

/** Its last row says what the record gives. */
export function demandOutcome({ ledger, begun }: EndedTrial, outcome: TrialOutcome): void {
  const { rows, place } = ledger;
  const last = rows.at(-1) as TrialRow;
  const own = last.kind !== "start" && last.start === begun.start;
  const said: Json = !own
    ? last.kind
    : last.kind === "fail"
      ? { failed: last.reason }
      : { measures: last.measures, series: last.series };
  const [found, expected] = [canonical(said), canonical(outcome as unknown as Json)];
  if (found !== expected)
    refuse("TrialLedgerBroken", {
      place: `${place}:${rows.length}`,
      subject: `row ${rows.length - 1}`,
      found: found.slice(0, 300),
      expected: `${expected.slice(0, 300)}, which the record gives`,
    });
}
