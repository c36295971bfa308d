/** `blindcast replay <run>`: proves a run from its folder alone: the record, and every score from the record. */

import * as path from "node:path";
import type { Argv } from "yargs";
import type { Json } from "../core/canonical.ts";
import type { OutsideOptions, SaidIdentity } from "../model/identity.ts";
import { moduleReader } from "../model/module-reader.ts";
import type { ReaderSource } from "../model/reader.ts";
import { folderBundle } from "../replay/folder-bundle.ts";
import type { RecordedRun } from "../replay/record.ts";
import { replay } from "../replay/replay.ts";
import { showProgress } from "../run/progress.ts";
import { offeredToolSet } from "../run/training.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { trialsThenAndNow } from "./later-trials.ts";
import { clock, host } from "./machine.ts";
import { printWords } from "./print.ts";
import { policyFile, tellVerdict } from "./verdict.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("run", { type: "string", describe: "a run folder" })
    .option("policy", {
      type: "string",
      describe: "whom you trust to have signed it (C2SP tlog-policy); without it, nobody: status 5",
    })
    .option("module", {
      type: "string",
      describe: "the file of a `module:` reader: it answers again on the recorded responses",
    })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 replay runs/june", "does the record agree with itself and with its report?")
    .example("$0 replay runs/june --policy lab.policy", "and did the lab sign it?")
    .example("$0 replay runs/mine --module agent.mjs", "and does the module answer so again?");
}

/** Exit status: 0 verified, 1 a stage failed, 2 refused, 5 consistent, and nobody stands for it. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const file = text(raw, "policy");
  const policy = file === undefined ? null : policyFile(file);
  const module = text(raw, "module");
  if (module !== undefined) moduleReader(module, optionsOf(NOBODY)); // refuses what is no module at all
  let reader: ReaderSource | undefined;
  const bundle = folderBundle(text(raw, "run") as string);
  try {
    const found = await replay(bundle, {
      policy,
      zoneData: host.zone_data,
      progress: showProgress(process.stderr, clock),
      elapsed: clock.elapsed,
      ...(module === undefined
        ? {}
        : {
            readersPlace: "--module",
            readers: (recorded: RecordedRun) => {
              const { files = {} } = recorded.stamp.reader; // the same bytes are the same file, whatever it is called now
              const nameOf = (digest: string) =>
                Object.keys(files).find((name) => files[name] === digest) ?? path.basename(module);
              reader = moduleReader(module, optionsOf(recorded), nameOf);
              return reader;
            },
          }),
    });
    const { replayed } = found;
    if (replayed === null) return tellVerdict(found, null, json);
    const runVerdict = (replayed.report.result as { verdict: string }).verdict;
    const { evidence } = replayed.report;
    const trials = await trialsThenAndNow(evidence, replayed.section, text(raw, "run") as string);
    return tellVerdict(found, { ...replayed, runVerdict, trials }, json);
  } finally {
    bundle.close();
    await reader?.close?.();
  }
}

type Given = { readonly stamp: Pick<RecordedRun["stamp"], "reader" | "split">; readonly profile: Json };
const NOBODY: Given = { stamp: { reader: { name: "", params: {}, temperature: 0 } }, profile: {} };

/** A module is made of what the record says that it was made of. */
function optionsOf({ stamp, profile }: Given): OutsideOptions {
  const { params, family = null } = stamp.reader;
  // What else was declared stands as it was: only the module's own file is here to be looked at.
  const files = (stamp.reader.files ?? {}) as OutsideOptions["files"];
  const { identity = {}, temperature = 0 } = profile as { identity?: SaidIdentity; temperature?: number };
  const tools = offeredToolSet(stamp.split !== undefined);
  return { identity, temperature, params, family, files, tools, shared: false, say: printWords };
}
