/** Refusals of what a return-series application brings: codes with their details, and how each is worded. */
import type { Words } from "./refusal-words.ts";

type Place = string;

/** Part of the closed union of codes. */
export type FinanceRefusals = {
  DelistingReturnMissing: { place: Place; member: string; left: string };
  EvalLedgerUnitsMismatch: { place: Place; found: string; expected: string; row: number };
  MemberListedAgain: { place: Place; member: string; stint: string; begins: string; left: string };
  PriceDuplicate: { place: Place; entity: string; column: string; instant: string; first: string };
  PriceInvalid: { place: Place; entity: string; column: string; found: string };
  SplitEmpty: { place: Place; split: string; side: string; next?: string };
  TrainingMismatch: { place: Place; call: string; found: string; expected: string };
  TrialLedgerBroken: { place: Place; subject: string; found: string; expected: string };
  UniverseWindowMissing: { place: Place; id: string };
};

export const financeMessages: {
  readonly [C in keyof FinanceRefusals]: (details: FinanceRefusals[C]) => Words;
} = {
  DelistingReturnMissing: (d) => ({
    subject: `member ${d.member}`,
    problem: `it left at ${d.left} without a return, expected one`,
    hint: "add its row to the delistings, -1 where all was lost, or its later prices where it was traded on: its return is never taken for 0, and the member never dropped",
  }),
  EvalLedgerUnitsMismatch: (d) => ({
    subject: `row ${d.row}`,
    problem: `returns per ${d.found}, the ledger's are per ${d.expected}`,
    hint: "ratios of different periods do not compare: use another case set, or the ledger's period",
  }),
  MemberListedAgain: (d) => ({
    subject: `member ${d.member}`,
    problem: `its stint ${d.stint} begins at ${d.begins}, expected none after its delisting at ${d.left}`,
    hint: "give what was listed again an id of its own, in the members and in the prices: what its holders got has ended the old one",
  }),
  PriceDuplicate: (d) => ({
    subject: `${d.entity}: ${d.column}`,
    problem: `a second one at ${d.instant}, the first is ${d.first}`,
  }),
  PriceInvalid: (d) => ({
    subject: `${d.entity}: ${d.column}`,
    problem: `${d.found}, expected a number above 0, from 1e-100 to 1e100`,
    hint: "leave the cell empty where there was no price",
  }),
  SplitEmpty: (d) => ({
    subject: d.split,
    problem: `its ${d.side} set is empty, expected at least 1 case`,
    hint: d.next ?? "fewer folds, a shorter embargo, or --allow-empty to keep it, marked as empty",
  }),
  TrainingMismatch: (d) => ({
    subject: d.call,
    problem: `the record says ${d.found}; its labels, cases and split give ${d.expected}`,
  }),
  TrialLedgerBroken: (d) => ({
    subject: d.subject,
    problem: `${d.found}, expected ${d.expected}`,
    hint: "the ledger is append-only: restore the row as it was written",
  }),
  UniverseWindowMissing: (d) => ({
    subject: `case ${d.id}`,
    problem: "no `window`, expected [since, until] in which a member can leave",
  }),
};
