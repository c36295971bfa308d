/** Many runs of the command line in one process, which loads the engine once: for what a start each proves no more of. */
import { spawnSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { environment, main, type Ran, workspace } from "./command-line.ts";

export type Words = {
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};
type Given = Words & { readonly cwd: string };

/** What `blindcast` says to each, in order; every run evaluates the command line anew, on modules that are loaded. */
export function manyRuns(runs: readonly Words[]): readonly Ran[] {
  const input = JSON.stringify(runs.map((run) => ({ cwd: workspace, ...run })));
  const file = fileURLToPath(import.meta.url);
  const child = spawnSync(process.execPath, [file, "many-runs"], {
    input,
    env: environment,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (child.status !== 0) throw new Error(`ended with ${child.signal ?? child.status}: ${child.stderr}`);
  return JSON.parse(child.stdout) as readonly Ran[];
}

/** The whole process is the next run's: its words, folder, environment, and what it writes. */
async function runAll(runs: readonly Given[]): Promise<readonly Ran[]> {
  const own = { ...process.env };
  const said: Ran[] = [];
  const [tellOut, tellErr] = [process.stdout.write, process.stderr.write];
  for (const [i, { words, cwd, env }] of runs.entries()) {
    const texts = { stdout: "", stderr: "" };
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
    said.push({ status: Number(process.exitCode ?? 0), ...texts });
  }
  process.stdout.write = tellOut;
  process.stderr.write = tellErr;
  process.exitCode = 0;
  return said;
}

if (process.argv[2] === "many-runs") {
  let input = "";
  for await (const piece of process.stdin.setEncoding("utf8")) input += piece;
  const answer = JSON.stringify(await runAll(JSON.parse(input) as readonly Given[]));
  process.stdout.write(answer);
}
