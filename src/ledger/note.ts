/** C2SP signed notes: a text and the signatures under it. Parsed here, and verified where keys are known. */
import { fromBase64, fromHex, toBase64, toHex } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { controlIn, isKeyName, KEY_NAME } from "./verifier-key.ts";

/** `— <name> <base64 of the key's id and the signature>` */
export type NoteSignature = {
  readonly name: string;
  /** 8 hexadecimal digits. */
  readonly id: string;
  /** At least 1 byte; what it holds is its key's matter. */
  readonly signature: Uint8Array;
};

export type Note = {
  /** What is signed, its final newline included. */
  readonly text: string;
  /** At least 1, in the note's order. */
  readonly signatures: readonly NoteSignature[];
};

const DASH = "\u2014 ";
const WRITTEN = "a note that is written";

/**
 * Reads a note (C2SP signed-note, "Format"): text, an empty line (the last one), signature lines. Refuses NoteMalformed for
 * every text that formatNote would not write.
 */
export function parseNote(text: string, place: Place): Note {
  if (text.length > limits.noteCharacters)
    malformed(place, "note", `${text.length} characters`, `at most ${limits.noteCharacters}`);
  if (!text.isWellFormed()) malformed(place, "note", "a lone surrogate", "Unicode");
  const control = controlIn(text, "\n");
  if (control !== undefined) malformed(place, "note", control, "no control character but newline");
  if (!text.endsWith("\n")) malformed(place, "end of the note", text.slice(-20), "a newline");
  const gap = text.lastIndexOf("\n\n");
  if (gap < 0) malformed(place, "note", text, "an empty line before the signatures");
  const lines = text.slice(gap + 2).split("\n");
  lines.pop(); // after the last newline
  if (lines.length === 0) malformed(place, "signatures", "0 lines", "at least 1");
  if (lines.length > limits.noteSignatures)
    malformed(place, "signatures", `${lines.length} lines`, `at most ${limits.noteSignatures}`);
  const signed = text.slice(0, gap + 1);
  const first = signed.split("\n").length + 1;
  return { text: signed, signatures: lines.map((line, i) => parseSignature(line, place, first + i)) };
}

function parseSignature(line: string, place: Place, number: number): NoteSignature {
  const subject = `line ${number} of the note`;
  const [, name, base64] = /^\u2014 ([^ ]*) ([^ ]*)$/.exec(line) ?? [];
  if (name === undefined || base64 === undefined)
    return malformed(place, subject, line, `"${DASH}<name> <base64>"`);
  if (!isKeyName(name)) malformed(place, subject, name, KEY_NAME);
  const bytes = fromBase64(base64) ?? malformed(place, subject, base64, "base64 (RFC 4648, padded)");
  if (bytes.length < 5)
    malformed(place, subject, `${bytes.length} bytes`, "a key's id of 4 bytes and a signature");
  return { name, id: toHex(bytes.subarray(0, 4)), signature: bytes.slice(4) };
}

function malformed(place: Place, subject: string, found: string, expected: string): never {
  return refuse("NoteMalformed", { place, subject, found, expected });
}

/** The one spelling of a note. What no note can hold is refused as NoteMalformed before it is written. */
export function formatNote({ text, signatures }: Note): string {
  const lines = signatures.map(({ name, id, signature }) => {
    if (!/^[0-9a-f]{8}$/.test(id)) malformed(WRITTEN, `id of ${name}`, id, "8 hexadecimal digits");
    const bytes = new Uint8Array(4 + signature.length);
    bytes.set(fromHex(id));
    bytes.set(signature, 4);
    return `${DASH}${name} ${toBase64(bytes)}\n`;
  });
  const note = `${text}\n${lines.join("")}`;
  parseNote(note, WRITTEN);
  return note;
}
