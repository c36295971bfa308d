/** `blindcast replay <run>`: proves a run from its folder alone: the record, and every score from the record. */
import type { Argv } from "yargs";
import { folderBundle } from "../replay/folder-bundle.ts";
import { replay } from "../replay/replay.ts";
import { showProgress } from "../run/progress.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { clock, host } from "./machine.ts";
import { policyFile, tellVerdict } from "./verdict.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("run", { type: "string", describe: "a run folder" })
    .option("policy", {
      type: "string",
      describe: "whom you trust to have signed it (C2SP tlog-policy); without it, nobody: status 5",
    })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 replay runs/june", "does the record agree with itself and with its report?")
    .example("$0 replay runs/june --policy lab.policy", "and did the lab sign it?");
}

/** Exit status: 0 verified, 1 a stage failed, 2 refused, 5 consistent, and nobody stands for it. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const file = text(raw, "policy");
  const policy = file === undefined ? null : policyFile(file);
  const bundle = folderBundle(text(raw, "run") as string);
  try {
    const found = await replay(bundle, {
      policy,
      zoneData: host.zone_data,
      progress: showProgress(process.stderr, clock),
      elapsed: clock.elapsed,
    });
    const { replayed } = found;
    if (replayed === null) return tellVerdict(found, null, json);
    const runVerdict = (replayed.report.result as { verdict: string }).verdict;
    return tellVerdict(found, { ...replayed, runVerdict }, json);
  } finally {
    bundle.close();
  }
}
