/** What becomes of a process whose output nobody reads any more, as `| head -1` leaves it. */
import { exitStatus } from "./exit-status.ts";

/**
 * A reader of stdout that has gone ends the process without a word, with the status that shells give to a program which
 * SIGPIPE ended: it is no success, and none of ours. A reader of stderr that has gone misses words, and the work goes on.
 * `speaks`: stdout is a protocol's, whose client ends the session by stdin; what was begun is written first.
 */
export function endWithReader(speaks: boolean): void {
  outlives = speaks;
  if (!process.stdout.listeners("error").includes(ended)) process.stdout.on("error", ended);
  if (!process.stderr.listeners("error").includes(demandPipe)) process.stderr.on("error", demandPipe);
}

let outlives = false;

function ended(error: NodeJS.ErrnoException): void {
  demandPipe(error);
  if (!outlives) process.exit(exitStatus.unread);
}

function demandPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
