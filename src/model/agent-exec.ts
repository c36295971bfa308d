/** `exec:<command>`: a reader in any language, as a process that speaks JSON lines on its standard streams. */
import { agentSource } from "./agent-reader.ts";
import { processGroups, startChild } from "./child-process.ts";
import type { OutsideOptions } from "./identity.ts";
import type { ReaderSource } from "./reader.ts";

export type ExecOptions = OutsideOptions & {
  /** The child's environment, as it is. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Its working folder. */
  readonly folder: string;
};

/** `command` is run by `/bin/sh -c`: once a checkpoint before the run, then once for each instance. */
export function execReader(command: string, options: ExecOptions): ReaderSource {
  const { environment, folder } = options;
  const groups = processGroups();
  const source = agentSource({
    ...options,
    adapter: "exec",
    start: () => startChild(command, { folder, environment, groups }),
    advice: "run the command yourself: it is sent hello as a line on stdin, and says its identity on stdout",
  });
  return {
    ...source,
    async close() {
      await source.close?.();
      groups.killAll();
    },
  };
}
