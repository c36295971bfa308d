/** Readers from outside as the command line names them: what is refused before anybody is asked, and from where files are named. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { describe, it } from "node:test";
import { expectedCost } from "../../src/cli/expected-cost.ts";
import { type OutsideChoice, outsideName, outsideReader } from "../../src/cli/outside-reader.ts";
import type { Family } from "../../src/model/family.ts";
import { type ProfileOnDisk, profileOf } from "../../src/profile/profile.ts";
import { refused, temporary, written } from "../core/refused.ts";
import { familyOf, row } from "../model/a-family.ts";

const folder = temporary();
const endpoint = (name: string, more = "") =>
  written(folder, `${name}.yaml`, `endpoint: ${name}\nurl: http://127.0.0.1:9/v1\nmodel: m-1\n${more}`);
endpoint("plain");
endpoint("dollars", "cost: {input: 1, output: 2, currency: USD}\n");
endpoint("euros", "cost: {input: 9, output: 9, currency: EUR}\n");
const dear = "cost: {input: 100, output: 200, currency: USD}\n";
endpoint("dear", dear);
endpoint(
  "told",
  "cost: {input: 1, output: 2, currency: USD}\nestimate: {model_calls: 1, input_tokens: 1000, output_tokens: 100}\n",
);

const choice = (disk: Partial<ProfileOnDisk> = {}, more: Partial<OutsideChoice> = {}): OutsideChoice => ({
  profile: profileOf({ name: "test", ...disk }, "test.yaml", folder),
  family: null,
  params: {},
  offline: false,
  answer: "probability",
  folder,
  ...more,
});
const named = (name: string, given = choice()) => outsideReader(outsideName(name) as never, given);
/** A family whose one row is asked at another endpoint. */
const familyAt = (at: string): Family =>
  familyOf([row("m-2013", "2013-12:documented", { endpoint: path.join(folder, `${at}.yaml`) } as never)]);

describe("a reader from outside", () => {
  it("is one of three kinds, with words behind the colon, and needs the network only if it is an endpoint", () => {
    assert.deepEqual(outsideName("exec:a b:c"), { adapter: "exec", rest: "a b:c" });
    for (const other of ["climatology", "always:0.5", "exec", "file:x"])
      assert.equal(outsideName(other), null);
    for (const empty of ["exec:", "module: ", "http:"]) refused("ArgumentInvalid", () => named(empty));
    refused("ArgumentInvalid", () => named("http:./plain.yaml", choice({}, { offline: true })));
    assert.equal(named("exec:true", choice({}, { offline: true }))?.reader.adapter, "exec");
  });

  it("names its files from the folder of whoever names it, and keeps the words of a command", () => {
    assert.equal(named("http:./plain.yaml")?.reader.name, "http:plain");
    refused("EndpointUnknown", () =>
      named("http:./plain.yaml", choice({}, { folder: path.dirname(folder) })),
    );
    written(folder, "agent.mjs", "export const reader = {};\n");
    assert.ok(named("module:agent.mjs")?.reader.files?.["agent.mjs"]);
    refused("ReaderUnavailable", () =>
      named("module:agent.mjs", choice({}, { folder: path.dirname(folder) })),
    );
    const artifacts = (words: string) => [...(named(words)?.artifacts.values() ?? [])];
    assert.match(artifacts("exec:python3 a.py")[0] as string, /"command":"python3 a\.py"/);
    assert.notDeepEqual(artifacts("exec:python3 a.py"), artifacts("exec:python3 b.py"));
  });

  it("with a budget of cost needs to know what it costs, in one currency for all endpoints of a run", () => {
    refused("FieldInvalid", () => named("http:./plain.yaml", choice({ budget: { cost: 1 } })));
    assert.ok(named("http:./plain.yaml", choice({ budget: { tokens: 1 } })));
    assert.ok(named("http:./dollars.yaml", choice({ budget: { cost: 1 } })));
    const { details } = refused("FieldInvalid", () =>
      named("http:./dollars.yaml", choice({}, { family: familyAt("euros") })),
    );
    assert.deepEqual([details.field, details.found], ["cost.currency", "USD and EUR"]);
    assert.ok(named("http:./dollars.yaml", choice({}, { family: familyAt("dear") })));
  });

  it("is told by the dearest endpoint that a case may be asked at", () => {
    const cost = (family: Family | null) =>
      named("http:./told.yaml", choice({}, { family }))?.reader.estimate?.cost;
    assert.equal(cost(null), 0.0012);
    assert.equal(cost(familyAt("dear")), 0.12);
    assert.equal(cost(familyAt("plain")), null, "nobody knows what that one costs");
  });
});

describe("an expected cost", () => {
  const plan = { arms: { assignments: Array(10) }, selection: { options: { repeats: 2 } } } as never;
  const estimate = { model_calls: 1, input_tokens: 1, output_tokens: 1, cost: 0.1, currency: "USD" };
  const profile = profileOf({ name: "test", confirm_above: 1 }, "test.yaml");

  it("above what the profile lets pass, or that nobody can tell, is asked about; built-in readers cost nothing", () => {
    const check = (of: Parameters<typeof expectedCost>[0], yes = false) =>
      expectedCost(of, profile, yes)(plan);
    assert.match(
      refused("CostUnconfirmed", () => check({ adapter: "http", estimate })).message,
      /expected to cost 2\.00 USD, the profile asks from 1 on/,
    );
    check({ adapter: "http", estimate }, true);
    check({ adapter: "http", estimate: { ...estimate, cost: 0.05 } });
    assert.match(refused("CostUnconfirmed", () => check({ adapter: "exec" })).message, /unknown/);
    assert.match(
      refused("CostUnconfirmed", () => check({ adapter: "http", estimate: { ...estimate, cost: null } }))
        .message,
      /unknown/,
    );
    check({ adapter: "exec" }, true);
    check({});
  });
});
