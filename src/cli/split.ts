/** `blindcast split <intervals.csv>|<caseset>`: test and training sets whose labels do not meet, or an audit of somebody's. */
import type { Argv } from "yargs";
import { readIntervals } from "../caseset/interval-table.ts";
import { caseIntervals, type LabelIntervals, shownTime } from "../caseset/label-intervals.ts";
import { type CaseSet, loadCaseSet } from "../caseset/load.ts";
import { auditSplits, type SplitAudit, type SplitLists } from "../caseset/split-audit.ts";
import type { SplitDefinition } from "../caseset/split-definition.ts";
import { readSplitLists } from "../caseset/split-lists.ts";
import { type Splits, splitCases } from "../caseset/splits.ts";
import { checkZone } from "../core/local-time.ts";
import { refuse } from "../core/refusal.ts";
import { splitAuditText } from "../report/split-audit-text.ts";
import { PLOT_COLUMNS, splitSvg } from "../report/split-plot.ts";
import { type SplitRow, splitRow } from "../report/split-rows.ts";
import { MOST_ROWS, SKETCH_COLUMNS, splitText } from "../report/split-text.ts";
import { type Raw, text } from "./arguments.ts";
import { exitStatus } from "./exit-status.ts";
import { findCaseSet } from "./inputs.ts";
import { writePictures } from "./pictures.ts";
import { printData, printPieces } from "./print.ts";
import { embargoTold, type SplitFlags, splitFlags } from "./split-flags.ts";
import { auditPieces, splitPieces } from "./split-json.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("intervals", {
      type: "string",
      describe: "a table (CSV or JSON lines) with id, t0, t1; or a case set, by its folder or name",
    })
    .option("folds", { type: "string", describe: "k-fold: so many contiguous test folds" })
    .option("groups", { type: "string", describe: "combinatorial: so many contiguous groups" })
    .option("test-groups", { type: "string", describe: "with --groups: how many are tested at a time" })
    .option("walk-forward", { type: "string", describe: "so many test blocks, trained on what came before" })
    .option("minimum-train", {
      type: "string",
      describe: "with --walk-forward: least training cases of a split (default: the first of equal groups)",
    })
    .option("rolling", {
      type: "string",
      describe: "with --walk-forward: train on the latest so many cases (default: all, expanding)",
    })
    .option("audit", {
      type: "string",
      describe: 'look for leaks in a file of splits: {"splits":[{"train":[ids],"test":[ids]}]}',
    })
    .option("embargo", { type: "string", describe: "a span after each block of test cases (default P0D)" })
    .option("zone", { type: "string", describe: "on whose calendar days are added (default UTC)" })
    .option("allow-empty", { type: "boolean", describe: "keep splits without a test or a training case" })
    .option("plot", { type: "string", describe: "a folder for a picture of the splits (SVG)" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 split intervals.csv --folds 5 --embargo P5D", "five folds, purged and embargoed")
    .example("$0 split intervals.csv --groups 6 --test-groups 2 --json", "15 splits, 5 paths, every id")
    .example("$0 split intervals.csv --audit mine.json --embargo P5D", "what leaks in splits of your own");
}

/** Exit status: 0 split, or audited without a leak; 1 leaks; 2 refused. */
export async function run(raw: Raw): Promise<number> {
  const flags = splitFlags(raw);
  const { intervals, source } = await loadIntervals(text(raw, "intervals") as string, text(raw, "zone"));
  if (intervals.unit === "day" && flags.embargo.months > 0)
    refuse("ArgumentInvalid", {
      place: "--embargo",
      found: flags.embargo.text,
      expected: `days such as P30D, since the times of ${source} are numbers of days, which have no months`,
    });
  const read = readWords(intervals, source);
  const { work } = flags;
  return "audit" in work
    ? await audit(work.audit, flags, intervals, { source, read })
    : await split(work.definition, flags, intervals, { source, read });
}

type Read = { readonly source: string; readonly read: readonly string[] };

async function loadIntervals(
  name: string,
  zone: string | undefined,
): Promise<{ intervals: LabelIntervals; source: string }> {
  if (zone !== undefined) checkZone(zone, "--zone", "a time zone");
  if (/\.(csv|jsonl)$/.test(name)) {
    const intervals = await readIntervals(name, name, zone ?? "UTC");
    if (zone !== undefined && intervals.unit === "day")
      refuse("ArgumentInvalid", {
        place: "--zone",
        found: zone,
        expected: `no zone, since the times of ${name} are numbers of days`,
      });
    return { intervals, source: name };
  }
  const { folder, shown } = findCaseSet(name);
  const set = loadCaseSet(folder, shown) as CaseSet;
  if (zone !== undefined)
    refuse("ArgumentInvalid", {
      place: "--zone",
      found: zone,
      expected: `no zone beside a case set, whose own is ${set.zone}`,
    });
  return { intervals: caseIntervals(set.cases, set.zone), source: shown };
}

function readWords({ unit, zone, ids }: LabelIntervals, source: string): string[] {
  const counts = unit === "day" ? "times are numbers of days" : `days are counted in the zone ${zone}`;
  return [`Read ${ids.length} label intervals of ${source}; ${counts}.`];
}

async function split(
  definition: SplitDefinition,
  flags: SplitFlags,
  intervals: LabelIntervals,
  { source, read }: Read,
): Promise<number> {
  const made = splitCases(intervals, definition, source);
  const [sketches, drawn]: [SplitRow[], SplitRow[]] = [[], []];
  let splits = 0;
  for (const one of made.splits) {
    if (one.empty && !flags.allowEmpty) refuseEmpty(one.number, one, source, tooMany(definition, intervals));
    splits += 1;
    if (splits > MOST_ROWS) continue;
    sketches.push(splitRow(one, SKETCH_COLUMNS));
    if (flags.plot !== undefined) drawn.push(splitRow(one, PLOT_COLUMNS));
  }
  const { ids, t0, unit } = intervals;
  const words = { cases: ids.length, splits, embargo: embargoTold(flags), digest: made.digest };
  const how = howSplit(definition, made, words);
  if (flags.plot !== undefined) {
    const span = [t0[0], t0.at(-1)].map((at) => shownTime(unit, at as number)) as [string, string];
    writePictures(flags.plot, [
      { name: "splits", svg: await splitSvg(drawn, { ...words, title: how, span }) },
    ]);
  }
  if (flags.json) await printPieces(splitPieces(intervals, made));
  else printData(splitText(sketches, { ...words, read: [...read, `${how}.`] }).join("\n"));
  return exitStatus.green;
}

/** By its number, and what it lacks. */
function refuseEmpty(
  number: number,
  sets: { readonly train: ArrayLike<unknown>; readonly test: ArrayLike<unknown> },
  place: string,
  next?: string,
): never {
  const sides = (["test", "train"] as const).filter((side) => sets[side].length === 0);
  const side = sides.join(" and ");
  return refuse("SplitEmpty", {
    place,
    split: `split ${number}`,
    side,
    ...(next === undefined ? {} : { next }),
  });
}

/** Where there are more parts to cut than cases: how many there may be. */
function tooMany(definition: SplitDefinition, { ids }: LabelIntervals): string | undefined {
  const isForward = definition.kind === "walk-forward";
  const [flag, parts] =
    definition.kind === "combinatorial"
      ? ["--groups", definition.groups]
      : [isForward ? "--walk-forward" : "--folds", definition.folds];
  const spare = isForward && definition.minimum_train === undefined ? 1 : 0; // the group before the first test block
  if (parts + spare <= ids.length) return undefined;
  const most = Math.max(1, ids.length - spare);
  return `${flag} ${parts} is more than ${ids.length} cases can fill: ${flag} ${most} at most, or --allow-empty to keep it, marked as empty`;
}

/** One sentence without its full stop. */
function howSplit(
  definition: SplitDefinition,
  { paths }: Splits,
  { splits, embargo }: { readonly splits: number; readonly embargo: string | null },
): string {
  const after = embargo === null ? "no embargo" : `embargo ${embargo}`;
  if (definition.kind === "kfold")
    return `${splits} folds, contiguous in start order, each tested once; ${after}`;
  if (definition.kind === "combinatorial") {
    const { groups, test_groups: tested } = definition;
    return `${splits} splits: each ${tested} of ${groups} contiguous groups tested once, in ${paths.length} paths; ${after}`;
  }
  const { minimum_train: least, rolling } = definition;
  const window = rolling === undefined ? "cases" : `the latest ${rolling} cases`;
  const start = least === undefined ? "" : `, at least ${least}`;
  const right =
    embargo === null ? "" : "; an embargo finds no case to the right of a block that is trained on";
  return `${splits} test blocks in start order, each trained on ${window} that ended before it starts${start}${right}`;
}

async function audit(
  file: string,
  flags: SplitFlags,
  intervals: LabelIntervals,
  { source, read }: Read,
): Promise<number> {
  const lists = readSplitLists(file, file);
  const audits: SplitAudit[] = [];
  for (const one of auditSplits(lists, intervals, flags.embargo.text, file)) {
    const number = audits.length;
    if (!flags.allowEmpty && (one.train === 0 || one.test === 0))
      refuseEmpty(number, lists[number] as SplitLists, file);
    audits.push(one);
  }
  const embargo = embargoTold(flags);
  if (flags.json) await printPieces(auditPieces(intervals, audits, flags.embargo.text));
  else {
    const after = embargo === null ? "no embargo" : `embargo ${embargo}`;
    const said = [...read, `Audit of ${file} against ${source}; ${after}.`];
    printData(splitAuditText(audits, { read: said, ids: intervals.ids, embargo }).join("\n"));
  }
  return audits.some(({ leaks }) => leaks.length > 0) ? exitStatus.red : exitStatus.green;
}
