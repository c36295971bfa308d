/** The command line as a person has it: the built `blindcast`, its output, its exit status. Nothing of src is imported. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import type { Summary } from "../support/report-shape.ts";

/** The repository: the nearest folder upward with a package.json. */
export const repository = (() => {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!fs.existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  return folder;
})();

export const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

export type Ran = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** A workspace of this test's own, with nothing configured: no ledger and no key of the machine's user is touched. */
export const workspace = temporaryFolder();
fs.mkdirSync(path.join(workspace, "ledgers"));
process.on("exit", () => fs.rmSync(workspace, { recursive: true, force: true }));
export const environment = { ...process.env, XDG_CONFIG_HOME: path.join(workspace, "config") };

export function blindcast(
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Ran {
  const env = { ...environment, ...options.env };
  const ran = spawnSync(process.execPath, [main, ...words], {
    cwd: options.cwd ?? workspace,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

/** The same beside a server of the test's own process, which has to have its turns. */
export async function besides(words: readonly string[], more: Record<string, string>): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...words], {
    cwd: workspace,
    env: { ...environment, ...more },
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => {
    said.stdout += piece;
  });
  child.stderr.on("data", (piece) => {
    said.stderr += piece;
  });
  const [status] = (await once(child, "close")) as [number | null];
  return { status, ...said };
}

/** The JSON object of a run's last line of stdout. */
export function lastLine<T = Summary>(ran: Ran): T {
  const lines = ran.stdout.trimEnd().split("\n");
  return JSON.parse(lines.at(-1) as string) as T;
}

export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-test-"));
}
