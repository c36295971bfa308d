/** What a table of answers says of its models: each about its cutoff, against a control, and pair by pair. */

import type { AnsweringModel, AnswerTable } from "../caseset/answer-table.ts";
import type { Json } from "../core/canonical.ts";
import { formatMonth, monthOfInstant } from "../core/month.ts";
import type { ListedModel, StatedCutoff } from "../model/model-table.ts";
import { type ControlRow, controlSlice } from "./control-slices.ts";
import { type CutoffSlices, cutoffSlices, type SliceOptions } from "./cutoff-slices.ts";
import { type PairedRow, pairedRow } from "./paired-rows.ts";

export type AnswersReport = {
  /** In the order of the table of models; one that answered nothing has no row. */
  readonly models: readonly {
    readonly model: string;
    /** The month at whose end r is 0. */
    readonly cutoff: string;
    readonly slices: CutoffSlices;
  }[];
  /** One row for each other model that shares events with the control. */
  readonly control: readonly ControlRow[];
  /** Every pair that shares events; `a` has the later cutoff. */
  readonly paired: readonly PairedRow[];
};

export type AnswersOptions = SliceOptions & {
  /** The control's name, and where each other model is split: at its own cutoff where this is null. */
  readonly control: { readonly name: string; readonly split: StatedCutoff | null } | null;
  /** Whether an event's cluster is its month; else it is the table's column. */
  readonly byMonth: boolean;
};

/** A model with its answers and its cutoff. */
export type Answering = { readonly listed: ListedModel; readonly answers: AnsweringModel };

/**
 * `answering` in the order of the table of models. Sums run over events by time and then name, and a model's name is its
 * streams' (`models.${name}.discontinuity.0`): the order of rows and of models changes no figure. Spec chapter 42.
 */
export function answersReport(
  given: AnswerTable,
  asked: readonly Answering[],
  options: AnswersOptions,
): AnswersReport {
  const { table, answering } = inTimeOrder(given, asked);
  const clusters = clustersOf(table, options.byMonth);
  const models = answering.map(({ listed, answers }) => {
    const cases = Array.from(answers.events, (event, j) => ({
      at: table.events.at[event] as number,
      outcome: answers.outcomes[j] as number,
      cluster: clusters[event] as string,
    }));
    const slices = cutoffSlices(cases, listed.cutoff, options, `models.${listed.name}`);
    return { model: listed.name, cutoff: formatMonth(listed.cutoff.point), slices };
  });
  return {
    models,
    control: controlRows(table, answering, clusters, options),
    paired: pairedRows(answering, clusters, options),
  };
}

/** The one line of `--json`: what a program may count on, key by key. */
export function answersJson({ models, control, paired }: AnswersReport): Json {
  return {
    models: models.map(({ model, cutoff, slices }) => ({
      model,
      cutoff,
      gap_not_leakage: slices.gap_not_leakage,
      discontinuity: slices.discontinuity.map(({ method, ...row }) => row) as Json,
      sensitivity: slices.sensitivity.map(({ cutoff: month, estimate, se, state }) => ({
        cutoff: month,
        estimate,
        se,
        state,
      })),
      mde: slices.mde,
    })),
    control: control.map(({ treated, control: by, estimate, se, se_cr1, clusters, placebo_slope }) => ({
      treated,
      control: by,
      estimate,
      se,
      se_cr1,
      clusters,
      placebo_slope,
    })),
    paired: paired.map(({ a, b, n, mean, se, se_clustered, clusters }) => ({
      a,
      b,
      n,
      mean,
      se,
      se_clustered,
      clusters,
    })),
  };
}

/** The same answers with events numbered by time, then by name in code units. */
function inTimeOrder(table: AnswerTable, answering: readonly Answering[]) {
  const { names, at, lines, clusters } = table.events;
  const order = [...names.keys()].sort((a, b) => {
    const later = (at[a] as number) - (at[b] as number);
    return later === 0 ? ((names[a] as string) < (names[b] as string) ? -1 : 1) : later;
  });
  const numbers = new Int32Array(order.length);
  for (const [number, event] of order.entries()) numbers[event] = number;
  const events = {
    names: order.map((event) => names[event] as string),
    at: Float64Array.from(order, (event) => at[event] as number),
    lines: Int32Array.from(order, (event) => lines[event] as number),
    clusters: clusters === null ? null : order.map((event) => clusters[event] as string),
  };
  const renumbered = ({ listed, answers }: Answering): Answering => {
    const number = (place: number) => numbers[answers.events[place] as number] as number;
    const places = [...answers.events.keys()].sort((a, b) => number(a) - number(b));
    const own = {
      events: Int32Array.from(places, number),
      outcomes: Float64Array.from(places, (place) => answers.outcomes[place] as number),
    };
    return { listed, answers: { ...answers, ...own } };
  };
  return { table: { ...table, events }, answering: answering.map(renumbered) };
}

/** Each event's cluster; of none asked for, the event itself. */
function clustersOf({ time, events }: AnswerTable, byMonth: boolean): readonly string[] {
  if (!byMonth) return events.clusters ?? events.names;
  return Array.from(events.at, (at) => formatMonth(time === "month" ? at : monthOfInstant(at)));
}

/** The events that two models answered, as places in the answers of each. */
export function sharedEvents(a: AnsweringModel, b: AnsweringModel): { inA: number[]; inB: number[] } {
  const [inA, inB]: [number[], number[]] = [[], []];
  for (let i = 0, j = 0; i < a.events.length && j < b.events.length; ) {
    const difference = (a.events[i] as number) - (b.events[j] as number);
    if (difference === 0) {
      inA.push(i);
      inB.push(j);
    }
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return { inA, inB };
}

function controlRows(
  { events }: AnswerTable,
  answering: readonly Answering[],
  clusters: readonly string[],
  options: AnswersOptions,
): ControlRow[] {
  const { control } = options;
  const by = answering.find(({ listed }) => listed.name === control?.name);
  if (control === null || by === undefined) return [];
  return answering.flatMap((treated) => {
    if (treated === by) return [];
    const { inA, inB } = sharedEvents(treated.answers, by.answers);
    if (inA.length === 0) return [];
    const cases = inA.map((i, k) => {
      const event = treated.answers.events[i] as number;
      return {
        at: events.at[event] as number,
        treated: treated.answers.outcomes[i] as number,
        control: by.answers.outcomes[inB[k] as number] as number,
        cluster: clusters[event] as string,
      };
    });
    const { name, cutoff } = treated.listed;
    const split = control.split ?? cutoff;
    const input = { treated: name, control: control.name, cases, split, cutoffEnd: cutoff.hi };
    return [controlSlice(input, options)];
  });
}

function pairedRows(
  answering: readonly Answering[],
  clusters: readonly string[],
  { level }: SliceOptions,
): PairedRow[] {
  return answering.flatMap((one, i) =>
    answering.slice(i + 1).flatMap((other) => {
      // Of equal cutoffs the one that stands later counts as later.
      const [a, b] = one.listed.cutoff.point > other.listed.cutoff.point ? [one, other] : [other, one];
      const { inA, inB } = sharedEvents(a.answers, b.answers);
      if (inA.length === 0) return [];
      const input = {
        a: a.listed.name,
        b: b.listed.name,
        first: Float64Array.from(inA, (at) => a.answers.outcomes[at] as number),
        second: Float64Array.from(inB, (at) => b.answers.outcomes[at] as number),
      };
      const groups = inA.map((at) => clusters[a.answers.events[at] as number] as string);
      return [pairedRow({ ...input, clusters: groups }, level)];
    }),
  );
}
