/** The time that a reader from outside has for one case. */

/** Aborted after `seconds` unless it is ended before. */
export type Deadline = { readonly signal: AbortSignal; readonly end: () => void };

export function startDeadline(seconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), seconds * 1000);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
