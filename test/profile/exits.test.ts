import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  checkDelistingReturns,
  compoundReturn,
  type Exit,
  exitLines,
  exitsOf,
  parseExits,
} from "../../src/profile/exits.ts";
import { noted, refused } from "../core/refused.ts";
import { hour } from "./random-account.ts";

test("a delisting return compounds: −0.5 and −0.9 make −0.95, not −1.4", () => {
  assert.ok(Math.abs(compoundReturn(-0.5, -0.9) + 0.95) < 1e-15);
  const from1 = fc.double({ min: -1, max: 10, noNaN: true });
  fc.assert(
    fc.property(from1, from1, (r, d) => {
      assert.ok(compoundReturn(r, d) >= -1);
      assert.ok(Math.abs(compoundReturn(r, d) - (r + d + r * d)) < 1e-12);
      assert.equal(compoundReturn(r, -1), -1);
      assert.ok(Math.abs(compoundReturn(r, 0) - r) < 1e-12);
    }),
  );
});

const exit = (entity: string, terminal: number | null): Exit => ({
  entity,
  at: hour(40),
  return: terminal,
});

test("FieldInvalid: a delisting return is a number from −1, and a member leaves once", () => {
  for (const wrong of [-1.01, Number.NaN, Number.POSITIVE_INFINITY]) {
    const { details } = refused("FieldInvalid", () => exitsOf([exit("a", wrong)], "x.csv:2"));
    assert.deepEqual(
      [details.place, details.field, details.found],
      ["x.csv:2", "the delisting return of a", String(wrong)],
    );
  }
  assert.equal(exitsOf([exit("a", -1), exit("b", 3), exit("c", null)], "x").size, 3);
  refused("FieldInvalid", () => exitsOf([exit("a", 0), exit("a", 0)], "x"));
  assert.deepEqual(
    noted((complain) => exitsOf([exit("a", -2), exit("b", 0), exit("b", 0)], "x", complain)),
    ["FieldInvalid x", "FieldInvalid x"],
  );
});

test("DelistingReturnMissing names each member that left without a return; one that lost nothing is none", () => {
  const { message } = refused("DelistingReturnMissing", () =>
    checkDelistingReturns([exit("b", null)], "run"),
  );
  assert.match(
    message,
    /^DelistingReturnMissing: run: member b: it left at 2014-05-15T08:53:20Z without a return/,
  );
  checkDelistingReturns([exit("a", 0)], "run");
  const names: string[] = [];
  checkDelistingReturns([exit("a", 0), exit("b", null), exit("c", null)], "run", (_code, details) =>
    names.push((details as unknown as { member: string }).member),
  );
  assert.deepEqual(names, ["b", "c"]);
});

test("an exit is a line that says at which instant its member was gone; another spelling of it is refused", () => {
  const exits = exitsOf([exit("b", null), exit("a", -0.9)], "x");
  const text = exitLines(exits);
  assert.equal(
    text,
    '{"at":"2014-05-15T08:53:20Z","entity":"a","return":-0.9}\n{"at":"2014-05-15T08:53:20Z","entity":"b","return":null}\n',
  );
  assert.deepEqual([...parseExits(text, "exits").values()], [exit("a", -0.9), exit("b", null)]);
  const { details } = refused("KeyMissing", () => parseExits(text.replace('"at"', '"available"'), "exits"));
  assert.equal(details.place, "exits:1");
  refused("NotCanonical", () => parseExits(text.replace("20Z", "20.000Z"), "exits"));
});
