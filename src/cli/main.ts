#!/usr/bin/env node
/** The command line: parses, loads, calls one spine, prints; every way out has its exit status. */
import yargs, { type Argv } from "yargs";
import { BlindcastError, isRefusal, refuse } from "../core/refusal.ts";
import { ENGINE_VERSION } from "../core/version.ts";
import { Interrupted } from "../run/interrupted.ts";
import { checkWords, type Raw } from "./arguments.ts";
import * as backtestVerb from "./backtest.ts";
import * as doctorVerb from "./doctor.ts";
import * as keysVerb from "./keys.ts";
import { printWords, refusalText } from "./print.ts";
import * as replayVerb from "./replay.ts";
import * as reportVerb from "./report.ts";
import * as verifyVerb from "./verify.ts";

const exit = { refused: 2, incomplete: 3, bug: 4 } as const;
/** Flags without a value. */
const switches = ["json", "offline", "resume", "force", "help", "version"];
const verbs = [backtestVerb, doctorVerb, keysVerb, replayVerb, reportVerb, verifyVerb];

async function main(words: readonly string[]): Promise<number> {
  checkWords(words, switches);
  let status = 0;
  const parser = yargs([...words])
    .scriptName("blindcast")
    .usage("$0 <verb>: would this have worked, had we not known the outcome?")
    .version(ENGINE_VERSION)
    .strict()
    .demandCommand(1, "a verb is needed")
    .recommendCommands()
    .parserConfiguration({
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
    })
    .wrap(Math.min(110, process.stdout.columns ?? 80))
    .epilogue(
      "Exit status: 0 green or verified, 1 red or not verified, 2 refused, 3 incomplete, 4 our bug, 5 nobody vouches for it.",
    )
    .locale("en")
    .exitProcess(false)
    .fail((message, error) => {
      if (error) throw error;
      refuse("ArgumentInvalid", {
        place: "command line",
        found: words.join(" "),
        expected: `words that fit --help: ${message}`,
      });
    });
  for (const verb of verbs) {
    parser.command(verb.command, verb.describe, verb.builder as (y: Argv) => Argv, async (raw) => {
      status = await verb.run(raw as Raw);
    });
  }
  await parser.parseAsync();
  return status;
}

function failed(error: unknown): number {
  if (error instanceof BlindcastError && isRefusal(error)) {
    printWords(refusalText(error));
    return exit.refused;
  }
  if (error instanceof Interrupted) {
    if (error.storage instanceof BlindcastError) printWords(refusalText(error.storage));
    printWords(`${error.message}${error.done > 0 ? "; what was recorded is kept in the run folder" : ""}`);
    return exit.incomplete;
  }
  printWords(
    `blindcast ${ENGINE_VERSION} has a bug: ${error instanceof Error ? error.stack : String(error)}`,
  );
  return exit.bug;
}

process.exitCode = await main(process.argv.slice(2)).catch(failed);
