/** Delisting: what a position becomes when its member has left, and the members of whom nobody says it. */
import { type Static, Type } from "@sinclair/typebox";
import { canonical } from "../core/canonical.ts";
import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { type Complain, type Place, refuse, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";

/**
 * A member that has left: `at` is the instant at which it was gone, and a position in it is cash; its return may have been
 * published later, for an account is an outcome and not bounded by what could be known. null: nobody says what it was.
 */
export type Exit = { readonly entity: string; readonly at: Instant; readonly return: number | null };

/** By entity. The end of a data set's rows is no exit: only what says that a member has left is one. */
export type Exits = ReadonlyMap<string, Exit>;

export const noExits: Exits = new Map();

/** Refuses FieldInvalid: a return that is not a number from -1, and a second exit of one entity. */
export function exitsOf(exits: Iterable<Exit>, place: Place, complain: Complain = strict): Exits {
  const found = new Map<string, Exit>();
  for (const exit of exits) {
    const { entity, at } = exit;
    const first = found.get(entity);
    if (first !== undefined)
      complain("FieldInvalid", {
        place,
        field: `the delisting of ${entity}`,
        found: `a second one at ${formatInstant(at)}`,
        expected: `the one at ${formatInstant(first.at)}`,
      });
    else if (exit.return !== null && !(Number.isFinite(exit.return) && exit.return >= -1))
      complain("FieldInvalid", {
        place,
        field: `the delisting return of ${entity}`,
        found: String(exit.return),
        expected: "a number from -1, where all was lost",
      });
    else found.set(entity, exit);
  }
  return found;
}

/** Refuses DelistingReturnMissing by name for each of these exits that has no return: it is never 0, nor left out. */
export function checkDelistingReturns(
  exits: Iterable<Exit>,
  place: Place,
  complain: Complain = strict,
): void {
  for (const { entity, at, return: terminal } of exits) {
    if (terminal === null)
      complain("DelistingReturnMissing", { place, member: entity, left: formatInstant(at) });
  }
}

/**
 * The return of a period in which a member was delisted: (1 + r)(1 + d) − 1, r up to the last price and d from there.
 * Not r + d, which falls below −1. −0.5 and −0.9 make −0.95. CRSP's delisting return compounds so.
 */
export function compoundReturn(r: number, d: number): number {
  return (1 + r) * (1 + d) - 1;
}

/** One line each, with its newline, by entity: `{"at":"2009-03-02T21:00:00Z","entity":"m7","return":-0.9}`. */
export function exitLines(exits: Exits): string {
  return [...exits.values()]
    .sort((a, b) => (a.entity < b.entity ? -1 : 1))
    .map(
      ({ entity, at, return: terminal }) =>
        `${canonical({ at: formatInstant(at), entity, return: terminal })}\n`,
    )
    .join("");
}

const ExitOnDisk = Type.Object(
  { at: Type.String(), entity: Type.String(), return: Type.Union([Type.Number(), Type.Null()]) },
  { additionalProperties: false },
);

/** Reads what `exitLines` wrote, byte for byte; refuses NotCanonical, and what exitsOf refuses. */
export function parseExits(text: string, place: Place): Exits {
  const rows = text
    .split("\n")
    .slice(0, -1)
    .map((line, i): Exit => {
      const here = `${place}:${i + 1}`;
      const disk = fit(ExitOnDisk, parseJson(line, here), here) as Static<typeof ExitOnDisk>;
      const at = parseInstant(disk.at, here, "at") as Instant;
      return { entity: disk.entity, at, return: disk.return };
    });
  const exits = exitsOf(rows, place);
  const expected = exitLines(exits);
  if (text !== expected)
    refuse("NotCanonical", { place, found: text.slice(0, 200), expected: expected.slice(0, 200) });
  return exits;
}
