/** Changes that an operator makes to a run and signs, and what replay says to each. */
import { canonical, type Json } from "../../src/core/canonical.ts";
import type { ReplayOptions } from "../../src/replay/replay.ts";
import { type Draft, type Fields, reword } from "./operator.ts";

export type Change = (draft: Draft) => void;
/** What is signed and refused, and the nearest that passes; absent: the run as it was. */
export type Forgery = {
  readonly bad: Change;
  readonly expected: string;
  readonly says: RegExp;
  readonly good?: Change;
  readonly options?: Partial<ReplayOptions>;
};

/** The entry of a kind, by its number among them. */
export const entryOf = (draft: Draft, kind: string, nth = 0) =>
  draft.entries.filter((entry) => entry["kind"] === kind).at(nth) as Fields;
export const trajectory = (draft: Draft, nth: number) => {
  const ids = [...new Set(draft.entries.map((entry) => entry["case"]))];
  return draft.entries.filter((entry) => entry["case"] === ids.at(nth));
};
/** The report that an honest operator would have signed of such a record: its one failure, and so a red verdict. */
export const listing = (draft: Draft, entry: Fields, rule: string, detail: string, call?: string) => {
  const { case: id, arm, repeat, step } = entry;
  const said =
    call ??
    (entry["kind"] === "tool" ? `${entry["name"]} ${canonical(entry["args"] as Json)}` : entry["kind"]);
  const failure = {
    arm,
    call: said,
    case: id ?? trajectory(draft, 0)[0]?.["case"],
    detail,
    repeat,
    rule,
    step,
  };
  reword(draft, ({ result }) => {
    result["failed_cases"] = [...(result["failed_cases"] as Json[]), failure as Json];
    result["verdict"] = "red";
  });
};
export const nothing: Change = () => {};
export const set = (fields: Fields, change: Fields) => void Object.assign(fields, change);
