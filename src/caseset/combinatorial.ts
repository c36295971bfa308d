/** Combinations of test groups, and the paths that their tests make up (López de Prado, 2018, ch. 12). */

/** Positions in start order, `to` not among them. */
export type Range = { readonly from: number; readonly to: number };

/** `groups` contiguous ranges of `from`..`to` whose sizes differ by at most one: the first take the remainder. */
export function contiguousGroups({ from, to }: Range, groups: number): Range[] {
  const size = Math.floor((to - from) / groups);
  const larger = to - from - size * groups;
  const edge = (group: number) => from + group * size + Math.min(group, larger);
  return Array.from({ length: groups }, (_, group) => ({ from: edge(group), to: edge(group + 1) }));
}

/** C(n, k); Infinity where it is above `most`. */
export function combinationCount(n: number, k: number, most: number): number {
  let count = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) {
    // Exact: a product of i consecutive integers is a multiple of i!, and most · n is far below 2^53.
    count = (count * (n - i + 1)) / i;
    if (count > most) return Number.POSITIVE_INFINITY;
  }
  return count;
}

/** Every choice of k of the numbers 0..n−1, each ascending, in lexicographic order. */
export function* combinations(n: number, k: number): Generator<readonly number[]> {
  const chosen = Array.from({ length: k }, (_, i) => i);
  for (;;) {
    yield [...chosen];
    let i = k - 1;
    while (i >= 0 && chosen[i] === n - k + i) i--;
    if (i < 0) return;
    chosen[i] = (chosen[i] as number) + 1;
    for (let j = i + 1; j < k; j++) chosen[j] = (chosen[j - 1] as number) + 1;
  }
}

/** A split's tested groups, and the path that each of their tests belongs to. */
export type TestedGroups = { readonly groups: readonly number[]; readonly paths: readonly number[] };

/**
 * Splits in order with their paths: the j-th time that a group is tested belongs to path j. Over all C(n, k) splits each
 * group is tested C(n−1, k−1) times, so that every path holds each group once.
 */
export function* testedGroups(n: number, k: number): Generator<TestedGroups> {
  const times = new Int32Array(n);
  for (const groups of combinations(n, k)) {
    const paths = groups.map((group) => times[group] as number);
    for (const group of groups) times[group] = (times[group] as number) + 1;
    yield { groups, paths };
  }
}

/** By path: for each group the number of the split whose test of it belongs to the path. */
export function splitsOfPaths(n: number, k: number): readonly Int32Array[] {
  const table: Int32Array[] = [];
  let split = 0;
  for (const { groups, paths } of testedGroups(n, k)) {
    for (const [i, group] of groups.entries()) {
      const path = paths[i] as number;
      table[path] ??= new Int32Array(n);
      (table[path] as Int32Array)[group] = split;
    }
    split += 1;
  }
  return table;
}
