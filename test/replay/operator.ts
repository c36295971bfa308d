/** An operator with the key: real runs in memory, and the same runs after a change, every digest downstream made right again. */
import { inflateRawSync } from "node:zlib";
import { backtest } from "../../src/backtest.ts";
import { fromHex, toBase64, utf8 } from "../../src/core/bytes.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf, digestOfJson, leafHash, nodeHashing, sha256Hex } from "../../src/core/digest.ts";
import { commitmentOf, leafLine } from "../../src/ledger/leaves.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { newSigner, type Signer } from "../../src/ledger/node-signatures.ts";
import { createTree } from "../../src/ledger/tree.ts";
import { formatVerifierKey, verifierKey } from "../../src/ledger/verifier-key.ts";
import type { ReaderSource } from "../../src/model/reader.ts";
import { memoryBundle } from "../../src/replay/memory-bundle.ts";
import { type Replay, type ReplayOptions, replay } from "../../src/replay/replay.ts";
import { blobLine, storeBlob } from "../../src/run/blobs.ts";
import { memorySink } from "../../src/run/sink.ts";
import { dailyInputs, type dailySet, type RunOptions } from "../support/daily-set.ts";

export type Files = ReadonlyMap<string, Uint8Array>;
export type ClosedRun = { readonly files: Files; readonly signer: Signer | null };

export const { signer: operatorKey } = newSigner();
export const origin = "operator.example/log";
/** A policy that trusts the operator's log. */
export const operatorPolicy = utf8(
  `log ${formatVerifierKey(verifierKey(origin, 1, operatorKey.publicKey, nodeHashing.sha256))}\nquorum none\n`,
);

export type Made = Awaited<ReturnType<typeof dailySet>>;
export type ClosedOptions = RunOptions & {
  readonly signed?: boolean;
  readonly artifacts?: ReadonlyMap<string, string>;
};

/** A backtest that ran and was closed. */
export async function closedRun(
  made: Made,
  readers: ReaderSource,
  options: ClosedOptions = {},
): Promise<ClosedRun> {
  const signer = options.signed === false ? null : operatorKey;
  const sink = memorySink();
  const ledger = memoryLedger(signer === null ? {} : { signer, origin });
  const [set, selection, checks, world] = dailyInputs(made, readers, { ledger, sink, ...options });
  await backtest(set, { ...selection, artifacts: options.artifacts ?? new Map() }, checks, world);
  return { files: new Map([...sink.files].map(([name, bytes]) => [name, Uint8Array.from(bytes)])), signer };
}

export function replayed(
  files: Files,
  options: Partial<ReplayOptions> & { trusting?: boolean } = {},
): Promise<Replay> {
  const { trusting = true, ...rest } = options;
  const policy = trusting ? { bytes: operatorPolicy, place: "policy" } : null;
  return replay(memoryBundle(files, "run"), { policy, ...rest });
}

/** `verified`, or the stage and the code that ended it. */
export const told = ({ verdict, failure }: Pick<Replay, "verdict" | "failure">): string =>
  failure === null ? verdict : `${failure.stage} ${failure.code}`;

/** JSON that is edited in place; what is undefined is left out. */
export type Fields = { [key: string]: Json | undefined };

/** A run's contents, to be changed. What a change makes wrong is made right when the draft is written. */
export type Draft = {
  manifest: Fields;
  /** What was loaded, by name. */
  readonly loaded: Map<string, string>;
  entries: Fields[];
  readonly bodies: Map<string, Uint8Array>;
  plants: string;
  /** Rows of a ledger of trials; undefined: none was kept. */
  trials: string | undefined;
  /** What the open leaf commits to; undefined: to `plants`. */
  committed: string | undefined;
  report: string;
  readonly open: Fields;
  readonly close: Fields;
  /** How an entry's canonical line is spelled. */
  spelling: (line: string, i: number) => string;
  /** Bodies that no entry has are kept. */
  spare: boolean;
  /** How bodies are stored that are not stored as a run does: as a DEFLATE stream that is said to give `length` bytes. */
  readonly streams: Map<string, { readonly bytes: Uint8Array; readonly length: number }>;
  /** The last word on the close leaf. */
  spoken: Fields;
  /** The last word on index and pack. */
  index: (lines: string[]) => string[];
  pack: (bytes: Buffer) => Buffer;
};

const text = (files: Files, name: string) => Buffer.from(files.get(name) as Uint8Array).toString("utf8");
const linesOf = (all: string) => all.split("\n").slice(0, -1);

export function draftOf(files: Files): Draft {
  const manifest = JSON.parse(text(files, "run.json")) as Fields;
  const bodies = new Map<string, Uint8Array>();
  const pack = files.get("blobs.pack") as Uint8Array;
  for (const line of linesOf(text(files, "blobs.idx"))) {
    const { digest, offset, stored, deflated } = JSON.parse(line);
    const bytes = pack.subarray(offset, offset + stored);
    bodies.set(digest, deflated ? inflateRawSync(bytes) : bytes);
  }
  return {
    manifest,
    loaded: new Map(Object.keys(manifest["files"] as object).map((name) => [name, text(files, name)])),
    entries: linesOf(text(files, "entries.jsonl")).map((line) => JSON.parse(line)),
    bodies,
    plants: text(files, "plants.jsonl"),
    trials: files.has("trials.jsonl") ? text(files, "trials.jsonl") : undefined,
    committed: undefined,
    report: text(files, "report.json"),
    open: JSON.parse(text(files, "open.json")),
    close: JSON.parse(text(files, "close.json")),
    spelling: (line) => line,
    spare: false,
    streams: new Map(),
    spoken: {},
    index: (lines) => lines,
    pack: (bytes) => bytes,
  };
}

/** Gives an entry another body. */
export function rebody(draft: Draft, entry: Fields, body: string | Uint8Array): void {
  const bytes = typeof body === "string" ? utf8(body) : body;
  const digest = digestOf(bytes);
  draft.bodies.set(digest, bytes);
  if (entry["unplanted"] === entry["result"] && entry["kind"] === "tool") entry["unplanted"] = digest;
  entry["result"] = digest;
  entry["bytes"] = bytes.length;
}

export const bodyText = (draft: Draft, entry: Fields): string =>
  Buffer.from(draft.bodies.get(entry["result"] as string) as Uint8Array).toString("utf8");

/** Changes result and evidence; its evidence of the entries is made right when the draft is written. */
export function reword(draft: Draft, change: (report: { result: Fields; evidence: Fields }) => void): void {
  const report = JSON.parse(draft.report);
  change(report);
  draft.report = `${canonical(report)}\n`;
}

/** Signs a run again that was changed, as its operator can. */
export async function forged(run: ClosedRun, change: (draft: Draft) => void): Promise<Files> {
  const draft = draftOf(run.files);
  change(draft);
  return written(draft, run.signer);
}

async function written(draft: Draft, signer: Signer | null): Promise<Files> {
  const files = new Map<string, Uint8Array>();
  const put = (name: string, data: string | Uint8Array) =>
    void files.set(name, typeof data === "string" ? utf8(data) : data);
  for (const [name, data] of draft.loaded) put(name, data);
  const ended = draft.entries.filter((entry) => entry["kind"] === "end" && entry["steps"] !== undefined);
  draft.manifest["files"] = Object.fromEntries(
    [...draft.loaded].map(([name, data]) => [name, digestOf(data)]),
  );
  draft.manifest["trajectories"] = ended.length;
  const manifest = `${canonical(draft.manifest as Json)}\n`;
  put("run.json", manifest);
  const { lines, root } = chained(draft, sha256Hex(manifest));
  put("entries.jsonl", lines.map((line) => `${line}\n`).join(""));
  const { index, pack } = packed(draft);
  put("blobs.idx", index);
  put("blobs.pack", pack);
  put("plants.jsonl", draft.plants);
  if (draft.trials !== undefined) put("trials.jsonl", draft.trials);
  const report = reportOf(draft, root, lines.length);
  put("report.json", report.bytes);
  const { salt, secret } = draft.close as { salt: string; secret: string };
  const commitment = commitmentOf(
    { plants: digestOf(draft.committed ?? draft.plants), salt, secret },
    nodeHashing.sha256,
  );
  const named = { manifest: digestOf(manifest), run: draft.manifest["run"] };
  const open = leafLine({ ...draft.open, ...named, commitment } as never);
  const close = leafLine({
    ...draft.close,
    ...named,
    entries: lines.length,
    root,
    pack: digestOf(pack),
    report: digestOf(report.bytes),
    result: report.result,
    ...draft.spoken,
  } as never);
  put("open.json", `${open}\n`);
  put("close.json", `${close}\n`);
  if (signer === null) return files;
  const ledger = memoryLedger({ signer, origin });
  const indexes = [await ledger.append(open), await ledger.append(close)];
  const proofs = (await ledger.prove(indexes)) as readonly string[];
  put("open.tlog-proof", proofs[0] as string);
  put("close.tlog-proof", proofs[1] as string);
  return files;
}

/** Steps, ends, arrival numbers and links as a recorder would have written them. */
function chained({ entries, spelling }: Draft, first: string): { lines: string[]; root: string } {
  const numbers = entries.map((entry) => entry["seq"]).filter((seq) => typeof seq === "number");
  const arrived = numbers.sort((a, b) => a - b);
  const tree = createTree(nodeHashing.sha256);
  let before = "";
  let step = 0;
  let prev = first;
  const lines = entries.map((entry, i) => {
    const attempt = JSON.stringify([entry["arm"], entry["repeat"], entry["attempt"]]);
    const begins = attempt !== before || step < 0;
    [step, prev] = begins ? [0, first] : [step + 1, prev];
    before = attempt;
    const count =
      entry["kind"] === "end" ? { [entry["steps"] === undefined ? "abandoned" : "steps"]: step + 1 } : {};
    const seq = typeof entry["seq"] === "number" ? arrived.indexOf(entry["seq"]) : entry["seq"];
    const line = spelling(canonical(plain({ ...entry, ...count, step, prev, seq })), i);
    prev = leafHash(line);
    tree.append(fromHex(prev));
    if (entry["kind"] === "end") step = -1;
    return line;
  });
  return { lines, root: toBase64(tree.root()) };
}

const plain = (fields: Fields): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Json;

function packed(draft: Draft): { index: string; pack: Buffer } {
  const used = new Set(draft.entries.map((entry) => entry["result"]));
  const pieces: Buffer[] = [];
  let size = 0;
  const pack = {
    size: () => size,
    append(data: string | Uint8Array) {
      pieces.push(Buffer.from(data));
      size += data.length;
    },
  };
  const lines = [...draft.bodies]
    .filter(([digest]) => draft.spare || used.has(digest))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([digest, bytes]) => {
      const stream = draft.streams.get(digest);
      if (stream !== undefined) {
        const blob = { offset: size, stored: stream.bytes.length, length: stream.length, deflated: true };
        pack.append(stream.bytes);
        return blobLine(digest as never, blob);
      }
      // A body that is no text is stored as it stands: only a text's bytes come back from a text.
      const isText = Buffer.from(Buffer.from(bytes).toString("utf8")).equals(Buffer.from(bytes));
      if (isText)
        return blobLine(digest as never, storeBlob(pack as never, Buffer.from(bytes).toString("utf8")));
      const blob = { offset: size, stored: bytes.length, length: bytes.length, deflated: false };
      pack.append(bytes);
      return blobLine(digest as never, blob);
    });
  return {
    index: draft
      .index(lines)
      .map((line) => `${line}\n`)
      .join(""),
    pack: draft.pack(Buffer.concat(pieces)),
  };
}

function reportOf(draft: Draft, root: string, size: number): { bytes: string; result: string } {
  try {
    const report = JSON.parse(draft.report);
    report.evidence.entries = { root, size };
    const instants = [...draft.entries].sort((a, b) => (a["seq"] as number) - (b["seq"] as number));
    report.evidence.instants = { started: instants[0]?.["at"], ended: instants.at(-1)?.["at"] };
    return { bytes: `${canonical(report)}\n`, result: digestOfJson(report.result) };
  } catch {
    return { bytes: draft.report, result: digestOf("no report") };
  }
}
