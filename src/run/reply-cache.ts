/** The reply cache on disk: a LevelDB folder in which each value carries its own digest. */
import { Level } from "level";
import { digestOf } from "../core/digest.ts";
import { makeFolders } from "../core/folders.ts";
import { cause } from "../core/lines.ts";
import { refuse } from "../core/refusal.ts";
import type { ReplyCache } from "../model/reply.ts";

const SEPARATOR = " ";

/**
 * Opened at the first use. A value whose digest is not its own is a miss. Refuses StorageFailed where the folder cannot
 * be used: another process has it open, or the disk fails.
 */
export function levelReplyCache(folder: string): ReplyCache {
  let opened: Promise<Level<string, string>> | null = null;
  const database = () => {
    opened ??= openLevel(folder);
    return opened;
  };
  return {
    get: async (key) => {
      const level = await database();
      const stored = await level.get(key).catch((error: unknown) => failed(folder, cause(error)));
      return stored === undefined ? undefined : unsealed(stored);
    },
    put: async (key, text) => {
      const level = await database();
      const sealed = digestOf(text) + SEPARATOR + text;
      await level.put(key, sealed).catch((error: unknown) => failed(folder, cause(error)));
    },
    close: async () => {
      if (opened === null) return;
      const level = await opened.catch(() => null); // it never opened: whoever asked was told
      await level?.close();
    },
  };
}

function unsealed(stored: string): string | undefined {
  const at = stored.indexOf(SEPARATOR);
  const text = stored.slice(at + 1);
  return stored.slice(0, at) === digestOf(text) ? text : undefined;
}

async function openLevel(folder: string): Promise<Level<string, string>> {
  try {
    makeFolders(folder);
    const level = new Level<string, string>(folder);
    await level.open();
    return level;
  } catch (error) {
    const inner = (error as { cause?: { code?: string } }).cause;
    if (inner?.code === "LEVEL_LOCKED")
      return failed(folder, "another process has the reply cache open", "wait until it has ended");
    return failed(folder, cause(inner ?? error));
  }
}

function failed(folder: string, problem: string, next = "look at the disk, or run without the cache"): never {
  return refuse("StorageFailed", { place: folder, cause: problem, next });
}
