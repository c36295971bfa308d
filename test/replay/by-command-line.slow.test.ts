/** Tamperings by the command line: each is refused with its code at its stage, exit status 1, and none is a crash. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { sha256Hex } from "../../src/core/digest.ts";
import { newSigner } from "../../src/ledger/node-signatures.ts";
import { builtInReader } from "../../src/model/built-in.ts";
import { readerContext } from "../../src/model/readers/table-reads.ts";
import { assertEvery } from "../support/all.ts";
import { dailySet, date } from "../support/daily-set.ts";
import { brokenRules, honest, naiveStore } from "../support/naive-store.ts";
import { blindcast, lastLine, type Ran, temporaryFolder } from "../walk/command-line.ts";
import { manyRuns, warm } from "../walk/many-runs.ts";
import {
  type ClosedRun,
  closedRun,
  type Draft,
  type Files,
  forged,
  operatorPolicy,
  rebody,
  reword,
} from "./operator.ts";

const folder = temporaryFolder();
after(() => fs.rmSync(folder, { recursive: true, force: true }));
const daily = await dailySet({ days: 16 });
const reader = builtInReader("climatology", {
  context: readerContext(daily.set, daily.store),
  params: {},
  temperature: 0,
  memories: new Map(),
});
const run = await closedRun(daily, reader);
const policy = path.join(folder, "policy");
before(() => fs.writeFileSync(policy, operatorPolicy));

let made = 0;
/** The run as files, changed on the disk where a map of files cannot say it. */
function lay(files: Files, then: (place: string) => void = () => {}): string {
  const place = path.join(folder, `run-${made++}`);
  for (const [name, bytes] of files) {
    fs.mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    fs.writeFileSync(path.join(place, name), bytes);
  }
  then(place);
  return place;
}

/** Somebody without the key changes a file's text. */
const edited = (name: string, by: (text: string) => string): Files => {
  const before = Buffer.from(run.files.get(name) as Uint8Array).toString("latin1");
  const text = by(before);
  assert.notEqual(text, before, name);
  return new Map([...run.files, [name, Buffer.from(text, "latin1")]]);
};
const entries = (by: (lines: string[]) => string[]) =>
  edited("entries.jsonl", (text) =>
    by(text.split("\n").slice(0, -1))
      .map((line) => `${line}\n`)
      .join(""),
  );
const swapped = (lines: string[], i: number, j: number) =>
  lines.map((line, k) => (k === i ? lines[j] : k === j ? lines[i] : line)) as string[];
const first = (draft: Draft, kind: string) =>
  draft.entries.find((entry) => entry["kind"] === kind) as Draft["entries"][number];
const later = `${date(15)}T00:00:00Z`;

type Tampering = readonly [name: string, expected: string, tampered: () => Files | Promise<Files> | string];

const byStrangers: readonly Tampering[] = [
  [
    "a byte of a response",
    "blobs BlobDigestMismatch",
    () => edited("blobs.pack", (text) => text.replace('"value":', '"valuf":')),
  ],
  [
    "the last response cut short",
    "blobs BlobSizeMismatch",
    () => edited("blobs.pack", (text) => text.slice(0, -1)),
  ],
  [
    "a probability",
    "root RootMismatch",
    () => edited("entries.jsonl", (text) => text.replace(/"probability":0\.\d/, '"probability":0.9')),
  ],
  ["two entries swapped", "root RootMismatch", () => entries((lines) => swapped(lines, 1, 2))],
  ["an entry dropped", "root EntryCountMismatch", () => entries((lines) => lines.toSpliced(3, 1))],
  [
    "an entry dropped, the close leaf's count mended",
    "inclusion InclusionInvalid",
    () => {
      const files = new Map(entries((lines) => lines.toSpliced(3, 1)));
      const close = Buffer.from(run.files.get("close.json") as Uint8Array).toString();
      return files.set(
        "close.json",
        Buffer.from(close.replace(/"entries":(\d+)/, (_all, n) => `"entries":${Number(n) - 1}`)),
      );
    },
  ],
  ["the last entry cut", "root EntryCountMismatch", () => entries((lines) => lines.slice(0, -1))],
  [
    "the last newline cut",
    "root EntriesTruncated",
    () => edited("entries.jsonl", (text) => text.slice(0, -1)),
  ],
  [
    "white space in an entry",
    "root RootMismatch",
    () => edited("entries.jsonl", (text) => text.replace('","at"', '", "at"')),
  ],
  [
    "a label",
    "manifest CasesDigestMismatch",
    () => edited("labels.jsonl", (text) => text.replace('"outcome":1', '"outcome":0')),
  ],
  [
    "a case",
    "manifest CasesDigestMismatch",
    () => edited("cases.jsonl", (text) => text.replace("Above 50", "Above 60")),
  ],
  [
    "the case set's declaration",
    "manifest CasesDigestMismatch",
    () => edited("caseset.json", (text) => text.replace("P1D", "P2D")),
  ],
  [
    "a field of the manifest",
    "manifest ManifestDigestMismatch",
    () => edited("run.json", (text) => text.replace('"seed":1', '"seed":2')),
  ],
  [
    "the profile",
    "manifest ManifestDigestMismatch",
    () => edited("profile.json", (text) => text.replace('"seed":1', '"seed":2')),
  ],
  [
    "a figure of the report",
    "score ReportDigestMismatch",
    () => edited("report.json", (text) => text.replace(/"mean":0\.\d/, '"mean":0.0')),
  ],
  [
    "the report, and the close leaf with it",
    "inclusion InclusionInvalid",
    () => edited("close.json", (text) => text.replace(/"report":"sha256:.{4}/, '"report":"sha256:0000')),
  ],
  [
    "the plants",
    "rules PlantCommitmentMismatch",
    () =>
      edited("plants.jsonl", (text) =>
        text
          .replace('"kind":"new"', '"kind":"past"')
          .replace(/"digest":"\w/, (all) => `${all.slice(0, -1)}${all.endsWith("0") ? "1" : "0"}`),
      ),
  ],
  [
    "the root of the checkpoint",
    "signature SignatureInvalid",
    () => checkpoint((lines) => lines.with(2, `${"A".repeat(43)}=`)),
  ],
  ["its size", "signature SignatureInvalid", () => checkpoint((lines) => lines.with(1, "3"))],
  [
    "its size with a zero before it",
    "note CheckpointMalformed",
    () => checkpoint((lines) => lines.with(1, "02")),
  ],
  [
    "a byte of its signature",
    "signature SignatureInvalid",
    () => checkpoint((lines) => lines.with(4, flipped(lines[4] as string))),
  ],
  [
    "its signature cut off",
    "note NoteMalformed",
    () => checkpoint((lines) => lines.slice(0, 3).concat("", "")),
  ],
  [
    "lines that end as on Windows",
    "note ProofMalformed",
    () => edited("open.tlog-proof", (text) => text.replaceAll("\n", "\r\n")),
  ],
  [
    "a hash of a proof dropped",
    "inclusion InclusionInvalid",
    () => edited("close.tlog-proof", (text) => text.split("\n").toSpliced(2, 1).join("\n")),
  ],
  [
    "the index of a proof",
    "inclusion InclusionInvalid",
    () => edited("close.tlog-proof", (text) => text.replace("index 1", "index 0")),
  ],
  [
    "a file that nobody wrote",
    "files FileUnexpected",
    () => new Map([...run.files, ["keys.txt", Buffer.from("?")]]),
  ],
  [
    "a file that is not there",
    "files FileMissing",
    () => new Map([...run.files].filter(([name]) => name !== "plants.jsonl")),
  ],
  [
    "a proof that is not there",
    "files FileMissing",
    () => new Map([...run.files].filter(([name]) => name !== "close.tlog-proof")),
  ],
  [
    "a symbolic link",
    "files FileNotRegular",
    () =>
      lay(run.files, (place) => {
        fs.renameSync(path.join(place, "blobs.pack"), path.join(folder, "elsewhere"));
        fs.symlinkSync(path.join(folder, "elsewhere"), path.join(place, "blobs.pack"));
      }),
  ],
  [
    "a huge file",
    "files FileTooLarge",
    () => lay(run.files, (place) => fs.truncateSync(path.join(place, "profile.json"), 5_000_000_000)),
  ],
];

/** Changes the lines of the checkpoint in both proofs alike. */
function checkpoint(by: (lines: string[]) => string[]): Files {
  const files = new Map(run.files);
  for (const name of ["open.tlog-proof", "close.tlog-proof"]) {
    const text = Buffer.from(run.files.get(name) as Uint8Array).toString();
    const at = text.indexOf("\n\n") + 2;
    files.set(name, Buffer.from(text.slice(0, at) + by(text.slice(at).split("\n")).join("\n")));
  }
  return files;
}

/** Another base64 digit well inside a signature. */
const flipped = (line: string) => {
  const at = line.length - 20;
  return line.slice(0, at) + (line[at] === "A" ? "B" : "A") + line.slice(at + 1);
};

/** What the holder of the key signs, though it is not so. */
const byTheOperator: readonly Tampering[] = [
  [
    "an entry whose keys stand twice",
    "entries NotCanonical",
    () => resigned((line, i) => (i === 2 ? line.replace('{"', '{"kind":"tool","') : line)),
  ],
  [
    "0.30 for 0.3",
    "entries NotCanonical",
    () => resigned((line) => line.replace(/"probability":(0\.\d+)/, '"probability":$10')),
  ],
  [
    "a lone surrogate",
    "entries NotCanonical",
    () => resigned((line) => line.replace('"table":"readings"', '"table":"\\ud800"')),
  ],
  [
    "a horizon that is later in every entry, and not in the case",
    "bounds HorizonMismatch",
    () =>
      forged(run, (draft) => {
        for (const entry of draft.entries)
          if (entry["case"] === draft.entries[0]?.["case"])
            Object.assign(entry, { horizon: later, as_of: later });
      }),
  ],
  [
    "an as-of after the horizon",
    "bounds AsOfMismatch",
    () => forged(run, (draft) => Object.assign(first(draft, "tool"), { as_of: later })),
  ],
  [
    "a horizon that is not there",
    "bounds BoundAttributeMissing",
    () => forged(run, (draft) => Object.assign(first(draft, "tool"), { horizon: undefined })),
  ],
  [
    "plants swapped after the run",
    "rules PlantCommitmentMismatch",
    () =>
      forged(run, (draft) => {
        draft.committed = draft.plants;
        draft.plants = draft.plants.replace(/"digest":"\w{4}/, '"digest":"0000');
      }),
  ],
  [
    "another response, of which nothing is said",
    "re-serve ReplayAnswerMismatch",
    () =>
      forged(run, (draft) => {
        const calls = draft.entries.filter((entry) => entry["kind"] === "tool");
        for (const call of calls) if (Number(call["bytes"]) > 300) rebody(draft, call, '{"rows":[]}');
      }),
  ],
  [
    "a report better than its entries",
    "score RescoreMismatch",
    () =>
      forged(run, (draft) =>
        reword(draft, ({ result }) => {
          Object.assign(result["headline"] as object, { n: 1 });
        }),
      ),
  ],
  [
    "a case whose trajectory is left out",
    "bounds TrajectoryMissing",
    () =>
      forged(run, (draft) => {
        const { case: id } = draft.entries[0] as { case: string };
        draft.entries = draft.entries.filter((entry) => entry["case"] !== id);
      }),
  ],
];

/** Entries in another spelling, hashed and signed as they stand. */
async function resigned(by: (line: string, i: number) => string): Promise<Files> {
  return await forged(run, (draft) => {
    draft.spelling = by;
  });
}

const wordsOf = (place: string) => ["replay", place, "--policy", policy, "--json"];

type Verdict = { readonly verdict: string; readonly stage: string; readonly code: string };
const told = (ran: Ran) => ({ ...ran, verdict: lastLine<Verdict>(ran) });
const replay = (place: string) => told(warm(wordsOf(place)));

describe("replay.tampered", () => {
  const tamperings = [...byStrangers, ...byTheOperator];
  const places: string[] = [];
  let said: readonly Ran[] = [];
  before(async () => {
    for (const [, , tampered] of tamperings) {
      const made = await tampered();
      places.push(typeof made === "string" ? made : lay(made));
    }
    said = manyRuns(places.map((place) => ({ words: wordsOf(place) })));
  });

  it("the run as it was written is verified", () => {
    const { status, stderr, verdict } = replay(lay(run.files));
    assert.equal(status, 0, stderr);
    assert.equal(verdict.verdict, "verified");
  });

  for (const [i, [name, expected]] of tamperings.entries()) {
    it(`${name}: ${expected}`, () => {
      const { status, stderr, verdict } = told(said[i] as Ran);
      assert.equal(`${verdict.stage} ${verdict.code}`, expected, stderr);
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`${verdict.code}: `));
      assert.doesNotMatch(stderr, /has a bug/);
    });
  }

  it("a process of its own says the same as one that replays them all, to every eighth", () => {
    const some = [...places.entries()].filter(([i]) => i % 8 === 0);
    assertEvery(some, ([i, place]) => isDeepStrictEqual(blindcast(wordsOf(place)), said[i]));
  });

  it("an artifact: manifest ManifestDigestMismatch", async () => {
    const text = '{"id":"day-2020-01-11","outcome":1}\n';
    const name = sha256Hex(text);
    const { files } = await closedRun(daily, reader, { artifacts: new Map([[name, text]]) });
    assert.equal(replay(lay(files)).status, 0);
    const changed = new Map([...files, [`artifacts/${name}`, Buffer.from(text.replace("1}", "0}"))]]);
    const { status, verdict } = replay(lay(changed));
    assert.deepEqual([status, verdict.stage, verdict.code], [1, "manifest", "ManifestDigestMismatch"]);
  });

  it("signed by another key of the same name: SignatureMissing", async () => {
    const stranger: ClosedRun = { files: run.files, signer: newSigner().signer };
    const { status, verdict } = replay(lay(await forged(stranger, () => {})));
    assert.deepEqual([status, verdict.stage, verdict.code], [1, "signature", "SignatureMissing"]);
  });
});

describe("replay.leak", () => {
  it("a run in which a plant was served is green as a record, and says that its case failed", async () => {
    const store = naiveStore([...daily.store.tables.values()], ({ overlay }) =>
      overlay?.view === "probe" ? honest : brokenRules["valid time only"],
    );
    const leaky = await closedRun({ ...daily, store }, reader);
    const place = lay(leaky.files);
    const { status, stdout, verdict } = replay(place);
    assert.equal(status, 0, stdout);
    assert.equal(verdict.verdict, "verified");
    const said = JSON.parse(stdout.trimEnd().split("\n").at(-1) as string) as { run_verdict: string };
    assert.equal(said.run_verdict, "red");
    const report = blindcast(["report", place, "--format", "json"]);
    assert.equal(report.status, 1);
    assert.match(report.stdout, /"rule":"plant-served"/);
  });
});
