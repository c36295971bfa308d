/** `blindcast ledger list|show|verify|deflate`: what was tried on each case set, and what the best of it is worth. */
import * as path from "node:path";
import type { Argv } from "yargs";
import type { Json } from "../core/canonical.ts";
import { contract } from "../core/contract.ts";
import { refuse } from "../core/refusal.ts";
import { roundAll } from "../core/round.ts";
import { trialFiles, trialFolder } from "../ledger/trial-file.ts";
import { heldHeads } from "../ledger/trial-leaves.ts";
import type { Trial } from "../ledger/trial-ledger.ts";
import { findWorkspace } from "../ledger/workspace.ts";
import { deflateLedger } from "../profile/ledger-deflation.ts";
import { deflationSvg } from "../profile/sharpe-plot.ts";
import { deflationText } from "../profile/sharpe-text.ts";
import { blocksOf, flagged, integer, type Raw, text } from "./arguments.ts";
import { exitStatus } from "./exit-status.ts";
import {
  type LedgerPlace,
  ledgerFigures,
  ledgerIsThere,
  ledgerPlace,
  readLedger,
  refuseLedger,
} from "./ledger-read.ts";
import { countsText, type LedgerFigures, ledgersText, tornText, trialsText } from "./ledger-text.ts";
import { claimOf, demandAudited, heldOf, verifyLedger } from "./ledger-verify.ts";
import { writePictures } from "./pictures.ts";
import { printData, printWords } from "./print.ts";
import { openablePath, shownPath } from "./shown-path.ts";

export function builder(yargs: Argv): Argv {
  return yargs
    .positional("action", { type: "string", describe: "list, show, verify or deflate" })
    .positional("ledger", {
      type: "string",
      describe: "the name of a case set, or a ledger's file; none for list",
    })
    .option("folder", {
      type: "string",
      describe: "a workspace (default: the nearest folder upward that has a folder ledgers)",
    })
    .option("rows", { type: "string", describe: "verify: how many rows a report says that there were" })
    .option("head", { type: "string", describe: "verify: the head that it says they had" })
    .option("like", {
      type: "string",
      describe: "deflate: compare the trials over the same cases as the one of this start row",
    })
    .option("blocks", {
      type: "string",
      describe: `deflate: into how many blocks PBO cuts the periods: even (default ${contract.overfittingBlocks})`,
    })
    .option("plot", { type: "string", describe: "deflate: a folder for a picture, <ledger>.svg" })
    .option("json", { type: "boolean", describe: "print one JSON object as the last line" })
    .example("$0 ledger list", "the case sets on which trials were counted, and how many")
    .example("$0 ledger show seattle-rain", "each trial of one, the unfinished ones too")
    .example("$0 ledger verify seattle-rain", "is every row as it was written?")
    .example(
      "$0 ledger verify seattle-rain --rows 12 --head sha256:1f0c...",
      "and are the rows there that a report names?",
    )
    .example("$0 ledger deflate seattle-rain", "is the best of its trials more than luck?");
}

/** The flags of one action only. */
const OWN: { readonly [flag: string]: string } = {
  rows: "verify",
  head: "verify",
  plot: "deflate",
  like: "deflate",
  blocks: "deflate",
};

/** Exit status: 0 listed, shown, verified, or deflated; 1 a ledger that does not verify; 2 refused. */
export async function run(raw: Raw): Promise<number> {
  const action = text(raw, "action") as string;
  const given = text(raw, "ledger");
  const json = flagged(raw, "json");
  const workspace = path.resolve(text(raw, "folder") ?? findWorkspace(process.cwd()));
  for (const [flag, owner] of Object.entries(OWN)) {
    const found = action === owner ? undefined : text(raw, flag);
    if (found !== undefined)
      refuse("ArgumentInvalid", { place: `--${flag}`, found, expected: `it with ledger ${owner} only` });
  }
  if (action === "list") {
    if (given !== undefined)
      refuse("ArgumentInvalid", { place: "ledger list", found: given, expected: "no ledger: it lists all" });
    return list(workspace, json);
  }
  if (action !== "show" && action !== "verify" && action !== "deflate")
    return refuse("ArgumentInvalid", {
      place: "ledger",
      found: action,
      expected: "list, show, verify or deflate",
    });
  const place = ledgerPlace(given ?? refuseLedger("", workspace, `ledger ${action}`), workspace);
  if (!ledgerIsThere(place) && !(action !== "show" && wasThere(place)))
    refuseLedger(given as string, workspace, `ledger ${action}`);
  if (action === "verify") return verifyLedger(place, claimOf(raw), json);
  if (action === "show") return show(place, json);
  const like = integer(raw, "like", 0, Number.MAX_SAFE_INTEGER) ?? null;
  return deflateFile(place, { folder: text(raw, "plot"), like, blocks: blocksOf(raw) }, json);
}

/** Do the audit logs know a ledger that is gone? */
const wasThere = ({ name, workspace }: LedgerPlace) =>
  workspace !== null && heldHeads(workspace, name).next().done !== true;

async function list(workspace: string, json: boolean): Promise<number> {
  const ledgers: LedgerFigures[] = [];
  for (const file of trialFiles(workspace)) ledgers.push(await ledgerFigures(openablePath(file)));
  const text = () => ledgersText(ledgers, shownPath(trialFolder(workspace))).join("\n");
  printData(json ? JSON.stringify({ workspace, ledgers }) : text());
  return exitStatus.green;
}

async function show({ file }: LedgerPlace, json: boolean): Promise<number> {
  const { figures, trials } = await readLedger(file);
  printData(json ? JSON.stringify({ ...figures, trials }) : trialsText(figures, trials).join("\n"));
  return exitStatus.green;
}

async function deflateFile(
  place: LedgerPlace,
  {
    folder,
    like,
    blocks,
  }: { readonly folder: string | undefined; readonly like: number | null; readonly blocks: number },
  json: boolean,
): Promise<number> {
  const held = heldOf(place);
  const { figures, rows, trials } = await readLedger(place.file);
  const { name } = place;
  demandAudited(rows, held);
  if (figures.trials === 0)
    refuse("ArgumentInvalid", { place: "ledger deflate", found: name, expected: "a ledger with a trial" });
  if (like !== null) demandStart(like, trials);
  const deflation = deflateLedger(rows, like, blocks);
  for (const line of tornText(figures)) printWords(line);
  if (folder !== undefined) {
    const svg = await deflationSvg(deflation);
    if (svg === null) printWords("no picture: no trial has a ratio");
    else writePictures(folder, [{ name, svg }]);
  }
  const read = `${figures.place}: ${countsText(figures)}.`;
  printData(
    json
      ? JSON.stringify(roundAll({ ledger: name, place: figures.place, ...deflation } as unknown as Json))
      : deflationText(deflation, [read]).join("\n"),
  );
  return exitStatus.green;
}

/** Its ratio says what is compared: one that began and has none says nothing. */
function demandStart(row: number, trials: readonly Trial[]): void {
  const found = trials.find(({ start }) => start === row);
  if (found?.state === "ended") return;
  refuse("ArgumentInvalid", {
    place: "--like",
    found: found === undefined ? String(row) : `${row}, which has ${found.state}`,
    expected: "the start row of a trial that ended, as ledger show lists them",
  });
}
