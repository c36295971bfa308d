/** A table of answers without a case set: who answered which event how well, and when the event happened. */
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { parseWall } from "../core/local-time.ts";
import { formatMonth, parseMonth } from "../core/month.ts";
import { type Place, refuse } from "../core/refusal.ts";
import type { Cell } from "../core/row-ref.ts";
import { cellNumber, openTableRows, type TableRow, type TableRows } from "./table-rows.ts";

export type AnswerTable = {
  readonly place: Place;
  /** A table has a column `month`, or a column `instant`. */
  readonly time: "month" | "instant";
  /** In the order of their first rows. */
  readonly models: readonly AnsweringModel[];
  readonly events: Events;
  readonly rows: number;
  /** Rows without an outcome: they are no answers, and are left out. */
  readonly missing: number;
  /** Whether a column `repeat` tells several answers of a model to one event apart. */
  readonly repeated: boolean;
};

/** One model's answers, in the order of the events; of repeats the mean. */
export type AnsweringModel = {
  readonly name: string;
  /** Of its first row. */
  readonly line: number;
  readonly missing: number;
  /** Numbers of the events that it answered, ascending. */
  readonly events: Int32Array;
  readonly outcomes: Float64Array;
};

/** In the order of their first rows. */
export type Events = {
  readonly names: readonly string[];
  /** Months since year 0, or the microseconds of instants. */
  readonly at: Float64Array;
  readonly lines: Int32Array;
  /** The cell of the cluster's column; null where none was asked for. */
  readonly clusters: readonly string[] | null;
};

const KNOWN = "a table of answers has the columns model, event, month or instant, outcome";

/**
 * Reads `.csv` or `.jsonl` with columns model, event, outcome (a number, or nothing where there is no answer), one of
 * month (`2024-03`) and instant (RFC 3339), and perhaps repeat; others are let be. `cluster` names a column of which
 * each event has one value. Every fault is refused with its line.
 */
export async function readAnswers(file: string, place: Place, cluster: string | null): Promise<AnswerTable> {
  const opened = (await openTableRows(file, place)) as TableRows;
  if (opened.columns.length === 0) refuse("SelectionEmpty", { place, selection: "the file", of: 0 });
  const columns = columnsOf(opened.columns, place, cluster);
  const events = eventList(place, columns.time, cluster);
  const answers = answerList(place, columns.repeat >= 0);
  let rows = 0;
  for await (const row of opened.rows) {
    rows += 1;
    if (rows > limits.answers)
      refuse("LimitExceeded", {
        place: `${place}:${row.line}`,
        what: "answers",
        found: rows,
        limit: limits.answers,
      });
    const at = `${place}:${row.line}`;
    const name = nameIn(row, columns.event, at, "event");
    const model = nameIn(row, columns.model, at, "model");
    const happened = timeIn(row.cells[columns.at] ?? null, columns.time, at);
    const group = columns.cluster < 0 ? "" : nameIn(row, columns.cluster, at, cluster as string);
    const event = events.add(name, happened, group, row.line);
    const repeat = columns.repeat < 0 ? "" : nameIn(row, columns.repeat, at, "repeat");
    answers.add(model, event, name, repeat, outcomeIn(row.cells[columns.outcome] ?? null, at), row.line);
  }
  const models = answers.finish();
  const missing = models.reduce((sum, model) => sum + model.missing, 0);
  if (models.every((model) => model.events.length === 0))
    refuse("SelectionEmpty", { place, selection: "an answer is a row with an outcome, which", of: rows });
  return {
    place,
    time: columns.time,
    models,
    events: events.finish(),
    rows,
    missing,
    repeated: columns.repeat >= 0,
  };
}

function columnsOf(known: readonly string[], place: Place, cluster: string | null) {
  const header = `${place}:1`;
  for (const column of ["model", "event", "outcome"])
    if (!known.includes(column)) refuse("ColumnUnknown", { place: header, column, known, next: KNOWN });
  const times = (["month", "instant"] as const).filter((column) => known.includes(column));
  const time = times[0];
  if (time === undefined)
    return refuse("ColumnUnknown", { place: header, column: "month or instant", known, next: KNOWN });
  if (times.length > 1)
    refuse("FieldInvalid", {
      place: header,
      field: "columns",
      found: times.join(" and "),
      expected: "one of them: when an event happened is said once",
    });
  if (cluster !== null && !known.includes(cluster))
    refuse("ColumnUnknown", {
      place: header,
      column: cluster,
      known,
      next: "--cluster takes month, none, or a column of the answers",
    });
  const position = (column: string) => known.indexOf(column);
  return {
    model: position("model"),
    event: position("event"),
    outcome: position("outcome"),
    at: position(time),
    time,
    repeat: position("repeat"),
    cluster: cluster === null ? -1 : position(cluster),
  };
}

/** Numbers events in the order of their first rows, and holds every later row of one to its first. */
function eventList(place: Place, time: AnswerTable["time"], cluster: string | null) {
  const numbers = new Map<string, number>();
  const at: number[] = [];
  const lines: number[] = [];
  const clusters: string[] = [];
  const spelled = (value: number) => (time === "month" ? formatMonth(value) : formatInstant(value));
  const differs = (column: string, line: number, found: string, first: string, event: number): never =>
    refuse("CellInvalid", {
      place: `${place}:${line}`,
      column,
      found,
      expected: `${first}, which the same event has at ${place}:${lines[event]}`,
      next: "an event happens once and is in one cluster: give two events two names",
    });
  const add = (name: string, happened: number, group: string, line: number): number => {
    const event = numbers.get(name);
    if (event === undefined) {
      numbers.set(name, at.length);
      lines.push(line);
      clusters.push(group);
      return at.push(happened) - 1;
    }
    if (at[event] !== happened) differs(time, line, spelled(happened), spelled(at[event] as number), event);
    if (clusters[event] !== group) differs(cluster as string, line, group, clusters[event] as string, event);
    return event;
  };
  const finish = (): Events => ({
    names: [...numbers.keys()],
    at: Float64Array.from(at),
    lines: Int32Array.from(lines),
    clusters: cluster === null ? null : clusters,
  });
  return { add, finish };
}

type Growing = {
  readonly name: string;
  readonly line: number;
  missing: number;
  /** Where an event's answer stands below; one slot an event. */
  readonly slots: Map<number, number>;
  readonly events: number[];
  /** Outcomes as they came, and the slot of each. */
  readonly outcomes: number[];
  readonly of: number[];
  readonly lines: number[];
  /** With repeats: those of each slot. */
  readonly repeats: Set<string>[];
};

function answerList(place: Place, repeated: boolean) {
  const models = new Map<string, Growing>();
  const again = (line: number, model: Growing, name: string, slot: number): never =>
    refuse("CellInvalid", {
      place: `${place}:${line}`,
      column: repeated ? "repeat" : "event",
      found: name,
      expected: `new: ${model.name} has ${repeated ? "this repeat of the event" : "answered this event"} already, first at ${place}:${model.lines[slot]}`,
      next: "several answers of a model to one event are told apart by a column `repeat`, and averaged",
    });
  const modelOf = (name: string, line: number): Growing => {
    const known = models.get(name);
    if (known !== undefined) return known;
    const columns = { events: [], outcomes: [], of: [], lines: [], repeats: [] };
    const model: Growing = { name, line, missing: 0, slots: new Map(), ...columns };
    models.set(name, model);
    if (models.size > limits.answeringModels)
      refuse("LimitExceeded", {
        place: `${place}:${line}`,
        what: "models",
        found: models.size,
        limit: limits.answeringModels,
      });
    return model;
  };
  const add = (
    modelName: string,
    event: number,
    eventName: string,
    repeat: string,
    outcome: number | null,
    line: number,
  ) => {
    const model = modelOf(modelName, line);
    let slot = model.slots.get(event);
    if (slot === undefined) {
      slot = model.events.push(event) - 1;
      model.slots.set(event, slot);
      model.lines.push(line);
      if (repeated) model.repeats.push(new Set());
    } else if (!repeated) again(line, model, eventName, slot);
    if (repeated) {
      const seen = model.repeats[slot] as Set<string>;
      if (seen.has(repeat)) again(line, model, repeat, slot);
      seen.add(repeat);
    }
    if (outcome === null) model.missing += 1;
    else {
      model.outcomes.push(outcome);
      model.of.push(slot);
    }
  };
  return { add, finish: () => [...models.values()].map(finished) };
}

/** Repeats are summed from the least up, in whatever order their rows stand. */
function finished({ name, line, missing, events, outcomes, of, repeats }: Growing): AnsweringModel {
  const rows = [...outcomes.keys()];
  if (repeats.length > 0) rows.sort((a, b) => (outcomes[a] as number) - (outcomes[b] as number));
  const sums = new Float64Array(events.length);
  const counts = new Int32Array(events.length);
  for (const row of rows) {
    const slot = of[row] as number;
    sums[slot] = (sums[slot] as number) + (outcomes[row] as number);
    counts[slot] = (counts[slot] as number) + 1;
  }
  const answered = [...events.keys()].filter((slot) => (counts[slot] as number) > 0);
  answered.sort((a, b) => (events[a] as number) - (events[b] as number));
  return {
    name,
    line,
    missing,
    events: Int32Array.from(answered, (slot) => events[slot] as number),
    outcomes: Float64Array.from(answered, (slot) => (sums[slot] as number) / (counts[slot] as number)),
  };
}

/** A cell that names something: what it is may not be absent. */
function nameIn(row: TableRow, column: number, place: Place, what: string): string {
  const cell = row.cells[column] ?? null;
  if (cell === null)
    refuse("CellInvalid", {
      place,
      column: what,
      found: "",
      expected: "a name, which may not be empty",
      next: "every row says whose answer it is, and to which event",
    });
  return String(cell);
}

function outcomeIn(cell: Cell, place: Place): number | null {
  if (cell === null) return null;
  const value = cellNumber(cell, limits.outcome);
  if (value === undefined)
    return refuse("CellInvalid", {
      place,
      column: "outcome",
      found: String(cell),
      expected: `a number from -${limits.outcome} to ${limits.outcome}`,
      next: "score each answer first, say 1 for right and 0 for wrong; leave the cell empty where there is none",
    });
  return value;
}

function timeIn(cell: Cell, time: AnswerTable["time"], place: Place): number {
  const text = cell === null ? "" : String(cell);
  if (time === "instant") return instantIn(text, place);
  const month = parseMonth(text);
  if (month === undefined)
    return refuse("CellInvalid", {
      place,
      column: "month",
      found: text,
      expected: "a month such as 2024-03",
      next: "where the very instant is known, name the column `instant`",
    });
  return month;
}

function instantIn(text: string, place: Place): Instant {
  if (parseWall(text) !== undefined)
    refuse("InstantInvalid", {
      place,
      subject: "column instant",
      found: text,
      expected: "an offset too, as in 2024-03-05T00:00:00Z",
      next: "say where on earth the day is: …T00:00:00Z is its start in UTC; where no more than the month is known, use a column `month`",
    });
  if (parseMonth(text) !== undefined)
    refuse("InstantInvalid", {
      place,
      subject: "column instant",
      found: text,
      expected: "an instant such as 2024-03-05T00:00:00Z",
      next: "a column of months is named `month`",
    });
  return parseInstant(text, place, "column instant") as Instant;
}
