/** What a run keeps of what was loaded, file by file in the one spelling of each, and the manifest that names them all. */
import { createHash } from "node:crypto";
import { type BoundedCase, caseOnDisk } from "../caseset/bounded-case.ts";
import { labelOnDisk } from "../caseset/label.ts";
import { canonical, type Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import { formatInstant, type Instant } from "../core/instant.ts";
import { REPORT_VERSION, RUN_FORMAT } from "../core/version.ts";
import type { Manifest } from "./manifest.ts";
import { type Plan, trajectoryCount } from "./preflight.ts";
import type { Sink } from "./sink.ts";
import type { World } from "./world.ts";

/** What was loaded, file by file, in the spelling in which the run keeps it. */
function* loadedFiles(plan: Plan, world: World): Generator<[name: string, pieces: Iterable<string>]> {
  const { set, selection, arms, cases } = plan;
  const caseSet = {
    declared: set.onDisk as unknown as Json,
    digest: plan.caseSetDigest,
    tables: plan.tables as unknown as Json,
    view: world.store.view,
  };
  const chosen = new Set(cases.map((item) => item.id));
  yield ["caseset.json", [`${canonical(caseSet)}\n`]];
  yield ["profile.json", [`${canonical(selection.options.profile)}\n`]];
  if (arms.family !== null) yield ["family.json", [`${canonical(arms.family.onDisk as unknown as Json)}\n`]];
  yield [
    "cases.jsonl",
    lines(cases, (item, i) => caseLine(item, plan.askedDays[i] as string, plan.deadlines[i] as Instant)),
  ];
  const labels = set.labels.filter((label) => chosen.has(label.caseId));
  yield ["labels.jsonl", lines(labels, (label) => canonical(labelOnDisk(label)))];
  for (const [name, text] of selection.artifacts) yield [`artifacts/${name}`, [text]];
  if (selection.entities !== null) {
    const { digest, text } = selection.entities;
    yield [`artifacts/${digest.slice("sha256:".length)}`, [text]];
  }
}

/** A line of the run's `cases.jsonl`: the case, with its local times as instants, since replay converts none. */
const caseLine = (item: BoundedCase, askedDay: string, deadline: Instant): string =>
  canonical({ ...caseOnDisk(item), asked_day: askedDay, deadline: formatInstant(deadline) });

function* lines<T>(items: readonly T[], line: (item: T, i: number) => string): Generator<string> {
  for (let i = 0; i < items.length; i++) yield `${line(items[i] as T, i)}\n`;
}

export function loadedDigests(plan: Plan, world: World): Manifest["files"] {
  return Object.fromEntries(
    [...loadedFiles(plan, world)].map(([name, pieces]) => [name, digestPieces(pieces)]),
  );
}

export async function writeLoaded(plan: Plan, world: World): Promise<Manifest["files"]> {
  const digests: Record<string, Digest> = {};
  for (const [name, pieces] of loadedFiles(plan, world))
    digests[name] = await writePieces(world.sink, name, pieces);
  return digests;
}

/** Writes a file piece by piece and puts it on the disk; its digest. */
export async function writePieces(sink: Sink, name: string, pieces: Iterable<string>): Promise<Digest> {
  const file = sink.create(name);
  const seen = function* () {
    for (const piece of pieces) {
      file.append(piece);
      yield piece;
    }
  };
  const digest = digestPieces(seen());
  await file.sync();
  file.close();
  return digest;
}

function digestPieces(pieces: Iterable<string>): Digest {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return `sha256:${hash.digest("hex")}`;
}

export function manifestOf(plan: Plan, files: Manifest["files"], world: World): Manifest {
  return {
    v: RUN_FORMAT,
    run: plan.run,
    report_version: REPORT_VERSION,
    ledger: world.ledger.origin,
    replaces: plan.selection.replaces,
    caseset: { name: plan.set.name, digest: plan.caseSetDigest, cases: plan.set.cases.length },
    stamp: plan.stamp,
    trajectories: trajectoryCount(plan),
    files,
    host: world.host,
  };
}
