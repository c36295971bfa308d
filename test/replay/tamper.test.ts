import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertEvery } from "../support/all.ts";
import { changed, covered, holds, later, policies, record } from "./tampered.ts";

const places = fc.constantFrom(...covered).chain((name) => {
  const last = (record.files.get(name) as Uint8Array).length - 1;
  return fc.record({ name: fc.constant(name), at: fc.nat(last), bits: fc.integer({ min: 1, max: 255 }) });
});

test("tampering: the record as written is sound, and only these files are left to replay", async () => {
  for (const policy of policies) assert.ok(await holds(record.files, policy));
  assert.ok(covered.length >= 11);
  for (const name of later)
    assert.ok(
      await holds(
        changed(name, (bytes) => bytes.map((byte) => byte ^ 1)),
        record.policy,
      ),
      name,
    );
});

test("tampering: any byte of any other file changed, dropped or doubled is refused, with and without a policy", async () => {
  const property = fc.asyncProperty(places, async ({ name, at, bits }) => {
    const ways: ((bytes: Uint8Array) => Uint8Array)[] = [
      (bytes) => bytes.with(at, (bytes[at] as number) ^ bits),
      (bytes) => Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]),
      (bytes) => Uint8Array.from([...bytes.subarray(0, at), bits, ...bytes.subarray(at)]),
    ];
    for (const way of ways)
      for (const policy of policies) assert.equal(await holds(changed(name, way), policy), false, name);
  });
  await fc.assert(property, { numRuns: 200 });
});

test("tampering: a file cut short, emptied, or made of another file's bytes is refused", async () => {
  const outcomes: { name: string; held: boolean }[] = [];
  for (const name of covered) {
    const others = [...record.files].filter(([each]) => each !== name);
    const ways = [
      new Uint8Array(0),
      (record.files.get(name) as Uint8Array).subarray(0, 10),
      ...others.map(([, bytes]) => bytes),
    ];
    for (const way of ways)
      for (const policy of policies)
        outcomes.push({
          name,
          held: await holds(
            changed(name, () => way),
            policy,
          ),
        });
  }
  assertEvery(outcomes, ({ held }) => !held);
});

test("tampering: whatever bytes a file is made of, the verdict is a verdict and nothing is thrown", async () => {
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json({ maxDepth: 3 }).map((text) => Buffer.from(`${text}\n`)),
    fc
      .constantFrom("[", '{"a":', '{"__proto__":1}', '"\\ud800"', "null\n", "[[[[", "\n\n", "\u2014 a b\n")
      .map((text) => Buffer.from(text)),
  );
  const made = fc.array(pieces, { maxLength: 6 }).map((parts) => Uint8Array.from(Buffer.concat(parts)));
  const property = fc.asyncProperty(fc.constantFrom(...covered), made, async (name, bytes) => {
    for (const policy of policies)
      assert.equal(
        await holds(
          changed(name, () => bytes),
          policy,
        ),
        false,
        name,
      );
  });
  await fc.assert(property, { numRuns: 200 });
});
