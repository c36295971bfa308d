/** What the thread of a module is told beside the lines of the protocol. */
import type { Digest } from "../core/digest.ts";

/** Told first: which module it is to load, and the digest that it has. */
export type ModuleFile = { readonly file: string; readonly digest: Digest };

/** Told when the time of the case is over, a moment before the thread is ended. */
export const EXPIRED = "expired";
