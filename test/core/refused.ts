/** Refusals as tests look at them: the code, its typed details, and the one line. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, type TestContext } from "node:test";
import { type BlindcastError, type Code, isRefusal, noting } from "../../src/core/refusal.ts";

/** The refusal that `work` ends with, of this code and no other. */
export function refused<C extends Code>(code: C, work: () => unknown): BlindcastError<C> {
  try {
    work();
  } catch (error) {
    if (isRefusal(error, code)) return error;
    throw error;
  }
  return assert.fail(`expected the refusal ${code}, and nothing was thrown`);
}

export async function refusedLater<C extends Code>(
  code: C,
  work: () => Promise<unknown>,
): Promise<BlindcastError<C>> {
  try {
    await work();
  } catch (error) {
    if (isRefusal(error, code)) return error;
    throw error;
  }
  return assert.fail(`expected the refusal ${code}, and nothing was thrown`);
}

/** `CODE place` of each refusal that a loader notes, in order. */
export function noted(work: (complain: ReturnType<typeof noting>["complain"]) => unknown): string[] {
  const { complain, refusals } = noting(1000);
  work(complain);
  return refusals.map((one) => `${one.code} ${one.details.place}`);
}

export async function notedLater(
  work: (complain: ReturnType<typeof noting>["complain"]) => Promise<unknown>,
): Promise<string[]> {
  const { complain, refusals } = noting(1000);
  await work(complain);
  return refusals.map((one) => `${one.code} ${one.details.place}`);
}

/** A folder that goes when the file's tests are done. */
export function temporary(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-test-"));
  after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file below a folder and gives its path. */
export function written(folder: string, name: string, data: string | Uint8Array): string {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, data);
  return file;
}

/** The nearest folder upward that holds package.json: compiled tests stand in a folder of their own. */
export const repository = (function upward(folder: string): string {
  return fs.existsSync(path.join(folder, "package.json")) ? folder : upward(path.dirname(folder));
})(import.meta.dirname);

/** A file of ../shared, or undefined with a loud skip; in CI its absence fails. */
export function shared(t: TestContext, name: string): string | undefined {
  const file = path.resolve(repository, "../shared", name);
  if (fs.existsSync(file)) return fs.readFileSync(file, "utf8");
  assert.equal(process.env["BLINDCAST_CI"], undefined, `${file} is not there, and CI must not skip`);
  t.skip(`NOT TESTED: ${file} is not there`);
  return undefined;
}
