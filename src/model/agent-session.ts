/** A conversation with one process of a reader: hello, identity, then for each question its calls and its answer, then bye. */
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { clip } from "../core/words.ts";
import {
  askOf,
  attemptOf,
  type Closing,
  type Hello,
  lineStart,
  type Misread,
  readMessage,
  type Said,
  type Told,
  tellLine,
} from "./agent-protocol.ts";
import { callBounded } from "./bounded-call.ts";
import type { SaidIdentity } from "./identity.ts";
import { type AskedCase, type Attempt, type FaultClass, OUT_OF_TIME, type Tools } from "./reader.ts";

/** What comes from a process: a line, bytes that are none, or its end. */
export type Received =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "broken"; readonly problem: string }
  /** `rest`: what it had begun to say. */
  | { readonly kind: "end"; readonly how: string; readonly rest: string };

/** One process, whatever it runs in. Nothing is read from it but by `receive` and `waiting`, so that it cannot run ahead. */
export type Transport = {
  /** Resolves when it was taken, or there is nobody left to take it. Never rejects. */
  send(line: string): Promise<void>;
  receive(): Promise<Received>;
  /** What has come already and was not received. */
  waiting(): Received | null;
  /** Nothing more will be sent. */
  close(): void;
  /** The time is over: it may notice, and is then killed. */
  expire(): void;
  /** Ends it, and whatever it has begun. `receive` then gives its end. */
  kill(): void;
  /** It has ended, or cannot be ended. */
  readonly ended: Promise<void>;
  /** The last that it said to people. */
  words(): string;
};

/** An identity as it was said, or why there is none. */
export type Greeted =
  | { readonly ok: true; readonly said: SaidIdentity }
  | { readonly ok: false; readonly class: FaultClass; readonly message: string };

export type Session = {
  greet(hello: Hello, deadline: AbortSignal): Promise<Greeted>;
  ask(asked: AskedCase, tools: Tools | null, deadline: AbortSignal): Promise<Attempt>;
  /** Ends the process; what it said without being asked, in words. */
  bye(): Promise<string | null>;
  /** Ends the process at once. */
  stop(): Promise<void>;
  /** Its process was ended. */
  over(): boolean;
};

/** Whoever is not heard out: a fault of its class, after which the process is ended. */
class Broken extends Error {
  readonly class: FaultClass;
  constructor(faultClass: FaultClass, message: string) {
    super(message);
    this.class = faultClass;
  }
}

/** `named`: an answer must name its question, since the process is asked one after the other. */
export function openSession(transport: Transport, named = false): Session {
  let over = false;
  const stop = async (): Promise<void> => {
    over = true;
    transport.kill();
    await transport.ended;
  };
  /** Runs `talk` until it ends or the deadline does; whatever breaks it off ends the process, and becomes `broken`. */
  const until = async <T>(
    deadline: AbortSignal,
    talk: () => Promise<T>,
    broken: (error: Broken) => T,
  ): Promise<T> => {
    const unwatch = watch(deadline, () => transport.expire());
    try {
      return await talk();
    } catch (error) {
      await stop();
      if (error instanceof Broken) return broken(error);
      throw error;
    } finally {
      unwatch();
    }
  };
  return {
    greet: (hello, deadline) =>
      until<Greeted>(
        deadline,
        async () => ({ ok: true, said: await greeting(transport, hello, deadline) }),
        (error) => ({ ok: false, class: error.class, message: error.message }),
      ),
    ask: (asked, tools, deadline) =>
      until<Attempt>(
        deadline,
        () => answering({ transport, asked, tools, deadline, named }),
        (error) => ({ kind: "fault", class: error.class, message: error.message, usage: null }),
      ),
    async bye() {
      const more = await farewell(transport);
      await stop();
      return more;
    },
    stop,
    over: () => over,
  };
}

function watch(signal: AbortSignal, tell: () => void): () => void {
  if (signal.aborted) tell();
  else signal.addEventListener("abort", tell, { once: true });
  return () => signal.removeEventListener("abort", tell);
}

const tell = (transport: Transport, message: Told): Promise<void> => transport.send(tellLine(message));

async function greeting(transport: Transport, hello: Hello, deadline: AbortSignal): Promise<SaidIdentity> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    transport.kill();
  }, limits.helloMs);
  try {
    await tell(transport, hello);
    const message = await next(transport, deadline, () => late);
    if (message.type === "fault")
      throw new Broken(message.class, clip(message.message, limits.wordsCharacters));
    if (message.type !== "identity")
      throw new Broken("protocol", `${message.type} where its identity belongs`);
    const { type: _, ...said } = message;
    return said;
  } finally {
    clearTimeout(timer);
  }
}

type Asking = {
  readonly transport: Transport;
  readonly asked: AskedCase;
  readonly tools: Tools | null;
  readonly deadline: AbortSignal;
  readonly named: boolean;
};

async function answering({ transport, asked, tools, deadline, named }: Asking): Promise<Attempt> {
  const unasked = transport.waiting();
  if (unasked !== null && unasked.kind !== "end")
    throw new Broken("protocol", afterAnswer(saidMore(unasked) ?? ""));
  await tell(transport, askOf(asked));
  for (let calls = 0; ; calls++) {
    const message = await next(transport, deadline);
    if (message.type === "identity") throw new Broken("protocol", "an identity where an answer belongs");
    if (message.type !== "call") return closed(message, asked, named);
    if (tools === null)
      throw new Broken("protocol", "a call, though its identity says that it uses no tools");
    if (calls >= limits.calls) throw new Broken("budget", `more than ${limits.calls} calls`);
    const reply = await callBounded(tools, message.tool, message.args as Json);
    await tell(transport, { type: "reply", call_id: message.call_id, ...reply });
  }
}

function closed(message: Closing, asked: AskedCase, named: boolean): Attempt {
  const attempt = attemptOf(message, asked, named);
  if (!("kind" in attempt)) throw new Broken("protocol", attempt.problem);
  return attempt;
}

/** The next message; whatever else comes breaks it off. */
async function next(transport: Transport, deadline: AbortSignal, late = () => false): Promise<Said> {
  const received = await transport.receive();
  if (deadline.aborted) throw new Broken("timeout", OUT_OF_TIME);
  if (late()) throw new Broken("timeout", `it did not say who it is within ${limits.helloMs} ms`);
  if (received.kind === "broken") throw new Broken("protocol", received.problem);
  if (received.kind === "end") {
    const torn = received.rest === "" ? "" : `, in the middle of a line: ${lineStart(received.rest)}`;
    throw new Broken("transport", `it ${received.how} before it had answered${torn}`);
  }
  const message: Said | Misread = readMessage(received.text);
  if (message.type === "misread") throw new Broken("protocol", message.problem);
  return message;
}

/** Says bye, and waits a while for the end; what it still says is given back. */
async function farewell(transport: Transport): Promise<string | null> {
  const timer = setTimeout(() => transport.kill(), limits.byeMs);
  try {
    void tell(transport, { type: "bye" });
    transport.close();
    for (;;) {
      const received = await transport.receive();
      const more = saidMore(received);
      if (more !== null || received.kind === "end") return more;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Of what came unasked, in words: null where it is nothing, or white space. */
function saidMore(received: Received): string | null {
  if (received.kind === "broken") return received.problem;
  const text = received.kind === "line" ? received.text : received.rest;
  return text.trim() === "" ? null : lineStart(text);
}

export const afterAnswer = (said: string): string => `it said more after its answer: ${said}`;
