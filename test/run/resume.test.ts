/** A run that was cut off anywhere goes on to the same result: nothing recorded is lost, and what was answered stands. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { finishBacktest } from "../../src/backtest.ts";
import { isRefusal, refuse } from "../../src/core/refusal.ts";
import { type MemoryLedger, memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { answered } from "../../src/model/reader.ts";
import { type Earlier, findEarlier } from "../../src/run/earlier-run.ts";
import type { Entry } from "../../src/run/entry.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import { folderSink, memorySink, type Sink } from "../../src/run/sink.ts";
import { assertEvery } from "../support/all.ts";
import {
  dailyInputs,
  dailySet,
  familyOf,
  opening,
  type RunOptions,
  readerOf,
  runDaily,
} from "../support/daily-set.ts";
import { readRun } from "../support/read-run.ts";

const made = await dailySet({ days: 60, from: 46 });
const family = familyOf(["a", "2019-06:documented"], ["b", "2020-02:documented"]);
const reader = readerOf(async (asked, tools, snapshot) => {
  const many = snapshot === "a" ? 100 : 3;
  const reply = await tools.call("rows", { table: "readings", limit: many });
  await tools.call("aggregate", { table: "readings", measure: "count" });
  if (asked.id.endsWith("20")) return { kind: "decline", reason: "no", usage: null };
  return answered(reply.ok ? ((reply.rows ?? []).length % 7) / 7 : 0);
}, family);
const base: RunOptions = { family, profile: { repeats: 2 }, concurrency: 3 };
const whole = await runDaily(made, reader, base);

type Stopped = { readonly sink: ReturnType<typeof memorySink>; readonly ledger: MemoryLedger };

/** A run that was asked to stop after some trajectories. */
async function stopped(after: number, given: RunOptions = {}): Promise<Stopped> {
  const sink = memorySink();
  const ledger = memoryLedger();
  const abort = new AbortController();
  let asked = 0;
  const counting = readerOf(async (...words) => {
    if (++asked > after) abort.abort();
    return await reader
      .open({ snapshot: words[2] } as never, opening)
      .answer(words[0], words[1], abort.signal);
  }, family);
  await assert.rejects(
    runDaily(made, counting, { ...base, sink, ledger, signal: abort.signal, ...given }),
    (error) => error instanceof Interrupted && error.done < error.of,
  );
  return { sink, ledger };
}

/** As a kill would have left it: the journal cut at a byte, what came after is not there. */
function cutAt({ sink }: Stopped, bytes: number): void {
  (sink.files as Map<string, Buffer>).set(
    "journal.jsonl",
    (sink.files.get("journal.jsonl") as Buffer).subarray(0, bytes),
  );
}

async function resume(
  { sink, ledger }: Stopped,
  given: RunOptions = {},
): Promise<Awaited<ReturnType<typeof runDaily>>> {
  const earlier = (await findEarlier(sink, ledger)) as Earlier;
  assert.ok(earlier, "there is a run to resume");
  return await runDaily(made, reader, { ...base, sink, ledger, earlier, ...given });
}

describe("run.resume", () => {
  it("goes on from any byte of the journal to the same result, and keeps every entry that was whole", async () => {
    const first = await stopped(9);
    const journal = first.sink.files.get("journal.jsonl") as Buffer;
    const attempts = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: journal.length }), async (bytes) => {
        const one = await stopped(9);
        const before = (one.sink.files.get("journal.jsonl") as Buffer).toString("utf8").slice(0, bytes);
        cutAt(one, bytes);
        const { report } = await resume(one);
        assert.equal(report.resultDigest, whole.report.resultDigest);
        const { entries } = readRun(one.sink.files);
        for (const entry of entries) attempts.add(entry.attempt);
        const kept = before
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Entry);
        const bySeq = [...entries].sort((a, b) => a.seq - b.seq);
        assert.deepEqual(bySeq.slice(0, kept.length), kept);
        assert.deepEqual(
          bySeq.map(({ seq }) => seq),
          [...bySeq.keys()],
        );
        const abandoned = entries.filter(
          (entry) => entry.kind === "end" && entry.abandoned !== undefined,
        ).length;
        const { attempts: told } = report.evidence as { attempts: { abandoned: number } };
        assert.equal(told.abandoned, abandoned);
      }),
      { numRuns: 30, examples: [[0], [1], [journal.length], [journal.length - 1]] },
    );
    assert.deepEqual([...attempts].sort(), [0, 1], "attempts were abandoned, and others made");
  });

  it("lets an answer stand that was recorded before the crash, and ends its trajectory", async () => {
    const one = await stopped(9);
    const text = (one.sink.files.get("journal.jsonl") as Buffer).toString("utf8");
    const answer = text.lastIndexOf('"kind":"answer"');
    cutAt(one, text.indexOf("\n", answer) + 1);
    const { sink } = one;
    const recorded = JSON.parse(
      text.slice(text.lastIndexOf("\n", answer) + 1, text.indexOf("\n", answer)),
    ) as Entry;
    const other = readerOf(() => answered(0.123), family);
    const earlier = (await findEarlier(sink, one.ledger)) as Earlier;
    await runDaily(made, other, { ...base, sink, ledger: one.ledger, earlier });
    const own = readRun(sink.files).entries.filter(
      (entry) =>
        entry.case === recorded.case && entry.arm === recorded.arm && entry.repeat === recorded.repeat,
    );
    const answers = own.filter((entry) => entry.kind === "answer");
    assert.deepEqual(answers, [recorded]);
    const last = own.at(-1) as Entry;
    assert.ok(last.kind === "end" && last.steps === own.length);
  });

  it("cuts off several times over and still comes to the same result, attempt after attempt", async () => {
    const one = await stopped(4);
    for (const more of [3, 5, 4]) {
      const abort = new AbortController();
      let asked = 0;
      const counting = readerOf(async (...words) => {
        if (++asked > more) abort.abort();
        return await reader
          .open({ snapshot: words[2] } as never, opening)
          .answer(words[0], words[1], abort.signal);
      }, family);
      const earlier = (await findEarlier(one.sink, one.ledger)) as Earlier;
      await assert.rejects(
        runDaily(made, counting, {
          ...base,
          sink: one.sink,
          ledger: one.ledger,
          earlier,
          signal: abort.signal,
        }),
        Interrupted,
      );
      const size = (one.sink.files.get("journal.jsonl") as Buffer).length;
      cutAt(one, size - 700);
    }
    const { report } = await resume(one);
    assert.equal(report.resultDigest, whole.report.resultDigest);
    assertEvery(readRun(one.sink.files).entries, (entry) => entry.run === "01TESTRUN00000000000000000");
  });

  it("refuses another configuration and names the field, both values", async () => {
    const one = await stopped(5);
    const differing: [RunOptions, string][] = [
      [{ profile: { repeats: 2, seed: 9 } }, "stamp.seed"],
      [{ profile: { repeats: 3 } }, "stamp.repeats"],
      [{ profile: { repeats: 2, name: "other" } }, "files.profile.json"],
      [{ family: familyOf(["a", "2019-06:documented"]) }, "stamp.family"],
    ];
    for (const [options, field] of differing) {
      await assert.rejects(resume(one, options), (error) => {
        assert.ok(isRefusal(error, "ResumeMismatch"), String(error));
        assert.equal(error.details.field, field);
        assert.notEqual(error.details.found, error.details.recorded);
        return true;
      });
    }
    const { report } = await resume(one);
    assert.equal(report.resultDigest, whole.report.resultDigest);
  });

  it("refuses a journal whose entries were changed, and a pack whose bodies were", async () => {
    const tampered: [string, (bytes: Buffer) => void][] = [
      ["journal.jsonl", (bytes) => bytes.write("9", bytes.indexOf('"ms":') + 5)],
      ["blobs.pack", (bytes) => bytes.write("#", 40)],
    ];
    for (const [name, change] of tampered) {
      const one = await stopped(5);
      const bytes = Buffer.from(one.sink.files.get(name) as Buffer);
      change(bytes);
      (one.sink.files as Map<string, Buffer>).set(name, bytes);
      await assert.rejects(resume(one), (error) => isRefusal(error, "JournalBroken"), name);
    }
  });

  it("a reader that gives up since the run is stopped is asked again, and its fault does not stand", async () => {
    const sink = memorySink();
    const ledger = memoryLedger();
    const abort = new AbortController();
    let asked = 0;
    const polite = readerOf(async (...words) => {
      if (++asked > 6) abort.abort();
      if (abort.signal.aborted)
        return { kind: "fault", class: "aborted", message: "asked to stop", usage: null };
      return await reader
        .open({ snapshot: words[2] } as never, opening)
        .answer(words[0], words[1], abort.signal);
    }, family);
    const signal = abort.signal;
    await assert.rejects(runDaily(made, polite, { ...base, sink, ledger, signal }), Interrupted);
    const { report } = await resume({ sink, ledger });
    assert.equal(report.resultDigest, whole.report.resultDigest);
    assert.ok((report.evidence as { attempts: { abandoned: number } }).attempts.abandoned > 0);
  });

  it("without the pack there is nothing to go on with, and the journal stays as it is", async () => {
    const one = await stopped(9);
    const before = Buffer.from(one.sink.files.get("journal.jsonl") as Buffer);
    one.sink.remove("blobs.pack");
    await assert.rejects(resume(one), (error) => isRefusal(error, "JournalBroken"));
    assert.deepEqual(one.sink.files.get("journal.jsonl"), before);
  });

  it("a run that another process closed meanwhile is not gone on with", async () => {
    const one = await stopped(9);
    const earlier = (await findEarlier(one.sink, one.ledger)) as Earlier;
    await resume(one);
    const files = [...one.sink.files.keys()];
    const again = runDaily(made, reader, { ...base, sink: one.sink, ledger: one.ledger, earlier });
    await assert.rejects(again, (error) => isRefusal(error, "RunLocked"));
    assert.deepEqual([...one.sink.files.keys()], files);
    assert.equal(one.ledger.leaves.filter((leaf) => leaf.includes("blindcast.close/1")).length, 1);
  });

  it("takes bodies that the disk lost at the end for entries that were not there", async () => {
    const one = await stopped(9);
    const pack = one.sink.files.get("blobs.pack") as Buffer;
    (one.sink.files as Map<string, Buffer>).set("blobs.pack", pack.subarray(0, pack.length - 10));
    const { report } = await resume(one);
    assert.equal(report.resultDigest, whole.report.resultDigest);
  });

  it("refuses a record that is shorter than the ledger says it was", async () => {
    let now = 0;
    const clock = { now: () => 1_600_000_000_000 + now, elapsed: () => (now += 1000) };
    const one = await stopped(12, { clock });
    const progress = one.ledger.leaves.filter((leaf) => leaf.includes("blindcast.progress/1"));
    assert.ok(progress.length > 0, "a progress leaf was written");
    const { entries } = JSON.parse(progress.at(-1) as string) as { entries: number };
    const lines = (one.sink.files.get("journal.jsonl") as Buffer).toString("utf8").split("\n");
    const length = (count: number) => Buffer.byteLength(lines.slice(0, count).join("\n")) + 1;
    assert.ok(lines.length > entries);
    cutAt(one, length(entries - 1));
    await assert.rejects(resume(one, { clock }), (error) => isRefusal(error, "JournalBroken"));
    const other = await stopped(12, { clock });
    cutAt(
      other,
      length(
        JSON.parse(other.ledger.leaves.filter((leaf) => leaf.includes("progress")).at(-1) as string).entries,
      ),
    );
    assert.equal((await resume(other, { clock })).report.resultDigest, whole.report.resultDigest);
  });

  it("knows no run where the ledger has no open leaf, and touches nothing", async () => {
    const one = await stopped(5);
    const names = [...one.sink.files.keys()];
    await assert.rejects(findEarlier(one.sink, memoryLedger()), (error) => isRefusal(error, "RunUnknown"));
    assert.deepEqual([...one.sink.files.keys()], names);
    const stranger = memorySink();
    stranger.write("thesis.txt", "years of work");
    await assert.rejects(findEarlier(stranger, memoryLedger()), (error) => isRefusal(error, "RunUnknown"));
    const empty = memorySink();
    empty.write("caseset.json", "{}");
    assert.equal(await findEarlier(empty, memoryLedger()), null);
  });
});

describe("run.open", () => {
  const failingAt = (sink: Sink, name: string): Sink => ({
    ...sink,
    write: (file, data) =>
      file === name
        ? refuse("StorageFailed", { place: name, cause: "ENOSPC", next: "" })
        : sink.write(file, data),
  });

  it("a disk that fails once the open leaf is signed leaves a run that is resumed", async () => {
    const sink = memorySink();
    const ledger = memoryLedger();
    const failing = failingAt(sink, "open.json");
    await assert.rejects(runDaily(made, reader, { ...base, sink: failing, ledger }), Interrupted);
    assert.equal(ledger.leaves.length, 1);
    const { report } = await resume({ sink, ledger });
    assert.equal(report.resultDigest, whole.report.resultDigest);
    assert.equal(ledger.leaves.length, 2);
  });

  it("before it is signed nothing is left, and what was moved aside comes back", async () => {
    const ledger = memoryLedger();
    const memory = memorySink();
    const refused = runDaily(made, reader, { ...base, sink: failingAt(memory, "run.json"), ledger });
    await assert.rejects(refused, (error) => isRefusal(error, "StorageFailed"));
    assert.deepEqual(
      [memory.files.size, ledger.leaves.length, ledger.secretOf("01TESTRUN00000000000000000")],
      [0, 0, null],
    );
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-aside-"));
    const [out, aside] = [path.join(folder, "run"), path.join(folder, "run.old")];
    fs.mkdirSync(out);
    fs.writeFileSync(path.join(out, "report.json"), "{}");
    const failing = failingAt(folderSink(out, aside), "run.json");
    await assert.rejects(runDaily(made, reader, { ...base, sink: failing, ledger }));
    assert.deepEqual([fs.readdirSync(folder), fs.readdirSync(out)], [["run"], ["report.json"]]);
    fs.rmSync(folder, { recursive: true });
  });
});

describe("run.close", () => {
  for (const name of ["report.json", "close.json"]) {
    it(`a crash before ${name} is written is made good, with the report that the ledger names`, async () => {
      const sink = memorySink();
      const ledger = memoryLedger();
      const failing: Sink = {
        ...sink,
        write: (file, data) =>
          file === name
            ? refuse("StorageFailed", { place: name, cause: "ENOSPC", next: "" })
            : sink.write(file, data),
      };
      await assert.rejects(runDaily(made, reader, { ...base, sink: failing, ledger }), Interrupted);
      const earlier = (await findEarlier(sink, ledger)) as Earlier;
      assert.equal(earlier.close === null, name === "report.json");
      if (earlier.close === null) {
        const { report } = await runDaily(made, reader, { ...base, sink, ledger, earlier });
        assert.equal(report.resultDigest, whole.report.resultDigest);
      } else {
        const report = await finish(sink, ledger, earlier);
        assert.equal(report.resultDigest, whole.report.resultDigest);
        assert.equal(report.reportDigest, earlier.close.leaf.report);
      }
      assert.ok(sink.files.has("close.json") && !sink.files.has("journal.jsonl"));
      assert.equal(ledger.secretOf(earlier.run), null);
      const again = (await findEarlier(sink, ledger)) as Earlier;
      assert.equal((await finish(sink, ledger, again)).resultDigest, whole.report.resultDigest);
      assert.equal(ledger.leaves.length, 2, "one open leaf, one close leaf");
    });
  }
});

const finish = (sink: Sink, ledger: MemoryLedger, earlier: Earlier) =>
  finishBacktest(...dailyInputs(made, reader, { ...base, sink, ledger, earlier }));
