/** The recorder: entries in arrival order to a journal, bodies to a pack; sorted into `entries.jsonl` at close. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { assert } from "../core/assert.ts";
import { canonical } from "../core/canonical.ts";
import { type Digest, leafHash, sha256Hex } from "../core/digest.ts";
import { formatInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { ENTRY_FORMAT } from "../core/version.ts";
import { createTree } from "../ledger/tree.ts";
import { type Bound, type EntryBody, entryLine } from "./entry.ts";
import type { PlantRecord } from "./plant-record.ts";
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

/** One body of the pack: where its stored bytes lie; `raw` or `deflate`. */
type Blob = {
  readonly offset: number;
  readonly stored: number;
  readonly length: number;
  readonly deflated: boolean;
};

const DEFLATE_FROM = 4096;
const SYNC_MS = 1000;

export class Recorder {
  /** Per case: its plants, written at close. */
  readonly plants: PlantRecord[][] = [];
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #run: string;
  readonly #first: string;
  readonly #journal: SinkFile;
  readonly #pack: SinkFile;
  readonly #blobs = new Map<Digest, Blob>();
  /** Probe bodies hold plants: they stay in memory until close. */
  readonly #held = new Map<Digest, string>();
  readonly #lines: { leaf: number; offset: number; length: number }[][] = [];
  /** By `seq`. */
  readonly #leaves: string[] = [];
  #moment = { millis: -1, text: "" };
  readonly #open: SinkFile[] = [];
  #syncing: Promise<void> = Promise.resolve();
  #syncedAt: number;

  constructor(sink: Sink, clock: Clock, run: string, manifest: string) {
    this.#sink = sink;
    this.#clock = clock;
    this.#run = run;
    this.#first = sha256Hex(manifest);
    this.#journal = this.#create("journal.jsonl");
    this.#pack = this.#create("blobs.pack");
    this.#syncedAt = clock.elapsed();
  }

  begin(position: number, arm: string, repeat: number): TrajectoryLog {
    return { position, arm, repeat, attempt: 0, step: 0, prev: this.#first };
  }

  /** Writes one entry; its place in its trajectory's chain is taken at once. */
  append(log: TrajectoryLog, bound: Bound, body: EntryBody): void {
    const line = entryLine(body, bound, {
      v: ENTRY_FORMAT,
      run: this.#run,
      seq: this.#leaves.length,
      at: this.#now(),
      arm: log.arm,
      repeat: log.repeat,
      attempt: log.attempt,
      step: log.step++,
      prev: log.prev,
    });
    assert(
      line.length * 3 <= limits.entryBytes || Buffer.byteLength(line) <= limits.entryBytes,
      `an entry of ${line.length} bytes`,
    );
    log.prev = leafHash(line);
    const leaf = this.#leaves.push(log.prev) - 1;
    const offset = this.#journal.size();
    this.#journal.append(`${line}\n`);
    const length = this.#journal.size() - offset;
    let lines = this.#lines[log.position];
    if (lines === undefined) {
      lines = [];
      this.#lines[log.position] = lines;
    }
    lines.push({ leaf, offset, length });
    this.#syncNowAndThen();
  }

  /** Keeps a body by its digest, once; `held` until close where it must not reach the disk before. */
  keep(text: string, digest: Digest, held = false): Digest {
    if (this.#blobs.has(digest) || this.#held.has(digest)) return digest;
    if (held) this.#held.set(digest, text);
    else this.#store(digest, text);
    return digest;
  }

  body(digest: Digest): string {
    const held = this.#held.get(digest);
    if (held !== undefined) return held;
    const blob = this.#blobs.get(digest);
    assert(blob !== undefined, `no body ${digest}`);
    const bytes = this.#pack.read(blob.offset, blob.stored);
    return (blob.deflated ? inflateRawSync(bytes, { maxOutputLength: blob.length }) : bytes).toString("utf8");
  }

  /** The lines of a trajectory, in step order. */
  lines(position: number): string[] {
    return (this.#lines[position] ?? []).map(({ offset, length }) =>
      this.#journal.read(offset, length - 1).toString("utf8"),
    );
  }

  /** Entries in the plan's order, the pack with what was held, its index. The root is fixed here. */
  seal(positions: number): { size: number; root: string } {
    for (const [digest, text] of this.#held) this.#store(digest, text);
    this.#held.clear();
    const entries = this.#create("entries.jsonl");
    const tree = createTree();
    for (let position = 0; position < positions; position++) {
      for (const { leaf, offset, length } of this.#lines[position] ?? []) {
        tree.append(this.#leaves[leaf] as string);
        entries.append(this.#journal.read(offset, length));
      }
    }
    const index = this.#create("blobs.idx");
    for (const key of [...this.#blobs.keys()].sort()) {
      const { offset, stored, length, deflated } = this.#blobs.get(key) as Blob;
      index.append(`${canonical({ deflated, digest: key, length, offset, stored })}\n`);
    }
    return { size: tree.size(), root: tree.root() };
  }

  /** All on the disk; the journal, which `entries.jsonl` holds in order, goes. */
  async close(): Promise<void> {
    await this.#syncing;
    for (const file of this.#open) {
      await file.sync();
      file.close();
    }
    this.#sink.remove("journal.jsonl");
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

  #store(digest: Digest, text: string): void {
    const raw = Buffer.from(text);
    const deflated = raw.length >= DEFLATE_FROM;
    const stored = deflated ? deflateRawSync(raw, { level: 1 }) : raw;
    this.#blobs.set(digest, {
      offset: this.#pack.size(),
      stored: stored.length,
      length: raw.length,
      deflated,
    });
    this.#pack.append(stored);
  }

  /** A failure of the disk's own shows at close, or at the next write. */
  #syncNowAndThen(): void {
    const now = this.#clock.elapsed();
    if (now - this.#syncedAt < SYNC_MS) return;
    this.#syncedAt = now;
    this.#syncing = this.#syncing.then(() => this.#journal.sync());
    this.#syncing.catch(() => {});
  }
}
