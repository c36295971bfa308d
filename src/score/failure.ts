/** Failures of a case: each a rule and the call that broke it. */
import { canonical, type Json } from "../core/canonical.ts";
import type { Entry } from "../run/entry.ts";

/** Why a case fails: a rule, and the call that broke it, as a person can find it in the record. */
export type Failure = {
  readonly rule: string;
  readonly step: number;
  readonly call: string;
  readonly detail: string;
};

/** `rows {"limit":1,"table":"weather"}` */
export function callOf(entry: Entry): string {
  if (entry.kind === "model" || entry.kind === "judge") return `${entry.kind} ${entry.name}`;
  if (entry.kind !== "tool" && entry.kind !== "probe") return entry.kind;
  const args = canonical(entry.args as Json);
  return `${entry.name} ${args.length > 200 ? `${args.slice(0, 197)}...` : args}`;
}
