/** A process of a reader's own: a shell command in a process group, spoken to by lines, ended with all that it began. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { limits } from "../core/limits.ts";
import { lineSource } from "./agent-lines.ts";
import type { Transport } from "./agent-session.ts";

export type ChildOptions = {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly groups: ProcessGroups;
};

/**
 * Milliseconds that others may hold a dead child's pipes open, that one which closed its stdout may take to end, and that a
 * killed one may take to die.
 */
const GRACE_MS = 250;
const CLOSED_MS = 1_000;
const DYING_MS = 2_000;

/** Process groups that are alive; they are killed when this process ends. */
export type ProcessGroups = { add(id: number): void; kill(id: number): void; killAll(): void };

export function processGroups(): ProcessGroups {
  const alive = new Set<number>();
  const kill = (id: number): void => {
    if (!alive.delete(id)) return; // its number may be another's by now
    try {
      process.kill(-id, "SIGKILL");
    } catch {
      // nobody is left in it
    }
    if (alive.size === 0) process.removeListener("exit", killAll);
  };
  const killAll = (): void => {
    for (const id of [...alive]) kill(id);
  };
  const add = (id: number): void => {
    if (alive.size === 0) process.once("exit", killAll);
    alive.add(id);
  };
  return { add, kill, killAll };
}

/** Never throws: a command that cannot be started is a transport that has ended. */
export function startChild(command: string, { folder, environment, groups }: ChildOptions): Transport {
  let child: ChildProcess;
  try {
    child = spawn("/bin/sh", ["-c", command], {
      cwd: folder,
      env: environment,
      detached: true, // a group of its own: the terminal's Ctrl-C does not reach it, and all of it can be killed
      stdio: "pipe",
    });
  } catch (error) {
    return neverStarted(codeOf(error)); // words that the system cannot pass on: too long, or with a zero in them
  }
  const { stdin, stdout, stderr } = child;
  if (stdin && stdout && stderr) return transportOf(child, { stdin, stdout, stderr }, groups);
  child.on("error", () => {});
  return neverStarted("too many open files"); // no pipes were made
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** A transport that has ended before it began. */
export function neverStarted(why: string): Transport {
  return {
    send: () => Promise.resolve(),
    receive: () => Promise.resolve({ kind: "end", how: `could not be started (${why})`, rest: "" }),
    waiting: () => null,
    close() {},
    expire() {},
    kill() {},
    ended: Promise.resolve(),
    words: () => "",
  };
}

type Pipes = { readonly stdin: Writable; readonly stdout: Readable; readonly stderr: Readable };

function transportOf(
  child: ChildProcess,
  { stdin, stdout, stderr }: Pipes,
  groups: ProcessGroups,
): Transport {
  let killed = false;
  let wake = (): void => {};
  const life = lifeOf(child, groups, () => wake());
  const lines = lineSource(() => stdout.read() as Buffer | null);
  const words = lastWords([stderr]);
  stdin.on("error", () => {}); // nobody reads it: what comes, or does not, from the other side says more
  stdout.on("error", () => wake());
  // A listener of `readable` and none of `data`: the stream holds one buffer, and the rest waits in the child.
  for (const event of ["readable", "end", "close"]) stdout.on(event, () => wake());
  /** Resolves when something came; true: nothing did, from a process that is dead, and what was on its way is here. */
  const pause = () =>
    new Promise<boolean>((resolve) => {
      const timer = life.how() === null ? undefined : setTimeout(afterInput, GRACE_MS, () => resolve(true));
      wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  const kill = (): void => {
    if (killed) return;
    killed = true;
    life.kill();
    stdin.destroy();
    stdout.destroy();
    void life.ended.then(() => stderr.destroy()); // its last words may be on their way
    wake();
  };
  return {
    send: (line) => sendTo(stdin, `${line}\n`),
    async receive() {
      for (let idle = false; !killed; idle = await pause()) {
        const line = lines.next();
        if (line !== null) return line;
        if (!idle && !stdout.readableEnded && !stdout.destroyed) continue;
        await within(life.ended, CLOSED_MS);
        return { kind: "end", how: life.how() ?? "closed its stdout", rest: lines.rest() };
      }
      return { kind: "end", how: life.how() ?? "was ended", rest: "" };
    },
    waiting: () => lines.next(),
    close: () => stdin.end(),
    expire: kill,
    kill,
    ended: life.ended,
    words,
  };
}

type Life = { how(): string | null; kill(): void; readonly ended: Promise<void> };

/** How a child lives and ends; whatever is left of its group ends with it. */
function lifeOf(child: ChildProcess, groups: ProcessGroups, tell: () => void): Life {
  const { pid } = child;
  let how: string | null = null;
  let resolve = (): void => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  let timer: NodeJS.Timeout | undefined;
  const killGroup = (): void => {
    if (pid !== undefined) groups.kill(pid);
  };
  const over = (): void => {
    clearTimeout(timer);
    killGroup();
    resolve();
  };
  const ends = (words: string): void => {
    how ??= words;
    clearTimeout(timer);
    timer = setTimeout(over, GRACE_MS);
    child.once("close", over);
    tell();
  };
  if (pid !== undefined) groups.add(pid);
  child.on("error", (error) => ends(`could not be started (${codeOf(error)})`));
  child.once("exit", (code, signal) =>
    ends(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
  );
  const kill = (): void => {
    killGroup();
    timer ??= setTimeout(over, DYING_MS);
  };
  return { how: () => how, kill, ended };
}

/** A timer of a busy process runs before the input that came while it was due: first that, then `then`. */
function afterInput(then: () => void): void {
  setImmediate(then);
}

/** Resolves when the bytes are on their way, or can go nowhere: the stream holds no more than its own buffer. */
function sendTo(stdin: Writable, text: string): Promise<void> {
  if (stdin.destroyed || stdin.writableEnded || stdin.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.removeListener("drain", done);
      stdin.removeListener("close", done);
      resolve();
    };
    stdin.on("drain", done);
    stdin.on("close", done);
  });
}

/** The last characters that came out of streams, none of which is waited for. */
export function lastWords(streams: readonly Readable[]): () => string {
  let text = "";
  for (const stream of streams) {
    stream.on("error", () => {});
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(-limits.stderrCharacters);
    });
  }
  return () => text;
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(afterInput, ms, resolve);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
