/** What the parser of the command line could not take, as a refusal: which word, what was expected, where to look. */
import { refuse } from "../core/refusal.ts";

/** A verb that the words name: `split`, `<intervals>`, `folds`. */
export type UsedVerb = {
  readonly name: string;
  readonly positionals: string;
  readonly flags: readonly string[];
};

/** `message` is the parser's own; `verb`: null where the words name none of `verbs`. */
export function refuseUsage(
  message: string,
  words: readonly string[],
  verb: UsedVerb | null,
  verbs: readonly string[],
): never {
  if (verb === null) return refuseVerb(message, words, verbs);
  const help = `blindcast ${verb.name} --help explains each word`;
  const unknown = /^Unknown (?:argument|command)s?: (.*)$/s.exec(message)?.[1];
  if (unknown !== undefined) return refuseUnknown(unknown.split(", ")[0] as string, words, verb, help);
  const missing = /^Missing required arguments?: ([a-z-]+)/.exec(message)?.[1];
  if (missing !== undefined)
    return refuse("ArgumentInvalid", { place: `--${missing}`, found: "", expected: "a value", next: help });
  if (message.startsWith("Not enough non-option arguments"))
    return refuse("ArgumentInvalid", {
      place: "command line",
      found: words.join(" "),
      expected: `${verb.name} ${verb.positionals}`,
      next: help,
    });
  return refuse("ArgumentInvalid", {
    place: "command line",
    found: words.join(" "),
    expected: `words that fit --help: ${message}`,
  });
}

function refuseVerb(message: string, words: readonly string[], verbs: readonly string[]): never {
  const meant = /^Did you mean (.*)\?$/.exec(message)?.[1];
  return refuse("ArgumentInvalid", {
    place: "command line",
    found: words.join(" "),
    expected: `a verb first: ${verbs.join(", ")}`,
    next: meant === undefined ? "blindcast --help says what each does" : `blindcast ${meant}`,
  });
}

/** A flag that the verb has not, or a word too many. */
function refuseUnknown(name: string, words: readonly string[], verb: UsedVerb, help: string): never {
  const flag = words.find((word) => /^--?[^-]/.test(word) && word.replace(/^--?/, "").split("=")[0] === name);
  if (flag === undefined && !words.includes(name))
    return refuse("ArgumentInvalid", {
      place: "command line",
      found: words.join(" "),
      expected: `flags of ${verb.name} as --name: ${listed(verb.flags)}`,
      next: help,
    });
  if (flag === undefined)
    return refuse("ArgumentInvalid", {
      place: "command line",
      found: name,
      expected: `no word after ${verb.name} ${verb.positionals} but flags`,
      next: help,
    });
  const meant = verb.flags.find((each) => isLike(each, name));
  return refuse("ArgumentInvalid", {
    place: "command line",
    found: flag,
    expected: `a flag of ${verb.name}: ${listed(verb.flags)}`,
    next: meant === undefined ? help : `did you mean --${meant}? ${help}`,
  });
}

const listed = (flags: readonly string[]) => flags.map((flag) => `--${flag}`).join(", ");

/** One begins with the other, or they have the same letters. */
function isLike(flag: string, name: string): boolean {
  const letters = (text: string) => [...text].sort().join("");
  return flag.startsWith(name) || name.startsWith(flag) || letters(flag) === letters(name);
}
