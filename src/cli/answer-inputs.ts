/** What `leakage` reads: a table of answers beside a table of models, held against each other. */
import { type AnswerTable, readAnswers } from "../caseset/answer-table.ts";
import { formatInstant } from "../core/instant.ts";
import { formatMonth } from "../core/month.ts";
import { refuse } from "../core/refusal.ts";
import { cutoffInstant } from "../model/cutoff.ts";
import { type ListedModel, readModels } from "../model/model-table.ts";
import { type Answering, sharedEvents } from "../report/answers-report.ts";
import { counted } from "../report/shown-figures.ts";

export type LoadedAnswers = {
  readonly table: AnswerTable;
  /** In the order of the table of models. */
  readonly answering: readonly Answering[];
  /** Sentences on what is there and what is left out. */
  readonly read: readonly string[];
};

/** `column`: of the answers, whose value is each event's cluster. */
export async function loadAnswers(
  answersFile: string,
  modelsFile: string,
  column: string | null,
): Promise<LoadedAnswers> {
  const models = await readModels(modelsFile, modelsFile);
  const table = await readAnswers(answersFile, answersFile, column);
  const listed = new Set(models.map(({ name }) => name));
  for (const { name, line } of table.models)
    if (!listed.has(name))
      refuse("CellInvalid", {
        place: `${answersFile}:${line}`,
        column: "model",
        found: name,
        expected: `a model of ${modelsFile}, which has ${named(models.map((model) => model.name))}`,
        next: `add its row to ${modelsFile}: ${name},YYYY-MM with the month that its training data ends in`,
      });
  const answers = new Map(table.models.map((model) => [model.name, model]));
  const answering = models.flatMap((model) => {
    const own = answers.get(model.name);
    return own === undefined || own.events.length === 0 ? [] : [{ listed: model, answers: own }];
  });
  return { table, answering, read: sentences(table, models, answering) };
}

/**
 * Refuses a control that is not there, that shares no event with another model, or whose cutoff (the end of its
 * interval) does not precede every event that it shares.
 */
export function checkControl(name: string, { table, answering }: LoadedAnswers): void {
  const control = answering.find(({ listed }) => listed.name === name);
  const others = answering.filter((other) => other !== control);
  if (control === undefined)
    refuse("ArgumentInvalid", {
      place: "--control",
      found: name,
      expected: `a model that has answers: ${named(others.map(({ listed }) => listed.name))}`,
    });
  const { events } = table;
  const shared = new Set<number>();
  for (const other of others)
    for (const at of sharedEvents(control.answers, other.answers).inA)
      shared.add(control.answers.events[at] as number);
  const used = [...shared].sort((a, b) => (events.at[a] as number) - (events.at[b] as number) || a - b);
  const first = used[0];
  if (first === undefined)
    refuse("SelectionEmpty", {
      place: "--control",
      selection: `sharing an event of ${name} with another model`,
      of: control.answers.events.length,
    });
  const { hi } = control.listed.cutoff;
  const at = events.at[first] as number;
  const end = cutoffInstant({ lo: hi, hi, tag: "documented" });
  if (table.time === "month" ? at > hi : at >= end) return;
  const [happened, known] =
    table.time === "month" ? [formatMonth(at), formatMonth(hi)] : [formatInstant(at), formatInstant(end)];
  refuse("ArgumentInvalid", {
    place: "--control",
    found: name,
    expected: `a model whose cutoff precedes every event: event ${events.names[first]} is of ${happened} (${table.place}:${events.lines[first]}), its training data may reach to ${known} (${control.listed.place})`,
    next: "take an older model as the control, or leave the earlier events out",
  });
}

const MOST_NAMED = 10;

const named = (names: readonly string[]): string =>
  names.length > MOST_NAMED
    ? `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more`
    : names.join(", ");

function sentences(
  table: AnswerTable,
  models: readonly ListedModel[],
  answering: readonly Answering[],
): string[] {
  const answers = table.rows - table.missing;
  const events = new Set(answering.flatMap(({ answers: own }) => [...own.events]));
  const missing = table.models.filter((model) => model.missing > 0);
  const silent = models.filter((model) => !answering.some(({ listed }) => listed === model));
  return [
    `${table.place}: ${counted(answers, "answer")} of ${counted(answering.length, "model")} to ${counted(events.size, "event")}, ${span(table, events)}.`,
    ...(table.repeated ? ["Repeats of a model on one event are averaged first."] : []),
    ...(missing.length === 0
      ? []
      : [
          `Left out, since they have no outcome: ${counted(table.missing, "row")} (${named(missing.map((model) => `${model.name} ${model.missing}`))}).`,
        ]),
    ...(silent.length === 0
      ? []
      : [`In the table of models, but without an answer: ${named(silent.map(({ name }) => name))}.`]),
  ];
}

function span({ time, events: { at } }: AnswerTable, events: ReadonlySet<number>): string {
  let [first, last] = [Infinity, -Infinity];
  for (const event of events) {
    first = Math.min(first, at[event] as number);
    last = Math.max(last, at[event] as number);
  }
  const shown = (value: number) =>
    time === "month" ? formatMonth(value) : formatInstant(value).slice(0, "2024-03-05".length);
  return first === last ? shown(first) : `${shown(first)} to ${shown(last)}`;
}
