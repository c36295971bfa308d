/** The trajectory check: every entry carries the bound that its call passed, and it is the case's horizon. */

import type { ForecastCase } from "../caseset/forecast-case.ts";
import { formatInstant } from "../core/instant.ts";
import type { Entry } from "../run/entry.ts";
import { callOf, type Failure } from "./failure.ts";

const attributes = ["case", "horizon", "as_of", "view"] as const;

/** A missing attribute fails the case, it is not a default; so does an as-of that is not the horizon, and a torn end. */
export function checkBounds(item: ForecastCase, entries: readonly Entry[]): Failure[] {
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
  const last = entries.at(-1);
  if (last?.kind !== "end" || last.steps !== entries.length) {
    failures.push({
      rule: "trajectory-end",
      step: last?.step ?? 0,
      call: "end",
      detail: `${entries.length} entries, the end says ${last?.kind === "end" ? last.steps : "nothing"}`,
    });
  }
  return failures;
}
