/** What a verb tells the shell, in one table. */

export const exitStatus = {
  green: 0,
  verified: 0,
  red: 1,
  /** A stage of a replay failed. */
  failed: 1,
  refused: 2,
  /** Stopped, and resumable. */
  incomplete: 3,
  bug: 4,
  /** Of a replay: consistent, and nobody stands for it. */
  unauthenticated: 5,
  /** Whoever read stdout has gone: 128 + SIGPIPE, as shells have it. */
  unread: 141,
} as const;
