/** The chain of trial rows: what was changed, removed, moved or added by hand is found, and the row named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { limits } from "../../src/core/limits.ts";
import { memoryTrialLedger } from "../../src/ledger/memory-trials.ts";
import { parseTrialRows, trialChain, trialHeadAt } from "../../src/ledger/trial-chain.ts";
import { trialsOf } from "../../src/ledger/trial-ledger.ts";
import { refused, refusedLater } from "../core/refused.ts";
import { runOf } from "./a-ledger.ts";
import { end, fail, identityOf, parsed, sha256, someLines, start, textOf } from "./a-trial.ts";

const EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A line that says something else at a key. */
const edited = (line: string | undefined, change: { [key: string]: Json }) =>
  canonical({ ...(JSON.parse(line as string) as { [key: string]: Json }), ...change });

/** `place subject` of the refusal, and what was found and expected. */
function broken(lines: readonly string[]) {
  const { place, subject, found, expected } = refused("TrialLedgerBroken", () => parsed(lines)).details;
  return { at: `${place} ${subject}`, found, expected };
}

describe("trial chain", () => {
  it("each row holds the digest of the line before, the first that of the empty text", async () => {
    const lines = await someLines(3);
    const { rows, head } = parsed(lines);
    assert.equal(rows.length, 6);
    assert.deepEqual(
      rows.map(({ prev }) => prev),
      [EMPTY, ...lines.slice(0, -1).map(digestOf)],
    );
    assert.equal(head, digestOf(lines.at(-1) as string));
    assert.deepEqual(parsed([]), { place: "x.jsonl", rows: [], head: EMPTY });
  });

  it("an edited row: the next one does not follow, and both are named", async () => {
    const lines = await someLines(3);
    const found = broken(lines.with(2, edited(lines[2], { seed: 5 })));
    assert.equal(found.at, "x.jsonl:4 row 3");
    assert.match(found.expected, /: the digest of row 2, which was changed, unless row 3 was not/);
    assert.equal(found.found, `prev ${digestOf(lines[2] as string)}`);
  });

  it("an edited last row: it has another head", async () => {
    const lines = await someLines(3);
    const other = parsed(lines.with(5, edited(lines[5], { measures: 7 })));
    assert.notEqual(other.head, parsed(lines).head);
    assert.equal(trialHeadAt(other, 5), trialHeadAt(parsed(lines), 5));
  });

  it("a removed row, the first one too, and rows that changed places", async () => {
    const lines = await someLines(3);
    for (const row of [0, 2, 4]) {
      const found = broken(lines.toSpliced(row, 1));
      assert.equal(found.at, `x.jsonl:${row + 1} row ${row}`);
      assert.equal(found.found, `row number ${row + 1}`);
    }
    assert.equal(broken([lines[1], lines[0], ...lines.slice(2)] as string[]).at, "x.jsonl:1 row 0");
    assert.equal(broken(lines.with(2, lines[4] as string).with(4, lines[2] as string)).at, "x.jsonl:3 row 2");
    const last = parsed(lines.slice(0, -1));
    assert.deepEqual([last.rows.length, trialHeadAt(last, 6)], [5, undefined], "its number says so");
  });

  it("a removed row after which all were numbered anew", async () => {
    const lines = await someLines(3);
    const anew = lines.toSpliced(2, 1).map((line, row) => edited(line, { row }));
    assert.equal(broken(anew).at, "x.jsonl:3 row 2");
  });

  it("a row that was added by hand", async () => {
    const lines = await someLines(2);
    const own = edited(lines[2], { row: 4 });
    assert.equal(broken([...lines, own]).at, "x.jsonl:5 row 4");
    assert.equal(broken([...lines, lines[3] as string]).found, "row number 3");
    assert.equal(broken([...lines, "{}"]).found, "v absent");
    const right = edited(own, { prev: parsed(lines).head });
    assert.equal(parsed([...lines, right]).rows.length, 5, "the chain alone cannot tell it from a trial");
  });

  it("a second end, an end of nothing, of an end, of another run's trial", async () => {
    const next = (content: Parameters<ReturnType<typeof trialChain>["next"]>[0], from: readonly string[]) => {
      const chain = trialChain("x.jsonl", sha256);
      for (const line of from) chain.take(line);
      return refused("TrialLedgerBroken", () => chain.next(content)).details;
    };
    const lines = await someLines(2);
    const begun = lines.slice(0, 3);
    assert.equal(next({ kind: "end", ...end(0, 0) }, lines).found, "a second end of row 0");
    assert.equal(next({ kind: "end", ...end(0, 0) }, lines).expected, "one, which is row 1");
    assert.equal(next({ kind: "fail", ...fail(2, 1) }, lines).found, "a second end of row 2");
    assert.equal(next({ kind: "end", ...end(3, 1) }, begun).found, "an end of row 3");
    assert.equal(next({ kind: "end", ...end(1, 0) }, begun).found, "an end of row 1");
    assert.equal(next({ kind: "fail", ...fail(2, 5) }, begun).expected, `${runOf(1)}, which began in row 2`);
    const chain = trialChain("x.jsonl", sha256);
    for (const line of begun) chain.take(line);
    assert.equal(chain.take(chain.next({ kind: "fail", ...fail(2, 1) })).row, 3);
  });

  it("another spelling, a line that is no JSON, a last line that is torn", async () => {
    const lines = await someLines(1);
    const [first, second] = lines as [string, string];
    for (const other of [
      `${first} `,
      first.replace(":", ": "),
      first.replace('"at"', '"\\u0061t"'),
      "\ufeff{}",
    ])
      assert.equal(broken([other, second]).at, "x.jsonl:1 row 0", other);
    assert.equal(broken([first, `${second}\r`]).at, "x.jsonl:2 row 1");
    assert.equal(broken([first, "", second]).at, "x.jsonl:2 row 1");
    assert.equal(broken([first, '{"row":1,"row":1}']).at, "x.jsonl:2 row 1");
    const torn = refused("TrialLedgerBroken", () => parseTrialRows(`${first}\n${second}`, "x.jsonl", sha256));
    assert.equal(torn.details.subject, "row 1");
    assert.equal(torn.details.found, "a line without its newline");
  });

  it("LimitExceeded: a row of more bytes than an entry; one less is taken", () => {
    const chain = trialChain("x.jsonl", sha256);
    const rest = chain.next({ kind: "start", ...start(0, { config: "" }) }).length;
    const most = limits.entryBytes - rest;
    const big = chain.next({ kind: "start", ...start(0, { config: "x".repeat(most) }) });
    assert.equal(chain.take(big).row, 0);
    const more = { kind: "start", ...start(0, { config: "x".repeat(most + 1) }) } as const;
    assert.equal(refused("LimitExceeded", () => chain.next(more)).details.found, limits.entryBytes + 1);
    assert.equal(chain.rows(), 1);
  });

  it("what is refused is not taken", async () => {
    const lines = await someLines(2);
    const chain = trialChain("x.jsonl", sha256);
    chain.take(lines[0] as string);
    const head = chain.head();
    refused("TrialLedgerBroken", () => chain.take(lines[2] as string));
    refused("TrialLedgerBroken", () => chain.take(lines[0] as string));
    assert.deepEqual([chain.rows(), chain.head()], [1, head]);
    assert.equal(chain.take(lines[1] as string).row, 1);
  });

  it("the head as it was at each row", async () => {
    const lines = await someLines(2);
    const ledger = parsed(lines);
    for (let rows = 0; rows <= 4; rows++)
      assert.equal(trialHeadAt(ledger, rows), parsed(lines.slice(0, rows)).head);
    assert.equal(trialHeadAt(ledger, 5), undefined);
  });
});

describe("trial chain: any change", () => {
  it("of any byte is found, in the last row by the head", async () => {
    const lines = await someLines(3);
    const text = textOf(lines);
    const { head } = parsed(lines);
    const isFound = (changed: string) => {
      try {
        const other = parseTrialRows(changed, "x.jsonl", sha256);
        return trialHeadAt(other, lines.length) === head ? "no" : "by the head";
      } catch (error) {
        assert.equal((error as { code?: string }).code, "TrialLedgerBroken");
        return "yes";
      }
    };
    assert.equal(isFound(text), "no");
    const inLast = text.length - (lines.at(-1) as string).length - 1;
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.nat(3),
        fc.string({ maxLength: 3, unit: fc.constantFrom(...'0123456789abcdef{}[]",:\n ') }),
        (at, length, instead) => {
          const changed = text.slice(0, at) + instead + text.slice(at + length);
          fc.pre(changed !== text);
          assert.ok(isFound(changed) === "yes" || (at + length >= inLast && isFound(changed) !== "no"));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("trials", () => {
  it("are start rows: another seed and the same run again are others, repeats are not", async () => {
    const ledger = memoryTrialLedger("x");
    const one = { identity: identityOf(1) };
    await ledger.start(start(0, { ...one, repeats: 20 }));
    await ledger.end(end(0, 0, { measures: 5, series: identityOf(9) }));
    await ledger.start(start(1, one));
    await ledger.start(start(2, { ...one, seed: 2 }));
    await ledger.fail(fail(3, 2, "a member left without a return"));
    await ledger.start(start(3, { identity: identityOf(2) }));
    const trials = trialsOf((await ledger.read()).rows);
    assert.deepEqual(
      trials.map(({ start: row, first, state, end: last, measures, reason }) => [
        row,
        first,
        state,
        last,
        measures,
        reason,
      ]),
      [
        [0, 0, "ended", 1, 5, null],
        [2, 0, "unfinished", null, null, null],
        [3, 3, "failed", 4, null, "a member left without a return"],
        [5, 5, "unfinished", null, null, null],
      ],
    );
    assert.deepEqual([trials[0]?.repeats, trials[0]?.series, trials[1]?.series], [20, identityOf(9), null]);
    assert.throws(() => trialsOf([{ kind: "end", start: 0, row: 1 } as never]), RangeError);
  });

  it("a ledger in memory gives the rows that it took, and no more", async () => {
    const ledger = memoryTrialLedger("x");
    const mark = await ledger.start(start(0));
    assert.deepEqual(mark, { row: 0, rows: 1, head: digestOf(mark.line), line: mark.line });
    assert.equal(await ledger.prefix(1), `${mark.line}\n`);
    assert.equal(await ledger.prefix(0), "");
    await refusedLater("TrialLedgerBroken", () => ledger.prefix(2));
    await refusedLater("TrialLedgerBroken", () => ledger.end(end(1, 0)));
    assert.equal((await ledger.end(end(0, 0))).rows, 2);
    assert.deepEqual([ledger.name, ledger.place, (await ledger.read()).torn], ["x", "memory", 0]);
  });
});
