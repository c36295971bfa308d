import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8 } from "../../src/core/bytes.ts";
import { digestOf } from "../../src/core/digest.ts";
import { parseManifest } from "../../src/replay/manifest.ts";
import type { Manifest } from "../../src/run/manifest.ts";
import { refused } from "../core/refused.ts";
import { assertEvery } from "../support/all.ts";
import { type Loose, RUN, writeRecord } from "../support/record-writer.ts";
import { type Attempt, demandPair, edit, type Pair, replace } from "./outcome.ts";

const manifest = (by: (manifest: Loose) => Loose): Attempt => ({ plan: { manifest: by } });
/** The operator's own manifest, with one of its keys changed. */
const having = (key: string, value: Loose[string]) => manifest((all) => ({ ...all, [key]: value }));
const without = (key: string) => manifest(({ [key]: _, ...rest }) => rest);
const naming = (name: string, digest: string) =>
  manifest((all) => ({ ...all, files: { ...(all["files"] as Loose), [name]: digest } }));
const leaf = (which: "open" | "close", key: string, value: string): Attempt => ({
  plan: { [which]: (given: Loose) => ({ ...given, [key]: value }) },
});

const digestPairs: Pair[] = [
  {
    name: "run.json changed after it was signed",
    bad: { tamper: replace("run.json", '"report_version":1', '"report_version":2') },
    expected: "manifest ManifestDigestMismatch",
    says: /run\.json: sha256:.*, the open leaf has sha256:/,
    good: having("report_version", 2),
  },
  {
    name: "run.json changed to another spelling of the same",
    bad: { tamper: replace("run.json", '"report_version":1', '"report_version": 1') },
    expected: "manifest ManifestDigestMismatch",
    good: {},
  },
  {
    name: "the close leaf names another manifest than the open leaf",
    bad: leaf("close", "manifest", digestOf("other")),
    expected: "manifest ManifestDigestMismatch",
    says: /the close leaf has/,
    good: {},
  },
  ...["cases.jsonl", "labels.jsonl", "caseset.json"].map((name) => ({
    name: `${name} is changed`,
    bad: { tamper: edit(name, (text) => `${text} `) },
    expected: "manifest CasesDigestMismatch",
    says: new RegExp(`run/${name}: sha256:.*, the manifest has sha256:`),
    good: {},
  })),
  ...["profile.json", "family.json"].map((name) => ({
    name: `${name} is changed`,
    bad: { tamper: edit(name, (text) => text.replace("e", "E")) },
    expected: "manifest ManifestDigestMismatch",
    says: new RegExp(`run/${name}: sha256:.*, run.json has sha256:`),
    good: {},
  })),
  {
    name: "an outcome is flipped",
    bad: { tamper: replace("labels.jsonl", '"outcome":1', '"outcome":0') },
    expected: "manifest CasesDigestMismatch",
    good: { plan: { loaded: replace("labels.jsonl", '"outcome":1', '"outcome":0') } },
  },
  {
    name: "an artifact that is not what its name says",
    bad: {
      plan: {
        loaded: (files) => {
          const name = [...files.keys()].find((each) => each.startsWith("artifacts/")) as string;
          files.set(name, utf8("another artifact"));
        },
      },
    },
    expected: "manifest ManifestDigestMismatch",
    says: /artifacts\/.*, its name says sha256:/,
    good: {
      plan: { loaded: (files) => files.set(`artifacts/${digestOf("more").slice(7)}`, utf8("more")) },
    },
  },
];

const agreementPairs: Pair[] = [
  {
    name: "another ledger than the checkpoint's",
    bad: having("ledger", "ledger.example/other"),
    expected: "manifest LedgerMismatch",
    says: /ledger: "ledger\.example\/other", the proofs are of "ledger\.example\/blindcast"/,
    good: {},
  },
  {
    name: "the open leaf is of another run",
    bad: leaf("open", "run", "01OTHER"),
    expected: "manifest RunMismatch",
    says: /open\.json: run: "01OTHER", the manifest is of/,
    good: {},
  },
  {
    name: "the close leaf is of another run",
    bad: leaf("close", "run", "01OTHER"),
    expected: "manifest RunMismatch",
    says: /close\.json/,
    good: leaf("close", "run", RUN),
  },
  {
    name: "a loaded file that the manifest does not name",
    bad: manifest((all) => {
      const { "family.json": _, ...files } = all["files"] as Loose;
      return { ...all, files };
    }),
    expected: "manifest FileUnexpected",
    says: /family\.json/,
    good: { plan: { loaded: (files) => files.delete("family.json") } },
  },
  {
    name: "a file that the manifest names and the folder has not",
    bad: naming(`artifacts/${"0".repeat(64)}`, digestOf("x")),
    expected: "manifest FileMissing",
    says: /artifacts\/0/,
    good: {},
  },
  {
    name: "fewer lines of cases than were selected",
    bad: having("stamp", { selection: { cases: 3 } }),
    expected: "manifest CaseCountMismatch",
    says: /2 lines, the manifest selected 3/,
    good: having("stamp", { selection: { cases: 2 } }),
  },
];

for (const pair of [...digestPairs, ...agreementPairs])
  test(`manifest: ${pair.name}`, () => demandPair(pair));

const shaped: readonly (readonly [name: string, bad: Attempt, code: string, field: string])[] = [
  ["a key too many", having("extra", 1), "UnknownKey", "extra"],
  ["a key too few", without("replaces"), "KeyMissing", "replaces"],
  ["another type", having("v", "blindcast.run/2"), "FieldInvalid", "v"],
  ["a run that is empty", having("run", ""), "FieldInvalid", "run"],
  ["a count below 0", having("trajectories", -1), "FieldInvalid", "trajectories"],
  ["a count with a fraction", having("report_version", 1.5), "FieldInvalid", "report_version"],
  ["a ledger that is a number", having("ledger", 5), "FieldInvalid", "ledger"],
  ["replaces that is empty", having("replaces", ""), "FieldInvalid", "replaces"],
  ["a case set that is a list", having("caseset", []), "FieldInvalid", "caseset"],
  [
    "a case set without its digest",
    having("caseset", { cases: 2, name: "a" }),
    "KeyMissing",
    "caseset.digest",
  ],
  [
    "a host with more",
    having("host", { node: "a", unicode: "b", zone_data: "c", os: "d" }),
    "UnknownKey",
    "host.os",
  ],
  ["a stamp without a selection", having("stamp", {}), "FieldInvalid", "stamp.selection"],
  [
    "a selection without its count",
    having("stamp", { selection: {} }),
    "FieldInvalid",
    "stamp.selection.cases",
  ],
  ["a file that no run is given", naming("entries.jsonl", digestOf("x")), "FieldInvalid", "files"],
  ["a path out of the folder", naming("../x", digestOf("x")), "FieldInvalid", "files"],
  [
    "a file's digest in capitals",
    naming("cases.jsonl", `sha256:${"AB".repeat(32)}`),
    "FieldInvalid",
    "files.cases.jsonl",
  ],
];
test("manifest: each field that is missing, spare or of another kind is named", async () => {
  for (const [name, bad, code, field] of shaped) {
    const says = new RegExp(`^${code}: run/run\\.json: ${field.replaceAll(".", "\\.")}: `);
    await demandPair({ name, bad, expected: `manifest ${code}`, says, good: {} });
  }
});

const bytes = () => writeRecord().files.get("run.json") as Uint8Array;
const spelled = (by: (text: string) => string) => utf8(by(new TextDecoder().decode(bytes())));

test("manifest: only the one spelling, one line and its newline", () => {
  assert.equal(parseManifest(bytes(), "run.json").run, RUN);
  const wrong: [string, Uint8Array, RegExp][] = [
    [
      "white space",
      spelled((text) => text.replace(":", ": ")),
      /run\.json:1:12: "\{\\"caseset\\": \{.*expected "\{\\"caseset\\":\{/,
    ],
    ["no newline", spelled((text) => text.slice(0, -1)), /no newline at the end/],
    ["another line", spelled((text) => `${text}\n`), /run\.json:1:/],
    ["CRLF", spelled((text) => text.replace("\n", "\r\n")), /NotCanonical/],
    ["a duplicate key", spelled((text) => text.replace("{", '{"caseset":1,')), /NotCanonical/],
    ["not JSON", utf8("{\n"), /JSON/],
    ["nothing", new Uint8Array(0), /NotCanonical/],
    ["not UTF-8", new Uint8Array([0xff, 10]), /UTF-8/],
    ["nested too deep", utf8(`${"[".repeat(100)}${"]".repeat(100)}\n`), /nested deeper than 64/],
  ];
  assertEvery(wrong, ([, given, says]) =>
    says.test(refused("NotCanonical", () => parseManifest(given, "run.json")).message),
  );
});

test("manifest: what a run writes and what replay reads are one type", () => {
  const written: Manifest = parseManifest(bytes(), "run.json");
  const read: ReturnType<typeof parseManifest> = written;
  assert.equal(read.v, "blindcast.run/1");
});
