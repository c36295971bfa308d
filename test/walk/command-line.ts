/** The command line as a person has it: the built `blindcast`, its output, its exit status. Nothing of src is imported. */
import { spawnSync } from "node:child_process";
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

export function blindcast(
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Ran {
  const env = { ...process.env, ...options.env };
  const ran = spawnSync(process.execPath, [main, ...words], {
    cwd: options.cwd ?? repository,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

/** The JSON object of a run's last line of stdout. */
export function lastLine<T = Summary>(ran: Ran): T {
  const lines = ran.stdout.trimEnd().split("\n");
  return JSON.parse(lines.at(-1) as string) as T;
}

export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-test-"));
}
