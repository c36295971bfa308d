/** A call of a tool for a reader that is told of everything by values. */
import type { Json } from "../core/canonical.ts";
import type { ToolAnswer, Tools } from "./reader.ts";

/**
 * What the host latched as a violation is told as a fault of class `aborted`, and the reader may go on: its case has failed
 * already. Rejects with anything else, which is the host's or the disk's.
 */
export async function callBounded(tools: Tools, name: string, args: Json): Promise<ToolAnswer> {
  try {
    return await tools.call(name, args);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "BoundViolation") throw error;
    return { ok: false, fault: { class: "aborted", message: error.message } };
  }
}
