/** Replay of a staged arm: from the folder alone, readers executed again in it too; what was changed, dropped or hidden is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { memoryLedger } from "../../src/ledger/memory-ledger.ts";
import type { AskedDecision, ReaderSource, Tools } from "../../src/model/reader.ts";
import type { PlantRecord } from "../../src/run/plant-record.ts";
import { memorySink } from "../../src/run/sink.ts";
import { familyOf } from "../support/daily-set.ts";
import { type DecisionRunOptions, decider, runDecisions } from "../support/decision-set.ts";
import { universeProfile, universeSet } from "../support/universe-set.ts";
import {
  type ClosedRun,
  type Draft,
  forged,
  operatorKey,
  origin,
  replayed,
  reword,
  told,
} from "./operator.ts";

const made = await universeSet();
const looking = decider(async ({ universe, window }: AskedDecision, tools: Tools) => {
  if (universe === null) return { m0: 0.5 };
  await tools.call("members", { table: universe, at: window?.[0] as string });
  await tools.call("rows", { table: "gone" });
  return { m1: 0.25 };
});
const unasking = decider(() => ({ m0: 0.5 }));

async function closed(readers: ReaderSource, options: DecisionRunOptions = {}): Promise<ClosedRun> {
  const sink = memorySink();
  const ledger = memoryLedger({ signer: operatorKey, origin });
  await runDecisions(made, readers, {
    ...options,
    ledger,
    sink,
    profile: { ...universeProfile, ...options.profile },
  });
  const files = new Map([...sink.files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
  return { files, signer: operatorKey };
}

const sound = await closed(looking);

/** Lines of plants.jsonl with one of a kind changed; `committed`: the open leaf names the changed lines. */
const replanted =
  (change: (lines: PlantRecord[]) => PlantRecord[], committed = true) =>
  (draft: Draft): void => {
    const lines = draft.plants
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as PlantRecord);
    const changed = change(lines)
      .map((line) => `${canonical(line as unknown as Json)}\n`)
      .join("");
    assert.ok(changed !== draft.plants, "it changes something");
    if (!committed) draft.committed = draft.plants;
    draft.plants = changed;
  };
const having = (kind: string, fields: Partial<PlantRecord>) => (lines: PlantRecord[]) => {
  const at = lines.findIndex((line) => line.kind === kind);
  return lines.map((line, i) => (i === at ? { ...line, ...fields } : line));
};
const outcome = async (change: (draft: Draft) => void) => {
  const found = await replayed(await forged(sound, change));
  return `${told(found)}: ${found.failure?.message}`;
};

describe("replay of a staged arm", () => {
  it("is green from the folder alone, and a reader that is given answers again in that arm too", async () => {
    assert.equal(told(await replayed(sound.files)), "verified");
    const found = await replayed(sound.files, { readers: () => looking });
    assert.equal(told(found), "verified", found.failure?.message);
    assert.deepEqual(found.replayed?.arms, { delisting: "re-executed", routed: "re-executed" });
  });

  it("holds whatever the verdict: failures, what is waived, with a family", async () => {
    const family = familyOf(["a", "2021-01:documented"], ["b", "2021-02:documented"]);
    const runs = [
      await closed(unasking),
      await closed(unasking, { profile: { waive: ["delisting-not-exercised"] } }),
      await closed(looking, { family }),
      await closed(looking, { profile: { repeats: 2 } }),
    ];
    const verdicts: string[] = [];
    for (const { files } of runs) {
      const found = await replayed(files);
      assert.equal(told(found), "verified", found.failure?.message);
      const { result } = (found.replayed as NonNullable<typeof found.replayed>).report;
      verdicts.push((result as unknown as { verdict: string }).verdict);
    }
    assert.deepEqual(verdicts, ["red", "green", "green", "green"]);
  });

  it("names a staged line that was changed after the open leaf", async () => {
    for (const kind of ["staged", "staged-must", "staged-entity"])
      assert.match(
        await outcome(replanted(having(kind, { ref: "another" }), false)),
        /^rules PlantCommitmentMismatch/,
      );
  });

  it("refuses staged lines that no run would have committed to, by line and field", async () => {
    const without = (kind: string) => (lines: PlantRecord[]) => {
      const at = lines.findIndex((line) => line.kind === kind);
      return lines.filter((_, i) => i !== at);
    };
    const late = "2021-02-15T00:00:00.000001Z";
    const rows: [string, (lines: PlantRecord[]) => PlantRecord[], RegExp][] = [
      [
        "available after the horizon",
        having("staged", { available_at: late }),
        /available_at of the staged row/,
      ],
      ["the one that must be served, too", having("staged-must", { available_at: late }), /staged-must row/],
      ["of a table that is not read", having("staged", { table: "other" }), /table.*other/],
      ["of nobody", without("staged-entity"), /staged-entity/],
      ["without the row that must be served", without("staged-must"), /staged-must/],
      ["a digest that is none", having("staged", { digest: "" }), /digest/],
      ["a name with a digest", having("staged-entity", { digest: "0".repeat(64) }), /digest/],
      [
        "a plant of the arm's kind first",
        (lines) => lines.toSpliced(0, 0, lines.at(-2) as PlantRecord),
        /kind|case/,
      ],
      ["one too many", (lines) => [...lines, { ...(lines.at(-1) as PlantRecord) }], /no more lines/],
    ];
    for (const [what, change, says] of rows) {
      const found = await outcome(replanted(change));
      assert.match(found, /^rules FieldInvalid: FieldInvalid: run\/plants\.jsonl:\d+/, what);
      assert.match(found, says, what);
    }
  });

  it("scores by the committed row: another that must be served was served to nobody", async () => {
    const other = replanted(having("staged-must", { digest: "0".repeat(64) }));
    assert.match(await outcome(other), /^score (RescoreMismatch|TrialLedgerBroken)/);
    const none = (lines: PlantRecord[]) => {
      const at = lines.findIndex(({ kind }) => kind.startsWith("staged"));
      const { case: id } = lines[at] as PlantRecord;
      const row = {
        available_at: "",
        case: id,
        digest: "",
        kind: "staged-none" as const,
        real: "",
        ref: "",
        table: "members",
      };
      return [
        ...lines.slice(0, at),
        row,
        ...lines.slice(at).filter((line) => line.case !== id || !line.kind.startsWith("staged")),
      ];
    };
    assert.match(await outcome(replanted(none)), /^score (RescoreMismatch|TrialLedgerBroken)/);
  });

  it("misses the arm where its entries were left out, and a failure that the report does not list", async () => {
    const dropped = (draft: Draft) => {
      draft.entries = draft.entries.filter(
        (entry) => entry["arm"] !== "delisting" || entry["case"] !== "week-1",
      );
    };
    assert.match(await outcome(dropped), /^bounds TrajectoryMissing.*case week-1, arm delisting/);
    const red = await closed(unasking);
    const found = await replayed(
      await forged(red, (draft) =>
        reword(draft, ({ result }) => {
          result["failed_cases"] = [];
          result["verdict"] = "green";
        }),
      ),
    );
    assert.equal(told(found), "score RescoreMismatch");
  });
});
