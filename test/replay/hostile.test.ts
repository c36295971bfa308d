/** Whatever an operator signs and whatever a stranger changes: a verdict with a code, never an error without one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { stream } from "../../src/core/random.ts";
import { codes } from "../../src/core/refusal.ts";
import { builtInReader } from "../../src/model/built-in.ts";
import { answered } from "../../src/model/reader.ts";
import { readerContext } from "../../src/model/readers/table-reads.ts";
import type { Replay } from "../../src/replay/replay.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, familyOf, readerOf } from "../support/daily-set.ts";
import { entryOf, set } from "./forging.ts";
import {
  bodyText,
  closedRun,
  type Draft,
  draftOf,
  type Fields,
  forged,
  rebody,
  replayed,
  reword,
  told,
} from "./operator.ts";

const daily = await dailySet({ days: 13, tags: () => ["wet"], cluster: (i) => `${i}` });
const context = readerContext(daily.set, daily.store);
const builtIn = await closedRun(
  daily,
  builtInReader("climatology", { context, params: {}, temperature: 0, memories: new Map() }),
);
const family = familyOf(["a", "2019-06:documented"], ["b", "2019-08:documented"]);
const outside = await closedRun(
  daily,
  readerOf(() => answered(0.3), family),
  { family },
);

const isTyped = ({ verdict, failure }: Replay) =>
  verdict === "failed" ? failure !== null && codes.includes(failure.code) : failure === null;

test("hostile: 500 single bytes flipped anywhere in a signed run are refused, each with a code", async () => {
  const seed = 20_260_101;
  const dice = stream(seed, "flips");
  const names = [...builtIn.files.keys()];
  const stages = new Set<string>();
  for (let i = 0; i < 500; i++) {
    const name = names[i < 10 * names.length ? i % names.length : dice.below(names.length)] as string;
    const before = builtIn.files.get(name) as Uint8Array;
    const at = dice.below(before.length);
    const after = before.with(at, (before[at] as number) ^ (1 + dice.below(255)));
    const found = await replayed(new Map([...builtIn.files, [name, after]]));
    const words = `seed ${seed}, flip ${i}: byte ${at} of ${name}`;
    assert.equal(found.verdict, "failed", words);
    assert.ok(isTyped(found), words);
    stages.add(found.failure?.stage as string);
  }
  for (const stage of ["note", "signature", "inclusion", "manifest", "root", "blobs", "rules", "score"])
    assert.ok(stages.has(stage), `no flip was seen at the stage ${stage}`);
});

/** Values that a careless reader of JSON stumbles over. */
const odd: readonly Json[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 53,
  1e300,
  "",
  "x",
  "none",
  "__proto__",
  "2020-01-11T00:00:00Z",
  "9999-12-31",
  "a\nb",
  [],
  [null],
  {},
  { toString: 1, valueOf: 1 },
  JSON.parse('{"__proto__":{"x":1},"constructor":null}'),
  JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`),
];

type Path = readonly (string | number)[];
function pathsIn(value: Json, path: Path = []): Path[] {
  if (value === null || typeof value !== "object") return [path];
  return [path, ...Object.entries(value).flatMap(([key, below]) => pathsIn(below, [...path, key]))];
}
/** The value with what stands at a path replaced; undefined: taken away. */
function changed(value: Json, [key, ...rest]: Path, by: Json | undefined): Json {
  if (key === undefined) return by ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [key: string]: Json };
  const below = rest.length === 0 ? by : changed(copy[key] as Json, rest, by);
  if (below === undefined) delete copy[key];
  else copy[key] = below;
  return Array.isArray(copy) ? copy.filter(() => true) : copy;
}

type Part = {
  readonly read: (draft: Draft) => readonly string[];
  readonly write: (draft: Draft, lines: readonly string[]) => void;
};
const linesOf = (text: string) => text.split("\n").slice(0, -1);
const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const loaded = (name: string): Part => ({
  read: ({ loaded: files }) => linesOf(files.get(name) ?? ""),
  write: ({ loaded: files }, lines) => void files.set(name, joined(lines)),
});
const calls = (draft: Draft) => draft.entries.filter((entry) => entry["result"] !== undefined);
const parts: { readonly [name: string]: Part } = {
  caseset: loaded("caseset.json"),
  cases: loaded("cases.jsonl"),
  labels: loaded("labels.jsonl"),
  profile: loaded("profile.json"),
  family: loaded("family.json"),
  stamp: {
    read: ({ manifest }) => [canonical(manifest["stamp"] as Json)],
    write: ({ manifest }, [line]) => set(manifest, { stamp: JSON.parse(line as string) }),
  },
  plants: {
    read: ({ plants }) => linesOf(plants),
    write: (draft, lines) => {
      draft.plants = joined(lines);
    },
  },
  report: {
    read: ({ report }) => linesOf(report),
    write: (draft, lines) => {
      draft.report = joined(lines);
    },
  },
  entries: {
    read: ({ entries }) => entries.map((entry) => canonical(entry as Json)),
    write: (draft, lines) => {
      draft.entries = lines.map((line) => Object(JSON.parse(line)) as Fields);
    },
  },
  bodies: {
    read: (draft) => calls(draft).map((entry) => bodyText(draft, entry)),
    write: (draft, lines) => {
      for (const [i, entry] of calls(draft).entries())
        if (bodyText(draft, entry) !== lines[i]) rebody(draft, entry, lines[i] as string);
    },
  },
};

test("hostile: any value of what a run holds replaced or taken away and signed again has a verdict with a code", async () => {
  const outcomes = new Map<string, number>();
  const property = fc.asyncProperty(
    fc.constantFrom(...Object.keys(parts)),
    fc.boolean(),
    fc.nat(),
    fc.nat(),
    fc.constantFrom<Json | undefined>(undefined, ...odd),
    async (name, own, line, place, by) => {
      const run = own ? builtIn : outside;
      const part = parts[name] as Part;
      const lines = [...part.read(draftOf(run.files))];
      if (lines.length === 0) return;
      const at = line % lines.length;
      const value = JSON.parse(lines[at] as string) as Json;
      const paths = pathsIn(value);
      const after = canonical(changed(value, paths[place % paths.length] as Path, by));
      const found = await replayed(await forged(run, (draft) => part.write(draft, lines.with(at, after))));
      assert.ok(isTyped(found));
      outcomes.set(told(found), (outcomes.get(told(found)) ?? 0) + 1);
    },
  );
  await fc.assert(property, { numRuns: 200 });
  assert.ok(outcomes.size > 10, `few outcomes: ${[...outcomes.keys()]}`);
});

const deep = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as Json;
const stamped = (change: Fields) => (draft: Draft) => set(draft.manifest["stamp"] as Fields, change);
const relined = (name: string, change: (lines: string[]) => string[]) => (draft: Draft) =>
  void draft.loaded.set(name, joined(change(linesOf(draft.loaded.get(name) as string))));
/** What the loading of a record refuses. */
const unloadable: [change: (draft: Draft) => void, expected: string][] = [
  [stamped({ seed: "1" }), "bounds FieldInvalid"],
  [stamped({ repeats: 0 }), "bounds FieldInvalid"],
  [stamped({ bootstrap: { resamples: 1e9, level: 0.95, cluster: "none" } }), "bounds FieldInvalid"],
  [stamped({ reader: { name: 7 } }), "bounds KeyMissing"],
  [stamped({ note: deep(62) }), "bounds LimitExceeded"],
  [stamped({ family: "none of them" }), "bounds FieldInvalid"],
  [
    relined("profile.json", ([line]) => [(line as string).replace('"seed":1', '"seed":2')]),
    "bounds FieldInvalid",
  ],
  [
    relined("caseset.json", ([line]) => [
      (line as string).replace(/"digest":"sha256:./, '"digest":"sha256:0'),
    ]),
    "bounds CasesDigestMismatch",
  ],
  [
    relined("caseset.json", ([line]) => [(line as string).replace(/"view":"sha256:./, '"view":"sha256:0')]),
    "bounds ViewMismatch",
  ],
  [relined("caseset.json", ([line]) => [`${line} `]), "bounds NotCanonical"],
  [
    relined("cases.jsonl", ([first, second, ...rest]) => [second as string, first as string, ...rest]),
    "bounds FieldInvalid",
  ],
  [
    relined("cases.jsonl", (all) => all.map((line) => line.replace("T00:00:00Z", "T00:00:00.0Z"))),
    "bounds NotCanonical",
  ],
  [
    relined("cases.jsonl", (all) =>
      all.map((line) => line.replace('"asked_day":"2020-01-11"', '"asked_day":"2020-01-32"')),
    ),
    "bounds FieldInvalid",
  ],
  [
    relined("cases.jsonl", ([first, , ...rest]) => [first as string, first as string, ...rest]),
    "bounds CaseDuplicate",
  ],
  [
    relined("labels.jsonl", (all) => all.map((line) => line.replace("day-2020-01-11", "day-x"))),
    "bounds LabelCaseUnknown",
  ],
  [(draft) => void draft.loaded.set("labels.jsonl", "{}"), "bounds NotCanonical"],
  [
    (draft) => {
      stamped({ selection: { ...((draft.manifest["stamp"] as Fields)["selection"] as object), cases: 0 } })(
        draft,
      );
      draft.loaded.set("cases.jsonl", "");
      draft.loaded.set("labels.jsonl", "");
      draft.entries = [];
    },
    "bounds SelectionEmpty",
  ],
  [(draft) => void draft.loaded.set("family.json", "{}\n"), "bounds FieldInvalid"],
];

test("hostile: what a stamp must not be, and files that disagree with it, are refused before anything is scored", async () => {
  for (const [change, expected] of unloadable) {
    const found = await replayed(await forged(builtIn, change));
    assert.equal(told(found), expected, found.failure?.message);
  }
  const fine = await replayed(await forged(builtIn, stamped({ note: null })));
  assert.equal(told(fine), "score RescoreMismatch", "a stamp may say more, and then the report says it too");
  const deepest = await replayed(
    await forged(builtIn, (draft) => {
      stamped({ note: deep(61) })(draft);
      reword(draft, ({ result }) => set(result["stamp"] as Fields, { note: deep(61) }));
    }),
  );
  assert.equal(told(deepest), "verified", deepest.failure?.message);
});

test("hostile: of several faults the earliest stage is told, though it stands last in the record", async () => {
  const faults: { readonly [stage: string]: (draft: Draft) => void } = {
    bounds: (draft) => set(entryOf(draft, "answer", -1), { as_of: "2020-02-01T00:00:00Z" }),
    blobs: (draft) => rebody(draft, entryOf(draft, "tool", -2), "no JSON"),
    "re-serve": (draft) => set(entryOf(draft, "answer", -2), { probability: 0.123 }),
    rules: (draft) => rebody(draft, entryOf(draft, "probe", 1), bodyText(draft, entryOf(draft, "probe", 0))),
    score: (draft) => reword(draft, ({ result }) => set(result, { verdict: "red" })),
  };
  const stages = Object.keys(faults);
  for (const [i, first] of stages.entries()) {
    const found = await replayed(
      await forged(builtIn, (draft) => {
        for (const stage of stages.slice(i)) faults[stage]?.(draft);
      }),
    );
    assert.equal(found.failure?.stage, first, found.failure?.message);
  }
});

test("hostile: a report that a stranger changed is a broken bundle, whatever the record shows", async () => {
  const leaking = await forged(builtIn, (draft) =>
    set(entryOf(draft, "answer"), { as_of: "2020-02-01T00:00:00Z" }),
  );
  const shown = await replayed(leaking);
  assert.equal(told(shown), "bounds AsOfMismatch");
  const report = Buffer.from(leaking.get("report.json") as Uint8Array).toString("utf8");
  const found = await replayed(
    new Map([...leaking, ["report.json", Buffer.from(report.replace("green", "blue!"))]]),
  );
  assert.equal(
    told(found),
    "score ReportDigestMismatch",
    "the agent is not blamed on a report that nobody signed",
  );
});

test("hostile: the version to install is a version, whatever the stamp says", async () => {
  const hint = async (engine: Json) =>
    (
      await replayed(
        await forged(builtIn, (draft) => {
          set(draft.manifest, { report_version: 99 });
          stamped({ engine })(draft);
        }),
      )
    ).failure?.hint;
  assert.match((await hint("1.20.3-rc.1")) as string, / blindcast@1\.20\.3-rc\.1$/);
  for (const odd of ["1.2.3; reboot", "$(reboot)", "1.2", 7, null, { toString: 1 }])
    assert.match((await hint(odd)) as string, /which its stamp does not name$/);
});

test("hostile: a difference that other zone data may have made says so", async () => {
  const files = await forged(builtIn, (draft) => set(entryOf(draft, "answer", 1), { probability: 0.123 }));
  const hints = await Promise.all(
    [{}, { zoneData: "test" }, { zoneData: "2031z" }].map(
      async (options) => (await replayed(files, options)).failure?.hint,
    ),
  );
  assert.deepEqual(hints, [
    null,
    null,
    "this machine's zone data is 2031z, the run's was test: replay it with Node test",
  ]);
  assertEvery(hints, (hint) => hint !== undefined);
});
