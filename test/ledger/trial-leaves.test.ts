/** What audit logs say of a trial ledger: heads that runs saw, in every log of the workspace. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { describe, it } from "node:test";
import { canonical } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { heldHeads } from "../../src/ledger/trial-leaves.ts";
import { refused, temporary, written } from "../core/refused.ts";
import { progress, RUN } from "./a-ledger.ts";
import { identityOf } from "./a-trial.ts";

const rowLeaf = (row: number, ledger = "rain") =>
  canonical({ ledger, line: identityOf(row), row, run: RUN, v: "blindcast.trial-row/1" });
const openLeaf = (trials: { head: string; ledger: string; rows: number } | null) =>
  canonical({ commitment: digestOf(""), manifest: digestOf(""), run: RUN, trials, v: "blindcast.open/1" });

function aWorkspace(logs: { [name: string]: readonly string[] }) {
  const workspace = temporary();
  for (const [name, lines] of Object.entries(logs))
    written(workspace, `ledgers/audit/${name}/leaves.jsonl`, lines.map((line) => `${line}\n`).join(""));
  return { workspace, of: (name: string) => path.join(workspace, "ledgers/audit", name, "leaves.jsonl") };
}

describe("heads of a trial ledger in audit logs", () => {
  it("are those of row leaves and of open leaves, of this ledger, in each log", () => {
    const { workspace, of } = aWorkspace({
      unsigned: [progress(1), rowLeaf(4), rowLeaf(2, "snow")],
      "0a": [openLeaf(null), openLeaf({ head: identityOf(7), ledger: "rain", rows: 3 })],
    });
    assert.deepEqual(
      [...heldHeads(workspace, "rain")],
      [
        { rows: 3, head: identityOf(7), place: `${of("0a")}:2` },
        { rows: 5, head: identityOf(4), place: `${of("unsigned")}:2` },
      ],
    );
    assert.equal([...heldHeads(workspace, "snow")].length, 1);
    assert.deepEqual([...heldHeads(workspace, "rai")], []);
    assert.deepEqual([...heldHeads(temporary(), "rain")], [], "no audit log, nothing known");
  });

  it("a leaf that speaks of it and is none is refused, by its line", () => {
    const { workspace, of } = aWorkspace({ a: [progress(1), `${rowLeaf(1)} `], b: [rowLeaf(1)] });
    const error = refused("NotCanonical", () => [...heldHeads(workspace, "rain")]);
    assert.equal(error.details.place, `${of("a")}:2`);
  });
});
