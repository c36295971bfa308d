import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  attempt,
  BlindcastError,
  type Code,
  codes,
  isRefusal,
  ListFull,
  noting,
  type Refusals,
  refuse,
} from "../../src/core/refusal.ts";
import { refused } from "./refused.ts";

/** Details of a code out of one text, whatever their shape: only the message's form is looked at here. */
const detailsOf = (text: string) =>
  new Proxy({} as never, {
    get: (_, key) =>
      ["known", "looked", "missing", "found_list", "present"].includes(String(key)) ? [text] : text,
    has: () => true,
  });

function anyRefusal(code: Code, text: string): BlindcastError | undefined {
  try {
    return new BlindcastError(code, detailsOf(text));
  } catch (error) {
    assert.ok(error instanceof TypeError, "a detail that is a list in this code");
    return undefined;
  }
}

test("BlindcastError: the message is one line `CODE: place: …` without control characters, for every code and text", () => {
  const texts = fc.string({
    unit: fc.constantFrom("a", "\n", "\r", "\u001b", "\u2028", "\0", "é", '"', "\u0085"),
    maxLength: 20,
  });
  let made = 0;
  fc.assert(
    fc.property(fc.constantFrom(...codes), texts, (code, text) => {
      const refusal = anyRefusal(code, text);
      if (refusal === undefined) return;
      made++;
      assert.doesNotMatch(refusal.message, /[\p{Cc}\u2028\u2029]/u);
      assert.ok(refusal.message.startsWith(`${code}: `));
      assert.doesNotMatch(refusal.hint ?? "", /[\p{Cc}\u2028\u2029]/u);
    }),
    { numRuns: 2000 },
  );
  assert.ok(made > 1000);
});

test("refuse: throws the one error class with code, typed details, message and hint", () => {
  const details = { place: "cases.jsonl:3", id: "rain", first: "cases.jsonl:1" };
  const error = refused("CaseDuplicate", () => refuse("CaseDuplicate", details));
  assert.ok(error instanceof BlindcastError && error instanceof Error);
  assert.equal(error.name, "BlindcastError");
  assert.deepEqual(error.details, details);
  assert.equal(
    error.message,
    "CaseDuplicate: cases.jsonl:3: case rain: this id already stands at cases.jsonl:1",
  );
  assert.equal(error.hint, undefined);
  assert.equal(isRefusal(error), true);
  assert.equal(isRefusal(error, "CaseDuplicate"), true);
  assert.equal(isRefusal(error, "UnknownKey"), false);
  assert.equal(isRefusal(new Error("CaseDuplicate")), false);
});

test("refuse: a long text is cut, and an empty list says none", () => {
  const found = "x".repeat(5000);
  const { message } = refused("ReaderUnknown", () =>
    refuse("ReaderUnknown", { place: "--reader", found, known: [] }),
  );
  assert.ok(message.length < 300);
  assert.match(message, /known: none$/);
});

test("noting: goes on after each refusal up to its limit, and then says that the list is full", () => {
  const { complain, refusals } = noting(2);
  const details = (key: string): Refusals["DuplicateKey"] => ({ place: "a:1", key });
  complain("DuplicateKey", details("x"));
  complain("DuplicateKey", details("y"));
  assert.deepEqual(
    refusals.map(({ message }) => message.slice(0, 20)),
    ["DuplicateKey: a:1: x", "DuplicateKey: a:1: y"],
  );
  assert.throws(() => complain("DuplicateKey", details("z")), ListFull);
  assert.equal(isRefusal(new ListFull("full")), false);
  assert.equal(refusals.length, 2);
});

test("attempt: a refusal goes to complain, any other error stays an error", () => {
  const { complain, refusals } = noting(10);
  assert.equal(
    attempt(complain, () => refuse("RunExists", { place: "out" })),
    undefined,
  );
  assert.equal(
    attempt(complain, () => 7),
    7,
  );
  assert.throws(() => attempt(complain, () => assert.fail("a bug")), /a bug/);
  assert.deepEqual(
    refusals.map(({ code }) => code),
    ["RunExists"],
  );
});
