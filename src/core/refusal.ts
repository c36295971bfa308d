/** Refusals: bad input is turned away before work starts, with a code, the place, both values, a next step. */
import type { Code, Place, Refusals } from "./refusal-codes.ts";
import { messages } from "./refusal-messages.ts";

export type { Code, Place, Refusals };

export const codes = Object.keys(messages) as readonly Code[];

/** The one error class: `code` is contract, `details` are typed by it, the message is made here. */
export class BlindcastError<C extends Code = Code> extends Error {
  readonly code: C;
  readonly details: Refusals[C];
  readonly hint: string | undefined;
  constructor(code: C, details: Refusals[C]) {
    const words = messages[code](details);
    super(
      oneLine([code, details.place, ...(words.subject ? [words.subject] : []), words.problem].join(": ")),
    );
    this.name = "BlindcastError";
    this.code = code;
    this.details = details;
    this.hint = words.hint === undefined ? undefined : oneLine(words.hint);
  }
}

/** A refusal is one line, and what a file says of itself commands no terminal: control characters are escaped. */
function oneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function refuse<C extends Code>(code: C, details: Refusals[C]): never {
  throw new BlindcastError(code, details);
}

export function isRefusal<C extends Code>(error: unknown, code?: C): error is BlindcastError<C> {
  return error instanceof BlindcastError && (code === undefined || error.code === code);
}

/** What a loader does with a refusal: throw it (the default), or note it and look for the next. */
export type Complain = <C extends Code>(code: C, details: Refusals[C]) => void;

/** The first refusal ends the work. */
export const strict: Complain = (code, details) => refuse(code, details);

/** Thrown where as many refusals as the limit were noted and another came: the list is full, and says so. */
export class ListFull extends Error {
  override name = "ListFull";
}

/** Notes every refusal, up to `limit`; the loader goes on with what it could read. The next throws ListFull. */
export function noting(limit: number): { complain: Complain; refusals: BlindcastError[] } {
  const refusals: BlindcastError[] = [];
  const complain: Complain = (code, details) => {
    if (refusals.length >= limit) throw new ListFull(`${limit} refusals were listed, and there are more`);
    refusals.push(new BlindcastError(code, details) as BlindcastError);
  };
  return { complain, refusals };
}

/** Runs `work`; a refusal inside it goes to `complain`, and the answer is then undefined. */
export function attempt<T>(complain: Complain, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BlindcastError)) throw error;
    complain(error.code, error.details as never);
    return undefined;
  }
}
