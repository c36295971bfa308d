/** A run folder as replay sees it, wherever it lies: listed once, then read by the names of the list. */
import { type Place, refuse } from "../core/refusal.ts";

/** `{name: "artifacts/0f…", bytes: 5120, kind: "file"}`; `other` is a link, a socket, a device. */
export type BundleFile = {
  /** From the folder, its parts joined by `/`. */
  readonly name: string;
  /** 0 where it is no file. */
  readonly bytes: number;
  readonly kind: "file" | "folder" | "other";
};

/** What a verifier reads. Nothing is opened that the list does not call a file. */
export interface Bundle {
  /** As a person would name it. */
  readonly place: Place;
  /** All that lies in the folder and in its `artifacts`; of other folders, only that they are there. */
  list(): readonly BundleFile[];
  /** The bytes of one file from its start, in pieces that nobody changes before the next is asked for. */
  chunks(name: string): AsyncIterable<Uint8Array>;
}

/** A bundle whose files can also be read at any offset, as replay needs the pack and the entries. */
export interface RunFiles extends Bundle {
  /** Exactly `length` bytes from `offset`; refuses FileUnreadable where the file has not so many. */
  at(name: string, offset: number, length: number): Uint8Array;
  /** Ends the reading; what was read stays. */
  close(): void;
}

export const fileIn = (bundle: Bundle, name: string): Place => `${bundle.place}/${name}`;

/** A small file's bytes; refuses FileTooLarge where there are more than `limit`. */
export async function wholeFile(bundle: Bundle, name: string, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bundle.chunks(name)) {
    size += piece.length;
    if (size > limit) refuse("FileTooLarge", { place: fileIn(bundle, name), found: size, limit });
    pieces.push(piece.slice());
  }
  const whole = new Uint8Array(size);
  let filled = 0;
  for (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}
