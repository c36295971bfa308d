/** When the cases of a run folder begin and end, as its `cases.jsonl` says. */
import * as fs from "node:fs";
import * as path from "node:path";
import { Type } from "@sinclair/typebox";
import { type Instant, parseInstant } from "../core/instant.ts";
import { readLines } from "../core/lines.ts";
import { refuse } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import type { CaseTimes } from "../profile/decision-plot.ts";

const FILE = "cases.jsonl";

/** What a picture needs of a line. */
const TimedLine = Type.Object({
  id: Type.String(),
  horizon: Type.String(),
  label_interval: Type.Tuple([Type.String(), Type.String()]),
});

/** Of a case by its id. Refuses RunIncomplete without the file, and FieldInvalid for a case that it has not. */
export function caseTimes(folder: string): (id: string) => CaseTimes {
  const file = path.join(folder, FILE);
  if (!fs.existsSync(file)) refuse("RunIncomplete", { place: folder, missing: FILE });
  const times = new Map<string, CaseTimes>();
  for (const { text, number } of readLines(file, file)) {
    const place = `${file}:${number}`;
    const {
      id,
      horizon,
      label_interval: label,
    } = fit(TimedLine, parseJson(text, place), place) as {
      readonly id: string;
      readonly horizon: string;
      readonly label_interval: readonly [string, string];
    };
    times.set(id, {
      horizon: parseInstant(horizon, place, "horizon") as Instant,
      end: parseInstant(label[1], place, "label_interval") as Instant,
    });
  }
  return (id) =>
    times.get(id) ??
    refuse("FieldInvalid", {
      place: file,
      field: "id",
      found: "no such line",
      expected: `the case ${id} of the report`,
    });
}
