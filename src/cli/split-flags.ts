/** The flags of `split`: how to split, or which file of splits to audit, and what only one of them has. */
import type { SplitDefinition } from "../caseset/split-definition.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { limits } from "../core/limits.ts";
import { refuse } from "../core/refusal.ts";
import { flagged, integer, type Raw, text } from "./arguments.ts";

export type SplitFlags = {
  /** What to do: one of them. */
  readonly work: { readonly definition: SplitDefinition } | { readonly audit: string };
  readonly embargo: Duration;
  readonly allowEmpty: boolean;
  readonly plot: string | undefined;
  readonly json: boolean;
};

const MODES = ["folds", "groups", "walk-forward", "audit"] as const;
/** Flags that only one of them has. */
const BELONGS: readonly (readonly [flag: string, mode: (typeof MODES)[number]])[] = [
  ["test-groups", "groups"],
  ["minimum-train", "walk-forward"],
  ["rolling", "walk-forward"],
];

/** As it is told; null where there is none. */
export function embargoTold({ embargo }: Pick<SplitFlags, "embargo">): string | null {
  const { months, days, micros, text: told } = embargo;
  return months === 0 && days === 0 && micros === 0 ? null : told;
}

export function splitFlags(raw: Raw): SplitFlags {
  const given = MODES.filter((mode) => text(raw, mode) !== undefined);
  const [mode, second] = given;
  if (mode === undefined || second !== undefined)
    return refuse("ArgumentInvalid", {
      place: "command line",
      found: given.map((one) => `--${one}`).join(" "),
      expected: `one of ${MODES.map((one) => `--${one}`).join(", ")}`,
      next: "say how to split, or which file of splits to audit",
    });
  for (const [flag, owner] of BELONGS) {
    const found = text(raw, flag);
    if (found !== undefined && owner !== mode)
      refuse("ArgumentInvalid", { place: `--${flag}`, found, expected: `--${owner} beside it` });
  }
  const plot = text(raw, "plot");
  if (mode === "audit" && plot !== undefined)
    refuse("ArgumentInvalid", { place: "--plot", found: plot, expected: "no --audit beside it" });
  const embargo = parseDuration(text(raw, "embargo") ?? "P0D", "--embargo", "a duration") as Duration;
  return {
    work:
      mode === "audit"
        ? { audit: text(raw, "audit") as string }
        : { definition: definitionOf(raw, mode, embargo.text) },
    embargo,
    allowEmpty: flagged(raw, "allow-empty"),
    plot,
    json: flagged(raw, "json"),
  };
}

function definitionOf(
  raw: Raw,
  mode: Exclude<(typeof MODES)[number], "audit">,
  embargo: string,
): SplitDefinition {
  const number = (flag: string, least: number, most: number) => integer(raw, flag, least, most) as number;
  if (mode === "folds") return { kind: "kfold", folds: number("folds", 2, limits.splitFolds), embargo };
  if (mode === "groups") {
    const groups = number("groups", 2, limits.splitGroups);
    const tested = integer(raw, "test-groups", 1, groups - 1);
    if (tested === undefined)
      return refuse("ArgumentInvalid", {
        place: "--test-groups",
        found: "",
        expected: `how many of the ${groups} groups are tested at a time, 1 to ${groups - 1}`,
      });
    return { kind: "combinatorial", groups, test_groups: tested, embargo };
  }
  const folds = number("walk-forward", 1, limits.splitFolds);
  const least = integer(raw, "minimum-train", 1, limits.cases);
  const rolling = integer(raw, "rolling", least ?? 1, limits.cases);
  return {
    kind: "walk-forward",
    folds,
    ...(least === undefined ? {} : { minimum_train: least }),
    ...(rolling === undefined ? {} : { rolling }),
    embargo,
  };
}
