/** Selection: which cases of a set a run takes; an empty one is an error (law 7). */
import type { BoundedCase } from "../caseset/bounded-case.ts";
import { refuse } from "../core/refusal.ts";

export type Filter = { readonly key: "id" | "tag" | "cluster"; readonly value: string };
const filterKeys = ["id", "tag", "cluster"] as const;

/** `--filter tag=rain`, `--filter id=rain-2014-*`: exact, or with `*` at the end everything that starts so. */
export function parseFilter(text: string): Filter {
  const at = text.indexOf("=");
  const key = text.slice(0, at);
  if (at < 1 || text.length === at + 1 || !filterKeys.includes(key as Filter["key"])) {
    refuse("ArgumentInvalid", {
      place: "--filter",
      found: text,
      expected: `KEY=VALUE with one of the keys ${filterKeys.join(", ")}`,
    });
  }
  return { key: key as Filter["key"], value: text.slice(at + 1) };
}

/** The cases that pass every filter, in the set's order, the first `limit` of them. */
export function selectCases(
  cases: readonly BoundedCase[],
  filters: readonly Filter[],
  limit: number | null,
  place: string,
): BoundedCase[] {
  const chosen = cases.filter((item) => filters.every((filter) => passes(item, filter)));
  const selected = limit === null ? chosen : chosen.slice(0, limit);
  if (selected.length === 0) {
    const selection =
      filters.length === 0
        ? "the case set"
        : filters.map(({ key, value }) => `--filter ${key}=${value}`).join(" ");
    refuse("SelectionEmpty", { place, selection, of: cases.length });
  }
  return selected;
}

function passes(item: BoundedCase, { key, value }: Filter): boolean {
  const values =
    key === "id" ? [item.id] : key === "tag" ? item.tags : item.cluster === null ? [] : [item.cluster];
  return values.some((own) => (value.endsWith("*") ? own.startsWith(value.slice(0, -1)) : own === value));
}
