/** `blindcast verify <run> --policy FILE`: proves that a record is the one that was signed, without the engine. */
import type { Argv } from "yargs";
import { nodeHashing } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { checkSignature } from "../ledger/node-signatures.ts";
import { folderBundle } from "../replay/folder-bundle.ts";
import { verify } from "../verify.ts";
import { flagged, type Raw, text } from "./arguments.ts";
import { policyFile, tellVerdict } from "./verdict.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("run", { type: "string", describe: "a run folder" })
    .option("policy", { type: "string", describe: "whom you trust to have signed it (C2SP tlog-policy)" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 verify runs/june --policy lab.policy", "did the lab sign this record?");
}

/** Exit status: 0 verified, 1 a stage failed, 2 refused. */
export async function run(raw: Raw): Promise<number> {
  const json = flagged(raw, "json");
  const file = text(raw, "policy");
  if (file === undefined)
    return refuse("ArgumentInvalid", {
      place: "--policy",
      found: "",
      expected: "a file: whom do you trust?",
    });
  const policy = policyFile(file);
  const bundle = folderBundle(text(raw, "run") as string);
  try {
    const options = { checkSignature, hashing: nodeHashing, policyPlace: policy.place };
    return tellVerdict(await verify(bundle, policy.bytes, options), null, json);
  } finally {
    bundle.close();
  }
}
