import assert from "node:assert/strict";
import { test } from "node:test";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import { formatInstant } from "../../src/core/instant.ts";
import type { Code } from "../../src/core/refusal.ts";
import { noted, refused, repository, temporary } from "../core/refused.ts";
import { changed, type Texts, tinySet, without, writeTexts } from "../fixtures/tiny-set.ts";

const SET = "set/caseset.yaml";

function folderOf(texts: Texts): string {
  const folder = temporary();
  writeTexts(folder, texts);
  return `${folder}/set`;
}
const load = (texts: Texts) => loadCaseSet(folderOf(texts), "set") as CaseSet;
const faults = (texts: Texts) => noted((complain) => loadCaseSet(folderOf(texts), "set", complain));
const edit = (...pairs: [string, string][]) => changed(tinySet, SET, ...pairs);

test("loadCaseSet: the tiny set, its places and its defaults", () => {
  const set = load(tinySet);
  assert.equal(set.name, "tiny");
  assert.equal(set.zone, "America/Los_Angeles");
  assert.equal(set.grace.text, "P0D");
  assert.deepEqual([...set.tables.keys()], ["weather", "gauge"]);
  assert.equal(set.tables.get("weather")?.zone, "America/Los_Angeles");
  assert.equal(set.tables.get("gauge")?.place, "set/caseset.yaml:16:3");
  assert.deepEqual(
    set.cases.map(({ id, place, horizon }) => [id, place, formatInstant(horizon)]),
    [
      ["rain-1", "set/cases.jsonl:1", "2014-06-01T07:00:00Z"],
      ["rain-2", "set/cases.jsonl:2", "2014-06-02T07:00:00Z"],
      ["rain-3", "set/cases.jsonl:3", "2014-06-03T07:00:00Z"],
    ],
  );
  assert.deepEqual(
    set.labels.map(({ caseId, outcome, place }) => [caseId, outcome, place]),
    [
      ["rain-1", 1, "set/labels.jsonl:1"],
      ["rain-2", 0, "set/labels.jsonl:2"],
      ["rain-3", 1, "set/labels.jsonl:3"],
    ],
  );
  assert.equal(set.entities, null);
  const named = load(
    edit(["readers:\n", "entities: {table: gauge, name: station, alias: date}\nreaders:\n"]),
  );
  assert.deepEqual(named.entities, { table: "gauge", name: "station", alias: "date", place: `${SET}:21:1` });
  assert.equal(load(edit(["time_zone: America/Los_Angeles\n", ""])).zone, "UTC");
  assert.equal(set.splits.size, 0);
  const folded = load(
    edit(["readers:\n", "splits: {halves: {kind: kfold, folds: 2, embargo: P5D}}\nreaders:\n"]),
  );
  assert.deepEqual([...folded.splits], [["halves", { kind: "kfold", folds: 2, embargo: "P5D" }]]);
});

test("loadCaseSet: seattle-rain, as it is shipped", () => {
  const set = loadCaseSet(`${repository}/casesets/seattle-rain`, "casesets/seattle-rain") as CaseSet;
  assert.equal(set.cases.length, 730);
  assert.equal(set.labels.length, 730);
  assert.equal(new Set(set.cases.map(({ cluster }) => cluster)).size, 105);
});

test("loadCaseSet: a fault of the declaration is refused by its line and column, and its neighbour is read", () => {
  const entities = (table: string, name = "note", alias = "date") =>
    edit(["readers:\n", `entities: {table: ${table}, name: ${name || '""'}, alias: ${alias}}\nreaders:\n`]);
  const rows: [code: Code, place: string, bad: Texts, good: Texts][] = [
    ["UnknownKey", "2:1", edit(["kind: forecast", "knid: forecast\nkind: forecast"]), tinySet],
    ["UnknownKey", "8:5", edit(['    sha256: "', '    sah: x\n    sha256: "']), tinySet],
    [
      "UnknownKey",
      "12:13",
      edit(["{file: tables/weather.csv}", "{file: tables/weather.csv, zip: x}"]),
      tinySet,
    ],
    ["UnknownKey", "22:3", edit(["  climatology: {", "  climate: {"]), tinySet],
    ["UnknownKey", "22:33", edit(["{table: weather, event", "{table: weather, evnt: x, event"]), tinySet],
    ["FieldInvalid", "1:1", edit(["name: tiny", "name: Tiny"]), edit(["name: tiny", "name: tiny-2"])],
    ["FieldInvalid", "11:3", edit(["  weather:\n", '  "we ather":\n']), tinySet],
    ["FieldInvalid", "13:5", edit(["key: [date]", "key: []"]), tinySet],
    ["FieldInvalid", "7:5", edit(['"file:data', '"ftp:data']), tinySet],
    ["KeyMissing", "22:3", edit(["{table: weather, event", "{event"]), tinySet],
    [
      "ZoneUnknown",
      "14:18",
      edit([
        "{column: date}\n    available_time: {after",
        "{column: date, zone: Mars}\n    available_time: {after",
      ]),
      tinySet,
    ],
    [
      "ZoneUnknown",
      "20:40",
      edit(["{column: known_at}", "{column: known_at, zone: Mars}"]),
      edit(["{column: known_at}", "{column: known_at, zone: UTC}"]),
    ],
    ["DurationInvalid", "4:1", edit(["profile: plain", "grace: 1D"]), edit(["profile: plain", "grace: P1D"])],
    ["LimitExceeded", "15:5", edit(["delay: P1D", "delay: P99999Y"]), edit(["delay: P1D", "delay: P1Y"])],
    ["TableUnknown", "21:1", entities("wether"), entities("weather")],
    ["FieldInvalid", "21:1", entities("weather", "note", "note"), entities("weather", "note", "date")],
    ["FieldInvalid", "21:1", entities("weather", ""), entities("weather", "note")],
    [
      "UnknownKey",
      "21:1",
      edit(["readers:\n", "entities: {table: weather, name: note, alias: date, zone: UTC}\nreaders:\n"]),
      tinySet,
    ],
    ["KeyMissing", "21:1", edit(["readers:\n", "entities: {table: weather}\nreaders:\n"]), tinySet],
    ["SourceUnknown", "17:5", edit(["{source: public}", "{source: private}"]), tinySet],
    [
      "SourceTermsMissing",
      "6:3",
      edit(['terms: "CC0-1.0"', 'terms: " "']),
      edit(['terms: "CC0-1.0"', "terms: own"]),
    ],
    ["TableAvailableTimeMissing", "16:3", edit(["    available_time: {column: known_at}\n", ""]), tinySet],
  ];
  for (const [code, place, bad, good] of rows) {
    const folder = folderOf(bad);
    const found = noted((complain) => loadCaseSet(folder, "set", complain));
    const at = code === "ZoneUnknown" || code === "UnknownKey" ? found[0] : found.join();
    assert.ok(at?.startsWith(`${code} ${SET}:${place.split(":")[0]}:`), `${code} ${place}: ${found.join()}`);
    refused(code, () => loadCaseSet(folder, "set"));
    assert.deepEqual(faults(good), []);
  }
});

test("loadCaseSet: a split that is wrong is refused by its line, and its neighbour is read", () => {
  const split = (definition: string, name = "halves") =>
    edit(["readers:\n", `splits:\n  ${name}: ${definition}\nreaders:\n`]);
  const good = split("{kind: kfold, folds: 2}");
  const rows: [code: Code, bad: Texts, good: Texts][] = [
    ["FieldInvalid", split("{kind: kfold, folds: 1}"), good],
    ["UnknownKey", split("{kind: kfold, folds: 2, groups: 2}"), good],
    [
      "DurationInvalid",
      split("{kind: kfold, folds: 2, embargo: 5D}"),
      split("{kind: kfold, folds: 2, embargo: P5D}"),
    ],
    [
      "FieldInvalid",
      split("{kind: kfold, folds: 2}", "Weeks"),
      split("{kind: walk-forward, folds: 2}", "weeks"),
    ],
  ];
  for (const [code, bad, neighbour] of rows) {
    assert.match(refused(code, () => load(bad)).details.place, /^set\/caseset\.yaml:22:3$/);
    assert.deepEqual(faults(neighbour), []);
  }
});

test("loadCaseSet: a misspelled key of a union is told as such, with what it left out", () => {
  assert.deepEqual(faults(edit(["delay: P1D", "dealy: P1D"])), [
    "KeyMissing set/caseset.yaml:15:5",
    "UnknownKey set/caseset.yaml:15:41",
  ]);
});

test("loadCaseSet: a source's place stands also where its name has a slash", () => {
  const texts = edit(
    ["  public:\n", '  "a/b~c":\n'],
    ["{source: public}", '{source: "a/b~c"}'],
    ['    terms: "CC0-1.0"\n', ""],
  );
  assert.equal(refused("SourceTermsMissing", () => load(texts)).details.place, "set/caseset.yaml:6:3");
});

test("loadCaseSet: one fault of a table is not told again by each case that reads it", () => {
  assert.deepEqual(faults(edit(["    available_time: {column: known_at}\n", ""])), [
    "TableAvailableTimeMissing set/caseset.yaml:16:3",
  ]);
  const broken = changed(tinySet, "set/cases.jsonl", ['"freeze":"2014-06-01T07:00:00Z"', '"freeze":"soon"']);
  assert.deepEqual(faults(broken), ["InstantInvalid set/cases.jsonl:1"], "its label still has a case");
});

test("loadCaseSet: of two labels at one instant only the vintage may differ", () => {
  const twin = (change: [string, string][]) => {
    const first = (tinySet["set/labels.jsonl"] as string).split("\n")[0] as string;
    return change.reduce((line, [from, to]) => line.replace(from, to), first);
  };
  const labels = (line: string) => ({
    ...tinySet,
    "set/labels.jsonl": `${tinySet["set/labels.jsonl"]}${line}\n`,
  });
  const other: [string, string] = ['"vintage":"first"', '"vintage":"final"'];
  for (const change of [
    [],
    [['"outcome":1', '"outcome":0']],
    [other, ['"outcome":1', '"outcome":0']],
    [other, ['"resolved_at":"2014-06-02', '"resolved_at":"2014-06-01']],
  ] as [string, string][][]) {
    const { details } = refused("LabelDuplicate", () => load(labels(twin(change))));
    assert.equal(details.place, "set/labels.jsonl:4");
    assert.equal(details.first, "set/labels.jsonl:1");
  }
  assert.equal(load(labels(twin([other]))).labels.length, 4);
  assert.equal(
    load(labels(twin([['"available_time":"2014-06-02', '"available_time":"2014-07-02']]))).labels.length,
    4,
  );
});

test("loadCaseSet: blank lines and a missing last newline are no fault, a missing file is", () => {
  const cases = (tinySet["set/cases.jsonl"] as string).replace("\n", "\n\n \n").trimEnd();
  const set = load({ ...tinySet, "set/cases.jsonl": cases });
  assert.deepEqual(
    set.cases.map(({ place }) => place),
    ["set/cases.jsonl:1", "set/cases.jsonl:4", "set/cases.jsonl:5"],
  );
  for (const file of [SET, "set/cases.jsonl", "set/labels.jsonl"])
    assert.equal(refused("FileUnreadable", () => load(without(tinySet, file))).details.place, file);
});
