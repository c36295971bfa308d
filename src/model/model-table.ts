/** A table of models and their training cutoffs, for a person who has answers and no family file. */
import { openTableRows, type TableRow, type TableRows } from "../caseset/table-rows.ts";
import { limits } from "../core/limits.ts";
import { formatMonth, parseMonth } from "../core/month.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { parseCutoff } from "./cutoff.ts";

/** `lo` ≤ `point` ≤ `hi`, months since year 0: the stated cutoff, and the interval that it may lie in. */
export type StatedCutoff = { readonly lo: number; readonly hi: number; readonly point: number };

export type ListedModel = {
  readonly name: string;
  /** `file:line` of its row. */
  readonly place: Place;
  readonly cutoff: StatedCutoff;
};

const SPELLINGS = "YYYY-MM, YYYY-MM:documented, or YYYY-MM..YYYY-MM:estimated";
const WANTED = "a table of models has the columns model and cutoff, and perhaps cutoff_lo and cutoff_hi";

/**
 * Reads `.csv` or `.jsonl` with columns model, cutoff and perhaps cutoff_lo, cutoff_hi (months such as `2026-01`, each
 * to its end); an empty bound is the cutoff itself. An interval may stand in `cutoff` alone, and its end is then the
 * cutoff. Other columns are let be. In the order of the file. Every fault is refused with its line.
 */
export async function readModels(file: string, place: Place): Promise<readonly ListedModel[]> {
  const { columns, rows } = (await openTableRows(file, place)) as TableRows;
  if (columns.length === 0) refuse("SelectionEmpty", { place, selection: "the file", of: 0 });
  for (const column of ["model", "cutoff"])
    if (!columns.includes(column))
      refuse("ColumnUnknown", { place: `${place}:1`, column, known: columns, next: WANTED });
  const models = new Map<string, ListedModel>();
  for await (const row of rows) {
    const model = modelOf(row, columns, `${place}:${row.line}`);
    const first = models.get(model.name);
    if (first !== undefined)
      refuse("CellInvalid", {
        place: model.place,
        column: "model",
        found: model.name,
        expected: `new: this model has its row at ${first.place}`,
        next: "a model has one cutoff; an interval says how far it may be off",
      });
    models.set(model.name, model);
    if (models.size > limits.listedModels)
      refuse("LimitExceeded", {
        place: model.place,
        what: "models",
        found: models.size,
        limit: limits.listedModels,
      });
  }
  if (models.size === 0) refuse("SelectionEmpty", { place, selection: "the table", of: 0 });
  return [...models.values()];
}

function modelOf(row: TableRow, columns: readonly string[], place: Place): ListedModel {
  const cell = (column: string): string => String(row.cells[columns.indexOf(column)] ?? "");
  const name = cell("model");
  if (name === "")
    refuse("CellInvalid", {
      place,
      column: "model",
      found: "",
      expected: "a model's name, which may not be empty",
      next: "spell it as in the answers",
    });
  const given = { cutoff: cell("cutoff"), lo: cell("cutoff_lo"), hi: cell("cutoff_hi") };
  return { name, place, cutoff: statedCutoff(given, place, `model ${name}`) };
}

type GivenCutoff = { readonly cutoff: string; readonly lo: string; readonly hi: string };

function statedCutoff(given: GivenCutoff, place: Place, subject: string): StatedCutoff {
  const cutoff = cutoffOf(given, place, subject);
  const months = cutoff.hi - cutoff.lo + 1;
  if (months > limits.cutoffMonths)
    refuse("LimitExceeded", {
      place,
      what: `${subject}: months of its cutoff's interval`,
      found: months,
      limit: limits.cutoffMonths,
    });
  return cutoff;
}

function cutoffOf({ cutoff, lo, hi }: GivenCutoff, place: Place, subject: string): StatedCutoff {
  if (cutoff.includes(":")) {
    const tagged = parseCutoff(cutoff, place, subject) as { lo: number; hi: number };
    if (lo !== "" || hi !== "")
      refuse("CutoffInvalid", {
        place,
        subject,
        found: `${cutoff} beside ${lo}..${hi}`,
        expected: "the interval in one place: in `cutoff`, or in cutoff_lo and cutoff_hi",
      });
    return { lo: tagged.lo, hi: tagged.hi, point: tagged.hi };
  }
  const monthOf = (text: string, expected: string): number =>
    parseMonth(text) ?? refuse("CutoffInvalid", { place, subject, found: text, expected });
  const point = monthOf(cutoff, SPELLINGS);
  const low = lo === "" ? point : monthOf(lo, "a month such as 2024-06 in cutoff_lo");
  const high = hi === "" ? point : monthOf(hi, "a month such as 2024-10 in cutoff_hi");
  if (!(low <= point && point <= high))
    refuse("CutoffInvalid", {
      place,
      subject,
      found: `cutoff ${cutoff}, interval ${formatMonth(low)}..${formatMonth(high)}`,
      expected: "cutoff_lo ≤ cutoff ≤ cutoff_hi",
    });
  return { lo: low, hi: high, point };
}
