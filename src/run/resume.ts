/** Resuming: the same configuration or a refusal, then the record as it was, and what is left of each trajectory. */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { fromHex, toBase64 } from "../core/bytes.ts";
import type { Json } from "../core/canonical.ts";
import { canonical } from "../core/canonical.ts";
import { type Digest, digestOf, nodeHashing } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { commitmentOf } from "../ledger/leaves.ts";
import { createTree } from "../ledger/tree.ts";
import type { Assignment } from "./arms.ts";
import { type Spent, spentOf } from "./budget.ts";
import type { Earlier } from "./earlier-run.ts";
import type { Entry } from "./entry.ts";
import { type Journal, readJournal } from "./journal.ts";
import { loadedDigests, manifestOf } from "./loaded-files.ts";
import type { Manifest } from "./manifest.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import { probeCase } from "./probe.ts";
import { Recorder, type TrajectoryLog } from "./recorder.ts";
import type { Sink, SinkFile } from "./sink.ts";
import { endAttempt } from "./trajectory.ts";
import type { World } from "./world.ts";

/**
 * By position in the plan: undefined = not begun; else whether it is finished, the number of its next attempt, and the one
 * that is answered and waits to be judged, or null.
 */
export type Resumed = readonly (
  | { readonly finished: boolean; readonly attempt: number; readonly open: TrajectoryLog | null }
  | undefined
)[];

/** Refuses ResumeMismatch, naming the first field that differs from what the earlier run was opened with. */
export function checkSame(plan: Plan, world: World): Earlier {
  const given = manifestOf(plan, loadedDigests(plan, world), world);
  const earlier = plan.selection.earlier as Earlier;
  const place = "run.json";
  const recorded = JSON.parse(earlier.manifest) as Manifest;
  // What is closed already needs no more than its last files: the machine may be another by now.
  const host = earlier.close === null ? given.host : recorded.host;
  // What was chosen says more to a person than the digest of a file that follows from it.
  const chosen = ({ stamp: { profile: _, ...rest } }: Manifest) => rest;
  const other =
    firstDifference(chosen(given), chosen(recorded), "stamp") ??
    firstDifference(
      { ...given, host, replaces: recorded.replaces } as unknown as Json,
      recorded as unknown as Json,
    );
  if (other !== undefined) refuse("ResumeMismatch", { place, ...other });
  const manifest = digestOf(earlier.manifest);
  if (manifest !== earlier.open.leaf.manifest)
    refuse("ResumeMismatch", {
      place,
      field: "digest of run.json",
      found: manifest,
      recorded: earlier.open.leaf.manifest,
    });
  const commitment = commitmentOf({ plants: plan.plantsDigest, ...plan.secret }, nodeHashing.sha256);
  if (commitment !== earlier.open.leaf.commitment) {
    refuse("ResumeMismatch", {
      place,
      field: "commitment to the plants",
      found: commitment,
      recorded: earlier.open.leaf.commitment,
    });
  }
  return earlier;
}

type Difference = { readonly field: string; readonly found: string; readonly recorded: string };

/** The first path, keys in code units, at which two JSON values differ. */
export function firstDifference(
  found: Json | undefined,
  recorded: Json | undefined,
  path = "",
): Difference | undefined {
  if (isBranch(found) && isBranch(recorded)) {
    const keys = [...new Set([...Object.keys(found), ...Object.keys(recorded)])].sort();
    for (const key of keys) {
      const below = firstDifference(
        ownOf(found, key),
        ownOf(recorded, key),
        path === "" ? key : `${path}.${key}`,
      );
      if (below !== undefined) return below;
    }
    return undefined;
  }
  const [a, b] = [found, recorded].map((value) => (value === undefined ? "nothing" : canonical(value))) as [
    string,
    string,
  ];
  return a === b ? undefined : { field: path === "" ? "the whole" : path, found: a, recorded: b };
}

/** A key may be `toString`, which every object has and none holds. */
const ownOf = (branch: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(branch, key) ? branch[key] : undefined;

function isBranch(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null;
}

/** Takes up journal and pack, makes the probes' bodies again, and ends every attempt that a crash cut off. */
export function resumeRecord(
  plan: Plan,
  earlier: Earlier,
  world: World,
): { recorder: Recorder; resumed: Resumed; spent: Spent; served: boolean } {
  const { sink } = world;
  const journal = readBack(sink, earlier);
  checkProgress(journal, earlier, sink.place);
  const positionOf = positions(plan, `${sink.place}/journal.jsonl`);
  const last = lastAttempts(journal, positionOf);
  const probes = probesAgain(plan, journal, world);
  // All that can be refused was: from here on the folder is written to.
  const recorder = new Recorder(sink, world.clock, plan.run, earlier.manifest, takeUp(sink, journal));
  recorder.restore(journal, positionOf);
  for (const [digest, text] of probes) recorder.hold(text, digest);
  const resumed: { finished: boolean; attempt: number; open: TrajectoryLog | null }[] = [];
  for (const [position, { entry, leaf }] of last) {
    const { repeats } = plan.selection.options;
    const assignment = plan.arms.assignments[Math.floor(position / repeats)] as Assignment;
    const { arm, repeat, attempt, step } = entry;
    const log: TrajectoryLog = { position, arm, repeat, attempt, step: step + 1, prev: leaf };
    const answered = ["answer", "decline", "fault", "judge"].includes(entry.kind);
    const item = plan.cases[assignment.caseIndex] as BoundedCase;
    const open = answered && world.judging !== undefined ? log : null;
    if (entry.kind !== "end" && open === null) endAttempt(log, item, answered, recorder, world);
    const finished = entry.kind === "end" ? entry.steps !== undefined : answered && open === null;
    resumed[position] = { finished, attempt: attempt + 1, open };
  }
  const served = journal.entries.some(({ entry }) => entry.kind === "model" && entry.class === null);
  return { recorder, resumed, spent: spentOf(entriesOf(journal)), served };
}

function* entriesOf({ entries }: Journal): Generator<Entry> {
  for (const { entry } of entries) yield entry;
}

const RECORD = ["blobs.pack", "journal.jsonl"] as const;

const NOTHING: Journal = { entries: [], blobs: new Map(), held: new Set(), size: 0, packSize: 0 };

/** What was recorded, read and not yet touched. */
function readBack(sink: Sink, earlier: Earlier): Journal {
  const names = sink.names();
  const place = `${sink.place}/journal.jsonl`;
  const there = RECORD.filter((name) => names.includes(name));
  if (there.length === 0) return NOTHING;
  const [pack, journal] = RECORD.map((name) => (names.includes(name) ? sink.reopen(name, null) : undefined));
  try {
    // The pack is made first: alone, it is empty, and of a run that was killed before its journal was made.
    if (pack !== undefined && journal !== undefined)
      return readJournal(journal, pack, earlier.run, earlier.manifest, place);
    if (pack?.size() === 0) return NOTHING;
    return refuse("JournalBroken", {
      place,
      found: `${there[0]} alone`,
      expected: "journal and pack together",
    });
  } finally {
    pack?.close();
    journal?.close();
  }
}

/** What was made at a close that did not come to its leaf is made anew; journal and pack lose what was torn. */
function takeUp(sink: Sink, { size, packSize }: Journal): { pack: SinkFile; journal: SinkFile } {
  const names = sink.names();
  for (const name of ["entries.jsonl", "blobs.idx", "plants.jsonl", "report.json", "trials.jsonl"])
    if (names.includes(name)) sink.remove(name);
  for (const name of RECORD) if (!names.includes(name)) sink.create(name).close();
  const pack = sink.reopen("blobs.pack", packSize);
  return { pack, journal: sink.reopen("journal.jsonl", size, pack) };
}

/** The ledger says how much was on the disk: less, or other entries, is no crash of ours. */
function checkProgress({ entries }: Journal, { progress, run }: Earlier, place: string): void {
  if (progress === null) return;
  const tree = createTree(nodeHashing.sha256);
  for (const { leaf } of entries.slice(0, progress.entries)) tree.append(fromHex(leaf));
  const found = `${tree.size()} entries with root ${toBase64(tree.root())}`;
  const expected = `${progress.entries} entries with root ${progress.root}`;
  if (found !== expected)
    refuse("JournalBroken", {
      place: `${place}/journal.jsonl`,
      found,
      expected: `${expected}, as run ${run}'s last progress leaf says`,
    });
}

/** Where in the plan an entry's trajectory stands. */
function positions(plan: Plan, place: string): (entry: Entry) => number {
  const { repeats } = plan.selection.options;
  const byKey = new Map<string, number>();
  plan.arms.assignments.forEach(({ caseIndex, arm }, i) => {
    byKey.set(`${(plan.cases[caseIndex] as BoundedCase).id}\n${arm}`, i * repeats);
  });
  return ({ case: id, arm, repeat, seq }) => {
    const first = byKey.get(`${id}\n${arm}`);
    if (first === undefined || repeat >= repeats)
      refuse("JournalBroken", {
        place: `${place}:${seq + 1}`,
        found: `case ${id}, arm ${arm}, repeat ${repeat}`,
        expected: `one of ${trajectoryCount(plan)} trajectories of the run`,
      });
    return first + repeat;
  };
}

/** Bodies of probes were never on the disk: they are made again from the same secret. */
function probesAgain(plan: Plan, journal: Journal, world: World): Map<Digest, string> {
  const missing = new Set(journal.held);
  const seen = new Set(journal.entries.map(({ entry }) => entry.case));
  const made = new Map<Digest, string>();
  for (const [caseIndex, item] of plan.cases.entries()) {
    if (missing.size === 0) break;
    if (!seen.has(item.id)) continue;
    for (const probe of probeCase(world.store, item, plan.plantsOf(caseIndex))) {
      const text = probe.text();
      const digest = digestOf(text);
      if (missing.delete(digest)) made.set(digest, text);
    }
  }
  const { place } = world.sink;
  for (const recorded of missing)
    refuse("ResumeMismatch", { place, field: "a probe's answer", found: "another", recorded });
  return made;
}

/** Of each trajectory, in the plan's order, its last entry. */
function lastAttempts(
  journal: Journal,
  positionOf: (entry: Entry) => number,
): [number, Journal["entries"][number]][] {
  const last = new Map<number, Journal["entries"][number]>();
  for (const recorded of journal.entries) last.set(positionOf(recorded.entry), recorded);
  return [...last].sort(([a], [b]) => a - b);
}
