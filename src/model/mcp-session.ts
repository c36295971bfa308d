/** One session of the Model Context Protocol: the client at the other end is asked one case, and has its tools. */
import type { Readable, Writable } from "node:stream";
import { type Static, Type } from "@sinclair/typebox";
import { canonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { misfit } from "../core/schema.ts";
import { ENGINE_VERSION } from "../core/version.ts";
import { clip } from "../core/words.ts";
import type { ToolSchema } from "../store/tools.ts";
import { SaidUsage, usageOf } from "./agent-protocol.ts";
import { callBounded } from "./bounded-call.ts";
import { answerArgument, givenAnswer } from "./given-answer.ts";
import { turnsOver } from "./mcp-turns.ts";
import { type AskedCase, type Attempt, type FaultClass, OUT_OF_TIME, type Tools } from "./reader.ts";

const strictly = { additionalProperties: false } as const;
const usage = Type.Optional(SaidUsage);
const sessionAnswer = ({ answer }: AskedCase) =>
  Type.Object(
    { ...answerArgument(answer, "that the question's answer is yes"), usage },
    { ...strictly, description: "answers the question, once: the case is closed then" },
  );
const DeclineArguments = Type.Object(
  { reason: Type.String({ description: "why, in a few words" }), usage },
  { ...strictly, description: "closes the case without an answer" },
);
const QuestionArguments = Type.Object({}, { description: "the question, its horizon and the asked day" });

/** What the two packages' entry points give: the server by its low-level interface, which takes our schemas as they are. */
export type McpPackage = {
  readonly Server: typeof import("@modelcontextprotocol/server").Server;
  readonly serveStdio: typeof import("@modelcontextprotocol/server/stdio").serveStdio;
  readonly StdioServerTransport: typeof import("@modelcontextprotocol/server/stdio").StdioServerTransport;
};

export type McpSession = {
  /** Once the client has called a tool: true; false where it left before, or nothing came within a day. */
  readonly called: Promise<boolean>;
  /** Lets the calls through, and waits for the answer. */
  ask(tools: Tools | null, deadline: AbortSignal): Promise<Attempt>;
  /** Tells the client that its answer is kept, waits a moment for its goodbye, and closes the session. */
  end(): Promise<void>;
};

export type SessionOptions = {
  readonly input: Readable;
  readonly output: Writable;
  readonly asked: AskedCase;
  /** None, of a reader that uses no tools. */
  readonly schemas: readonly ToolSchema[];
};

/** A tool's result as the protocol has it. */
type Said = { content: [{ type: "text"; text: string }]; isError?: true };

/** Listens at once; nothing but the protocol is written to `output`. */
export function mcpSession(sdk: McpPackage, { input, output, asked, schemas }: SessionOptions): McpSession {
  const called = deferred<boolean>();
  const tools = deferred<Tools | null>();
  const outcome = deferred<Attempt>();
  const kept = deferred<void>();
  const gone = deferred<void>();
  const turns = turnsOver(input, output);
  let closed = false;
  let broken: string | null = null;
  const settle = (attempt: Attempt) => {
    closed = true;
    outcome.resolve(attempt);
  };
  const call = async (name: string, args: Json): Promise<Said> => {
    called.resolve(true);
    let closing = false;
    const result = await turns.take(async () => {
      const bounded = await tools.promise;
      if (closed) return spokenFault(fault("aborted", "the case is closed"));
      if (name === "question") return spoken(asked);
      const attempt = endingOf(name, args, bounded, asked);
      if (attempt === null) return storeCall(bounded as Tools, name, args, outcome.reject);
      closing = true;
      settle(attempt);
      return attempt.kind === "fault" ? spokenFault(attempt) : spoken({ ok: true });
    });
    // A client may end this process as soon as it hears that it has answered: it hears once all is written.
    if (closing) await kept.promise;
    return result;
  };
  const wire = new sdk.StdioServerTransport(input, output, { maxBufferSize: limits.lineBytes });
  const server = sdk.serveStdio(() => serverOf(sdk, asked, schemas, call), {
    transport: wire,
    onerror: (error) => {
      broken = error.message;
    },
  });
  const theirs = wire.onclose;
  wire.onclose = () => {
    theirs?.();
    turns.over();
    // An answer that came right before the end of the stream is still on its way: it comes before the goodbye.
    setImmediate(() => {
      called.resolve(false);
      gone.resolve();
      turns.take(async () => settle(departure(input, broken)));
    });
  };
  return {
    called: orLate(called.promise, limits.deadlineSecondsMost * 1000, false),
    async ask(bounded, deadline) {
      const late = () => {
        settle(fault("timeout", OUT_OF_TIME));
        server.close();
      };
      tools.resolve(bounded);
      deadline.addEventListener("abort", late, { once: true });
      if (deadline.aborted) late();
      return outcome.promise.finally(() => deadline.removeEventListener("abort", late));
    },
    async end() {
      called.resolve(false);
      kept.resolve();
      if (closed) await orLate(gone.promise, limits.byeMs, undefined);
      await server.close();
    },
  };
}

function serverOf(
  sdk: McpPackage,
  asked: AskedCase,
  schemas: readonly ToolSchema[],
  call: (name: string, args: Json) => Promise<Said>,
) {
  const offered = [
    { name: "question", schema: QuestionArguments },
    ...schemas,
    { name: "answer", schema: sessionAnswer(asked) },
    { name: "decline", schema: DeclineArguments },
  ].map(({ name, schema }) => {
    const inputSchema = JSON.parse(JSON.stringify(schema)) as { type: "object"; description: string };
    return { name, description: inputSchema.description, inputSchema };
  });
  const server = new sdk.Server(
    { name: "blindcast", version: ENGINE_VERSION },
    { capabilities: { tools: {} }, instructions: instructionsOf(asked) },
  );
  server.setRequestHandler("tools/list", async () => ({ tools: offered }));
  server.setRequestHandler("tools/call", (request) =>
    call(request.params.name, (request.params.arguments ?? {}) as Json),
  );
  return server;
}

const WANTED = {
  probability: "probability from 0 to 1 that the answer is yes",
  positions: "target weight of each entity, the rest being cash",
};

function instructionsOf(asked: AskedCase): string {
  return [
    `${asked.question}`,
    `It is ${asked.horizon}: the tools show what was available then, and nothing later.`,
    `Call \`answer\` once, with the ${WANTED[asked.answer]}, or \`decline\` with a reason.`,
    canonical(asked),
  ].join("\n");
}

/** A reader's call of the store. What it must not see ends nothing here: the host has kept it, and the case fails. */
async function storeCall(
  tools: Tools,
  name: string,
  args: Json,
  crash: (error: unknown) => void,
): Promise<Said> {
  try {
    const answer = await callBounded(tools, name, args);
    return answer.ok ? spoken(answer as unknown as Json) : spokenFault(answer.fault);
  } catch (error) {
    crash(error);
    return spokenFault(fault("aborted", "the run has ended"));
  }
}

type SaidClosing = {
  readonly usage?: Static<typeof SaidUsage>;
  readonly reason?: string;
  readonly probability?: unknown;
  readonly positions?: unknown;
};

/** What a call is the end of; null: it is a tool's of the store, and nothing has ended. */
function endingOf(name: string, args: Json, tools: Tools | null, asked: AskedCase): Attempt | null {
  const closing = name === "answer" || name === "decline";
  if (!closing && tools !== null) return null;
  if (!closing) return fault("protocol", `it called ${clip(name, limits.nameCharacters)}, and uses no tools`);
  const problem = misfit(name === "answer" ? sessionAnswer(asked) : DeclineArguments, args);
  if (problem !== undefined) return fault("malformed_output", `${name}: ${problem}`);
  const { usage: used, ...said } = args as SaidClosing;
  const spent = usageOf(used);
  if (said.reason !== undefined) return { kind: "decline", reason: said.reason, usage: spent };
  const answer = givenAnswer(said, asked);
  return typeof answer === "string"
    ? { ...fault("malformed_output", answer), usage: spent }
    : { kind: "answer", ...answer, usage: spent };
}

function fault(of: FaultClass, message: string): Attempt & { readonly kind: "fault" } {
  return { kind: "fault", class: of, message, usage: null };
}

/** Why a session is over that nobody of ours closed. */
function departure(input: Readable, broken: string | null): Attempt {
  if (broken !== null && /maximum size/.test(broken))
    return fault("protocol", `a message of more than ${limits.lineBytes} bytes`);
  const left = input.readableEnded || input.destroyed;
  return fault(
    "transport",
    left ? "the client closed the session without an answer" : "the client no longer reads",
  );
}

/** The bytes of an answer, as a record holds them. */
function spoken(answer: Json): Said {
  return { content: [{ type: "text", text: canonical(answer) }] };
}

function spokenFault({ class: of, message }: { readonly class: string; readonly message: string }): Said {
  return { ...spoken({ ok: false, fault: { class: of, message } }), isError: true };
}

/** What is promised, or `late` where it takes longer. */
async function orLate<T>(promise: Promise<T>, waitMs: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), waitMs);
  });
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

type Deferred<T> = {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
};

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((settled, failed) => {
    resolve = settled;
    reject = failed;
  });
  promise.catch(() => undefined); // whoever waits for it hears of it
  return { promise, resolve, reject };
}
