/** Pictures of decisions out of a small report made by hand: every mark by arithmetic, each line its own, unknown is never 0. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { decisionPictures, slicePanels, trialDots } from "../../src/profile/decision-plot.ts";
import { textsOf, xmlFault } from "../report/well-formed.ts";

/** Case `n` is the month of that number; the last one's label ends a second before the next. */
const marksOf = (returns: Returns) => [
  ...returns.map(([id]) => `2021-0${id}-01T05:00:00Z`),
  `2021-0${Number(returns.at(-1)?.[0]) + 1}-01T04:59:59Z`,
];

type Returns = readonly (readonly [string, number | null])[];
const account = (returns: Returns, more: object = {}) => ({
  repeat: 0,
  held: 0,
  state: "ok",
  total_return: 0.32,
  drawdown: -0.5,
  sharpe: 0.25,
  marks: marksOf(returns),
  returns,
  ...more,
});
const unknown = { state: "unknown-return", total_return: null, drawdown: null, sharpe: null };
const routed: Returns = [
  ["1", 0.25],
  ["2", -0.5],
  ["3", 1],
];
const latest: Returns = [
  ["1", 0.5],
  ["2", null],
  ["3", 0.5],
];
const slices = {
  universe: {
    cases: 3,
    arms: { latest: [account(latest, unknown)], routed: [account(routed), { repeat: 1 }] },
  },
  all: { cases: 1, arms: { routed: [account([["2", -0.25]])] } },
};
const units = { ddof: 1, per: "month", periods_per_year: 12, risk_free: 0 };
const report = (more: object = {}, trials?: object) =>
  ({
    result: { caseset: { name: "by-hand" }, decisions: { units, slice: "universe", slices, ...more } },
    evidence: trials === undefined ? {} : { trials },
  }) as unknown as { result: Json; evidence: Json };
const ratio = (more: object) => ({
  name: "1 timer",
  sharpe: 0.4,
  error: 0.1,
  psr: 0.9,
  dsr: 0.8,
  state: "ok",
  ...more,
});
const trials = (figures: object | null) => ({
  ledger: "by-hand",
  rows: 6,
  head: "sha256:00",
  row: 4,
  figures:
    figures === null
      ? null
      : {
          known_at: { rows: 6, head: "sha256:00" },
          n_trials: 3,
          sr0: 0.2,
          units: { benchmark: 0 },
          own: ratio({}),
          best: ratio({}),
          ...figures,
        },
});

test("slicePanels: growth of 1 from horizon to horizon and to the last label's end, and how far below the highest before", () => {
  const panels = slicePanels("universe", slices.universe.arms as never);
  const shown = panels.map(({ lines }) =>
    lines.map(({ marks }) => marks.map((mark) => [formatInstant(mark.at).slice(0, 13), mark.value])),
  );
  const marks = ["2021-01-01T05", "2021-02-01T05", "2021-03-01T05", "2021-04-01T04"];
  const over = (values: readonly (number | null)[]) => values.map((value, i) => [marks[i], value]);
  assert.deepEqual(shown, [
    [over([1, 1.5, null, null]), over([1, 1.25, 0.625, 1.25])],
    [over([0, 0, null, null]), over([0, 0, -50, 0])],
  ]);
  assert.deepEqual(
    panels.map(({ lines }) => lines.map(({ label }) => label)),
    [
      [
        "latest: the return of a period is not known",
        "routed: return 32.0 %, deepest drawdown -50.0 %, Sharpe ratio 0.25000",
      ],
      [null, null],
    ],
  );
});

test("decisionPictures: a line a slice and arm, the first repeat said, each label; the same bytes again", async () => {
  const pictures = await decisionPictures(report());
  assert.deepEqual(
    pictures.map(({ name }) => name),
    ["decisions"],
  );
  const svg = pictures[0]?.svg ?? "";
  assert.equal(xmlFault(svg), null);
  const told = textsOf(svg).join("\n");
  for (const each of [
    "by-hand: growth of 1, and how far below its highest",
    "growth of 1, slice universe",
    "drawdown, slice universe (% below the highest mark before)",
    "growth of 1, slice all",
    "drawdown, slice all (% below the highest mark before)",
    "not known from 2021-03-01",
    "time (UTC)",
    "2021-02",
    "Of 2 repeats the first",
    "A line ends in a cross",
    "Sharpe ratios are per month",
  ])
    assert.ok(told.includes(each), `${each} in\n${told}`);
  assert.equal([...svg.matchAll(/<g [^>]*aria-label="line"/g)].length, 6, "three accounts, two panels each");
  assert.equal((await decisionPictures(report()))[0]?.svg, svg);
  const one = { universe: { cases: 3, arms: { routed: [account(routed)] } } };
  const [plain] = await decisionPictures(report({ slices: one }));
  assert.doesNotMatch(textsOf(plain?.svg ?? "").join(" "), /repeats|cross/);
});

test("decisionPictures: nothing for a report without decisions, without accounts, or without ratios", async () => {
  const none = report({ slices: {} }, trials(null));
  assert.deepEqual(await decisionPictures(none), []);
  const { evidence } = report();
  assert.deepEqual(await decisionPictures({ result: { caseset: { name: "other" } }, evidence }), []);
  const ratios = await decisionPictures(report({ slices: {} }, trials({})));
  assert.deepEqual(
    ratios.map(({ name }) => name),
    ["trials"],
  );
});

test("trialDots: this trial with its errors, the best known where it is another, the benchmark and SR0", async () => {
  const dotsOf = (figures: object) => trialDots(trials(figures).figures as never);
  const other = { name: "0 other", sharpe: 0.5, dsr: 0.9 };
  const both = dotsOf({ best: other });
  const [low, high] = both?.dots[0]?.reach ?? [];
  assert.ok(Math.abs((low as number) - 0.204) < 1e-4 && Math.abs((high as number) - 0.596) < 1e-4);
  assert.deepEqual(
    both?.dots.map(({ label, value, strong }) => [label, value, strong]),
    [
      ["this trial", 0.4, true],
      ["the best known", 0.5, true],
    ],
  );
  assert.deepEqual(both?.lines, [
    { value: 0, label: "0: the benchmark" },
    { value: 0.2, label: "SR0 0.20000: the best of 3 by luck alone" },
  ]);
  assert.equal(dotsOf({})?.dots.length, 1, "it is the best itself");
  assert.equal(dotsOf({ sr0: 0.45 })?.dots[0]?.strong, false);
  assert.equal(dotsOf({ sr0: null })?.lines.length, 1);
  assert.equal(dotsOf({ own: ratio({ sharpe: null, state: "failed" }), best: null }), null);
  const failed = trials({ own: ratio({ sharpe: null, state: "failed" }), best: other });
  const [, picture] = await decisionPictures(report({}, failed));
  const told = textsOf(picture?.svg ?? "").join(" ");
  assert.match(told, /This trial and the 3 trials known at row 5/);
  assert.match(told, /This trial has no ratio: it failed\. The best known is 0 other: DSR 0\.9000\./);
  assert.match(told, /blindcast ledger deflate by-hand --plot DIR/);
  assert.match(told, /N is a lower bound/);
});
