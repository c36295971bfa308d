/** The name of a member that never was: it looks like its peers', and nobody has it. */
import { limits } from "../core/limits.ts";
import type { Stream } from "../core/random.ts";
import type { Cell } from "../core/row-ref.ts";
import { redrawn } from "../store/staged-row.ts";

/**
 * A name of the look of `like`: of characters that `peers` of that look have where they stand, then with any digits, then of
 * any letters and digits; null where all that were drawn are taken. A number stays one.
 */
export function stagedName(
  like: Cell,
  peers: readonly Cell[],
  isTaken: (name: string) => boolean,
  dice: Stream,
): Cell {
  const own = String(like);
  const alike = [own, ...peers.map(String).filter((peer) => lookOf(peer) === lookOf(own))];
  const mixed = () =>
    Array.from({ length: own.length }, (_, i) => (alike[dice.below(alike.length)] as string).charAt(i)).join(
      "",
    );
  const ways = [
    mixed,
    () => mixed().replace(/[0-9]/g, () => String(dice.below(10))),
    () => redrawn(own, dice),
  ];
  for (const way of ways) {
    for (let tries = 0; tries < limits.plantDraws; tries++) {
      const name = way();
      if (isTaken(name)) continue;
      if (typeof like !== "number") return name;
      if (String(Number(name)) === name) return Number(name);
    }
  }
  return null;
}

/** "BRK.B" → "AAA.A", "m07" → "a00". */
const lookOf = (name: string): string =>
  name.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/[0-9]/g, "0");
