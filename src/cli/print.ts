/** Printing: data to stdout, words to stderr, colour only on a terminal. */
import { once } from "node:events";
import { styleText } from "node:util";
import { BlindcastError } from "../core/refusal.ts";
import { visible } from "../core/words.ts";
import type { Interrupted } from "../run/interrupted.ts";

export function printData(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** One line of data in pieces, none of which has to wait for the others in memory. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, "drain");
  process.stdout.write("\n");
}

export function printWords(text: string): void {
  const lines = text.split("\n").map(visible).join("\n"); // what others said is quoted in it
  process.stderr.write(lines.endsWith("\n") ? lines : `${lines}\n`);
}

/** One line `CODE: place: subject: what was wrong, both values`, then `hint: …` when there is a next step. */
export function refusalText(error: BlindcastError): string {
  return error.hint === undefined ? error.message : `${error.message}\nhint: ${error.hint}`;
}

export function emphasis(text: string, good: boolean): string {
  if (!process.stdout.isTTY || process.env["NO_COLOR"] !== undefined) return text;
  return styleText(["bold", good ? "green" : "red"], text);
}

/** A run that ended early: why, and what becomes of what it has. */
export function tellInterrupted(error: Interrupted): void {
  if (error.refusal instanceof BlindcastError) printWords(refusalText(error.refusal));
  printWords(`${error.message}${error.done > 0 ? "; what was recorded is kept in the run folder" : ""}`);
}
