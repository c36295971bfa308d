/** Events over one row: `COLUMN (>|>=|<|<=|=|!=) LITERAL`, as a case set names them for the built-in readers. */
import { type Complain, type Place, strict } from "./refusal.ts";
import type { Cell } from "./row-ref.ts";

export type Event = {
  readonly column: string;
  readonly operator: string;
  readonly literal: string | number | boolean;
  readonly text: string;
};

const SPELLING = /^\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*(>=|<=|!=|>|<|=)\s*(.+?)\s*$/;

/**
 * Reads `precipitation > 0`, `weather = rain`, `weather != "no rain"`, `open = true`. A number is compared as a number,
 * true and false as booleans; quotes make a text of either.
 */
export function parseEvent(
  text: string,
  place: Place,
  subject: string,
  complain: Complain = strict,
): Event | undefined {
  const parts = SPELLING.exec(text);
  if (parts === null) {
    complain("FieldInvalid", {
      place,
      field: subject,
      found: JSON.stringify(text),
      expected: "COLUMN (>|>=|<|<=|=|!=) LITERAL",
    });
    return undefined;
  }
  const [, column, operator, spelled] = parts as unknown as [string, string, string, string];
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(spelled);
  const literal = quoted
    ? (quoted[1] ?? quoted[2] ?? "")
    : /^-?\d+(\.\d+)?$/.test(spelled)
      ? Number(spelled)
      : spelled === "true" || spelled === "false"
        ? spelled === "true"
        : spelled;
  if (typeof literal !== "number" && operator !== "=" && operator !== "!=") {
    complain("FieldInvalid", {
      place,
      field: subject,
      found: JSON.stringify(text),
      expected: "a number after > >= < <=",
    });
    return undefined;
  }
  return { column, operator, literal, text };
}

/** Whether a row's cell makes the event true; `undefined` where the cell is absent or of another type. */
export function happened(event: Event, cell: Cell | undefined): boolean | undefined {
  const { operator, literal } = event;
  if (cell === undefined || cell === null || typeof cell !== typeof literal) return undefined;
  if (operator === "=") return cell === literal;
  if (operator === "!=") return cell !== literal;
  if (operator === ">") return cell > literal;
  if (operator === ">=") return cell >= literal;
  return operator === "<" ? cell < literal : cell <= literal;
}
