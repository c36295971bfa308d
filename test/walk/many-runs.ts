/** Runs of the command line in one process, which loads the engine once: for what a start each proves no more of. */
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { environment, main, type Ran, temporaryFolder, workspace } from "./command-line.ts";

export type Words = {
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};
type Given = Words & { readonly cwd: string };

/** What `blindcast` says to each, in order; every run evaluates the command line anew, on modules that are loaded. */
export function manyRuns(runs: readonly Words[]): readonly Ran[] {
  return runs.map(({ words, ...options }) => warm(words, options));
}

/** As `blindcast` of command-line.ts, in the one process of this test file that ran what was asked of it before. */
export function warm(words: readonly string[], options: Omit<Words, "words"> = {}): Ran {
  engine ??= start();
  const given: Given = { words, cwd: workspace, ...options };
  fs.writeSync(engine.asks, `${JSON.stringify(given)}\n`);
  const line = readLine(engine.answers);
  if (line === "") throw new Error(`ended at ${words.join(" ")}: ${fs.readFileSync(engine.errors, "utf8")}`);
  return JSON.parse(line) as Ran;
}

let engine: { readonly asks: number; readonly answers: number; readonly errors: string } | undefined;

/** A process that waits for runs until its asker is gone; pipes with names, as they are read and written without a turn. */
function start(): NonNullable<typeof engine> {
  const folder = temporaryFolder();
  process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  const [asks, answers] = [pipe(path.join(folder, "asks")), pipe(path.join(folder, "answers"))];
  const errors = path.join(folder, "errors");
  const said = fs.openSync(errors, "w");
  const file = fileURLToPath(import.meta.url);
  const stdio = ["ignore", "ignore", said, asks.read, answers.write] as const;
  spawn(process.execPath, [file, "many-runs"], { env: environment, stdio: [...stdio] }).unref();
  for (const descriptor of [said, asks.read, answers.write]) fs.closeSync(descriptor);
  return { asks: asks.write, answers: answers.read, errors };
}

function pipe(name: string): { readonly read: number; readonly write: number } {
  const made = spawnSync("mkfifo", [name], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`mkfifo: ${made.error ?? made.stderr}`);
  const both = fs.openSync(name, "r+"); // so that neither end waits for the other
  const ends = { read: fs.openSync(name, "r"), write: fs.openSync(name, "w") };
  fs.closeSync(both);
  return ends;
}

/** Up to the line's end, which nothing follows: one asks, one answers. Empty where the other end is gone. */
function readLine(descriptor: number): string {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.alloc(65_536);
    const length = fs.readSync(descriptor, piece);
    pieces.push(piece.subarray(0, length));
    if (length === 0) return "";
    if (piece[length - 1] === 10) return Buffer.concat(pieces).toString("utf8");
  }
}

/** The whole process is the run's: its words, folder, environment, and what it writes. */
async function runOne({ words, cwd, env }: Given, own: NodeJS.ProcessEnv, i: number): Promise<Ran> {
  const texts = { stdout: "", stderr: "" };
  const tell = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = ((text: string) => {
      texts[name] += text;
      return true;
    }) as typeof process.stdout.write;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, own, env); // one by one, so that a zone is heeded
  process.argv = [process.execPath, main, ...words];
  process.exitCode = undefined;
  await import(`${pathToFileURL(main).href}?run=${i}`);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  const status = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  for (const name of ["stdout", "stderr"] as const) process[name].write = tell[name];
  return { status, ...texts };
}

if (process.argv[2] === "many-runs") {
  const own = { ...process.env };
  for (let i = 0; ; i++) {
    const line = readLine(3);
    if (line === "") break;
    fs.writeSync(4, `${JSON.stringify(await runOne(JSON.parse(line) as Given, own, i))}\n`);
  }
}
