/** The judge contract: one item, one verdict; what a judge gets has no room for an outcome. */
import type { CaseSubject } from "../caseset/case-base.ts";
import type { FaultClass, Opening, ReaderIdentity, ServedRow, Usage } from "./reader.ts";

/** Does a document tell what came to be known after the horizon? */
export type JudgeItem = {
  readonly dimension: "leak";
  readonly document: ServedRow;
  readonly question: string;
  /** Whom the case asks about, and what kind of value answers it; null where it does not say. */
  readonly subject: CaseSubject | null;
  /** What was known of the case's subject by the horizon, as text; never how it turned out. */
  readonly reference_answer: string;
  /** RFC 3339. */
  readonly horizon: string;
};

/** 0 (nothing later, or beside the question) to 4 (states or fixes the answer), or why there is none: never a number in its stead. */
export type Verdict =
  | { readonly scored: true; readonly value: 0 | 1 | 2 | 3 | 4; readonly rationale: string | null }
  | { readonly scored: false; readonly why: "inconclusive" | "not_applicable" | "invalid_reply" };

export type Judgement =
  | { readonly kind: "verdict"; readonly verdict: Verdict; readonly usage: Usage }
  | {
      readonly kind: "fault";
      readonly class: FaultClass;
      readonly message: string;
      readonly usage: Usage | null;
      /** No item can be judged. */
      readonly stops?: true;
    };

export interface Judge {
  /** Part of the stamp; two runs whose judges differ are two trials. */
  readonly identity: ReaderIdentity;
  judge(item: JudgeItem, opening: Opening): Promise<Judgement>;
}
