/** Documents: the rows of tables with text that an attempt was served, each once, with the call that served it first. */
import type { Json } from "../core/canonical.ts";
import type { Digest } from "../core/digest.ts";
import { rowDigest, tableOfRef } from "../core/row-ref.ts";
import type { ServedRow } from "../model/reader.ts";
import type { Entry } from "./entry.ts";

export type Retrieved = {
  readonly document: ServedRow;
  /** By which it is known: two versions under one reference are two documents. */
  readonly digest: string;
  readonly entry: Entry & { readonly kind: "tool" };
};

/** In the order in which they were served; `tables`: those with text. */
export function retrieved(
  attempt: readonly Entry[],
  body: (digest: Digest) => Json,
  tables: ReadonlySet<string>,
): Retrieved[] {
  const found = new Map<string, Retrieved>();
  if (tables.size === 0) return [];
  for (const entry of attempt) {
    if (entry.kind !== "tool") continue;
    const { rows = [] } = body(entry.result) as { readonly rows?: readonly ServedRow[] };
    for (const document of rows) {
      if (!tables.has(tableOfRef(document.ref))) continue;
      const digest = rowDigest(document as unknown as Json);
      if (!found.has(digest)) found.set(digest, { document, digest, entry });
    }
  }
  return [...found.values()];
}
