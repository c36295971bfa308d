/** Chat completions as OpenAI spells them: functions, messages, a request's canonical bytes, a reply taken apart. */
import { type Static, Type } from "@sinclair/typebox";
import { canonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { misfit } from "../core/schema.ts";
import { clip } from "../core/words.ts";
import type { ToolSchema } from "../store/tools.ts";
import { answerArgument, type Wanted } from "./given-answer.ts";

const strictly = { additionalProperties: false } as const;

export const answerArguments = (answer: Wanted["answer"]) =>
  Type.Object(answerArgument(answer, "that what is asked comes true"), {
    ...strictly,
    description: "the answer, given once; it ends the work",
  });
export const declineArguments = (answer: Wanted["answer"]) =>
  Type.Object(
    { reason: Type.String({ minLength: 1, description: `why no ${answer} can be given` }) },
    { ...strictly, description: "no answer can be given; it ends the work" },
  );

/** The host's tools, then `answer` and `decline`. */
export function chatFunctions(tools: readonly ToolSchema[], answer: Wanted["answer"]): Json[] {
  const plain = (schema: object) => JSON.parse(JSON.stringify(schema)) as Json;
  const own = [
    { name: "answer", schema: plain(answerArguments(answer)) },
    { name: "decline", schema: plain(declineArguments(answer)) },
  ];
  return [...tools, ...own].map(({ name, schema }) => {
    const described = (schema as { description?: Json } | null)?.description;
    const description = typeof described === "string" ? { description: described } : {};
    return { type: "function", function: { name, ...description, parameters: schema } };
  });
}

export type FunctionCall = { readonly id: string; readonly name: string; readonly args: string };

/** What goes with each request of a conversation. */
export type ChatSettings = {
  readonly model: string;
  readonly temperature: number;
  readonly seed: number;
  readonly maxTokens: number | null;
  readonly maxTokensKey: "max_tokens" | "max_completion_tokens";
  /** Parameters that are not sent. */
  readonly omits: readonly ("seed" | "temperature")[];
  /** Canonical JSON of their definitions; null: no function calling. */
  readonly functions: string | null;
};

/** Canonical bytes of each request of one conversation, whose messages are written once each. */
export function requestWriter(settings: ChatSettings): (messages: readonly string[]) => string {
  const { model, maxTokens, maxTokensKey, omits, functions } = settings;
  const head = maxTokens === null ? "{" : `{"${maxTokensKey}":${maxTokens},`; // before "messages", as canonical JSON has it
  const sent = (["seed", "temperature"] as const).filter((name) => !omits.includes(name));
  const parameters = Object.fromEntries(sent.map((name) => [name, settings[name]]));
  const fixed = canonical({ model, ...parameters }).slice(1, -1);
  const tail = functions === null ? `${fixed}}` : `${fixed},"tools":${functions}}`; // the last key of all
  return (messages) => `${head}"messages":[${messages.join(",")}],${tail}`;
}

export function messageText(role: "system" | "user" | "assistant", content: string): string {
  return canonical({ role, content });
}

export function toolReply(id: string, content: string): string {
  return canonical({ role: "tool", tool_call_id: id, content });
}

/** A reply with calls, as the next request repeats it. */
export function calledFunctions(content: string | null, calls: readonly FunctionCall[]): string {
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));
  return canonical({ role: "assistant", content, tool_calls });
}

const nullable = <S extends Parameters<typeof Type.Optional>[0]>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
/** What is read of a completion; what else stands in it is passed over. */
const CompletionShape = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({
        content: nullable(Type.String()),
        refusal: nullable(Type.String()),
        tool_calls: nullable(
          Type.Array(
            Type.Object({
              id: nullable(Type.String()),
              function: Type.Object({ name: Type.String(), arguments: Type.String() }),
            }),
          ),
        ),
      }),
      finish_reason: nullable(Type.String()),
    }),
    { minItems: 1 },
  ),
});

export type Completion = {
  readonly content: string | null;
  readonly refusal: string | null;
  readonly calls: readonly FunctionCall[];
  readonly finish: string | null;
  /** The model that the reply names. */
  readonly served: string | null;
  readonly tokens: {
    readonly input: number | null;
    readonly cached: number | null;
    readonly output: number | null;
  };
};

/** The first choice of a completion; undefined where the value is none. Calls without an id are numbered. */
export function parseCompletion(value: Json): Completion | undefined {
  if (misfit(CompletionShape, value) !== undefined) return undefined;
  const choice = (value as Static<typeof CompletionShape>).choices[0];
  if (choice === undefined) return undefined;
  const { content, refusal, tool_calls } = choice.message;
  const calls = (tool_calls ?? []).map((call, i) => ({
    id: call.id || `call_${i}`,
    name: call.function.name,
    args: call.function.arguments,
  }));
  const { model, usage } = value as { model?: Json; usage?: Json };
  const details = member(usage, "prompt_tokens_details");
  return {
    content: content ?? null,
    refusal: refusal ?? null,
    calls,
    finish: choice.finish_reason ?? null,
    served: typeof model === "string" ? clip(model, limits.nameCharacters) : null,
    tokens: {
      input: countOf(member(usage, "prompt_tokens")),
      cached: countOf(member(details, "cached_tokens")),
      output: countOf(member(usage, "completion_tokens")),
    },
  };
}

function member(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Json })[key];
}

/** Absent, and what is no count, is null. */
function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The JSON object that is all of a text, bare or in one ```json fence; undefined where something else is there too. */
export function objectAlone(
  text: string,
  parse: (text: string) => Json | undefined,
): { readonly [key: string]: Json } | undefined {
  const bare = text.trim();
  const fenced = /^```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```$/.exec(bare);
  const inner = (fenced?.[1] ?? bare).trim();
  if (!inner.startsWith("{")) return undefined;
  return parse(inner) as { readonly [key: string]: Json } | undefined;
}
