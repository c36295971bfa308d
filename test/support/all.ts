/** "All" and "none" over what is there: an empty collection proves nothing, so it fails. */
import assert from "node:assert/strict";
import { inspect } from "node:util";

/** Every item passes, and there is one. */
export function assertEvery<T>(items: Iterable<T>, check: (item: T, index: number) => boolean): void {
  const all = presentIn(items, "assertEvery");
  const index = all.findIndex((item, i) => !check(item, i));
  if (index >= 0) assert.fail(`item ${index} of ${all.length} does not pass: ${inspect(all[index])}`);
}

/** No item passes, though there are some. */
export function assertNone<T>(items: Iterable<T>, check: (item: T, index: number) => boolean): void {
  const all = presentIn(items, "assertNone");
  const index = all.findIndex((item, i) => check(item, i));
  if (index >= 0) assert.fail(`item ${index} of ${all.length} passes: ${inspect(all[index])}`);
}

function presentIn<T>(items: Iterable<T>, name: string): readonly T[] {
  const all = [...items];
  if (all.length === 0) assert.fail(`${name}: no items, so nothing is proven`);
  return all;
}
