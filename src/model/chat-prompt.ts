/** What a chat model is told: the system prompt in use, the question, the one reminder. */
import { type Digest, digestOfJson } from "../core/digest.ts";
import type { ToolSchema } from "../store/tools.ts";
import { chatFunctions } from "./chat.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Wanted } from "./given-answer.ts";
import type { AskedCase, AskedDecision } from "./reader.ts";

type Kind = Wanted["answer"];

const HORIZON =
  "You are asked as of an instant, the horizon: nothing that came to be known later is known to you. ";
const ROLE: { readonly [K in Kind]: string } = {
  probability: `You forecast. ${HORIZON}`,
  positions: `You decide what to hold. ${HORIZON}`,
};
const WITH_FUNCTIONS: { readonly [K in Kind]: string } = {
  probability: "with the probability from 0 to 1 that what is asked comes true, ",
  positions: "with the target weight of each entity to hold; one that is left out is 0, the rest is cash, ",
};
const AS_TEXT: { readonly [K in Kind]: string } = {
  probability: '{"probability": P}, P from 0 to 1, for what is asked to come true, ',
  positions:
    '{"positions": {"ENTITY": W}}, with the target weight W of each entity; one left out is 0, the rest is cash, ',
};
const withFunctions = (answer: Kind) =>
  "The functions show the data that was available at the horizon, and no other; read what you need. " +
  `Then call \`answer\` once, ${WITH_FUNCTIONS[answer]}or \`decline\` with the reason if you cannot say.`;
const asText = (answer: Kind) =>
  `Reply with one JSON object and nothing else: ${AS_TEXT[answer]}or {"decline": "the reason"} if you cannot say.`;

const TEMPLATE =
  "Question: {question}\nHorizon: {horizon}\nLocal day of the horizon: {asked_day}\n{tables}{closing}";
const TABLE = "Table {table}: {columns}\n";
const CLOSING: { readonly [K in Kind]: string } = {
  probability: "What is the probability?",
  positions: "What are the positions?",
};

export function systemPrompt(endpoint: Endpoint, answer: Kind): string {
  return endpoint.prompt ?? ROLE[answer] + (endpoint.tools ? withFunctions(answer) : asText(answer));
}

/** `functions`: whether there are any to read the tables with. */
export function questionText(asked: AskedCase, functions: boolean): string {
  const { question, horizon, asked_day, tables, answer } = asked;
  const shown = functions ? Object.entries(tables).map(tableText).join("") : "";
  const more = answer === "positions" ? decisionLines(asked) : "";
  return filled(TEMPLATE, { question, horizon, asked_day, tables: shown + more, closing: CLOSING[answer] });
}

/** What a decision says beside its question. */
function decisionLines({ leverage, window, universe, members }: AskedDecision): string {
  const lines = [
    ["Sizes of the weights add up to at most", leverage],
    ["Window", window?.join(" to ")],
    ["Table of members", universe],
    ["Members", members?.join(", ")],
  ] as const;
  return lines.flatMap(([name, said]) => (said == null ? [] : [`${name}: ${said}\n`])).join("");
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

export function reminderText(functions: boolean, answer: Kind): string {
  return functions
    ? `Call \`answer\` with the ${answer}, or \`decline\` with the reason.`
    : `That was not the one JSON object. ${asText(answer)}`;
}

/** Of everything that is the same in each case: prompt, template, reminder, function definitions. */
export function promptDigest(endpoint: Endpoint, tools: readonly ToolSchema[], answer: Kind): Digest {
  return digestOfJson({
    prompt: systemPrompt(endpoint, answer),
    template: TEMPLATE,
    table: TABLE,
    closing: CLOSING[answer],
    reminder: reminderText(endpoint.tools, answer),
    functions: endpoint.tools ? chatFunctions(tools, answer) : [],
  });
}
