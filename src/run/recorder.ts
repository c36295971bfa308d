/** The recorder: entries in arrival order to a journal, bodies to a pack; sorted into `entries.jsonl` at close. */
import { createHash } from "node:crypto";
import { assert } from "../core/assert.ts";
import { fromHex, toBase64 } from "../core/bytes.ts";
import { type Digest, leafHash, nodeHashing, sha256Hex } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { ENTRY_FORMAT } from "../core/version.ts";
import { createTree } from "../ledger/tree.ts";
import { type Blob, blobLine, rawBytes, storeBlob } from "./blobs.ts";
import { type Bound, type EntryBody, entryLine } from "./entry.ts";
import type { Journal } from "./journal.ts";
import type { Sink, SinkFile } from "./sink.ts";
import type { Clock } from "./world.ts";

/** A trajectory as it is written: its place in the plan's order, and the chain of its entries. */
export type TrajectoryLog = {
  readonly position: number;
  readonly arm: string;
  readonly repeat: number;
  readonly attempt: number;
  step: number;
  prev: string;
};

/** Where the record ends: entries, and the root of their tree in base64. */
export type Sealed = { readonly size: number; readonly root: string };

const SYNC_MS = 1000;

export class Recorder {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #run: string;
  readonly #first: string;
  readonly #pack: SinkFile;
  readonly #journal: SinkFile;
  readonly #blobs = new Map<Digest, Blob>();
  /** Probe bodies hold plants: they stay in memory until close. */
  readonly #held = new Map<Digest, string>();
  readonly #lines: { leaf: number; offset: number; length: number }[][] = [];
  /** By `seq`. */
  readonly #leaves: string[] = [];
  /** Over the first entries by `seq`, brought up to date when a progress leaf asks for it. */
  readonly #progress = createTree(nodeHashing.sha256);
  #moment = { millis: -1, text: "" };
  readonly #open: SinkFile[] = [];
  #syncing: Promise<void> = Promise.resolve();
  #syncedAt: number;
  #instants: { started: string; ended: string } | null = null;

  /** `files`: the pack before the journal, so that no entry reaches the disk without its body. */
  constructor(
    sink: Sink,
    clock: Clock,
    run: string,
    manifest: string,
    files: { readonly pack: SinkFile; readonly journal: SinkFile } = createFiles(sink),
  ) {
    this.#sink = sink;
    this.#clock = clock;
    this.#run = run;
    this.#first = sha256Hex(manifest);
    this.#pack = files.pack;
    this.#journal = files.journal;
    this.#open.push(files.pack, files.journal);
    this.#syncedAt = clock.elapsed();
  }

  /** Takes up what was recorded before; `positionOf` an entry's trajectory. */
  restore(journal: Journal, positionOf: (entry: Journal["entries"][number]["entry"]) => number): void {
    for (const { entry, leaf, offset, length } of journal.entries) {
      this.#instants = { started: this.#instants?.started ?? entry.at, ended: entry.at };
      this.#note(positionOf(entry), this.#leaves.push(leaf) - 1, offset, length);
    }
    for (const [digest, blob] of journal.blobs) this.#blobs.set(digest, blob);
  }

  begin(position: number, arm: string, repeat: number, attempt: number): TrajectoryLog {
    return { position, arm, repeat, attempt, step: 0, prev: this.#first };
  }

  /** Writes one entry; its place in its trajectory's chain is taken at once. */
  append(log: TrajectoryLog, bound: Bound, body: EntryBody): void {
    const at = this.#now();
    const line = entryLine(body, bound, {
      v: ENTRY_FORMAT,
      run: this.#run,
      seq: this.#leaves.length,
      at,
      arm: log.arm,
      repeat: log.repeat,
      attempt: log.attempt,
      step: log.step,
      prev: log.prev,
    });
    assert(
      line.length * 3 <= limits.entryBytes || Buffer.byteLength(line) <= limits.entryBytes,
      `an entry of ${line.length} bytes`,
    );
    log.step++;
    log.prev = leafHash(line);
    const leaf = this.#leaves.push(log.prev) - 1;
    if (this.#instants === null) this.#instants = { started: at, ended: at };
    this.#instants.ended = at;
    const offset = this.#journal.size();
    this.#journal.append(`${line}\n`);
    this.#note(log.position, leaf, offset, this.#journal.size() - offset);
    this.#syncNowAndThen();
  }

  #note(position: number, leaf: number, offset: number, length: number): void {
    let lines = this.#lines[position];
    if (lines === undefined) {
      lines = [];
      this.#lines[position] = lines;
    }
    lines.push({ leaf, offset, length });
  }

  /** Keeps a body by its digest, once. */
  keep(text: string, digest: Digest): Digest {
    if (!this.#blobs.has(digest)) this.#blobs.set(digest, storeBlob(this.#pack, text));
    return digest;
  }

  /** Keeps a body that must not reach the disk before the run closes. */
  hold(text: string, digest: Digest): Digest {
    if (!this.#blobs.has(digest)) this.#held.set(digest, text);
    return digest;
  }

  body(digest: Digest): string {
    const held = this.#held.get(digest);
    if (held !== undefined) return held;
    const blob = this.#blobs.get(digest);
    assert(blob !== undefined, `no body ${digest}`);
    return Buffer.from(rawBytes(this.#pack.read(blob.offset, blob.stored), blob)).toString("utf8");
  }

  /** The lines of a trajectory, all its attempts, in step order. */
  lines(position: number): string[] {
    return (this.#lines[position] ?? []).map(({ offset, length }) =>
      this.#journal.read(offset, length - 1).toString("utf8"),
    );
  }

  /** What is on the disk for certain: entries and the root over them by `seq`, in base64. */
  async progress(): Promise<Sealed> {
    const size = this.#leaves.length;
    await this.#sync();
    for (let seq = this.#progress.size(); seq < size; seq++)
      this.#progress.append(fromHex(this.#leaves[seq] as string));
    return { size, root: toBase64(this.#progress.root()) };
  }

  /** When the first and the last entry were written; throws where there is none. */
  instants(): { readonly started: string; readonly ended: string } {
    assert(this.#instants !== null, "a run of no entries");
    return this.#instants;
  }

  /** Entries in the plan's order, the pack with what was held, its index. The root is fixed here. */
  seal(positions: number): Sealed {
    for (const [digest, text] of this.#held) this.keep(text, digest);
    this.#held.clear();
    const entries = this.#create("entries.jsonl");
    const tree = createTree(nodeHashing.sha256);
    for (let position = 0; position < positions; position++) {
      for (const { leaf, offset, length } of this.#lines[position] ?? []) {
        tree.append(fromHex(this.#leaves[leaf] as string));
        entries.append(this.#journal.read(offset, length));
      }
    }
    const index = this.#create("blobs.idx");
    for (const key of [...this.#blobs.keys()].sort())
      index.append(`${blobLine(key, this.#blobs.get(key) as Blob)}\n`);
    return { size: tree.size(), root: toBase64(tree.root()) };
  }

  /** Puts all on the disk and lets it go; the digest of the pack. */
  async close(): Promise<Digest> {
    await this.#syncing;
    const hash = createHash("sha256");
    for (let at = 0; at < this.#pack.size(); at += CHUNK)
      hash.update(this.#pack.read(at, Math.min(CHUNK, this.#pack.size() - at)));
    for (const file of this.#open) {
      await file.sync();
      file.close();
    }
    return `sha256:${hash.digest("hex")}`;
  }

  /** What an interrupted run leaves: its journal and pack, as far as the disk takes them. */
  async stop(): Promise<void> {
    const end = async (file: SinkFile) => {
      await file.sync().finally(() => file.close());
    };
    // The failure that stopped the run is told by who stops it; a disk that fails again here adds nothing to it.
    await Promise.allSettled([this.#syncing, ...this.#open.map(end)]);
  }

  #now(): string {
    const millis = Math.floor(this.#clock.now());
    if (millis !== this.#moment.millis) this.#moment = { millis, text: formatInstant(millis * 1000) };
    return this.#moment.text;
  }

  #create(name: string): SinkFile {
    const file = this.#sink.create(name);
    this.#open.push(file);
    return file;
  }

  /** A failure of the disk's own shows at close, or at the next write. */
  #syncNowAndThen(): void {
    const now = this.#clock.elapsed();
    if (now - this.#syncedAt < SYNC_MS) return;
    this.#syncedAt = now;
    this.#syncing = this.#syncing.then(() => this.#sync());
    this.#syncing.catch(() => {});
  }

  /** The pack first: an entry that survives a power cut has its body. */
  async #sync(): Promise<void> {
    await this.#pack.sync();
    await this.#journal.sync();
  }
}

const CHUNK = 1 << 20;

function createFiles(sink: Sink): { pack: SinkFile; journal: SinkFile } {
  const pack = sink.create("blobs.pack");
  return { pack, journal: sink.create("journal.jsonl", pack) };
}
