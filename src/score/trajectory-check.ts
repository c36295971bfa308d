/** The trajectory check: every entry carries the bound that its call passed, and it is the case's horizon. */

import type { BoundedCase } from "../caseset/bounded-case.ts";
import { formatInstant } from "../core/instant.ts";
import type { Entry } from "../run/entry.ts";
import { callOf, type Failure } from "./failure.ts";

const attributes = ["case", "horizon", "as_of", "view"] as const;

/** The entries of one trajectory, attempt by attempt; the last is the one that stands. */
export function attemptsOf(entries: readonly Entry[]): Entry[][] {
  const attempts: Entry[][] = [];
  let number = -1;
  for (const entry of entries) {
    if (entry.attempt !== number) attempts.push([]);
    number = entry.attempt;
    (attempts.at(-1) as Entry[]).push(entry);
  }
  return attempts;
}

/** A missing attribute fails the case, it is not a default; so does an as-of that is not the horizon, and a torn end. */
export function checkBounds(item: BoundedCase, entries: readonly Entry[]): Failure[] {
  const failures: Failure[] = [];
  const horizon = formatInstant(item.horizon);
  for (const entry of entries) {
    const fail = (rule: string, detail: string) =>
      failures.push({ rule, step: entry.step, call: callOf(entry), detail });
    const missing = attributes.filter((name) => typeof entry[name] !== "string");
    if (missing.length > 0) fail("bound-missing", `no ${missing.join(", ")}`);
    else if (entry.case !== item.id) fail("bound-case", `case ${entry.case}, expected ${item.id}`);
    else if (entry.horizon !== horizon)
      fail("bound-horizon", `horizon ${entry.horizon}, the case's is ${horizon}`);
    else if (entry.as_of !== horizon && entry.kind !== "probe")
      fail("bound-as-of", `as_of ${entry.as_of}, the horizon is ${horizon}`);
  }
  for (const entry of entries)
    if (entry.kind === "fault" && entry.broke === "ReaderSawLater")
      failures.push({
        rule: "reader-saw-later",
        step: entry.step,
        call: callOf(entry),
        detail: entry.message,
      });
  const attempts = attemptsOf(entries);
  for (const [i, attempt] of attempts.entries())
    failures.push(...checkEnd(attempt, i === attempts.length - 1 ? "steps" : "abandoned"));
  return failures;
}

/** An attempt's end counts its entries: as `steps` where it stands, as `abandoned` where a crash cut it off. */
function checkEnd(entries: readonly Entry[], as: "steps" | "abandoned"): Failure[] {
  const last = entries.at(-1);
  const said = last?.kind === "end" ? last[as] : undefined;
  if (said === entries.length) return [];
  const detail = `${entries.length} entries, the end says ${said ?? "nothing"}`;
  return [{ rule: "trajectory-end", step: last?.step ?? 0, call: "end", detail }];
}
