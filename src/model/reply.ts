/** Replies that are kept from one run to the next, and the key that each is found by. */
import { type Digest, digestOfJson } from "../core/digest.ts";
import type { ReaderIdentity } from "./reader.ts";

/** Texts by their key. `get` gives back what `put` took, or undefined. */
export interface ReplyCache {
  get(key: string): Promise<string | undefined>;
  put(key: string, text: string): Promise<void>;
  close(): Promise<void>;
}

const KEY_VERSION = 1;

/** `identity`: the reader's; `endpoint`: what else shapes an answer; `request`: of its canonical bytes. */
export function replyKey(of: {
  readonly adapter: "http";
  readonly identity: ReaderIdentity;
  readonly endpoint: string;
  readonly request: Digest;
  readonly id: string;
  readonly repeat: number;
}): Digest {
  const { adapter, identity, endpoint, request, id, repeat } = of;
  return digestOfJson({ key_version: KEY_VERSION, adapter, identity, endpoint, request, case: id, repeat });
}
