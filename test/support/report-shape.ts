/** The report as its readers see it: the documented shape, written down again, importing nothing from src. */

export type Interval = readonly [number, number];
export type ShownFigure = {
  readonly mean: number;
  readonly ci95: Interval;
  readonly n: number;
  readonly clusters: number;
  readonly method: string;
  readonly state: string;
  readonly bootstrap_ci95: Interval;
};
export type ShownArm = { readonly n: number; readonly unrouted: number; readonly brier: ShownFigure };
export type ShownArms = {
  readonly routed: ShownArm;
  readonly latest: ShownArm;
  readonly control: Readonly<Record<string, ShownArm>>;
  readonly reason: string;
};
export type ShownPremium = Readonly<Record<"all" | "inside" | "placebo" | "net", ShownFigure>> & {
  readonly reason: string;
};
export type ShownFailure = {
  readonly case: string;
  readonly arm: string;
  readonly rule: string;
  readonly call: string;
};
export type ShownTally = Readonly<
  Record<
    "cases" | "settled" | "unsettled" | "void" | "sampled" | "answered" | "declined" | "unscored",
    number
  >
> & {
  readonly faults: Readonly<Record<string, number>>;
};

/** `result` of `report.json`. */
export type ShownResult = {
  readonly verdict: string;
  readonly headline: { readonly n: number; readonly brier: ShownFigure };
  readonly arms: ShownArms;
  readonly premium: ShownPremium;
  readonly slices: { readonly tag: Readonly<Record<string, { readonly brier: ShownFigure }>> };
  readonly plants: Readonly<Record<"future" | "past" | "proven" | "served" | "not_exercised", number>>;
  readonly failed_cases: readonly ShownFailure[];
  readonly findings: readonly { readonly finding: string; readonly cases?: number }[];
  readonly unsettled: readonly { readonly case: string; readonly state: string; readonly reason: string }[];
  readonly tally: ShownTally;
  readonly not_estimated: readonly { readonly section: string; readonly reason: string }[];
};

/** The last line of `backtest --json`. */
export type Summary = Omit<ShownResult, "headline" | "plants"> & {
  readonly run: string;
  readonly result_digest: string;
  readonly report_digest: string;
  readonly n: number;
  readonly brier: ShownFigure;
  readonly plants: ShownResult["plants"] & { readonly in_reach: number };
};

/** The line of `report --format json`. */
export type ShownReport = {
  readonly result: ShownResult;
  readonly result_digest: string;
  readonly report_digest: string;
};
