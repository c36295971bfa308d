/** The verdict of `verify` and `replay`: for people on stdout, as one JSON object, and as an exit status. */
import { limits } from "../core/limits.ts";
import { readChunks } from "../core/lines.ts";
import { visible } from "../core/words.ts";
import type { TrustPolicy, Verdict } from "../replay/verify-record.ts";
import { wrapWords } from "../report/cutoff-words.ts";
import { exitStatus } from "./exit-status.ts";
import { type ThenAndNow, thenAndNowRows } from "./later-trials.ts";
import { emphasis, printData, printWords } from "./print.ts";

/** What replay establishes beyond a record that is whole; null of `verify`, and where a stage failed. */
export type Established = {
  readonly arms: { readonly [arm: string]: string };
  /** Why nobody answered again. */
  readonly unanswered: string | null;
  readonly runVerdict: string;
  /** What its trial was worth among those known then, and now; null: it is no trial. */
  readonly trials: ThenAndNow | null;
};

/** Codes that say nothing against a run: it is another engine's, or was given another file than its reader's. */
const notOfTheRun: readonly string[] = [
  "EngineMismatch",
  "ReaderFileMismatch",
  "ReaderModuleUnsupported",
  "ReaderUnavailable",
];

/** The bytes of a policy file, one more than the limit at most: the stage `policy` refuses them then. */
export function policyFile(file: string): TrustPolicy {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (const piece of readChunks(file, file)) {
    pieces.push(piece);
    size += piece.length;
    if (size > limits.policyBytes) break;
  }
  return { bytes: Buffer.concat(pieces), place: file };
}

/** Prints it, and gives the exit status: 0 verified, 1 a stage failed, 2 another engine's run, 5 nobody vouches for it. */
export function tellVerdict(verdict: Verdict, established: Established | null, json: boolean): number {
  const { failure } = verdict;
  if (failure !== null) {
    printWords(failure.message);
    if (failure.hint !== null) printWords(`hint: ${failure.hint}`);
    printWords(`stage: ${failure.stage}`);
  }
  printData(json ? JSON.stringify(jsonOf(verdict, established)) : textOf(verdict, established));
  return failure !== null && notOfTheRun.includes(failure.code)
    ? exitStatus.refused
    : exitStatus[verdict.verdict];
}

function jsonOf({ verdict, stages, failure, assurance, record }: Verdict, established: Established | null) {
  return {
    verdict,
    stage: failure?.stage ?? null,
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    hint: failure?.hint ?? null,
    stages,
    assurance,
    origin: record?.manifest.ledger ?? null,
    run: record?.manifest.run ?? null,
    entries: record?.close.entries ?? null,
    result_digest: record?.close.result ?? null,
    report_digest: record?.close.report ?? null,
    arms: established?.arms ?? null,
    run_verdict: established?.runVerdict ?? null,
    trials: established?.trials ?? null,
  };
}

function textOf(verdict: Verdict, established: Established | null): string {
  const { stages, failure, record } = verdict;
  const width = Math.max(...stages.map(({ stage }) => stage.length));
  const lines = stages.flatMap(({ stage, state, reason }) =>
    labelled(`  ${stage}`, width + 2, `${state}${reason === undefined ? "" : `: ${reason}`}`),
  );
  const head = emphasis(verdict.verdict, verdict.verdict === "verified");
  if (failure !== null || record === null)
    return [`${head}: ${failure?.code} at the stage ${failure?.stage}`, ...lines].join("\n");
  const { manifest, close } = record;
  const rows: [string, string][] = [
    ["run", `${manifest.run} of ${manifest.caseset.name}, ${close.entries} entries`],
    ["assurance", assuranceText(verdict)],
    ["result", close.result],
    ["report", close.report],
    ...Object.entries(established?.arms ?? {}).map(([arm, how]): [string, string] => [`arm ${arm}`, how]),
    ...(established === null ? [] : ([["run's verdict", established.runVerdict]] as [string, string][])),
    ...(established?.trials == null ? [] : thenAndNowRows(established.trials)),
  ];
  const labels = Math.max(...rows.map(([label]) => label.length));
  const said = `${verdict.verdict}: ${proven(verdict, established)}`;
  return [
    head + said.split("\n").flatMap(wrapped).join("\n").slice(verdict.verdict.length),
    ...lines,
    "",
    ...rows.flatMap(([label, value]) => labelled(label, labels, value)),
    "",
    ...wrapped(unproven(established)),
  ].join("\n");
}

const COLUMNS = 80;
const wrapped = (line: string) => wrapWords(line, COLUMNS);

/** `label  words`, further lines below the words; a word that is too long for its place, a digest, on a line of its own. */
function labelled(label: string, width: number, words: string): string[] {
  const text = visible(words);
  const indent = " ".repeat(width + 2);
  if (text.length > COLUMNS - indent.length && !text.includes(" ")) return [label, `  ${text}`];
  return wrapWords(`${label.padEnd(width)}  ${text}`, COLUMNS, indent);
}

function assuranceText({ assurance, record }: Verdict): string {
  const origin = record?.manifest.ledger ?? null;
  if (origin === null) return "unsigned: whoever has the folder could have made it anew";
  if (assurance === null) return `signed as ${origin}, by whom was not asked: no --policy`;
  return `${assurance}, as ${origin}`;
}

function proven({ verdict, assurance }: Verdict, established: Established | null): string {
  const what = established === null ? "manifest, cases, labels, profile and entries" : "the record";
  const whole =
    verdict === "verified"
      ? `nothing of ${what} changed since it was signed (${assurance})`
      : "the record agrees with itself, and nobody who is trusted stands for it";
  if (established === null)
    return `${whole};\nreport, responses and plants were not looked at: that is replay`;
  const all = Object.values(established.arms).every((how) => how === "re-executed");
  return `${whole};\nevery score follows from it${all ? ", and every answer was given again" : ""}`;
}

function unproven(established: Established | null): string {
  const scores = established === null ? "that the scores follow from the record (that is replay); " : "";
  return (
    `It does not prove: ${scores}that a tool really answered so; that a model had no memory of the outcomes; ` +
    "that a reader read nothing beside the door; that there were no other runs."
  );
}
