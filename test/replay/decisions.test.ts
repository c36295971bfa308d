/** Replay of decisions and of the trial that a run is: made again from the folder, and what was changed is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { utf8 } from "../../src/core/bytes.ts";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf, nodeHashing } from "../../src/core/digest.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import { parseTrialRows, trialChain } from "../../src/ledger/trial-chain.ts";
import { memorySink } from "../../src/run/sink.ts";
import { dayOf, decider, decisionSet, runDecisions } from "../support/decision-set.ts";
import { LEAVER, LEFT, UNIVERSE_TABLES, universeProfile, universeSet } from "../support/universe-set.ts";
import {
  type ClosedRun,
  type Draft,
  type Fields,
  type Files,
  forged,
  operatorKey,
  origin,
  replayed,
  told,
} from "./operator.ts";

const made = await decisionSet({ weeks: 6 });
const trials = memoryTrialLedger("weekly");

async function closed(weight: number, run: string): Promise<ClosedRun & { readonly report: string }> {
  const sink = memorySink();
  const ledger = memoryLedger({ signer: operatorKey, origin });
  const readers = decider(({ id }) => ({ ash: weight, birch: id === "week-1" ? 0.1 : 0 }));
  const { report } = await runDecisions(made, readers, { ledger, trials, sink, run });
  const files = new Map([...sink.files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
  return { files, signer: operatorKey, report: report.reportDigest };
}

await closed(0.9, "01TESTRUN00000000000000000");
const own = await closed(0.5, "01TESTRUN00000000000000001");
await closed(0.25, "01TESTRUN00000000000000002");
const text = (files: Files, name: string) => Buffer.from(files.get(name) as Uint8Array).toString("utf8");
const changed = (name: string, change: (text: string) => string): Files =>
  new Map([...own.files, [name, utf8(change(text(own.files, name)))]]);

/** The run's ledger with other contents, each row chained anew, both leaves naming it. */
function rechained(draft: Draft, change: (rows: Fields[]) => void): void {
  const rows = parseTrialRows(draft.trials as string, "trials", nodeHashing.sha256).rows.map(
    (row) => structuredClone(row) as unknown as Fields,
  );
  change(rows);
  const chain = trialChain("trials", nodeHashing.sha256);
  const heads: string[] = [];
  const lines = rows.map(({ row: _, prev: __, v: ___, ...content }) => {
    const line = chain.next(content as never);
    chain.take(line);
    heads.push(chain.head());
    return `${line}\n`;
  });
  draft.trials = lines.join("");
  const opened = draft.open["trials"] as { rows: number; ledger: string };
  const start = rows.findIndex(({ kind, run }) => kind === "start" && run === draft.manifest["run"]);
  draft.open["trials"] = { ...opened, head: heads[start] as string, rows: start + 1 };
  draft.close["trials"] = { rows: lines.length, head: chain.head() };
}

describe("replay of decisions", () => {
  it("makes accounts and deflation again, whatever was tried since", async () => {
    const { files } = own;
    const found = await replayed(files);
    assert.equal(told(found), "verified", found.failure?.message);
    assert.equal(found.replayed?.report.reportDigest, own.report);
    assert.equal(parseTrialRows(text(files, "trials.jsonl"), "t", nodeHashing.sha256).rows.length, 4);
    assert.equal((await trials.read()).rows.length, 6, "the ledger went on");
    assert.ok(found.replayed !== null);
    const { figures } = (found.replayed.report.evidence as { trials: { figures: Fields } }).trials;
    assert.equal(figures["n_trials"], 2);
    const section = found.replayed.section;
    const now = section?.ofTrials(await trials.read(), 2) as { n_trials: number; own: Fields };
    assert.equal(now.n_trials, 3);
    assert.equal(now.own["sharpe"], (figures["own"] as Fields)["sharpe"], "the same trial, among more");
  });

  it("names what of the ledger was changed, removed or added", async () => {
    const lines = text(own.files, "trials.jsonl").split("\n").slice(0, -1);
    const outcomes: [string, Files][] = [
      ["one byte of a row", changed("trials.jsonl", (all) => all.replace('"periods":6', '"periods":7'))],
      ["a row less", changed("trials.jsonl", () => `${lines.slice(0, 3).join("\n")}\n`)],
      [
        "rows swapped",
        changed("trials.jsonl", () => `${[lines[1], lines[0], ...lines.slice(2)].join("\n")}\n`),
      ],
      ["an end torn off", changed("trials.jsonl", (all) => all.slice(0, -1))],
    ];
    for (const [what, files] of outcomes)
      assert.equal(told(await replayed(files)), "score TrialLedgerBroken", what);
    const without = new Map(own.files);
    without.delete("trials.jsonl");
    assert.equal(told(await replayed(without)), "score FileMissing");
  });

  it("is not taken in by an operator who signs another ledger: the record gives the run's own rows", async () => {
    const cases: [string, (draft: Draft) => void, string][] = [
      [
        "a better ratio",
        (draft) =>
          rechained(draft, (rows) => {
            const { repeats } = (rows[3] as { measures: { repeats: Fields[] } }).measures;
            (repeats[0] as Fields)["sharpe"] = 3;
          }),
        "score TrialLedgerBroken",
      ],
      [
        "another identity",
        (draft) =>
          rechained(draft, (rows) => {
            (rows[2] as Fields)["identity"] = digestOf("another");
          }),
        "score TrialLedgerBroken",
      ],
      [
        "an earlier trial left out",
        (draft) => {
          rechained(draft, (rows) => {
            rows.splice(0, 2);
            (rows[1] as Fields)["start"] = 0;
          });
        },
        "score RescoreMismatch",
      ],
      [
        "no ledger after all",
        (draft) => {
          draft.close["trials"] = null;
        },
        "score FieldInvalid",
      ],
    ];
    for (const [what, change, expected] of cases)
      assert.equal(told(await replayed(await forged(own, change))), expected, what);
    const same = await forged(own, (draft) => rechained(draft, () => {}));
    assert.equal(told(await replayed(same)), "verified", "the nearest, with nothing changed");
  });

  it("makes again an account of a universe: a member that left with a late return, and an order for a stranger", async () => {
    const sink = memorySink();
    const ledger = memoryLedger({ signer: operatorKey, origin });
    const tables = UNIVERSE_TABLES.replace(
      "available_time: {after: valid_time, delay: P1D}",
      "available_time: {after: valid_time, delay: P60D}",
    );
    const changing = await universeSet({
      tables,
      from: 21,
      look: 14,
      // Who never is a member has prices, and no account has any of them.
      extra: {
        "members.csv": `member,stint,from,to,known\n${[0, 1, 2, 3, 5].map((k) => `m${k},1,${dayOf(k)},,${dayOf(k)}\n`).join("")}`,
      },
    });
    const readers = decider(({ members }) => (members === null ? { [LEAVER]: 0.5, m4: 0.5 } : { m0: 1 }));
    const profile = { ...universeProfile, waive: ["delisting-not-exercised"] } as typeof universeProfile;
    const { report } = await runDecisions(changing, readers, { profile, ledger, sink });
    const files = new Map([...sink.files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
    const found = await replayed(files);
    assert.equal(told(found), "verified", found.failure?.message);
    assert.equal(found.replayed?.report.reportDigest, report.reportDigest);
    const { universe } = (
      report.result as unknown as {
        decisions: {
          slices: Record<string, { arms: { routed: { left: Fields[]; not_filled: Fields[] }[] } }>;
        };
      }
    ).decisions.slices;
    const account = universe?.arms.routed[0];
    assert.deepEqual(
      account?.left.map(({ entity, at }) => [entity, at]),
      [[LEAVER, `${dayOf(LEFT)}T00:00:00Z`]],
    );
    assert.deepEqual(
      account?.not_filled.filter(({ entity }) => entity === "m4").map(({ reason }) => reason),
      ["no-later-price", "no-later-price", "no-later-price"],
    );
  });

  it("takes no answer that names another than the case's members", async () => {
    const sink = memorySink();
    const ledger = memoryLedger({ signer: operatorKey, origin });
    const listed = await decisionSet({ weeks: 2, more: () => ({ members: ["ash"] }) });
    const readers = decider(() => ({ ash: 0.5 }));
    await runDecisions(listed, readers, { ledger, sink });
    const files = new Map([...sink.files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
    assert.equal(told(await replayed(files)), "verified");
    const other = await forged({ files, signer: operatorKey }, (draft) => {
      (draft.entries.find(({ kind }) => kind === "answer") as Fields)["positions"] = { birch: 0.5 };
    });
    const found = await replayed(other);
    assert.equal(told(found), "bounds EntryShapeWrong");
    assert.match(found.failure?.message ?? "", /"birch", expected members of the case alone: ash/);
  });

  it("takes no answer that a run would not have taken, and no price that is not the one that was stamped", async () => {
    const first = (draft: Draft) => draft.entries.find(({ kind }) => kind === "answer") as Fields;
    const cases: [string, (draft: Draft) => void, string][] = [
      [
        "beyond the leverage",
        (draft) => {
          first(draft)["positions"] = { ash: 1.5 };
        },
        "bounds EntryShapeWrong",
      ],
      [
        "a probability",
        (draft) => {
          first(draft)["positions"] = undefined;
          first(draft)["probability"] = 0.5;
        },
        "bounds EntryShapeWrong",
      ],
      [
        "other positions",
        (draft) => {
          first(draft)["positions"] = { ash: 0.4 };
        },
        "score TrialLedgerBroken",
      ],
      [
        "a price",
        (draft) => {
          const [name, prices] = [...draft.loaded].find(([, all]) => all.includes('"column":"open"')) as [
            string,
            string,
          ];
          draft.loaded.set(name, prices.replace(/"value":(\d+)/, '"value":9$1'));
        },
        "manifest ManifestDigestMismatch",
      ],
      [
        "a price, and the stamp with it",
        (draft) => {
          const [name, prices] = [...draft.loaded].find(([, all]) => all.includes('"column":"open"')) as [
            string,
            string,
          ];
          const other = prices.replaceAll(/"value":(\d+)/g, '"value":9$1');
          draft.loaded.delete(name);
          draft.loaded.set(`artifacts/${digestOf(other).slice("sha256:".length)}`, other);
          const { execution } = draft.manifest["stamp"] as unknown as { execution: Fields };
          execution["prices"] = digestOf(other);
        },
        "score TrialLedgerBroken",
      ],
      [
        "no execution",
        (draft) => {
          const stamp = draft.manifest["stamp"] as Fields;
          draft.manifest["stamp"] = JSON.parse(canonical({ ...stamp, execution: null } as Json));
          delete (draft.manifest["stamp"] as Fields)["execution"];
        },
        "bounds FieldInvalid",
      ],
    ];
    for (const [what, change, expected] of cases)
      assert.equal(told(await replayed(await forged(own, change))), expected, what);
  });
});
