/** Readers that are processes: a new one for each instance, held to the identity that was stamped, ended with it. */
import { isRefusal, refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import type { Hello } from "./agent-protocol.ts";
import { afterAnswer, openSession, type Session, type Transport } from "./agent-session.ts";
import type { ModelCheckpoint } from "./family.ts";
import { completeIdentity, identityDrift, type OutsideOptions, type SaidIdentity } from "./identity.ts";
import type { Attempt, FaultClass, Opening, Reader, ReaderIdentity, ReaderSource } from "./reader.ts";

export type AgentOptions = OutsideOptions & {
  readonly adapter: "exec" | "module";
  /** Starts a process; one that cannot be started is a transport that has ended. */
  readonly start: () => Transport;
  /** What to do where it does not say who it is. */
  readonly advice: string;
};

/** Trajectories of one run whose process is quoted to the user. */
const QUOTED = 5;
const PLACE = "--reader";
const NEVER = new AbortController().signal;
/** Milliseconds after which a person is told what is waited for. */
const WAITING_MS = 3_000;

export function agentSource(options: AgentOptions): ReaderSource {
  const identities = new Map<string | null, Promise<ReaderIdentity>>();
  const running = new Set<Session>();
  const start = (): Started => {
    const transport = options.start();
    const session = openSession(transport, options.shared);
    running.add(session);
    void transport.ended.then(() => running.delete(session));
    return { session, words: transport.words };
  };
  const quote = quoter(options.say);
  const identity = (checkpoint: ModelCheckpoint | null): Promise<ReaderIdentity> => {
    const snapshot = checkpoint?.snapshot ?? null;
    const known = identities.get(snapshot) ?? askIdentity(start(), checkpoint, options);
    identities.set(snapshot, known);
    return known;
  };
  return {
    name: options.identity.name ?? options.adapter,
    adapter: options.adapter,
    files: options.files,
    family: options.family,
    identity,
    open: (checkpoint, opening) =>
      readerOf(start, checkpoint, opening, { options, quote, stamped: () => identity(checkpoint) }),
    async close() {
      await Promise.all([...running].map((session) => session.stop()));
    },
  };
}

type Started = { readonly session: Session; readonly words: () => string };

function helloOf(checkpoint: ModelCheckpoint | null, { tools, params }: OutsideOptions): Hello {
  const { schemas, version } = tools;
  const snapshot = checkpoint?.snapshot ?? null;
  return { type: "hello", v: 1, snapshot, tools: schemas, tool_schema_version: version, params };
}

/** Of a process that is asked nothing else. */
async function askIdentity(
  { session, words }: Started,
  checkpoint: ModelCheckpoint | null,
  options: AgentOptions,
): Promise<ReaderIdentity> {
  const waiting = setTimeout(() => options.say("waiting for the reader to say who it is"), WAITING_MS);
  const greeted = await session
    .greet(helloOf(checkpoint, options), NEVER)
    .finally(() => clearTimeout(waiting));
  if (!greeted.ok) {
    const last = words().trimEnd().split("\n").at(-1) ?? "";
    const heard = last === "" ? "" : `; its stderr ends: ${JSON.stringify(clip(last, 200))}`;
    const problem = `the reader did not say who it is: ${greeted.message}${heard}`;
    return refuse("ReaderUnavailable", { place: PLACE, problem, next: options.advice });
  }
  const more = await session.bye();
  if (more !== null) {
    const problem = `the reader said more than who it is: ${more}`;
    return refuse("ReaderUnavailable", { place: PLACE, problem, next: options.advice });
  }
  return completeIdentity(greeted.said, checkpoint, options, PLACE);
}

type Instance = {
  readonly options: AgentOptions;
  readonly stamped: () => Promise<ReaderIdentity>;
  readonly quote: (id: string, attempt: Attempt, words: string) => void;
};

/** Serves one trajectory, or several after each other; where a fault ended its process, the next has a new one. */
function readerOf(
  start: () => Started,
  checkpoint: ModelCheckpoint | null,
  opening: Opening,
  { options, stamped, quote }: Instance,
): Reader {
  let current: Started | null = null;
  const greet = async (session: Session, deadline: AbortSignal): Promise<Attempt | null> => {
    const greeted = await session.greet(helloOf(checkpoint, options), deadline);
    if (!greeted.ok) return fault(greeted.class, greeted.message);
    const drift = driftOf(await stamped(), greeted.said, checkpoint, options);
    if (drift === undefined) return null;
    await session.stop();
    return fault("protocol", `it is not the reader that was stamped: ${drift}`);
  };
  return {
    async answer(asked, tools) {
      await stamped(); // known by now; where it is not, nothing is started that nobody would end
      const fresh = current === null || current.session.over();
      if (fresh) current = start();
      const { session, words } = current as Started;
      // Starting has a limit of its own: the case's time begins when the case is asked.
      const attempt =
        (fresh ? await greet(session, NEVER) : null) ?? (await session.ask(asked, tools, opening.deadline()));
      quote(asked.id, attempt, words());
      return attempt;
    },
    async end() {
      const more = current === null || current.session.over() ? null : await current.session.bye();
      return more === null ? null : afterAnswer(more);
    },
  };
}

const fault = (faultClass: FaultClass, message: string): Attempt => ({
  kind: "fault",
  class: faultClass,
  message,
  usage: null,
});

/** In what an instance is another than the one that was stamped, in words. */
function driftOf(
  stamped: ReaderIdentity,
  said: SaidIdentity,
  checkpoint: ModelCheckpoint | null,
  options: OutsideOptions,
): string | undefined {
  try {
    return identityDrift(stamped, completeIdentity(said, checkpoint, options, PLACE));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.message;
  }
}

/** Tells the user what a process said last, where its trajectory was broken off: of the first few, and never to a record. */
function quoter(say: (words: string) => void): Instance["quote"] {
  let quoted = 0;
  return (id, attempt, words) => {
    if (attempt.kind !== "fault" || !["transport", "protocol", "timeout"].includes(attempt.class)) return;
    const lines = words.split("\n").filter((line) => line.trim() !== "");
    if (lines.length === 0 || quoted >= QUOTED) return;
    for (const line of lines) say(`reader: ${id}: ${line.replace(/\p{Cc}/gu, " ").trimEnd()}`);
    if (++quoted === QUOTED) say("reader: what it says to stderr in further cases is not shown");
  };
}
