/** Other processes of a test: its own file run again, with words that say what to do; killed at will. */
import { type ChildProcess, spawn } from "node:child_process";
import * as runner from "node:test";

/** What this process was told to do as a child; empty in the test itself. */
export const words: readonly string[] = process.argv.slice(2);

/** Declares tests where this is the test itself, and nothing in a child. */
export const describe = words.length > 0 ? () => {} : runner.describe;

export type Child = {
  readonly process: ChildProcess;
  /** Lines that it printed so far. */
  readonly lines: () => readonly string[];
  /** Resolves when it has printed so many lines, or has ended. */
  readonly printed: (lines: number) => Promise<void>;
  /** Exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

/** `file` is a test's own: it looks at its words first, and declares its tests with the `describe` above. */
export function childOf(file: string, words: readonly string[]): Child {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [file, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let over = false;
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const one of waiting) one();
  };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    tell();
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on("close", (code, signal) => {
      over = true;
      tell();
      resolve(code ?? (signal as NodeJS.Signals));
    }),
  );
  const lines = () => text.split("\n").slice(0, -1);
  const printed = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!over && lines().length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { process: child, lines, printed, ended };
}
