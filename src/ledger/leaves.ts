/** Leaves of the audit ledger: what a run promised when it opened, had recorded on the way, and was when it closed. */
import { type Sha256, toHex, utf8 } from "../core/bytes.ts";
import { canonical, type Json } from "../core/canonical.ts";
import { type Place, refuse } from "../core/refusal.ts";

/** Signed before the first recorded read: the manifest, and a salted commitment to the plants. */
export type OpenLeaf = {
  readonly v: "blindcast.open/1";
  readonly run: string;
  /** Of the bytes of `run.json`. */
  readonly manifest: string;
  readonly commitment: string;
  /** The ledger of trials as it was with the run's own first row; null where none is kept. */
  readonly trials: (TrialsMark & { readonly ledger: string }) | null;
};
/** What a ledger of trials was: its rows, and the digest of the last one's line. */
export type TrialsMark = { readonly head: string; readonly rows: number };
/** A row that the run appended to a ledger of trials: its number, and the digest of its line. */
export type TrialLeaf = {
  readonly v: "blindcast.trial-row/1";
  readonly run: string;
  readonly ledger: string;
  readonly line: string;
  readonly row: number;
};
/** What had been recorded by then: the tree over the first `entries` entries in `seq` order, its root in base64. */
export type ProgressLeaf = {
  readonly v: "blindcast.progress/1";
  readonly run: string;
  readonly entries: number;
  readonly root: string;
};
/** The tree over `entries.jsonl`, the report's two digests, the pack's, and what opens the commitment. */
export type CloseLeaf = {
  readonly v: "blindcast.close/1";
  readonly run: string;
  readonly manifest: string;
  readonly entries: number;
  readonly root: string;
  /** Of the whole file `blobs.pack`. */
  readonly pack: string;
  readonly report: string;
  readonly result: string;
  readonly secret: string;
  readonly salt: string;
  /** With the run's own last row; null where none is kept. */
  readonly trials: TrialsMark | null;
};
export type Leaf = OpenLeaf | ProgressLeaf | TrialLeaf | CloseLeaf;

type Kind = "text" | "digest" | "count" | "root" | "hex" | "trials" | "named trials";
const shapes: { readonly [V in Leaf["v"]]: { readonly [field: string]: Kind } } = {
  "blindcast.open/1": {
    commitment: "digest",
    manifest: "digest",
    run: "text",
    trials: "named trials",
    v: "text",
  },
  "blindcast.progress/1": { entries: "count", root: "root", run: "text", v: "text" },
  "blindcast.trial-row/1": { ledger: "text", line: "digest", row: "count", run: "text", v: "text" },
  "blindcast.close/1": {
    entries: "count",
    manifest: "digest",
    pack: "digest",
    report: "digest",
    result: "digest",
    root: "root",
    run: "text",
    salt: "hex",
    secret: "hex",
    trials: "trials",
    v: "text",
  },
};

export const leafTypes = Object.keys(shapes) as readonly Leaf["v"][];

const tests: { readonly [K in Kind]: (value: unknown) => boolean } = {
  text: (value) => typeof value === "string" && value !== "",
  digest: (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  root: (value) => typeof value === "string" && /^[A-Za-z0-9+/]{43}=$/.test(value),
  hex: (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value),
  trials: (value) => value === null || isMark(value, ["head", "rows"]),
  "named trials": (value) => value === null || isMark(value, ["head", "ledger", "rows"]),
};

function isMark(value: unknown, keys: readonly string[]): boolean {
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== keys.join()) return false;
  const { head, rows, ledger } = value as { readonly [key: string]: unknown };
  return (
    tests.digest(head) &&
    tests.count(rows) &&
    (rows as number) > 0 &&
    (ledger === undefined || tests.text(ledger))
  );
}

/** The one spelling of a leaf, without a newline. */
export const leafLine = (leaf: Leaf): string => canonical(leaf as unknown as Json);

/**
 * Reads a leaf's line; refuses NotCanonical where the line is not canonical JSON, and LeafTypeWrong for a type that is
 * not `expected`, and for a field that is missing, spare or of another kind.
 */
export function parseLeaf<V extends Leaf["v"]>(
  line: string,
  place: Place,
  expected: readonly V[],
): Extract<Leaf, { v: V }> {
  const leaf = parseLine(line, place) as { readonly [field: string]: unknown } | null;
  const v = (leaf as { v?: unknown } | null)?.v;
  if (typeof v !== "string" || !expected.includes(v as V))
    return refuse("LeafTypeWrong", {
      place,
      found: JSON.stringify(v) ?? "no v",
      expected: expected.join(" or "),
    });
  const shape = shapes[v as V];
  const fields = leaf as { readonly [field: string]: unknown };
  const wrong =
    Object.keys(shape).find((field) => !tests[shape[field] as Kind](fields[field])) ??
    Object.keys(fields).find((field) => !Object.hasOwn(shape, field));
  if (wrong !== undefined) {
    const found = `${wrong} ${JSON.stringify(fields[wrong]) ?? "absent"}`;
    refuse("LeafTypeWrong", {
      place,
      found,
      expected: `the fields of ${v}: ${Object.keys(shape).join(", ")}`,
    });
  }
  return leaf as unknown as Extract<Leaf, { v: V }>;
}

function parseLine(line: string, place: Place): Json {
  let found: string;
  try {
    const value = JSON.parse(line) as Json;
    found = canonical(value);
    if (found === line) return value;
  } catch (error) {
    found = (error as Error).message;
  }
  return refuse("NotCanonical", { place, found: line, expected: found });
}

/**
 * The commitment to a run's plants: SHA-256 of `blindcast.plants/1`, a newline and the canonical JSON of the digest of
 * `plants.jsonl`, the salt and the secret that the plants were drawn from.
 */
export function commitmentOf(
  opened: { readonly plants: string; readonly salt: string; readonly secret: string },
  sha256: Sha256,
): string {
  const { plants, salt, secret } = opened;
  return `sha256:${toHex(sha256(utf8(`blindcast.plants/1\n${canonical({ plants, salt, secret })}`)))}`;
}
