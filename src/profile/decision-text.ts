/** Decisions of a report for a terminal: what was earned slice by slice, and what that is worth after so many trials. */
import type { Json } from "../core/canonical.ts";
import { clip } from "../core/words.ts";
import { shownWords, wrapWords } from "../report/cutoff-words.ts";
import { counted } from "../report/shown-figures.ts";
import type { stagedArms } from "../report/staged-section.ts";
import type { AccountFigures } from "./account-figures.ts";
import type { DeflatedTrial, Deflation } from "./deflation.ts";
import { DELISTING_ARM } from "./delisting-arm.ts";
import { noBarSentence, shownProbability, shownRatio } from "./sharpe-words.ts";

const COLUMNS = 80;
const LABEL = 24;
const HEADS = ["return", "Sharpe", "a year", "PSR>0", "deepest", "turnover", "n"];
const WIDTHS = [9, 9, 8, 8, 9, 9, 4];

/** Marks, returns and orders are there of the first repeat of an arm. */
export type Repeat = AccountFigures & {
  readonly repeat: number;
  readonly held: number;
  readonly marks?: readonly string[];
  readonly returns?: readonly (readonly [id: string, value: number | null])[];
  readonly not_filled?: readonly { readonly entity: string; readonly reason: string }[];
};
export type Decisions = {
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
export type Trials = {
  readonly ledger: string;
  readonly rows: number;
  readonly head: string;
  readonly row: number;
  readonly figures: (Omit<Deflation, "trials"> & { readonly own: DeflatedTrial | null }) | null;
};

/** Answers that could not be taken, as the record has them. */
type Fault = {
  readonly case: string;
  readonly arm: string;
  readonly repeat: number;
  readonly class: string;
  readonly message: string;
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
  const { trials, faults } = evidence as { readonly trials?: unknown; readonly faults?: unknown };
  if (decisions === undefined) return null;
  return [
    ...accountLines(decisions as Decisions),
    ...unusableLines((faults ?? []) as readonly Fault[]),
    ...delistingLines((arms as { readonly staged?: StagedArms } | undefined)?.staged),
    ...(trials === undefined
      ? []
      : ["", ...trialLines(trials as Trials, Object.keys((decisions as Decisions).slices).length)]),
  ];
}

function accountLines({ units, slices }: Decisions): string[] {
  const { per, periods_per_year: year, risk_free: free } = units;
  const rows = Object.entries(slices).flatMap(([slice, { arms }]) =>
    Object.entries(arms).flatMap(([arm, repeats]) =>
      repeats.map((one) => ({
        name: `${slice} ${arm}${repeats.length > 1 ? ` #${one.repeat}` : ""}`,
        one,
      })),
    ),
  );
  return [
    tableLine("Decisions", HEADS),
    ...rows.map(({ name, one }) => rowLine(name, one)),
    ...paragraph(
      `Sharpe ratios are per ${per} (mean over standard deviation, ddof 1${free === 0 ? "" : `, in excess of ${free}`})${year === null ? "" : `; a year has ${year}`}. Returns are after costs; slices never pool.`,
    ),
    ...paragraph(
      "Turnover is what was bought and sold in all, as a multiple of the equity before each trade: into all of it and out again is 2.",
    ),
    ...rows.flatMap(({ name, one }) => ruinLines(rows.length === 1 ? "" : `${name}: `, one)),
    ...rows.flatMap(({ name, one }) => untradedLines(rows.length === 1 ? "" : ` (${name})`, one)),
  ];
}

/** An account that fell to 0: whatever its positions became worth again is no return of anybody's. */
function ruinLines(whose: string, { state }: Repeat): string[] {
  return state === "ruined"
    ? paragraph(`${whose}RUINED: the equity fell to 0 or below at a mark. It has no returns from there on.`)
    : [];
}

/** Orders without a fill by reason, and of whom; cases without an answer. */
function untradedLines(whose: string, { unfilled, held, fills, not_filled: orders = [] }: Repeat): string[] {
  const reasons = Object.entries(unfilled).map(([reason, count]) => {
    const listed = orders.filter((one) => one.reason === reason).map(({ entity }) => entity);
    return `${counted(count, "order")} ${REASONS[reason] ?? reason}${entityWords(listed, listed.length === count)}`;
  });
  const parts = [
    ...reasons,
    ...(held === 0 ? [] : [`${counted(held, "case")} without an answer: what was held stood`]),
  ];
  const none = fills === 0 && reasons.length > 0 ? " Nothing was traded at all." : "";
  return parts.length === 0 ? [] : paragraph(`Not traded${whose}: ${parts.join(", ")}.${none}`);
}

const NAMED = 3;

/** Each entity once, in the order of the orders; `whole`: the report lists them all. */
function entityWords(listed: readonly string[], whole: boolean): string {
  const entities = [...new Set(listed)];
  if (entities.length === 0) return "";
  const named = entities.slice(0, NAMED).map((entity) => clip(shownWords(entity), 30));
  const more = entities.length - named.length;
  const rest = more === 0 ? (whole ? "" : " and others") : ` and ${whole ? "" : "at least "}${more} more`;
  return ` (${named.join(", ")}${rest})`;
}

/** Answers that were none, such as sizes above the leverage: how many, and the first. */
function unusableLines(faults: readonly Fault[]): string[] {
  const unusable = faults.filter((fault) => fault.class === "malformed_output");
  const first = unusable[0];
  if (first === undefined) return [];
  const cases = new Set(unusable.map((fault) => fault.case)).size;
  return paragraph(
    `${counted(cases, "case")} had an answer that could not be used, first ${shownWords(first.case)} (${first.arm}): ${clip(shownWords(first.message), 160)}`,
  );
}

/** Whether readers looked at who had left: one line, none without such an arm. */
function delistingLines(staged: StagedArms | undefined): string[] {
  const arm = staged?.[DELISTING_ARM];
  if (arm === undefined) return [];
  const { n, served, not_served: missed, not_exercised: unasked, waived } = arm;
  const parts = [
    `${served} of ${n} cases saw the planted member's delisting return`,
    ...(missed === 0 ? [] : [`${missed} asked for members and did not`]),
    ...(unasked === 0 ? [] : [`${unasked} not exercised${waived ? ", which is waived" : ""}`]),
  ];
  return paragraph(`Delisting arm: ${parts.join("; ")}`);
}

const REASONS: { readonly [reason: string]: string } = {
  "no-later-price": "without a price after the decision",
  superseded: "that the next decision came before",
  left: "for members that had left",
  lot: "of less than a lot",
  leverage: "for which what could not be sold yet left no room",
  "no-equity": "with nothing left to invest",
};

function rowLine(name: string, one: Repeat): string {
  const percent = (value: number | null, digits = 1) =>
    value === null ? "–" : `${(100 * value).toFixed(digits)} %`;
  const ratio = one.sharpe === null ? "–" : shownRatio(one.sharpe);
  return tableLine(name, [
    percent(one.total_return),
    ratio,
    one.sharpe_per_year === null ? "–" : one.sharpe_per_year.toFixed(3),
    shownProbability(one.psr),
    percent(one.drawdown),
    one.turnover === null ? "–" : one.turnover.toFixed(1),
    String(one.periods),
  ]);
}

const tableLine = (name: string, cells: readonly string[]) =>
  `${name.padEnd(LABEL)}${cells.map((cell, i) => cell.padStart(WIDTHS[i] as number)).join("")}`;

function trialLines({ ledger, rows, head, figures }: Trials, slices: number): string[] {
  const known = `Trials: ledger ${ledger}, row ${rows - 1}, head ${head}`;
  if (figures === null) return [known];
  const { own, n_trials: n, n_ratios: ratios, sr0, variance, best } = figures;
  const bar =
    sr0 === null
      ? `not estimable: ${noBarSentence(figures)}`
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
  const { others = 0, gaps = 0, slice } = figures.compared ?? {};
  const apart = [
    ...(others === 0
      ? []
      : [
          `${others} of the trials ${others === 1 ? "is" : "are"} over other cases than those that are compared, or above another rate: counted all the same.`,
        ]),
    ...(gaps === 0 ? [] : ["Nothing was held where cases were left out, so no figure is per year."]),
    ...(slices > 1 ? [`The ledger has the returns of the slice ${slice} alone.`] : []),
  ];
  return [
    ...paragraph(known),
    ...paragraph(
      `Deflated for the ${n} ${n === 1 ? "trial" : "trials"} known at row ${rows - 1}: ${bar}; ${mine}.`,
    ),
    ...first.flatMap((words) => paragraph(`${words}.`)),
    ...apart.flatMap(paragraph),
    ...paragraph(
      "A claim of the best needs `blindcast ledger deflate` at the current head: trials in other copies of the ledger are not seen, so N is a lower bound.",
    ),
  ];
}

const paragraph = (text: string): string[] => wrapWords(text, COLUMNS);
