#!/usr/bin/env node
/** The command line: parses, loads, calls one spine, prints; every way out has its exit status. */
import yargs, { type Argv } from "yargs";
import { BlindcastError, isRefusal } from "../core/refusal.ts";
import { ENGINE_VERSION } from "../core/version.ts";
import { Interrupted } from "../run/interrupted.ts";
import { checkWords, type Raw } from "./arguments.ts";
import { endWithReader } from "./closed-output.ts";
import { exitStatus } from "./exit-status.ts";
import { printWords, refusalText, tellInterrupted } from "./print.ts";
import { refuseUsage, type UsedVerb } from "./usage-refusal.ts";

/** Flags without a value. */
const switches = ["json", "offline", "resume", "force", "yes", "allow-empty", "help", "version"];
/** Each verb is loaded when it is called: what the others import costs it no time. */
const verbs = [
  {
    command: "backtest <caseset>",
    describe: "run bounded historical cases against a reader",
    load: () => import("./backtest.ts"),
  },
  {
    command: "doctor [caseset]",
    describe: "list everything that would be refused",
    load: () => import("./doctor.ts"),
  },
  {
    command: "keys <action> [file]",
    describe: "make or show the key that signs your ledger: keys new, keys show",
    load: () => import("./keys.ts"),
  },
  {
    command: "leakage <answers>",
    describe: "what models may have remembered, from a table of answers and their training cutoffs",
    load: () => import("./leakage.ts"),
  },
  {
    command: "ledger <action> [ledger]",
    describe: "what was tried on each case set: ledger list, show, verify and deflate",
    load: () => import("./ledger.ts"),
  },
  {
    command: "replay <run>",
    describe: "prove a run from its folder: that nothing changed, and that every score follows",
    load: () => import("./replay.ts"),
  },
  {
    command: "report <run>",
    describe: "print the report of a run folder",
    load: () => import("./report.ts"),
  },
  {
    command: "serve <caseset>",
    describe: "ask one case of a client of the Model Context Protocol, over stdin and stdout",
    load: () => import("./serve.ts"),
  },
  {
    command: "sharpe <returns>",
    describe: "what the best of many return series is worth: deflated for how many were tried",
    load: () => import("./sharpe.ts"),
  },
  {
    command: "split <intervals>",
    describe: "test and training sets whose labels do not meet, from label intervals; or an audit of yours",
    load: () => import("./split.ts"),
  },
  {
    command: "verify <run>",
    describe: "prove that a record is the one that was signed, without running anything",
    load: () => import("./verify.ts"),
  },
];

async function main(words: readonly string[]): Promise<number> {
  endWithReader(words.includes("serve"));
  checkWords(words, switches);
  let status = 0;
  let used: UsedVerb | null = null;
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
      refuseUsage(message, words, used, verbs.map(nameOf));
    });
  for (const { command, describe, load } of verbs) {
    const name = nameOf({ command });
    const named = words.includes(name);
    const { builder, run } = named ? await load() : { builder: unnamed, run: async () => exitStatus.bug };
    const build = (own: Argv) => {
      const built = builder(own);
      used = { name, positionals: command.slice(name.length + 1), flags: flagsOf(built, command) };
      return built;
    };
    parser.command(command, describe, build, async (raw) => {
      status = await run(raw as Raw);
    });
  }
  await parser.parseAsync();
  return status;
}

const nameOf = ({ command }: { readonly command: string }) => command.split(" ", 1)[0] as string;

/** The parser keeps positionals among them. */
function flagsOf(built: Argv, command: string): string[] {
  const own = Object.keys((built as Declared).getOptions().key);
  return own.filter((flag) => flag !== "version" && !new RegExp(`[<[]${flag}[>\\]]`).test(command)).sort();
}

/** The parser's own record, which its types leave out. */
type Declared = Argv & { getOptions(): { readonly key: Readonly<Record<string, unknown>> } };

/** Of a verb that the words do not name: listed in the help, and never run. */
const unnamed = (yargs: Argv): Argv => yargs;

function failed(error: unknown): number {
  if (error instanceof BlindcastError && isRefusal(error)) {
    printWords(refusalText(error));
    return exitStatus.refused;
  }
  if (error instanceof Interrupted) {
    tellInterrupted(error);
    return exitStatus.incomplete;
  }
  printWords(
    `blindcast ${ENGINE_VERSION} has a bug: ${error instanceof Error ? error.stack : String(error)}`,
  );
  return exitStatus.bug;
}

process.exitCode = await main(process.argv.slice(2)).catch(failed);
