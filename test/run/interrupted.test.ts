/** A disk that fails: before the run is open nothing is left; afterwards what was recorded is kept, and it is said. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal, refuse } from "../../src/core/refusal.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { Interrupted } from "../../src/run/interrupted.ts";
import { memorySink, type Sink } from "../../src/run/sink.ts";
import { dailySet, readerOf, runDaily } from "../support/daily-set.ts";

const reader = readerOf(() => ({ kind: "answer", probability: 0.5, usage: null }));
const full = (name: string) => refuse("StorageFailed", { place: name, cause: "ENOSPC", next: "free space" });

it("refuses with StorageFailed and leaves nothing where the disk is full at the start", async () => {
  const sink = memorySink();
  const failing: Sink = {
    ...sink,
    create: (name) => (name === "profile.json" ? full(name) : sink.create(name)),
  };
  const ledger = memoryLedger();
  await assert.rejects(runDaily(await dailySet(), reader, { sink: failing, ledger }), (error) =>
    isRefusal(error, "StorageFailed"),
  );
  assert.equal(sink.files.size, 0);
  assert.equal(ledger.leaves.length, 0);
});

it("ends incomplete where the disk fills up on the way, with the journal kept", async () => {
  const sink = memorySink();
  let appended = 0;
  const failing: Sink = {
    ...sink,
    create(name) {
      const file = sink.create(name);
      if (name !== "journal.jsonl") return file;
      return { ...file, append: (data) => (++appended > 20 ? full(name) : file.append(data)) };
    },
  };
  await assert.rejects(runDaily(await dailySet(), reader, { sink: failing }), (error) => {
    assert.ok(error instanceof Interrupted);
    assert.ok(isRefusal(error.refusal, "StorageFailed"));
    assert.ok(error.done < error.of);
    return true;
  });
  assert.ok((sink.files.get("journal.jsonl")?.length ?? 0) > 0);
  assert.ok(!sink.files.has("report.json"));
});

it("ends incomplete where the report cannot be written", async () => {
  const sink = memorySink();
  const failing: Sink = {
    ...sink,
    write: (name, data) => (name === "report.json" ? full(name) : sink.write(name, data)),
  };
  await assert.rejects(
    runDaily(await dailySet(), reader, { sink: failing }),
    (error) => error instanceof Interrupted && error.done === error.of,
  );
  assert.ok(sink.files.has("journal.jsonl"));
});
