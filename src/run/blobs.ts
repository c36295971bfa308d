/** The blob pack: response bodies back to back, each once, raw or deflated; its index says where. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { canonical } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import type { SinkFile } from "./sink.ts";

/** Where a body's stored bytes lie; `length` counts its raw bytes. */
export type Blob = {
  readonly offset: number;
  readonly stored: number;
  readonly length: number;
  readonly deflated: boolean;
};

/** Bodies of at least so many bytes are deflated. */
export const DEFLATE_FROM = 4096;

/** Appends a body to the pack. */
export function storeBlob(pack: SinkFile, text: string): Blob {
  const raw = Buffer.from(text);
  const deflated = raw.length >= DEFLATE_FROM;
  const bytes = deflated ? deflateRawSync(raw, { level: 1 }) : raw;
  const blob = { offset: pack.size(), stored: bytes.length, length: raw.length, deflated };
  pack.append(bytes);
  return blob;
}

/** The raw bytes of a body from its stored ones; throws where they are no DEFLATE stream of `length` bytes at most. */
export function rawBytes(stored: Uint8Array, blob: Pick<Blob, "deflated" | "length">): Uint8Array {
  return blob.deflated ? inflateRawSync(stored, { maxOutputLength: Math.max(1, blob.length) }) : stored;
}

/** A line of `blobs.idx`. */
export const blobLine = (digest: Digest, { offset, stored, length, deflated }: Blob): string =>
  canonical({ deflated, digest, length, offset, stored });
