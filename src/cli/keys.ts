/** `blindcast keys new|show`: makes the key that signs a ledger, and shows what others need in order to trust it. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Argv } from "yargs";
import { makeFolders, upward } from "../core/folders.ts";
import { refuse } from "../core/refusal.ts";
import { errorCode, onDisk, syncFolder, writeNew } from "../ledger/disk.ts";
import { newSigner } from "../ledger/node-signatures.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { defaultKeyFile, loadSigner, originOf, type PublicHalf, publicHalf } from "./key-file.ts";
import { printData, printWords } from "./print.ts";
import { shownPath } from "./shown-path.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("action", { type: "string", describe: "new or show" })
    .positional("file", {
      type: "string",
      describe: "the key file to show (default blindcast/key.pem in your configuration folder)",
    })
    .option("out", {
      type: "string",
      describe: "new: the key file to make; its policy is written beside it (same default)",
    })
    .option("origin", { type: "string", describe: "the name of the log (default local/<key id>)" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 keys new", "make the default key, and the policy that trusts it")
    .example("$0 keys new --out ~/keys/lab.pem --origin lab.example/audit", "another key, its log named")
    .example("$0 keys show", "key id, origin, public key and policy of the default key");
}

export async function run(raw: Raw): Promise<number> {
  const action = text(raw, "action") as string;
  const origin = originOf(raw);
  const out = text(raw, "out");
  const file = text(raw, "file");
  if (action === "new") {
    if (file !== undefined)
      refuse("ArgumentInvalid", { place: "keys new", found: file, expected: "--out FILE" });
    make(out ?? defaultFile("--out"), origin, flagged(raw, "json"));
  } else if (action === "show") {
    if (out !== undefined)
      refuse("ArgumentInvalid", { place: "--out", found: out, expected: "it with keys new only" });
    const shown = file ?? defaultFile("keys show");
    print({ file: shown, ...publicHalf(loadSigner(shown), origin) }, flagged(raw, "json"));
  } else refuse("ArgumentInvalid", { place: "keys", found: action, expected: "new or show" });
  return 0;
}

function defaultFile(place: string): string {
  return (
    defaultKeyFile() ??
    refuse("ArgumentInvalid", {
      place,
      found: "",
      expected: "a file: neither XDG_CONFIG_HOME nor HOME names a configuration folder",
    })
  );
}

/** The key and its policy are both new, or nothing is. */
function make(file: string, origin: string | null, json: boolean): void {
  const policyFile = `${file}.policy`;
  demandPlace(file);
  const { signer, pem } = newSigner();
  const half = publicHalf(signer, origin);
  onDisk(file, () => {
    for (const each of [file, policyFile])
      if (fs.lstatSync(each, { throwIfNoEntry: false })) refuse("KeyExists", { place: each });
    makeFolders(path.dirname(file), 0o700);
    create(file, pem, 0o600);
    try {
      create(policyFile, half.policy, 0o644);
    } catch (error) {
      fs.rmSync(file);
      throw error;
    }
    syncFolder(path.dirname(path.resolve(file)));
  });
  printWords(
    `key: ${shownPath(path.resolve(file))}, mode 0600; its policy: ${shownPath(path.resolve(policyFile))}`,
  );
  printWords("keep the key to yourself and keep a copy; give the policy to whoever replays your runs");
  print({ file, policy_file: policyFile, ...half }, json);
}

function create(file: string, data: string, mode: number): void {
  try {
    writeNew(file, data, mode);
  } catch (error) {
    if (errorCode(error) === "EEXIST") refuse("KeyExists", { place: file });
    throw error;
  }
}

/** Refuses KeyMisplaced below a run folder or a folder `ledgers`, also by way of a link. */
function demandPlace(file: string): void {
  const folder = path.dirname(path.resolve(file));
  for (const start of new Set([folder, realFolder(folder)]))
    for (const above of upward(start)) {
      const isRun = fs.existsSync(path.join(above, "run.json"));
      if (!isRun && path.basename(above) !== "ledgers") continue;
      const inside = `the ${isRun ? "run folder" : "ledger folder"} ${above}`;
      refuse("KeyMisplaced", { place: file, inside, expected: "a place that is shared with nobody" });
    }
}

/** Where a folder really is; of one that is not there, where it would be. */
function realFolder(folder: string): string {
  for (const above of upward(folder))
    if (fs.existsSync(above)) return path.join(fs.realpathSync(above), path.relative(above, folder));
  return folder;
}

type Shown = PublicHalf & { readonly file: string; readonly policy_file?: string };

function print(shown: Shown, json: boolean): void {
  const { key_id, origin, key, policy } = shown;
  printData(json ? JSON.stringify(shown) : `key id: ${key_id}\norigin: ${origin}\nkey: ${key}\n\n${policy}`);
}
