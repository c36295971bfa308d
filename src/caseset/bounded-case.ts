/** A bounded case of any kind: read from its line, and written as a run keeps it. */
import { type Complain, type Place, strict } from "../core/refusal.ts";
import {
  type DecisionCase,
  type DecisionCaseOnDisk,
  decisionCaseOnDisk,
  parseDecisionCase,
} from "./decision-case.ts";
import {
  type ForecastCase,
  type ForecastCaseOnDisk,
  forecastCaseOnDisk,
  parseForecastCase,
} from "./forecast-case.ts";

export type BoundedCase = ForecastCase | DecisionCase;
export type CaseKind = BoundedCase["kind"];

/** Reads one case of a set of `kind`; every fault of the line, and another kind, goes to `complain`. */
export function parseCase(
  kind: CaseKind,
  value: unknown,
  place: Place,
  complain: Complain = strict,
): BoundedCase | undefined {
  return kind === "decision"
    ? parseDecisionCase(value, place, complain)
    : parseForecastCase(value, place, complain);
}

export function caseOnDisk(item: BoundedCase): ForecastCaseOnDisk | DecisionCaseOnDisk {
  return item.kind === "decision" ? decisionCaseOnDisk(item) : forecastCaseOnDisk(item);
}

/** Tables that it names beside those that it reads. */
export const namedTables = (item: BoundedCase): readonly string[] =>
  item.kind === "forecast" && item.reference !== null ? [item.reference] : [];
