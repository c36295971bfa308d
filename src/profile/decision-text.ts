/** Decisions of a report for a terminal: what was earned slice by slice, and what that is worth after so many trials. */
import type { Json } from "../core/canonical.ts";
import { wrapWords } from "../report/cutoff-words.ts";
import type { stagedArms } from "../report/staged-section.ts";
import type { AccountFigures } from "./account-figures.ts";
import type { DeflatedTrial, Deflation } from "./deflation.ts";
import { DELISTING_ARM } from "./delisting-arm.ts";
import { shownProbability, shownRatio } from "./sharpe-words.ts";

const COLUMNS = 80;
const LABEL = 26;

type Repeat = AccountFigures & { readonly repeat: number; readonly held: number };
type Decisions = {
  readonly units: {
    readonly per: string;
    readonly periods_per_year: number | null;
    readonly risk_free: number;
  };
  readonly slice: string;
  readonly slices: {
    readonly [slice: string]: {
      readonly cases: number;
      readonly arms: { readonly [arm: string]: readonly Repeat[] };
    };
  };
};
type Trials = {
  readonly ledger: string;
  readonly rows: number;
  readonly head: string;
  readonly row: number;
  readonly figures: (Omit<Deflation, "trials"> & { readonly own: DeflatedTrial | null }) | null;
};

type StagedArms = ReturnType<typeof stagedArms>;

/** Lines in the place of a report's Brier table; null where the report has no decisions. */
export function decisionText({
  result,
  evidence,
}: {
  readonly result: Json;
  readonly evidence: Json;
}): string[] | null {
  const { decisions, arms } = result as { readonly decisions?: unknown; readonly arms?: unknown };
  const { trials } = evidence as { readonly trials?: unknown };
  if (decisions === undefined) return null;
  return [
    ...accountLines(decisions as Decisions),
    ...delistingLines((arms as { readonly staged?: StagedArms } | undefined)?.staged),
    ...(trials === undefined ? [] : ["", ...trialLines(trials as Trials)]),
  ];
}

function accountLines({ units, slices }: Decisions): string[] {
  const { per, periods_per_year: year, risk_free: free } = units;
  const rows = Object.entries(slices).flatMap(([slice, { arms }]) =>
    Object.entries(arms).flatMap(([arm, repeats]) =>
      repeats.map((one) => rowLine(`${slice} ${arm}${repeats.length > 1 ? ` #${one.repeat}` : ""}`, one)),
    ),
  );
  const stood = Object.values(slices).flatMap(({ arms }) => Object.values(arms).flat());
  return [
    `${"Decisions".padEnd(LABEL)}   return    Sharpe  a year   PSR>0  deepest  turnover  n`,
    ...rows,
    ...paragraph(
      `Sharpe ratios are per ${per} (mean over standard deviation, ddof 1${free === 0 ? "" : `, in excess of ${free}`})${year === null ? "" : `; a year has ${year}`}. Returns are after costs; slices never pool.`,
    ),
    ...stood.flatMap(({ unfilled, held }) => {
      const reasons = Object.entries(unfilled).map(
        ([reason, count]) => `${count} ${REASONS[reason] ?? reason}`,
      );
      return reasons.length + held === 0
        ? []
        : paragraph(
            `Not traded: ${[...reasons, ...(held === 0 ? [] : [`${held} ${held === 1 ? "case" : "cases"} without an answer: what was held stood`])].join(", ")}`,
          );
    }),
  ];
}

/** Whether readers looked at who had left: one line, none without such an arm. */
function delistingLines(staged: StagedArms | undefined): string[] {
  const arm = staged?.[DELISTING_ARM];
  if (arm === undefined) return [];
  const { n, served, not_served: missed, not_exercised: unasked, waived } = arm;
  const parts = [
    `${served} of ${n} cases held the planted member's return`,
    ...(missed === 0 ? [] : [`${missed} asked for members and did not`]),
    ...(unasked === 0 ? [] : [`${unasked} not exercised${waived ? ", which is waived" : ""}`]),
  ];
  return paragraph(`Delisting arm: ${parts.join("; ")}`);
}

const REASONS: { readonly [reason: string]: string } = {
  "no-later-price": "orders without a later price",
  superseded: "orders that the next decision came before",
  left: "orders for members that had left",
  lot: "orders of less than a lot",
  leverage: "orders for which what could not be sold yet left no room",
  "no-equity": "orders with nothing left to invest",
};

function rowLine(name: string, one: Repeat): string {
  const percent = (value: number | null, digits = 1) =>
    value === null ? "–" : `${(100 * value).toFixed(digits)} %`;
  const ratio = one.sharpe === null ? "–" : shownRatio(one.sharpe);
  return [
    name.padEnd(LABEL),
    percent(one.total_return).padStart(9),
    ratio.padStart(10),
    (one.sharpe_per_year === null ? "–" : one.sharpe_per_year.toFixed(3)).padStart(8),
    shownProbability(one.psr).padStart(8),
    percent(one.drawdown).padStart(9),
    (one.turnover === null ? "–" : one.turnover.toFixed(1)).padStart(10),
    String(one.periods).padStart(5),
  ].join("");
}

function trialLines({ ledger, rows, head, figures }: Trials): string[] {
  const known = `Trials: ledger ${ledger}, row ${rows - 1}, head ${head}`;
  if (figures === null) return [known];
  const { own, n_trials: n, n_ratios: ratios, sr0, variance, best } = figures;
  const bar =
    sr0 === null
      ? `not estimable: ${n} trials were begun and ${ratios} has a ratio`
      : n === 1
        ? "the one trial that is known: nothing is deflated"
        : `SR0 ${shownRatio(sr0)} (V ${variance?.toPrecision(4)}, ddof 1, of ${ratios} ratios): what luck brings the best of ${n}`;
  const mine =
    own?.sharpe == null
      ? `this trial has no ratio (${own?.state ?? "none"})`
      : `this trial ${shownRatio(own.sharpe)}, PSR ${shownProbability(own.psr)}, deflated (DSR) ${shownProbability(own.dsr)}`;
  const first =
    best === null || best.name === own?.name
      ? []
      : [`the best known is ${best.name}: ${shownRatio(best.sharpe)}, DSR ${shownProbability(best.dsr)}`];
  return [
    ...paragraph(known),
    ...paragraph(
      `Deflated for the ${n} ${n === 1 ? "trial" : "trials"} known at row ${rows - 1}: ${bar}; ${mine}.`,
    ),
    ...first.flatMap((words) => paragraph(`${words}.`)),
    ...paragraph(
      "A claim of the best needs `blindcast ledger deflate` at the current head: trials in other copies of the ledger are not seen, so N is a lower bound.",
    ),
  ];
}

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
