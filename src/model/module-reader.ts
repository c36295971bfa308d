/** `module:<file>`: a reader in JavaScript, each instance a thread of its own with the module loaded afresh. */
import * as fs from "node:fs";
import * as path from "node:path";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { digestOf } from "../core/digest.ts";
import { limits } from "../core/limits.ts";
import { cause } from "../core/lines.ts";
import { refuse } from "../core/refusal.ts";
import { clip } from "../core/words.ts";
import { agentSource } from "./agent-reader.ts";
import type { Received, Transport } from "./agent-session.ts";
import { lastWords, neverStarted } from "./child-process.ts";
import type { OutsideOptions } from "./identity.ts";
import { EXPIRED, type ModuleFile } from "./module-messages.ts";
import type { ReaderSource } from "./reader.ts";

const PLACE = "--reader";
/** Milliseconds that a thread has to notice that its time is over, and that a killed one may take to end. */
const NOTICE_MS = 100;
const DYING_MS = 2_000;

/** Refuses a file that is no module of this Node's, or is not there; one that has no reader in it, when it is asked who it is. */
export function moduleReader(
  file: string,
  options: OutsideOptions,
  nameOf: (digest: string) => string = () => path.basename(file),
): ReaderSource {
  checkExtension(file);
  const digest = digestOf(readModule(file));
  const loaded: ModuleFile = { file: path.resolve(file), digest };
  return agentSource({
    ...options,
    files: { ...options.files, [nameOf(digest)]: digest },
    adapter: "module",
    start: () => startThread(loaded),
    advice:
      "the module exports `reader`: an object { identity, answer(asked, tools, signal) }, or a function of the parameters that gives one",
  });
}

const scripts = [".js", ".mjs", ".cjs"];
const typed = [".ts", ".mts", ".cts"];

function checkExtension(file: string): void {
  const extension = path.extname(file);
  if (scripts.includes(extension)) return;
  const known = typed.includes(extension);
  // Added in Node 22.10, which the types of the oldest Node do not know.
  if (known && (process.features as { typescript?: unknown }).typescript) return;
  refuse("ReaderModuleUnsupported", {
    place: PLACE,
    found: known
      ? `${path.basename(file)}, and Node ${process.version} does not strip types`
      : path.basename(file),
    expected: known
      ? `a module that is compiled (${scripts.join(", ")})`
      : `a file that ends in ${[...scripts, ...typed].join(", ")}`,
  });
}

function readModule(file: string): Uint8Array {
  let found: number | undefined;
  try {
    const status = fs.statSync(file);
    found = status.isFile() ? status.size : undefined;
    if (found !== undefined && found <= limits.readerFileBytes) return fs.readFileSync(file);
  } catch (error) {
    const problem = `${path.basename(file)}: ${cause(error)}`;
    return refuse("ReaderUnavailable", { place: PLACE, problem, next: "give the path of a module" });
  }
  const problem =
    found === undefined
      ? `${path.basename(file)} is no file`
      : `${path.basename(file)} has ${found} bytes, at most ${limits.readerFileBytes}`;
  return refuse("ReaderUnavailable", { place: PLACE, problem, next: "give the path of a module" });
}

function startThread(loaded: ModuleFile): Transport {
  const { port1: port, port2: theirs } = new MessageChannel();
  let worker: Worker;
  try {
    worker = new Worker(new URL("./module-worker.js", import.meta.url), {
      stdout: true, // its words are for people: the engine's own stdout holds data alone
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: limits.moduleHeapMegabytes },
    });
  } catch (error) {
    return neverStarted((error as Error).message);
  }
  worker.postMessage({ ...loaded, port: theirs }, [theirs]);
  return threadTransport(worker, port);
}

function threadTransport(worker: Worker, port: MessagePort): Transport {
  let killed = false;
  let wake = (): void => {};
  const words = lastWords([worker.stdout, worker.stderr]);
  const mail = mailOf(port, () => wake());
  const life = threadLife(worker, () => {
    mail.close();
    wake();
  });
  const kill = (): void => {
    if (killed) return;
    killed = true;
    life.kill();
    wake();
  };
  return {
    async send(line) {
      port.postMessage(line);
    },
    async receive() {
      for (;;) {
        if (killed) return { kind: "end", how: life.how() ?? "was ended", rest: "" };
        const line = mail.next();
        if (line !== null) return line;
        const how = life.how();
        if (how !== null) return { kind: "end", how, rest: "" };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    waiting: mail.next,
    close() {},
    expire() {
      port.postMessage(EXPIRED);
      const timer = setTimeout(kill, NOTICE_MS);
      void life.ended.then(() => clearTimeout(timer));
    },
    kill,
    ended: life.ended,
    words,
  };
}

/** Lines as they came over a port, a few at most: a thread that is served by our own worker has one on its way, or two. */
function mailOf(port: MessagePort, tell: () => void): { next(): Received | null; close(): void } {
  const came: string[] = [];
  const take = (line: unknown): void => {
    if (came.length <= limits.moduleMessages) came.push(typeof line === "string" ? line : "?");
  };
  port.on("message", (line: unknown) => {
    take(line);
    tell();
  });
  return {
    next() {
      if (came.length > limits.moduleMessages)
        return { kind: "broken", problem: `more than ${limits.moduleMessages} messages at once` };
      const text = came.shift();
      if (text === undefined) return null;
      if (text.length > limits.lineBytes)
        return { kind: "broken", problem: `a line of more than ${limits.lineBytes} bytes` };
      return { kind: "line", text };
    },
    close() {
      // What a thread said before its end can be later than the news of it.
      for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port))
        take(last.message);
      port.close();
    },
  };
}

type Life = { how(): string | null; kill(): void; readonly ended: Promise<void> };

function threadLife(worker: Worker, tell: () => void): Life {
  let how: string | null = null;
  let resolve = (): void => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  let timer: NodeJS.Timeout | undefined;
  let threw: string | null = null;
  worker.once("error", (error: unknown) => {
    threw = `threw ${clip(error instanceof Error ? error.message : String(error), 200)}`;
  });
  worker.once("exit", (code) => {
    how = threw ?? `ended with exit code ${code}`;
    clearTimeout(timer);
    tell();
    resolve();
  });
  const kill = (): void => {
    if (how !== null) return;
    void worker.terminate();
    timer = setTimeout(() => {
      worker.unref(); // it is held by a call of the system's, which nothing here can end
      resolve();
    }, DYING_MS);
  };
  return { how: () => how, kill, ended };
}
