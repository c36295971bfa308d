/** The thread of a module's reader: loads the module, and speaks the protocol of readers from outside in its stead. */
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { type MessagePort, parentPort } from "node:worker_threads";
import { canonical, type Json } from "../core/canonical.ts";
import { digestOf } from "../core/digest.ts";
import { EXPIRED, type ModuleFile } from "./module-messages.ts";

type Message = { readonly type: string; readonly [key: string]: unknown };
/** What a module exports: nothing is known of it. */
type Exported = { readonly identity?: unknown; readonly answer: (...given: unknown[]) => unknown };

parentPort?.once("message", ({ port, ...loaded }: ModuleFile & { readonly port: MessagePort }) =>
  serve(loaded, port),
);

function serve(loaded: ModuleFile, port: MessagePort): void {
  const say = (message: Message): void => port.postMessage(JSON.stringify(message));
  let reader: Exported | null = null;
  let withoutTools = false;
  let asking: ReturnType<typeof callsOf> | null = null;
  let time = new AbortController();
  const greet = async (hello: Message): Promise<void> => {
    try {
      reader = await load(loaded, hello["params"]);
      const { identity = {} } = reader;
      const snapshot = hello["snapshot"];
      const said: unknown =
        typeof identity === "function" ? await identity(snapshot === null ? null : { snapshot }) : identity;
      withoutTools = (said as { uses_tools?: unknown } | null)?.uses_tools === false;
      say({ ...(JSON.parse(canonical(said as Json)) as object), type: "identity" });
    } catch (error) {
      say(failure("transport", words(error, loaded)));
    }
  };
  const answer = async ({ type: _, ...asked }: Message): Promise<void> => {
    time = new AbortController();
    const calls = callsOf(say);
    asking = calls;
    let last: Message;
    try {
      const tools = withoutTools ? null : { call: calls.call };
      last = closingOf(await reader?.answer({ ...asked, kind: kindOf(asked) }, tools, time.signal));
    } catch (error) {
      last =
        error instanceof Error && error.name === "BoundViolation"
          ? failure("aborted", error.message)
          : failure("protocol", `the reader threw: ${words(error, loaded)}`);
    }
    calls.close();
    say({ ...last, id: asked["id"], repeat: asked["repeat"] });
  };
  port.on("message", (line: string) => {
    if (line === EXPIRED) return time.abort();
    const message = JSON.parse(line) as Message;
    if (message.type === "hello") void greet(message);
    else if (message.type === "ask") void answer(message);
    else if (message.type === "reply") asking?.reply(message);
    else process.exit(0); // bye: what the module has left running ends with its thread
  });
}

async function load({ file, digest }: ModuleFile, params: unknown): Promise<Exported> {
  if (digestOf(fs.readFileSync(file)) !== digest)
    throw new Error("the module is another file than the one that the run began with");
  const { reader: exported } = (await import(pathToFileURL(file).href)) as { reader?: unknown };
  const reader: unknown = typeof exported === "function" ? await exported(params) : exported;
  if (typeof (reader as { answer?: unknown } | null | undefined)?.answer !== "function")
    throw new Error("the module exports no `reader` that has a function `answer`");
  return reader as Exported;
}

type Waiting = {
  readonly tool: unknown;
  readonly args: unknown;
  readonly resolve: (answer: object) => void;
  readonly reject: (error: Error) => void;
};

/** Calls of one question: one is on its way at a time, the others wait here, in the heap of their own thread. */
function callsOf(say: (message: Message) => void) {
  const waiting: Waiting[] = [];
  let number = 0;
  let open = true;
  const sendFirst = (): void => {
    const first = waiting[0];
    if (first === undefined || !open) return;
    const tool = typeof first.tool === "string" ? first.tool : "?";
    say({ type: "call", call_id: String(++number), tool, args: plain(first.args) });
  };
  return {
    call: (tool: unknown, args: unknown): Promise<object> =>
      new Promise((resolve, reject) => {
        if (!open) return resolve(ENDED);
        waiting.push({ tool, args, resolve, reject });
        if (waiting.length === 1) sendFirst();
      }),
    reply({ type: _, call_id: __, ...answer }: Message): void {
      const first = waiting.shift();
      const { fault } = answer as { fault?: { class: string; message: string } };
      if (fault?.class === "aborted")
        first?.reject(Object.assign(new Error(fault.message), { name: "BoundViolation" }));
      else first?.resolve(answer);
      sendFirst();
    },
    close(): void {
      open = false;
      for (const { resolve } of waiting) resolve(ENDED);
    },
  };
}

const ENDED = { ok: false, fault: { class: "aborted", message: "the trajectory has ended" } };

/** Arguments as JSON; what is none reaches the host as what no tool takes, and is recorded there. */
function plain(args: unknown): unknown {
  try {
    return JSON.parse(canonical(args as Json));
  } catch {
    return { unreadable: true };
  }
}

const failure = (faultClass: string, message: string): Message => ({
  type: "fault",
  class: faultClass,
  message,
});

/** An attempt as the message that says it; what is no attempt, or no plain JSON, is a fault of its own. */
function closingOf(given: unknown): Message {
  const attempt = (given ?? {}) as Record<string, unknown>;
  const { kind, probability, positions, reason, message } = attempt;
  const usage = attempt["usage"] ?? null;
  try {
    canonical(usage as Json);
  } catch {
    return failure("malformed_output", "usage is not plain JSON");
  }
  if (kind === "answer" && positions !== undefined)
    return { type: "answer", positions: plainOr(positions), usage };
  if (kind === "answer") return { type: "answer", probability: shown(probability), usage };
  if (kind === "decline") return { type: "decline", reason: String(reason), usage };
  if (kind === "fault" && typeof attempt["class"] === "string")
    return { ...failure(attempt["class"], String(message)), usage };
  return failure("malformed_output", `no attempt: kind ${String(kind)}`);
}

const kindOf = (asked: object) =>
  (asked as { answer?: unknown }).answer === "positions" ? "decision" : "forecast";

/** As it is where it is plain JSON; anything else as words, which are no positions. */
function plainOr(value: unknown): unknown {
  try {
    return JSON.parse(canonical(value as Json));
  } catch {
    return String(value);
  }
}

/** A number as it is; anything else as words, which are no probability. */
const shown = (value: unknown): unknown =>
  typeof value === "number" && Number.isFinite(value) ? value : String(value);

/** An error's words, without the folder that the module happens to lie in. */
function words(error: unknown, { file }: ModuleFile): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(path.dirname(file), ".");
}
