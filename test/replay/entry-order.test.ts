import { test } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { type Loose, type RecordPlan, RUN, type Trajectory, usualBodies } from "../support/record-writer.ts";
import { type Attempt, demandPair, type Pair } from "./outcome.ts";

/** By the operator: entries changed before they are chained, so that the chain holds. */
const entries = (by: (entries: Loose[]) => Loose[], rest: RecordPlan = {}): Attempt => ({
  plan: { ...rest, entries: by },
});
/** Entries changed after they were chained, so that it may not. */
const chained = (by: (entries: Loose[]) => Loose[]): Attempt => ({ plan: { chained: by } });
const set = (at: number, fields: Loose) => (all: Loose[]) =>
  all.with(at, { ...(all[at] as Loose), ...fields });
const drop = (at: number) => (all: Loose[]) => all.toSpliced(at, 1);
const renumber = (all: Loose[]) => all.map((entry, seq) => ({ ...entry, seq }));
/** Steps counted anew, and what the end says of them. */
const restep = (all: Loose[]) => {
  let step = 0;
  return all.map((entry) => {
    const end = entry["kind"] === "end";
    const given = { ...entry, step, ...(end ? { steps: step + 1 } : {}) };
    step = end ? 0 : step + 1;
    return given;
  });
};
const of = (...trajectories: Trajectory[]): RecordPlan => ({ trajectories });
const short = (id: string, more: Partial<Trajectory> = {}): Trajectory => ({
  case: id,
  attempts: [usualBodies()],
  ...more,
});
const begun = usualBodies().slice(0, 3);

const sequencePairs: Pair[] = [
  {
    name: "a step is removed",
    bad: chained(drop(2)),
    expected: "entries EntrySequence",
    says: /entries\.jsonl:9: seq: 9; no entry is 2, expected each of 0 to 8 once/,
    good: entries((all) => restep(renumber(drop(2)(all)))),
  },
  {
    name: "an arrival number comes twice",
    bad: entries(set(7, { seq: 3 })),
    expected: "entries EntrySequence",
    says: /entries\.jsonl:8: seq: 3, a second time; no entry is 7/,
    good: entries((all) => set(7, { seq: 3 })(set(3, { seq: 7 })(all))),
  },
  {
    name: "an arrival number beyond all others",
    bad: entries(set(7, { seq: Number.MAX_SAFE_INTEGER })),
    expected: "entries EntrySequence",
    good: entries((all) => all.map((entry, i) => ({ ...entry, seq: all.length - 1 - i }))),
  },
  {
    name: "a trajectory comes twice",
    bad: { plan: of(short("rain-1"), short("rain-1")) },
    expected: "entries EntrySequence",
    says: /entries\.jsonl:6: case rain-1, arm routed, repeat 0: begun again/,
    good: { plan: of(short("rain-1"), short("rain-1", { repeat: 1 })) },
  },
  {
    name: "a trajectory comes twice, another between",
    bad: { plan: of(short("rain-1"), short("rain-2"), short("rain-1")) },
    expected: "entries EntrySequence",
    says: /:11: case rain-1.*together, each once/,
    good: { plan: of(short("rain-1"), short("rain-2"), short("rain-3")) },
  },
  {
    name: "a case's trajectories lie apart",
    bad: { plan: of(short("rain-1"), short("rain-2"), short("rain-1", { arm: "zeta" })) },
    expected: "entries EntrySequence",
    good: { plan: of(short("rain-1"), short("rain-1", { arm: "zeta" }), short("rain-2")) },
  },
  {
    name: "arms out of order",
    bad: { plan: of(short("rain-1"), short("rain-1", { arm: "latest" })) },
    expected: "entries EntrySequence",
    says: /by arm, then by repeat/,
    good: { plan: of(short("rain-1", { arm: "latest" }), short("rain-1")) },
  },
  {
    name: "repeats out of order",
    bad: { plan: of(short("rain-1", { repeat: 1 }), short("rain-1")) },
    expected: "entries EntrySequence",
    good: { plan: of(short("rain-1", { repeat: 9 }), short("rain-1", { repeat: 10 })) },
  },
  {
    name: "a first attempt that is not the first",
    bad: entries((all) => all.map((entry, i) => (i < 5 ? { ...entry, attempt: 1 } : entry))),
    expected: "entries EntrySequence",
    says: /:1: .*attempt 1 first, expected attempt 0/,
    good: {},
  },
  {
    name: "an attempt is left out",
    bad: entries(
      (all) => all.map((entry, i) => (i >= 4 && i < 9 ? { ...entry, attempt: 2 } : entry)),
      of(short("rain-1", { attempts: [begun, usualBodies()] })),
    ),
    expected: "entries EntrySequence",
    says: /:5: .*attempt 2 after 0, expected attempt 1/,
    good: { plan: of(short("rain-1", { attempts: [begun, usualBodies()] })) },
  },
  {
    name: "an entry of another attempt within one",
    bad: entries(set(2, { attempt: 5 })),
    expected: "entries EntrySequence",
    says: /:3: .*attempt 5 after 0/,
    good: {},
  },
];

const otherPairs: Pair[] = [
  {
    name: "an entry of another run",
    bad: entries(set(2, { run: "01OTHER" })),
    expected: "entries EntryRun",
    says: /entries\.jsonl:3: run: "01OTHER"/,
    good: entries(set(2, { run: RUN })),
  },
  {
    name: "a step is removed, and arrivals counted anew",
    bad: chained((all) => renumber(drop(2)(all))),
    expected: "entries EntryChain",
    says: /entries\.jsonl:3: prev: "[0-9a-f]{64}", but line 2 is [0-9a-f]{64}/,
    good: entries((all) => restep(renumber(drop(2)(all)))),
  },
  {
    name: "a first entry that follows something else than run.json",
    bad: entries(set(5, { prev: "0".repeat(64) })),
    expected: "entries EntryChain",
    says: /:6: .*but run\.json is/,
    good: {},
  },
  {
    name: "the chain in capitals",
    bad: chained((all) => set(5, { prev: String((all[5] as Loose)["prev"]).replace(/[0-9a-f]/, "0") })(all)),
    expected: "entries EntryChain",
    good: {},
  },
  {
    name: "a second attempt that follows the first",
    bad: {
      plan: {
        ...of(short("rain-1", { attempts: [begun, usualBodies()] })),
        chained: (all) => set(4, { prev: (all[3] as Loose)["prev"] as Json })(all),
      },
    },
    expected: "entries EntryChain",
    says: /:5: /,
    good: { plan: of(short("rain-1", { attempts: [begun, usualBodies()] })) },
  },
  {
    name: "a step is removed, arrivals counted and entries chained anew",
    bad: entries((all) => renumber(drop(2)(all))),
    expected: "entries EntryStep",
    says: /:3: case rain-1, arm routed, repeat 0: step 3, expected 2/,
    good: entries((all) => restep(renumber(drop(2)(all)))),
  },
  {
    name: "a first step that is not 0",
    bad: entries((all) => renumber(drop(5)(all))),
    expected: "entries EntryStep",
    says: /:6: .*step 1, expected 0/,
    good: entries((all) => restep(renumber(drop(5)(all)))),
  },
];

const without = (key: string) => (entry: Loose) => {
  const { [key]: _, ...rest } = entry;
  return rest;
};
const endPairs: Pair[] = [
  {
    name: "no end of a trajectory that another follows",
    bad: entries((all) => renumber(drop(4)(all))),
    expected: "entries TrajectoryUnended",
    says: /entries\.jsonl:4: case rain-1, arm routed, repeat 0: the last is step 3 of attempt 0/,
    good: {},
  },
  {
    name: "no end of the last trajectory",
    bad: entries((all) => all.slice(0, -1)),
    expected: "entries TrajectoryUnended",
    says: /:9: case rain-2/,
    good: {},
  },
  {
    name: "an end that counts wrong",
    bad: entries(set(4, { steps: 6 })),
    expected: "entries TrajectoryUnended",
    says: /:5: .*counts 6 entries, expected 5/,
    good: entries(set(4, { steps: 5 })),
  },
  {
    name: "an abandoned attempt that counts wrong",
    bad: entries(set(3, { abandoned: 3 }), of(short("rain-1", { attempts: [begun, usualBodies()] }))),
    expected: "entries TrajectoryUnended",
    good: entries(set(3, { abandoned: 4 }), of(short("rain-1", { attempts: [begun, usualBodies()] }))),
  },
  {
    name: "an entry after the end",
    bad: entries((all) => renumber(all.toSpliced(5, 0, { ...(all[4] as Loose), step: 5, steps: 6 }))),
    expected: "entries TrajectoryUnended",
    says: /:6: .*after its end in line 5/,
    good: {},
  },
  {
    name: "an attempt after one that ended with its steps",
    bad: entries(
      (all) => [...all.slice(0, 4), { ...without("abandoned")(all[4] as Loose), steps: 5 }, ...all.slice(5)],
      of(short("rain-1", { attempts: [usualBodies(), usualBodies()] })),
    ),
    expected: "entries TrajectoryUnended",
    says: /:6: .*after its end in line 5/,
    good: { plan: of(short("rain-1", { attempts: [begun, usualBodies()] })) },
  },
  {
    name: "an attempt whose answer was recorded, and is abandoned for another",
    bad: { plan: of(short("rain-1", { attempts: [usualBodies(), usualBodies(0.9)] })) },
    expected: "entries TrajectoryUnended",
    says: /:5: .*abandoned after its answer, which stands/,
    good: { plan: of(short("rain-1", { attempts: [begun, usualBodies(0.9)] })) },
  },
  {
    name: "a second answer",
    bad: { plan: of(short("rain-1", { attempts: [[...usualBodies(), ...usualBodies(0.9).slice(3)]] })) },
    expected: "entries TrajectoryUnended",
    says: /:5: .*answer after its answer, expected a judge or its end/,
    good: { plan: of(short("rain-1")) },
  },
  {
    name: "an end with its steps and no answer",
    bad: { plan: of(short("rain-1", { attempts: [begun] })) },
    expected: "entries TrajectoryUnended",
    says: /:4: .*an end with its steps, and no answer before it/,
    good: {
      plan: of(
        short("rain-1", { attempts: [[...begun, { kind: "decline", ms: 1, reason: "no", usage: null }]] }),
      ),
    },
  },
  {
    name: "a trajectory whose last attempt was abandoned",
    bad: entries(
      (all) =>
        all.map((entry) => (entry["kind"] === "end" ? { ...without("steps")(entry), abandoned: 4 } : entry)),
      of(short("rain-1", { attempts: [begun] })),
    ),
    expected: "entries TrajectoryUnended",
    says: /the last is attempt 0, abandoned/,
    good: {},
  },
  {
    name: "an attempt that begins before the one before was abandoned",
    bad: entries((all) => renumber(drop(3)(all)), of(short("rain-1", { attempts: [begun, usualBodies()] }))),
    expected: "entries TrajectoryUnended",
    says: /:4: .*attempt 0 has no end, expected one in line 3/,
    good: { plan: of(short("rain-1", { attempts: [begun, usualBodies()] })) },
  },
  {
    name: "a trajectory is left out",
    bad: { plan: { manifest: (manifest) => ({ ...manifest, trajectories: 3 }) } },
    expected: "entries TrajectoryUnended",
    says: /entries\.jsonl:10: trajectories: 2 ended, the manifest has 3/,
    good: {},
  },
  {
    name: "no entry at all",
    bad: { plan: { ...of(), manifest: (manifest) => ({ ...manifest, trajectories: 1 }) } },
    expected: "entries TrajectoryUnended",
    good: { plan: of() },
  },
];

for (const pair of [...sequencePairs, ...otherPairs, ...endPairs])
  test(`order of entries: ${pair.name}`, () => demandPair(pair));

const boundKeys = ["case", "horizon", "as_of", "view"];
test("order of entries: an attribute of the bound that is absent is left to the stage bounds", async () => {
  for (const key of boundKeys) {
    for (const at of [0, 2, 4, 5, 9]) {
      const bad = entries((all) => all.map((entry, i) => (i === at ? without(key)(entry) : entry)));
      const good: Attempt = entries((all) => all.map(without(key)));
      const mistyped = entries(set(at, { [key]: 5 }));
      const name = `${key} of line ${at + 1}`;
      await demandPair({ name, bad: mistyped, expected: "entries EntryShapeWrong", good: bad });
      await demandPair({ name, bad: mistyped, expected: "entries EntryShapeWrong", good });
    }
  }
});

test("order of entries: several attempts, arms and repeats, arrived crosswise", () =>
  demandPair({
    name: "crosswise",
    bad: entries(set(0, { seq: 1 }), many),
    expected: "entries EntrySequence",
    good: entries((all) => all.map((entry, i) => ({ ...entry, seq: (i * 7) % all.length })), many),
  }));
const many = of(
  short("rain-1", { arm: "latest", attempts: [[], begun, usualBodies()] }),
  short("rain-1", { arm: "routed", attempts: [usualBodies()] }),
  short("rain-1", { arm: "routed", repeat: 1, attempts: [begun, []] }),
  short("rain-2", { arm: "latest" }),
);
