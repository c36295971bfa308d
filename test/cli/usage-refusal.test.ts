import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseUsage } from "../../src/cli/usage-refusal.ts";
import { refused } from "../core/refused.ts";

const split = { name: "split", positionals: "<intervals>", flags: ["embargo", "folds", "json"] };
const told = (message: string, words: string, verb: typeof split | null = split) => {
  const { details, hint } = refused("ArgumentInvalid", () =>
    refuseUsage(message, words.split(" "), verb, ["sharpe", "split"]),
  );
  return [details.place, details.found, details.expected, hint];
};
const HELP = "blindcast split --help explains each word";
const FLAGS = "a flag of split: --embargo, --folds, --json";

test("refuseUsage: a flag that is none is named, and the one that was meant", () => {
  assert.deepEqual(told("Unknown argument: fold", "split a.csv --fold=3"), [
    "command line",
    "--fold=3",
    FLAGS,
    `did you mean --folds? ${HELP}`,
  ]);
  assert.deepEqual(told("Unknown arguments: embrago, y.csv", "split a.csv y.csv --embrago P5D"), [
    "command line",
    "--embrago",
    FLAGS,
    `did you mean --embargo? ${HELP}`,
  ]);
  assert.deepEqual(told("Unknown argument: x", "split a.csv -x"), ["command line", "-x", FLAGS, HELP]);
});

test("refuseUsage: a word too many, a word too few, a flag without its value, no verb, a verb that is none", () => {
  assert.deepEqual(told("Unknown argument: y.csv", "split a.csv y.csv"), [
    "command line",
    "y.csv",
    "no word after split <intervals> but flags",
    HELP,
  ]);
  assert.deepEqual(told("Not enough non-option arguments: got 0, need at least 1", "split"), [
    "command line",
    "split",
    "split <intervals>",
    HELP,
  ]);
  assert.deepEqual(told("Missing required argument: folds", "split a.csv"), ["--folds", "", "a value", HELP]);
  const verbs = "a verb first: sharpe, split";
  assert.deepEqual(told("Did you mean split?", "splt a.csv", null), [
    "command line",
    "splt a.csv",
    verbs,
    "blindcast split",
  ]);
  assert.deepEqual(told("a verb is needed", "", null)[2], verbs);
});
