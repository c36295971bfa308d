/** Tables of answers laid in folders of their own, and what `blindcast leakage` says of them. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import type { AnswerTrial } from "../fixtures/answer-faults.ts";
import { lastLine, type Ran, workspace } from "./command-line.ts";
import { warm } from "./many-runs.ts";

export type LeakageRow = {
  h: number;
  estimate: number | null;
  se: number | null;
  se_cr1: number | null;
  ci95: [number, number] | null;
  n_pre: number;
  clusters_pre: number;
  state: string;
};
export type LeakageModel = {
  model: string;
  cutoff: string;
  gap_not_leakage: number | null;
  discontinuity: LeakageRow[];
  sensitivity: { cutoff: string; estimate: number | null; se: number | null; state: string }[];
  mde: number | null;
};
export type Leakage = {
  models: LeakageModel[];
  control: {
    treated: string;
    control: string;
    estimate: number | null;
    se: number | null;
    se_cr1: number | null;
    clusters: number;
    placebo_slope: number | null;
  }[];
  paired: {
    a: string;
    b: string;
    n: number;
    mean: number;
    se: number;
    se_clustered: number;
    clusters: number;
  }[];
};

let made = 0;

/** A folder with answers.csv and models.csv. */
export function layAnswers({ answers, models }: Pick<AnswerTrial, "answers" | "models">): string {
  const folder = path.join(workspace, "answers", String(made++));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "answers.csv"), answers);
  fs.writeFileSync(path.join(folder, "models.csv"), models);
  return folder;
}

/** The words of a run in such a folder: lower is better unless they say otherwise. */
export function leakageWords(...words: readonly string[]): string[] {
  const better = words.includes("--better") ? [] : ["--better", "lower"];
  const models = words.includes("--models") ? [] : ["--models", "models.csv"];
  return ["leakage", "answers.csv", ...models, ...better, ...words];
}

export const leakage = (folder: string, ...words: readonly string[]): Ran =>
  warm(leakageWords(...words), { cwd: folder });

/** The one line of `--json`. */
export function leakageJson(folder: string, ...words: readonly string[]): Leakage {
  const ran = leakage(folder, ...words, "--json");
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout.trimEnd().split("\n").length, 1, "one line");
  return lastLine<Leakage>(ran);
}

export const atH = ({ discontinuity }: LeakageModel): LeakageRow => discontinuity[1] as LeakageRow;

export function nearly(found: number | null | undefined, expected: number, distance: number): void {
  assert.ok(
    typeof found === "number" && Math.abs(found - expected) <= distance,
    `expected ${expected} ± ${distance}, got ${found}`,
  );
}
