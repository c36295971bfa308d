/** Splits and audits as one line of JSON, in pieces: a million cases in each of many splits are never one text. */
import type { LabelIntervals } from "../caseset/label-intervals.ts";
import type { SplitAudit } from "../caseset/split-audit.ts";
import type { Split, Splits } from "../caseset/splits.ts";

/** Ids that are put together into one piece. */
const PIECE = 4096;

/** `{"cases","definition","digest","groups":[ids' number],"splits":[…],"paths":[[split by group]]}`. */
export function* splitPieces({ ids }: LabelIntervals, made: Splits): Generator<string> {
  const quoted = ids.map((id) => JSON.stringify(id));
  const { definition, digest, groups } = made;
  const sizes = groups.map(({ from, to }) => to - from);
  yield `{"cases":${ids.length},"definition":${JSON.stringify(definition)},"digest":"${digest}","groups":${JSON.stringify(sizes)},"splits":[`;
  let separator = "";
  for (const split of made.splits) {
    yield separator;
    yield* oneSplit(split, quoted);
    separator = ",";
  }
  yield '],"paths":[';
  for (const [i, path] of made.paths.entries()) yield `${i === 0 ? "" : ","}[${path.join(",")}]`;
  yield "]}";
}

function* oneSplit(split: Split, quoted: readonly string[]): Generator<string> {
  const plain = (positions: Int32Array) =>
    list(positions.length, (i) => quoted[positions[i] as number] as string);
  const caused = (positions: Int32Array, by: Int32Array) =>
    list(positions.length, (i) => `{"id":${quoted[positions[i] as number]},"by":${quoted[by[i] as number]}}`);
  yield `{"split":${split.number},"groups":[${split.groups.join(",")}],"paths":[${split.paths.join(",")}],"empty":${split.empty},"test":`;
  yield* plain(split.test);
  yield ',"train":';
  yield* plain(split.train);
  yield ',"purged":';
  yield* caused(split.purged, split.purgedBy);
  yield ',"embargoed":';
  yield* caused(split.embargoed, split.embargoedBy);
  yield ',"unused":';
  yield* plain(split.unused);
  yield "}";
}

/** `{"embargo","leaks","splits":[{"split","train","test","neither","pairs","leaks":[{"id","rule","by","overlaps"}]}]}`. */
export function* auditPieces(
  { ids }: LabelIntervals,
  audits: readonly SplitAudit[],
  embargo: string,
): Generator<string> {
  const leaks = audits.reduce((sum, audit) => sum + audit.leaks.length, 0);
  yield `{"cases":${ids.length},"embargo":${JSON.stringify(embargo)},"leaks":${leaks},"splits":[`;
  for (const [number, audit] of audits.entries()) {
    const { train, test, neither, pairs } = audit;
    yield `${number === 0 ? "" : ","}{"split":${number},"train":${train},"test":${test},"neither":${neither},"pairs":${pairs},"leaks":`;
    yield* list(audit.leaks.length, (i) => {
      const { rule, train: position, by, overlaps } = audit.leaks[i] as SplitAudit["leaks"][number];
      return JSON.stringify({ id: ids[position], rule, by: ids[by], overlaps });
    });
    yield "}";
  }
  yield "]}";
}

function* list(length: number, item: (i: number) => string): Generator<string> {
  yield "[";
  for (let from = 0; from < length; from += PIECE) {
    let piece = from === 0 ? "" : ",";
    const to = Math.min(length, from + PIECE);
    for (let i = from; i < to; i++) piece += i === from ? item(i) : `,${item(i)}`;
    yield piece;
  }
  yield "]";
}
