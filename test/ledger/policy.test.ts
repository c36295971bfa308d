import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { utf8 } from "../../src/core/bytes.ts";
import { limits } from "../../src/core/limits.ts";
import { formatPolicy, type Group, type Policy, parsePolicy } from "../../src/ledger/policy.ts";
import { formatVerifierKey, type VerifierKey, verifierKey } from "../../src/ledger/verifier-key.ts";
import { refused } from "../core/refused.ts";
import { first, log, party, policyOf, second, seedOf, sha256 } from "./a-log.ts";
import { manglings, parsed } from "./one-spelling.ts";
import { L, policyFaults, W1, W2 } from "./policy-faults.ts";

const parse = (bytes: Uint8Array): Policy => parsePolicy(bytes, "policy", sha256);
const lines = (...texts: string[]) => utf8(texts.map((text) => `${text}\n`).join(""));

const third = party("witness.example/w3", 4, seedOf("third"));
const W3 = `witness w3 ${third.text}`;

test("parsePolicy: logs, witnesses, groups of groups and a quorum, as C2SP tlog-policy writes them", () => {
  const policy = policyOf(
    "# who is believed",
    "  \t# and how",
    "",
    ` \t${L}\t https://ledger.example/a `,
    `${W1} https://witness.example`,
    W2,
    W3,
    "group pair 2 w1 w2",
    "group either any pair w3",
    "group every all either",
    "quorum every",
    "# the end",
  );
  assert.deepEqual(policy.logs, [log.key]);
  assert.deepEqual(
    [...policy.witnesses],
    [
      ["w1", first.key],
      ["w2", second.key],
      ["w3", third.key],
    ],
  );
  assert.deepEqual(
    [...policy.groups],
    [
      ["pair", { k: 2, members: ["w1", "w2"] }],
      ["either", { k: 1, members: ["pair", "w3"] }],
      ["every", { k: 1, members: ["either"] }],
    ],
  );
  assert.equal(policy.quorum, "every");
  assert.deepEqual(parse(utf8(formatPolicy(policy))), policy);
});

test("parsePolicy: the smallest policy is a log and no quorum; one witness may be the quorum", () => {
  assert.deepEqual(policyOf(L, "quorum none"), {
    logs: [log.key],
    witnesses: new Map(),
    groups: new Map(),
    quorum: null,
  });
  assert.equal(policyOf("quorum none", L).quorum, null);
  assert.equal(policyOf(L, W1, "quorum w1").quorum, "w1");
  assert.equal(formatPolicy(policyOf(L, "quorum none")), `${L}\nquorum none\n`);
});

test("parsePolicy: names are octets: a Kelvin sign is no K, and what is no UTF-8 is a name too", () => {
  const kelvin = policyOf(L, `witness K ${first.text}`, `witness \u212a ${second.text}`, "quorum \u212a");
  assert.deepEqual([...kelvin.witnesses.keys(), kelvin.quorum], ["K", "\u212a", "\u212a"]);
  assert.deepEqual(parse(utf8(formatPolicy(kelvin))), kelvin);
  const octets = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
  const raw = parse(
    octets(`# \xff\n${L}\nwitness \xe9 ${first.text}\nwitness \xc3\xa9 ${second.text}\nquorum \xe9\n`),
  );
  assert.deepEqual([...raw.witnesses.keys(), raw.quorum], ["\xe9", "\xc3\xa9", "\xe9"]);
  assert.deepEqual(parse(utf8(formatPolicy(raw))), raw);
  // A key's name is UTF-8 whatever the file is.
  const named = party("\u00e9", 1, seedOf("named"));
  const inUtf8 = Buffer.from(named.text, "utf8").toString("latin1");
  assert.equal(parse(octets(`# \xff\nlog ${inUtf8}\nquorum none\n`)).logs[0]?.name, "\u00e9");
  const { details } = refused("KeyMalformed", () => parse(octets(`log ${named.text}\nquorum none\n`)));
  assert.deepEqual([details.place, details.expected], ["policy:1", "UTF-8"]);
});

for (const [name, texts, place, expected, neighbour] of policyFaults) {
  test(`parsePolicy: PolicyInvalid: ${name}`, () => {
    const { details, message } = refused("PolicyInvalid", () => parse(lines(...texts)));
    assert.equal(details.place, place);
    assert.ok(details.expected.includes(expected), message);
    assert.ok(message.length < 500, message);
    assert.ok(parse(lines(...neighbour)).logs.length > 0);
  });
}

test("parsePolicy: the last line ends in a newline, so that a policy that was cut off is none", () => {
  const whole = lines(L, W1, W2, "group w 1 w1", "quorum w");
  assert.equal(parse(whole).quorum, "w");
  const { details } = refused("PolicyInvalid", () => parse(whole.subarray(0, -1)));
  assert.deepEqual([details.place, details.found], ["policy:5", "quorum w"]);
});

test("parsePolicy: a key's faults keep their codes, with the line", () => {
  const identity = verifierKey("a", 1, Uint8Array.of(1, ...new Uint8Array(31)), sha256);
  const at = (work: () => unknown, code: "KeyMalformed" | "KeyIdMismatch" | "KeyWeak") =>
    refused(code, work).details.place;
  assert.equal(
    at(() => policyOf("#", `log ${formatVerifierKey(identity)}`, "quorum none"), "KeyWeak"),
    "policy:2",
  );
  const other = log.text.replace(log.key.id, "00000000");
  assert.equal(
    at(() => policyOf(`log ${other}`, "quorum none"), "KeyIdMismatch"),
    "policy:1",
  );
  assert.equal(
    at(() => policyOf(L, "witness w1 w1", "quorum none"), "KeyMalformed"),
    "policy:2",
  );
  assert.equal(policyOf(L, "quorum none").logs.length, 1);
});

test("parsePolicy: at most 1 MiB and 1000 lines", () => {
  const filled = (count: number) => lines(L, "quorum none", ...Array.from({ length: count - 2 }, () => "#"));
  assert.equal(parse(filled(limits.policyLines)).logs.length, 1);
  assert.match(
    refused("PolicyInvalid", () => parse(filled(limits.policyLines + 1))).message,
    /1001 lines", expected at most 1000$/,
  );
  const head = lines(L, "quorum none");
  const long = (length: number) => utf8(`${L}\nquorum none\n#${"a".repeat(length - head.length - 2)}\n`);
  assert.equal(parse(long(limits.policyBytes)).logs.length, 1);
  assert.match(
    refused("PolicyInvalid", () => parse(long(limits.policyBytes + 1))).message,
    /expected at most 1048576$/,
  );
});

/** Random policies: groups take what no group before has taken. */
const policies: fc.Arbitrary<Policy> = fc
  .record({
    names: fc.uniqueArray(
      fc.string({ unit: fc.constantFrom(..."ab0+#é\u212a\u00a0\u{1f600}"), minLength: 1, maxLength: 3 }),
      {
        minLength: 3,
        maxLength: 12,
      },
    ),
    logs: fc.integer({ min: 1, max: 3 }),
    witnesses: fc.nat(6),
    draws: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ names, logs, witnesses, draws }) => {
    const some = names.slice(0, witnesses);
    const free = [...some];
    const groups = new Map<string, Group>();
    names.slice(witnesses).forEach((name, i) => {
      const members = free.splice(0, 1 + ((draws[i] as number) % 3));
      if (members.length === 0) return;
      groups.set(name, { k: 1 + ((draws[11 - i] as number) % members.length), members });
      free.push(name);
    });
    const quorum = free.length === 0 || (draws[0] as number) % 4 === 0 ? null : (free.at(-1) as string);
    const keys = (count: number, type: 1 | 4): VerifierKey[] =>
      Array.from({ length: count }, (_, i) =>
        verifierKey(`k${i}`, type, sha256(utf8(`${type} ${i}`)), sha256),
      );
    const cosigners = keys(some.length, 4);
    return {
      logs: keys(logs, 1),
      witnesses: new Map(some.map((name, i) => [name, cosigners[i] as VerifierKey])),
      groups,
      quorum,
    };
  });

test("formatPolicy and parsePolicy are inverse on random policies", () => {
  fc.assert(fc.property(policies, (policy) => assert.deepEqual(parse(utf8(formatPolicy(policy))), policy)));
});

test("parsePolicy: any octets are a policy, which is written and read again as itself, or a refusal", () => {
  const whole = formatPolicy(policyOf(L, W1, W2, "group g 2 w1 w2", "quorum g"));
  const codes = new Set<string>();
  const look = (bytes: Uint8Array) => {
    const result = parsed(() => parse(bytes));
    if ("refusal" in result) codes.add(result.refusal.code);
    else assert.deepEqual(parse(utf8(formatPolicy(result.value))), result.value);
  };
  const some = Uint8Array.from(Buffer.from(whole));
  for (let i = 0; i < some.length; i++)
    for (const octet of [0, 10, 32, 35, 49, 65, 128, 255]) look(some.with(i, octet));
  for (const mangled of manglings("group g 2 w1 w2\nquorum g\n"))
    look(utf8(`${L}\n${W1}\n${W2}\n${mangled}`));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), look), { numRuns: 500 });
  const words = fc.constantFrom(
    "log",
    "witness",
    "group",
    "quorum",
    "none",
    "w1",
    "g",
    "all",
    "1",
    "\n",
    " ",
    "\t",
    log.text,
    first.text,
    `${L}\n`,
    `${W1}\n`,
    "#",
    "\u{1f600}",
  );
  fc.assert(
    fc.property(fc.string({ unit: words, maxLength: 12 }), (text) => look(utf8(text))),
    { numRuns: 2000 },
  );
  assert.deepEqual([...codes].sort(), ["KeyIdMismatch", "KeyMalformed", "PolicyInvalid"]);
});
