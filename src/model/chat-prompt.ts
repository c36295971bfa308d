/** What a chat model is told: the system prompt in use, the question, the one reminder. */
import { type Digest, digestOfJson } from "../core/digest.ts";
import type { ToolSchema } from "../store/tools.ts";
import { chatFunctions } from "./chat.ts";
import type { Endpoint } from "./endpoint.ts";
import type { AskedCase } from "./reader.ts";

const FORECAST =
  "You forecast. You are asked as of an instant, the horizon: nothing that came to be known later is known to you. ";
const WITH_FUNCTIONS =
  "The functions show the data that was available at the horizon, and no other; read what you need. " +
  "Then call `answer` once, with the probability from 0 to 1 that what is asked comes true, " +
  "or `decline` with the reason if you cannot say.";
const AS_TEXT =
  'Reply with one JSON object and nothing else: {"probability": P}, P from 0 to 1, for what is asked to come true, ' +
  'or {"decline": "the reason"} if you cannot say.';

const TEMPLATE =
  "Question: {question}\nHorizon: {horizon}\nLocal day of the horizon: {asked_day}\n{tables}{closing}";
const TABLE = "Table {table}: {columns}\n";
const CLOSING = "What is the probability?";

export function systemPrompt(endpoint: Endpoint): string {
  return endpoint.prompt ?? FORECAST + (endpoint.tools ? WITH_FUNCTIONS : AS_TEXT);
}

/** `functions`: whether there are any to read the tables with. */
export function questionText(
  { question, horizon, asked_day, tables }: AskedCase,
  functions: boolean,
): string {
  const shown = functions ? Object.entries(tables).map(tableText).join("") : "";
  return filled(TEMPLATE, { question, horizon, asked_day, tables: shown, closing: CLOSING });
}

const tableText = ([table, columns]: [string, AskedCase["tables"][string]]): string =>
  filled(TABLE, {
    table,
    columns: Object.entries(columns)
      .map(([column, type]) => `${column} (${type})`)
      .join(", "),
  });

const filled = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => words[name] as string);

export function reminderText(functions: boolean): string {
  return functions
    ? "Call `answer` with the probability, or `decline` with the reason."
    : `That was not the one JSON object. ${AS_TEXT}`;
}

/** Of everything that is the same in each case: prompt, template, reminder, function definitions. */
export function promptDigest(endpoint: Endpoint, tools: readonly ToolSchema[]): Digest {
  return digestOfJson({
    prompt: systemPrompt(endpoint),
    template: TEMPLATE,
    table: TABLE,
    closing: CLOSING,
    reminder: reminderText(endpoint.tools),
    functions: endpoint.tools ? chatFunctions(tools) : [],
  });
}
