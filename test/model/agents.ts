/** Readers from outside as the tests make them: little shell children, Node children, modules; and what opens them. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ExecOptions, execReader } from "../../src/model/agent-exec.ts";
import type { OutsideOptions, SaidIdentity } from "../../src/model/identity.ts";
import { moduleReader } from "../../src/model/module-reader.ts";
import type {
  AskedCase,
  Attempt,
  Opening,
  Reader,
  ReaderSource,
  ToolAnswer,
  Tools,
} from "../../src/model/reader.ts";
import { assertEvery } from "../support/all.ts";

/** A folder of this test process, gone at its end. */
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-agents-"));
process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

export const identity: SaidIdentity = {
  name: "agent",
  snapshot: "none",
  pretrain_cutoff: "none",
  posttrain_cutoff: "none",
  prompt_digest: "none",
  uses_tools: true,
};

export function outside(say: (words: string) => void = () => {}): OutsideOptions {
  return {
    identity,
    temperature: 0,
    params: {},
    family: null,
    files: {},
    shared: false,
    tools: { schemas: [], version: "sha256:0" },
    say,
  };
}

/** Lines of a shell child, in which `$line` is the line that was read last; told bye where a question could be, it ends. */
export const HELLO = `read -r line; echo '{"type":"identity"}'`;
export const ASKED = `read -r line || exit; case "$line" in *'"bye"'*) exit;; esac`;
export const ANSWER = `echo '{"type":"answer","probability":0.25}'`;
export const BYE = "read -r line";
export const GOOD = [HELLO, ASKED, ANSWER, BYE].join("\n");

type Changed = Partial<ExecOptions>;

export const shellReader = (script: string, changed: Changed = {}): ReaderSource =>
  execReader(script, { ...outside(), environment: process.env, folder, ...changed });

let written = 0;

/** A file of this test's folder. */
export function fileOf(text: string, extension: string): string {
  const file = path.join(folder, `agent-${++written}${extension}`);
  fs.writeFileSync(file, text);
  return file;
}

/**
 * A Node child: `body` is that of an async function of `say` (an object, as a line), `hear` (the next line, parsed) and
 * `raw` (text, as it is).
 */
export function nodeCommand(body: string): string {
  const file = fileOf(
    `import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const raw = (text) => process.stdout.write(text);
const say = (message) => raw(JSON.stringify(message) + "\\n");
const hear = async () => {
  const { done, value } = await lines.next();
  return done ? { type: "bye" } : JSON.parse(value);
};
${body}
process.exit(0);
`,
    ".mjs",
  );
  return `exec '${process.execPath}' '${file}'`;
}

export const nodeReader = (body: string, changed: Changed = {}): ReaderSource =>
  shellReader(nodeCommand(body), changed);

export const moduleOf = (text: string, changed: Partial<OutsideOptions> = {}): ReaderSource =>
  moduleReader(fileOf(text, ".mjs"), { ...outside(), ...changed });

export const asked: AskedCase = {
  id: "case-1",
  repeat: 0,
  kind: "forecast",
  question: "Will it?",
  horizon: "2020-01-01T00:00:00Z",
  asked_day: "2020-01-01",
  tables: { weather: { date: "string", precipitation: "number" } },
  answer: "probability",
};

export const openingOf = (deadline: () => AbortSignal): Opening => ({
  deadline,
  refusal: () => null,
  paused: (work) => work,
  record() {},
});
export const patient: Opening = openingOf(() => new AbortController().signal);
/** A deadline so many milliseconds after each ask. */
export const hasty = (ms: number): Opening => openingOf(() => AbortSignal.timeout(ms));

export const never: AbortSignal = new AbortController().signal;

/** Tools that note each call and answer it. */
export function notingTools(
  answer: (tool: string, args: unknown) => ToolAnswer = () => ({ ok: true, rows: [] }),
) {
  const calls: [tool: string, args: unknown][] = [];
  const tools: Tools = {
    async call(tool, args) {
      calls.push([tool, args]);
      return answer(tool, args);
    },
  };
  return { tools, calls };
}

export type Trial = { readonly attempt: Attempt; readonly late: string | null };

/** One trajectory. */
export async function trialOf(
  source: ReaderSource,
  tools: Tools | null = notingTools().tools,
  opening: Opening = patient,
): Promise<Trial> {
  const reader: Reader = source.open(null, opening);
  const attempt = await reader.answer(asked, tools, never);
  return { attempt, late: (await reader.end?.()) ?? null };
}

/** `class: message` of a fault, else the attempt's kind. */
export const faultOf = (attempt: Attempt): string =>
  attempt.kind === "fault" ? `${attempt.class}: ${attempt.message}` : attempt.kind;

/** Whether a process lives: a zombie is dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    return !/^\d+ \(.*\) [ZX]/.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export async function allDead(pids: readonly number[]): Promise<void> {
  for (let i = 0; i < 200 && pids.some(isAlive); i++) await sleep(10);
  assertEvery(pids, (pid) => !isAlive(pid));
}

/** Process ids that were appended to a file, one a line. */
export const pidsIn = (file: string): readonly number[] =>
  fs.readFileSync(file, "utf8").trim().split("\n").map(Number);
