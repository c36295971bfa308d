/** Real models' real answers about dated events (../shared/data/knowledge-cutoff), by the rule of its README. */

import type { TestContext } from "node:test";
import { shared } from "../core/refused.ts";

/** Known (1) or not (0) about an event of that month: direct probe, no controls, none that could be guessed, all scored. */
export type EventAnswer = {
  readonly model: string;
  readonly event: string;
  readonly month: number;
  readonly known: number;
};

export type KnowledgeCutoff = {
  readonly answers: readonly EventAnswer[];
  /** Month index of the documented cutoff. */
  readonly documented: ReadonlyMap<string, number>;
};

const CONTROLS = ["control_alive", "fake_event"];

/** undefined, with a loud skip, where the data are not there. */
export function knowledgeCutoff(t: TestContext): KnowledgeCutoff | undefined {
  const answers = shared(t, "data/knowledge-cutoff/answers.csv");
  const models = shared(t, "data/knowledge-cutoff/models.csv");
  if (answers === undefined || models === undefined) return undefined;
  return {
    answers: rowsOf(answers)
      .filter(
        ([, probe, , , category, predictability, answer]) =>
          probe === "direct" &&
          !CONTROLS.includes(category!) &&
          predictability !== "high" &&
          answer !== "unscored",
      )
      .map(([model, , event, month, , , answer]) => ({
        model: model!,
        event: event!,
        month: monthIndex(month!),
        known: Number(answer === "correct"),
      })),
    documented: new Map(rowsOf(models).map(([model, month]) => [model!, monthIndex(month!)])),
  };
}

export function monthIndex(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
}

/** 0..G−1 by month. */
export function byMonth(rows: readonly { month: number }[]): Int32Array {
  const months = [...new Set(rows.map(({ month }) => month))].sort((a, b) => a - b);
  return Int32Array.from(rows, ({ month }) => months.indexOf(month));
}

/** Events that both models were scored on. */
export function sharedEvents(answers: readonly EventAnswer[], a: string, b: string) {
  const other = new Map(answers.filter(({ model }) => model === b).map((row) => [row.event, row.known]));
  return answers
    .filter(({ model, event }) => model === a && other.has(event))
    .map(({ event, month, known }) => ({ month, a: known, b: other.get(event)! }));
}

function rowsOf(csv: string): string[][] {
  return csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
}
