/** Runs that are open: their secrets, outside of every run folder until they close, and who is writing each of them. */
import * as fs from "node:fs";
import * as path from "node:path";
import { assert } from "../core/assert.ts";
import { canonical } from "../core/canonical.ts";
import { makeFolders } from "../core/folders.ts";
import { refuse } from "../core/refusal.ts";
import type { AuditLedger, RunSecret } from "./audit-ledger.ts";
import { errorCode, isThere, onDisk, stageFile, syncFolder } from "./disk.ts";
import { acquireLock } from "./lock.ts";

/** Refuses FieldInvalid for what is no run id, before it becomes a part of a path. */
export function demandRunId(run: string, place: string): void {
  if (/^[0-9A-Z]{26}$/.test(run)) return;
  const expected = "26 characters of 0-9 and A-Z";
  refuse("FieldInvalid", { place, field: "run", found: JSON.stringify(run), expected });
}

export function assertSecret({ salt, secret }: RunSecret): void {
  for (const one of [salt, secret]) assert(/^[0-9a-f]{64}$/.test(one), "64 hexadecimal digits each");
}

/**
 * `<folder>/<run>/secret.json`, mode 0600 in a folder of mode 0700, as long as the run is open:
 * `{"salt":"<64 hex>","secret":"<64 hex>"}` and a newline. Beside it the lock of who writes the run.
 */
export function runSecrets(
  folder: string,
): Pick<AuditLedger, "keepSecret" | "secretOf" | "forgetSecret" | "hold"> {
  const folderOf = (run: string) => {
    demandRunId(run, folder);
    return path.join(folder, run);
  };
  const fileOf = (run: string) => path.join(folderOf(run), "secret.json");

  function secretOf(run: string): RunSecret | null {
    const file = fileOf(run);
    const text = onDisk(file, () => (isThere(file) ? fs.readFileSync(file, "utf8") : undefined));
    if (text === undefined) return null;
    const found = /^\{"salt":"([0-9a-f]{64})","secret":"([0-9a-f]{64})"\}\n$/.exec(text);
    if (found !== null) return { salt: found[1] as string, secret: found[2] as string };
    const expected = 'one line {"salt":"<64 hex>","secret":"<64 hex>"}';
    return refuse("FieldInvalid", { place: file, field: "secret", found: "another text", expected });
  }

  return {
    secretOf,
    keepSecret(run, kept) {
      const file = fileOf(run);
      assertSecret(kept);
      assert(secretOf(run) === null, `the secret of run ${run} is kept once`);
      onDisk(file, () => {
        makeFolders(folder);
        makeFolders(path.dirname(file), 0o700);
        stageFile(file, `${canonical({ salt: kept.salt, secret: kept.secret })}\n`, 0o600)();
        syncFolder(folder);
        syncFolder(path.dirname(folder));
      });
    },
    forgetSecret(run) {
      const file = fileOf(run);
      onDisk(file, () => {
        fs.rmSync(file, { force: true });
        removeIfEmpty(path.dirname(file));
      });
    },
    async hold(run) {
      const place = folderOf(run);
      onDisk(folder, () => makeFolders(folder));
      const release = await acquireLock(place, "run", {
        waitMs: 0,
        folderMode: 0o700,
        busy: ({ words, next }) => refuse("RunLocked", { place, run, holder: words, next }),
      });
      return () => {
        // Without a secret the run is closed, or never began: nobody takes its lock again, and the folder goes.
        // A run that was stopped keeps its lock's last file, so that the numbers go on when it is taken up.
        onDisk(place, () => {
          if (isThere(fileOf(run))) return release();
          release("remove");
          removeIfEmpty(place);
        });
      };
    },
  };
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}
