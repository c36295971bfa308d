import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { parseInstant } from "../../src/core/instant.ts";
import { formatCutoff } from "../../src/model/cutoff.ts";
import { type Family, isFloating, loadFamily } from "../../src/model/family.ts";
import { route } from "../../src/model/route.ts";
import { repository } from "../core/refused.ts";
import { assertEvery, assertNone } from "../support/all.ts";

const folder = path.join(repository, "profiles", "checkpoints");
const families = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => loadFamily(path.join(folder, name), name) as Family);
const rows = families.flatMap((family) => family.onDisk.checkpoints);
const named = (name: string) => families.find((family) => family.name === name) as Family;

/** The snapshot that a case of this horizon goes to. */
function routed(family: string, horizon: string): string | null {
  const instant = parseInstant(horizon, "test", "horizon");
  assert.ok(instant !== undefined);
  return route(named(family), instant)?.snapshot ?? null;
}

describe("the families that ship", () => {
  it("bear the name of their file, and none is refused", () => {
    assertEvery(families, (family) => family.place === `${family.name}.yaml`);
    for (const name of [
      "anthropic-claude",
      "openai-gpt",
      "meta-llama-70b",
      "meta-llama-8b",
      "chrono-gpt",
      "datedgpt",
    ])
      assert.ok(named(name).checkpoints.length >= 3, name);
  });

  it("name a source for every row", () => {
    assertEvery(rows, (row) => (row.sources ?? []).some((source) => source.trim().length > 10));
  });

  it("name no snapshot that moves", () => {
    assert.ok(isFloating("gpt-4o-latest"));
    assertNone(rows, (row) => isFloating(row.snapshot));
    // An API's name is pinned by its date; since Claude 4.6 by its version.
    const apis = [...named("openai-gpt").checkpoints, ...named("anthropic-claude").checkpoints];
    const pinned = /-(\d{4}-\d\d-\d\d|\d{8})$|^claude-(sonnet|opus|fable)-(4-[6-9]|[5-9]|\d\d)/;
    assertEvery(apis, ({ snapshot }) => pinned.test(snapshot));
    for (const alias of ["gpt-4.1", "gpt-5", "claude-sonnet-4-5", "claude-3-opus"])
      assert.ok(!pinned.test(alias), alias);
  });

  it("can all be routed to: each row has a post-training cutoff, and it lies at or after pretraining", () => {
    const all = families.flatMap((family) => family.checkpoints);
    assertEvery(all, ({ pretrain, posttrain }) => posttrain !== null && posttrain.lo >= (pretrain?.lo ?? 0));
  });

  it("give what was computed by hand: Claude", () => {
    // claude-3-opus ends with 2024-03 at the latest, claude-3-5-sonnet of June with 2024-06, that of October with 2024-10.
    assert.equal(routed("anthropic-claude", "2024-03-04T12:00:00Z"), null);
    assert.equal(routed("anthropic-claude", "2024-04-01T00:00:00Z"), null, "not at the instant itself");
    assert.equal(routed("anthropic-claude", "2024-04-01T00:00:00.000001Z"), "claude-3-opus-20240229");
    assert.equal(routed("anthropic-claude", "2024-06-15T00:00:00Z"), "claude-3-opus-20240229");
    assert.equal(routed("anthropic-claude", "2024-10-31T23:59:59Z"), "claude-3-5-sonnet-20240620");
    assert.equal(routed("anthropic-claude", "2024-11-02T00:00:00Z"), "claude-3-5-sonnet-20241022");
    // Two that end in one month: the one whose pretraining ends later is the newer, then the later release.
    assert.equal(routed("anthropic-claude", "2026-03-02T00:00:00Z"), "claude-sonnet-4-6");
    assert.equal(routed("anthropic-claude", "2026-07-02T00:00:00Z"), "claude-sonnet-5");
    const sonnet = named("anthropic-claude").checkpoints.find(({ snapshot }) => snapshot.includes("3-7"));
    assert.equal(
      formatCutoff(sonnet?.posttrain as NonNullable<typeof sonnet>["posttrain"] & object),
      "2024-11..2025-02:estimated",
    );
  });

  it("give what was computed by hand: GPT, Llama, ChronoGPT, DatedGPT, Talkie", () => {
    assert.equal(routed("openai-gpt", "2024-06-15T00:00:00Z"), "gpt-4o-2024-05-13");
    assert.equal(routed("openai-gpt", "2024-09-02T00:00:00Z"), "gpt-4o-2024-08-06");
    assert.equal(routed("openai-gpt", "2025-08-31T00:00:00Z"), "gpt-4.1-2025-04-14");
    assert.equal(routed("openai-gpt", "2026-01-02T00:00:00Z"), "gpt-5.2-2025-12-11");
    assert.equal(routed("meta-llama-70b", "2024-01-15T00:00:00Z"), "meta-llama/Llama-2-70b-chat-hf");
    assert.equal(routed("meta-llama-8b", "2024-06-15T00:00:00Z"), "meta-llama/Meta-Llama-3-8B-Instruct");
    assert.equal(routed("chrono-gpt", "2014-06-01T07:00:00Z"), "manelalab/chrono-gpt-v1-20131231");
    assert.equal(routed("chrono-gpt", "2012-06-01T07:00:00Z"), "manelalab/chrono-gpt-v1-20111231");
    assert.equal(routed("datedgpt", "2018-06-01T00:00:00Z"), "datedgpt/datedgpt-2017-base");
    // The end of 1930 is what its makers aim at, and later text slipped through.
    assert.equal(routed("talkie", "1940-01-02T00:00:00Z"), null);
    assert.equal(routed("talkie", "2020-01-02T00:00:00Z"), "talkie-lm/talkie-1930-13b-base");
  });
});
