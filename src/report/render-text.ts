/** The report for a terminal of 80 columns: first what a reader needs first. Rendered from the report alone. */
import type { Json } from "../core/canonical.ts";
import { clip, visible } from "../core/words.ts";
import { leakageText } from "./leakage-text.ts";

type Fields = { readonly [key: string]: Json };
type Shown = {
  readonly mean: number | null;
  readonly ci95: readonly [number, number] | null;
  readonly n: number;
  readonly clusters: number;
  readonly method: string;
  readonly state: string;
};

const LABEL = 26;

/** `emphasis` marks the verdict where a terminal has colour; `section`: lines of a section that stand for the Brier scores. */
export function renderText(
  report: { readonly result: Json; readonly evidence: Json },
  digest: string,
  emphasis: (text: string, good: boolean) => string,
  section: readonly string[] | null = null,
): string {
  const r = shownJson(report.result) as Fields;
  const e = shownJson(report.evidence) as Fields;
  const reader = (r["stamp"] as Fields)["reader"] as Fields;
  const headline = r["headline"] as Fields;
  const outcomes = headline["outcomes"] as Fields;
  const failed = r["failed_cases"] as readonly Fields[];
  const level = ((r["stamp"] as Fields)["bootstrap"] as Fields)["level"] as number;
  const total = (r["tally"] as Fields)["cases"];
  const cases = new Set(failed.map((failure) => failure["case"])).size;
  const verdict =
    r["verdict"] === "green"
      ? emphasis(`GREEN  no case failed${unanswered(r["tally"] as Fields)}`, true)
      : emphasis(
          cases > 0
            ? `RED  ${cases} of ${total} cases failed`
            : `RED  no case ${section === null ? "has a score" : "has an answer and a known outcome"}`,
          false,
        );
  const above = [
    `${(r["caseset"] as Fields)["name"]} · ${reader["name"]} · ${headline["n"] === total ? total : `${headline["n"]} of ${total}`} cases${section === null ? `, ${outcomes["settled"]} settled, ${outcomes["events"]} events` : ""}`,
    verdict,
    "",
    ...(section === null ? [...figureTable(r, level), ...premiumLines(r["premium"] as Fields)] : []),
  ];
  const record = [
    "",
    ...plantLines(r["plants"] as Fields, e["plants"] as Fields),
    ...failureLines(failed),
    ...faultLines((e["faults"] ?? []) as readonly Fields[]),
    ...tallyLines(
      r["tally"] as Fields,
      r["unsettled"] as readonly Fields[],
      (r["arms"] as Fields)["routed"] as Fields | null,
    ),
    ...splitLines((r["stamp"] as Fields)["split"] as Fields | undefined),
    ...modelLines(e),
  ];
  const below = [
    ...findingLines(r["findings"] as readonly Fields[]),
    "",
    ...notEstimated(r["not_estimated"] as readonly Fields[]),
    ...recordLines(e),
    `result ${digest}`,
    "",
  ];
  const leakage = leakageText(r["leakage"] as Json, level);
  const middle = (section ?? []).map(visible);
  return [
    ...above.flatMap(wrapped),
    ...middle,
    ...record.flatMap(wrapped),
    ...leakage,
    ...below.flatMap(wrapped),
  ].join("\n");
}

/** Names and messages in it are those of readers, endpoints and whoever made the run. */
function shownJson(value: Json): Json {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(shownJson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [visible(key), shownJson(one)]));
}

/** Not failures, and not to be missed beside a mean that is over the others. */
function unanswered({ sampled, answered }: Fields): string {
  const missing = (sampled as number) - (answered as number);
  return missing === 0 ? "" : `, ${missing} of ${sampled} trajectories not answered`;
}

/** Whose word the record is; that its signature holds, only a replay says. */
function recordLines(e: Fields): string[] {
  const { abandoned } = e["attempts"] as { readonly abandoned: number };
  const assurance = e["signed"]
    ? `signed as ${e["ledger"]} (self-signed: blindcast replay checks it)`
    : "unsigned: nothing proves that it was not changed since";
  return [
    `run ${e["run"]}, ${(e["entries"] as Fields)["size"]} entries, ${assurance}`,
    ...(abandoned > 0 ? [`resumed: ${abandoned} attempts were cut off, and are in the record`] : []),
    ...(e["replaces"] === null ? [] : [`in place of run ${e["replaces"]}, which was moved aside`]),
  ];
}

const COLUMNS = 80;

/** Words only: a line of figures is never broken, it is as wide as its names. */
function wrapped(line: string): string[] {
  if (line.length <= COLUMNS || /[●–]|sha256:|^ +0 +\d/.test(line)) return [line];
  const indent = /^(\w+: |\s*)/.exec(line)?.[0].length ?? 0;
  const lines: string[] = [];
  let rest = line;
  while (rest.length > COLUMNS) {
    const at = rest.lastIndexOf(" ", COLUMNS);
    if (at <= indent) break;
    lines.push(rest.slice(0, at));
    rest = " ".repeat(indent) + rest.slice(at + 1);
  }
  return [...lines, rest];
}

function figureTable(r: Fields, level: number): string[] {
  const arms = r["arms"] as Fields;
  const rows: [string, Shown][] = [];
  const add = (name: string, arm: Json | undefined) => {
    if (arm != null) rows.push([name, (arm as Fields)["brier"] as unknown as Shown]);
  };
  add("routed", arms["routed"]);
  add("latest", arms["latest"]);
  for (const [snapshot, arm] of Object.entries((arms["control"] ?? {}) as Fields))
    add(`control:${snapshot}`, arm);
  const width = Math.max(LABEL, ...rows.map(([name]) => name.length + 2));
  const scale = Math.max(
    0.25,
    ...rows.flatMap(([, figure]) => (figure.ci95 === null ? [figure.mean ?? 0] : [figure.ci95[1]])),
  );
  return [
    `${"Brier (0 best, 1 worst)".padEnd(width)}${"mean".padStart(8)}  ${`${Math.round(level * 1000) / 10} % interval`.padEnd(17)}    n`,
    ...rows.map(([name, figure]) => `${name.padEnd(width)}${figureText(figure)}  ${bar(figure, scale)}`),
    ...(rows.some(([, figure]) => figure.ci95 !== null)
      ? [`${" ".repeat(width + 32)}0${scale.toFixed(2).padStart(BAR - 1)}`]
      : []),
    ...rows.flatMap(([name, { state, clusters }]) =>
      state === "too few clusters"
        ? [`${name}: ${clusters} clusters, too few to draw from: a t interval`]
        : [],
    ),
  ];
}

const BAR = 18;

/** `   ├──●──┤      ` on a scale from 0. */
function bar({ mean, ci95 }: Shown, scale: number): string {
  if (mean === null) return "";
  const at = (value: number) => Math.max(0, Math.min(BAR - 1, Math.round((value / scale) * (BAR - 1))));
  const cells = new Array<string>(BAR).fill(" ");
  if (ci95 !== null) {
    for (let i = at(ci95[0]); i <= at(ci95[1]); i++) cells[i] = "─";
    cells[at(ci95[0])] = "├";
    cells[at(ci95[1])] = "┤";
  }
  cells[at(mean)] = "●";
  return cells.join("").trimEnd();
}

function figureText({ mean, ci95, n }: Shown): string {
  const shown = (value: number) => value.toFixed(4).padStart(7);
  if (mean === null) return `${"–".padStart(8)}  ${"–".padEnd(18)}${String(n).padStart(2)}`;
  const interval = ci95 === null ? "not estimable" : `[${shown(ci95[0])},${shown(ci95[1])}]`;
  return `${shown(mean).padStart(8)}  ${interval.padEnd(17)}${String(n).padStart(5)}`;
}

function premiumLines(premium: Fields): string[] {
  if (premium["all"] === null) return [`Latest arm: none (${premium["reason"]})`];
  const lines = ["", "Premium of the latest checkpoint: its Brier - the routed one's; < 0 looks better"];
  const row = (name: string, label: string) => {
    const figure = premium[name] as unknown as Shown | null;
    if (figure !== null)
      lines.push(
        `  ${label.padEnd(30)}${figureText(figure)}  ${figure.state === "estimated" ? "" : figure.state === "too few clusters" ? "< 100 clusters" : figure.state}`.trimEnd(),
      );
  };
  row("all", "all cases");
  row("inside", "inside: it may remember these");
  row("placebo", "placebo: it cannot");
  row("net", "net = inside - placebo");
  if (premium["reason"] !== null) lines.push(`  ${premium["reason"]}`);
  return lines;
}

/** `served 0` with nothing in reach proves nothing, and says so. */
function plantLines(plants: Fields, evidence: Fields): string[] {
  const reach = evidence["in_reach"] as number;
  const served = plants["served"] as number;
  const said =
    served > 0
      ? `served ${served}: the door leaks`
      : reach === 0
        ? "served 0, none in reach: not exercised"
        : `served 0 of ${reach} calls that an unbounded door would have answered with one`;
  const missing = plants["not_exercised"] as number;
  return [
    `Plants: ${plants["proven"]} of ${plants["future"]} (case, table) pairs proven; ${said}`,
    ...(missing > 0 ? [`        ${missing} pairs without a visible row: not exercised`] : []),
  ];
}

const MOST_FAILURES = 10;

function failureLines(failed: readonly Fields[]): string[] {
  const lines = failed
    .slice(0, MOST_FAILURES)
    .map(
      (one) =>
        `  ${one["case"]} (${one["arm"]}) ${one["rule"]} at step ${one["step"]}: ${one["call"]}${one["detail"] === undefined ? "" : `: ${one["detail"]}`}`,
    );
  if (failed.length > MOST_FAILURES)
    lines.push(`  … and ${failed.length - MOST_FAILURES} more in report.json`);
  return failed.length === 0 ? [] : ["Failed (their scores stay in the means):", ...lines];
}

const MOST_FINDINGS = 5;

/** Queries that named what came later, each with its call; other findings are told where they belong. */
function findingLines(findings: readonly Fields[]): string[] {
  const named = findings.filter(({ finding }) => finding === "query-names-later-entity");
  const lines = named
    .slice(0, MOST_FINDINGS)
    .map(
      (one) =>
        `  ${one["case"]} (${one["arm"]}) step ${one["step"]}: ${clip(String(one["call"]), 120)}: ${one["entity"]}, first available ${one["first_available"]}`,
    );
  return named.length > MOST_FINDINGS
    ? [...lines, `  … and ${named.length - MOST_FINDINGS} more in report.json`]
    : lines;
}

const MOST_FAULTS = 5;

function faultLines(faults: readonly Fields[]): string[] {
  const lines = faults
    .slice(0, MOST_FAULTS)
    .map((one) => `  ${one["case"]} (${one["arm"]}) ${one["class"]}: ${clip(String(one["message"]), 200)}`);
  if (faults.length > MOST_FAULTS) lines.push(`  … and ${faults.length - MOST_FAULTS} more in report.json`);
  return faults.length === 0 ? [] : ["Not answered:", ...lines];
}

function tallyLines(tally: Fields, unsettled: readonly Fields[], routed: Fields | null): string[] {
  const faults = Object.entries(tally["faults"] as Fields).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `Tally: ${tally["sampled"]} trajectories: ${tally["answered"]} answered, ${tally["declined"]} declined, faults: ${faults.join(", ") || "none"}; ${tally["unscored"]} unscored`,
  ];
  const unrouted = (routed?.["unrouted"] ?? 0) as number;
  if (unrouted > 0)
    lines.push(`       ${unrouted} cases unrouted: no checkpoint of the family precedes them`);
  if (unsettled.length > 0)
    lines.push(
      `       ${unsettled.length} cases without an outcome: ${unsettled
        .slice(0, 3)
        .map((one) => `${one["case"]} ${one["state"]} (${one["reason"]})`)
        .join("; ")}${unsettled.length > 3 ? "; …" : ""}`,
    );
  return lines;
}

/** How cases were split, and how many of them no fold tests. */
function splitLines(split: Fields | undefined): string[] {
  if (split === undefined) return [];
  const { name, folds, not_asked: rest } = split;
  const left = rest === 0 ? "" : `; ${rest} cases that none tests were trained on, and not asked`;
  return [`Split: ${name}, ${(folds as readonly Json[]).length} folds${left}`];
}

/** What was called and spent, where a reader or a judge did, and which model answered. */
function modelLines(e: Fields): string[] {
  const { models, judges, usage } = e as { readonly [key: string]: Fields | undefined };
  const lines = [
    ...(models === undefined ? [] : callLines("Models", models)),
    ...(judges === undefined ? [] : callLines("Judges", judges)),
  ];
  if (usage === undefined) return lines;
  const amount = (key: string, words: string) => (usage[key] === null ? [] : [`${usage[key]} ${words}`]);
  const spent = [
    ...amount("input_tokens", "tokens in"),
    ...amount("output_tokens", "tokens out"),
    ...(usage["cost"] === null ? [] : [`cost ${usage["cost"]}`]),
  ];
  return spent.length === 0 ? lines : [...lines, `Used: ${spent.join(", ")}`];
}

function callLines(name: string, calls: Fields): string[] {
  const counts = (key: string) =>
    Object.entries(calls[key] as Fields).map(([reason, count]) => `${count} ${reason}`);
  const [again, failed] = [counts("retries"), counts("failed")];
  const served = (calls["served"] as readonly Fields[]).map(
    ({ model, served: by, calls: count }) =>
      `${model}${by === null || by === model ? "" : ` served as ${by}`}: ${count}`,
  );
  const parts = [
    `${calls["calls"]} calls`,
    ...(calls["cached"] === 0 ? [] : [`${calls["cached"]} out of the cache`]),
    ...(again.length === 0 ? [] : [`tried again ${again.join(", ")}`]),
    ...(failed.length === 0 ? [] : [`failed ${failed.join(", ")}`]),
  ];
  return [`${name}: ${parts.join("; ")}`, ...served.map((line) => `        ${line}`)];
}

function notEstimated(rows: readonly Fields[]): string[] {
  return rows.map((row) => `Not estimated: ${row["section"]}: ${row["reason"]}`);
}
