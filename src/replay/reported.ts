/** The report as it lies in the folder: its digest, and the failures that it lists. */
import { constants } from "node:buffer";
import { toHex } from "../core/bytes.ts";
import type { Json } from "../core/canonical.ts";
import { nodeHashing } from "../core/digest.ts";
import { isRefusal } from "../core/refusal.ts";
import { parseJson } from "../core/strict-json.ts";
import type { CloseLeaf } from "../ledger/leaves.ts";
import { fileIn, type RunFiles, wholeFile } from "./bundle.ts";
import { limitOf } from "./files.ts";

export const REPORT = "report.json";

/** Does the report list this failure of a trajectory's step? */
export type Listed = (id: string, arm: string, repeat: number, step: number, rule: string) => boolean;

export type ReportedRun = {
  /** Of the file's bytes. */
  readonly digest: string;
  /** What the report says; undefined where it is no JSON. Parsed when first asked for. */
  readonly json: () => Json | undefined;
  readonly listed: Listed;
};

/**
 * A report that is not the one that the close leaf names says nothing of what its maker hid: then everything counts as
 * listed, and the stage `score` refuses the report itself.
 */
export async function readReport(bundle: RunFiles, close: CloseLeaf): Promise<ReportedRun> {
  const bytes = await wholeFile(bundle, REPORT, limitOf(REPORT));
  const digest = `sha256:${toHex(nodeHashing.sha256(bytes))}`;
  let parsed: { readonly value: Json | undefined } | null = null;
  let listed: ReadonlySet<string> | null = null;
  const json = () => {
    parsed ??= { value: parse(bytes, fileIn(bundle, REPORT)) };
    return parsed.value;
  };
  return {
    digest,
    json,
    listed(...key) {
      if (digest !== close.report) return true;
      listed ??= failuresIn(json());
      return listed.has(JSON.stringify(key));
    },
  };
}

function parse(bytes: Uint8Array, place: string): Json | undefined {
  if (bytes.length > constants.MAX_STRING_LENGTH) return undefined;
  try {
    return parseJson(Buffer.from(bytes).toString("utf8"), place);
  } catch (error) {
    if (isRefusal(error)) return undefined; // a report that is none is refused by the stage `score`
    throw error;
  }
}

type Fields = { readonly [key: string]: Json | undefined };
const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === "object" && value !== null ? (value as unknown as Fields) : {};

function failuresIn(report: Json | undefined): ReadonlySet<string> {
  const failed = fieldsOf(fieldsOf(report)["result"])["failed_cases"];
  if (!Array.isArray(failed)) return new Set();
  return new Set(
    failed.map((one: Json) => {
      const { case: id, arm, repeat, step, rule } = fieldsOf(one);
      return JSON.stringify([id, arm, repeat, step, rule]);
    }),
  );
}
