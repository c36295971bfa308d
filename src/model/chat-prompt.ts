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

const TEMPLATE = "Question: {question}\nHorizon: {horizon}\nLocal day of the horizon: {asked_day}\n{closing}";
const CLOSING = "What is the probability?";

export function systemPrompt(endpoint: Endpoint): string {
  return endpoint.prompt ?? FORECAST + (endpoint.tools ? WITH_FUNCTIONS : AS_TEXT);
}

export function questionText(asked: AskedCase): string {
  const { question, horizon, asked_day } = asked;
  const words: Readonly<Record<string, string>> = { question, horizon, asked_day, closing: CLOSING };
  return TEMPLATE.replace(/\{(\w+)\}/g, (_, name: string) => words[name] as string);
}

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
    closing: CLOSING,
    reminder: reminderText(endpoint.tools),
    functions: endpoint.tools ? chatFunctions(tools) : [],
  });
}
