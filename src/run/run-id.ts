/** Run ids: 26 characters, the first ten from the clock, so that folders sort by time (the ULID layout). */

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export const isRunId = (text: string): boolean => /^[0-9A-Z]{26}$/.test(text);

export function runId(now: number, random: (bytes: number) => Uint8Array): string {
  let time = Math.floor(now);
  let head = "";
  for (let i = 0; i < 10; i++) {
    head = ALPHABET[time % 32] + head;
    time = Math.floor(time / 32);
  }
  return head + [...random(16)].map((byte) => ALPHABET[byte % 32]).join("");
}
