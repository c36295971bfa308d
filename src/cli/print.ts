/** Printing: data to stdout, words to stderr, colour only on a terminal. */
import { styleText } from "node:util";
import type { BlindcastError } from "../core/refusal.ts";

export function printData(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

export function printWords(text: string): void {
  process.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** One line `CODE: place: subject: what was wrong, both values`, then `hint: …` when there is a next step. */
export function refusalText(error: BlindcastError): string {
  return error.hint === undefined ? error.message : `${error.message}\nhint: ${error.hint}`;
}

export function emphasis(text: string, good: boolean): string {
  if (!process.stdout.isTTY || process.env["NO_COLOR"] !== undefined) return text;
  return styleText(["bold", good ? "green" : "red"], text);
}
