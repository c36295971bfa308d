/** The protocol of readers from outside, version 1: one JSON object a line, each with exactly the keys that are its own. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { isRefusal } from "../core/refusal.ts";
import { misfit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import { clip } from "../core/words.ts";
import type { ToolSchema } from "../store/tools.ts";
import { givenAnswer } from "./given-answer.ts";
import { SaidIdentity } from "./identity.ts";
import {
  type AskedCase,
  type AskedDecision,
  type AskedForecast,
  type Attempt,
  faultClasses,
  noUsage,
  type ToolAnswer,
  type Usage,
} from "./reader.ts";

/** `{"type":"hello","v":1,"snapshot":null,"tools":[{"name":"rows","schema":{…}}],"tool_schema_version":"sha256:…","params":{}}` */
export type Hello = {
  readonly type: "hello";
  readonly v: 1;
  /** The checkpoint that the run routes to, which the identity must echo; null without a family. */
  readonly snapshot: string | null;
  readonly tools: readonly ToolSchema[];
  readonly tool_schema_version: string;
  readonly params: Readonly<Record<string, string>>;
};
/** `{"type":"ask","id":"rain-1","repeat":0,"question":"…","horizon":"2014-06-01T07:00:00Z","asked_day":"2014-06-01","tables":{"weather":{"date":"string"}},"answer":"probability"}` */
type Ask = { readonly type: "ask" } & (Omit<AskedForecast, "kind"> | Omit<AskedDecision, "kind">);
/** `{"type":"reply","call_id":"1","ok":true,"rows":[…]}` or `{"type":"reply","call_id":"1","ok":false,"fault":{…}}` */
type Reply = { readonly type: "reply"; readonly call_id: string } & ToolAnswer;
/** What is said to a reader. */
export type Told = Hello | Ask | Reply | { readonly type: "bye" };

export function askOf({ kind: _, ...asked }: AskedCase): Ask {
  return { type: "ask", ...asked };
}

/** A message as one line, for whoever takes more than a newline for the end of one: some libraries split at these, too. */
export function tellLine(message: Told): string {
  return JSON.stringify(message).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const strictly = { additionalProperties: false } as const;
const count = Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: limits.usage }), Type.Null()]));
/** What it took, as far as a reader knows it. */
export const SaidUsage = Type.Object(
  {
    input_tokens: count,
    cached_input_tokens: count,
    output_tokens: count,
    cost: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: limits.usage }), Type.Null()])),
    model_calls: count,
    retries: count,
  },
  strictly,
);
/** Which question it is that is answered: whoever says it is held to it. */
const closing = {
  usage: Type.Optional(Type.Union([SaidUsage, Type.Null()])),
  id: Type.Optional(Type.String()),
  repeat: Type.Optional(Type.Integer()),
};

const Identity = Type.Object({ type: Type.Literal("identity"), ...SaidIdentity.properties }, strictly);
const Call = Type.Object(
  {
    type: Type.Literal("call"),
    call_id: Type.String({ minLength: 1, maxLength: limits.nameCharacters }),
    tool: Type.String(),
    args: Type.Unknown(),
  },
  strictly,
);
/** What stands for an answer is looked at later: one that is none is the fault `malformed_output`. */
const Answer = Type.Object(
  {
    type: Type.Literal("answer"),
    probability: Type.Optional(Type.Unknown()),
    positions: Type.Optional(Type.Unknown()),
    ...closing,
  },
  strictly,
);
const Decline = Type.Object({ type: Type.Literal("decline"), reason: Type.String(), ...closing }, strictly);
const Failure = Type.Object(
  {
    type: Type.Literal("fault"),
    class: Type.Union(faultClasses.map((each) => Type.Literal(each))),
    message: Type.String(),
    ...closing,
  },
  strictly,
);
const schemas = { identity: Identity, call: Call, answer: Answer, decline: Decline, fault: Failure };

/** The last word of a question. */
export type Closing = Static<typeof Answer> | Static<typeof Decline> | Static<typeof Failure>;
/** What a reader says. */
export type Said = Static<typeof Identity> | Static<typeof Call> | Closing;
/** What it said and may not, in words. */
export type Misread = { readonly type: "misread"; readonly problem: string };

const misread = (problem: string): Misread => ({ type: "misread", problem });

/** One line of a reader's. */
export function readMessage(text: string): Said | Misread {
  let value: Json | undefined;
  try {
    value = parseJson(text, "its line");
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return misread(
      isRefusal(error, "JsonInvalid") ? `a line that is not JSON: ${lineStart(text)}` : error.message,
    );
  }
  const type = (value as { type?: unknown } | null | undefined)?.type;
  if (typeof type !== "string" || !Object.hasOwn(schemas, type))
    return misread(`${lineStart(text)} is no message; known types: ${Object.keys(schemas).join(", ")}`);
  const schema: TObject = schemas[type as keyof typeof schemas];
  const wrong = misfit(schema, value);
  if (wrong !== undefined) return misread(`${type}: ${wrong}`);
  const given = Object.keys(value as object).filter((key) => key === "probability" || key === "positions");
  return type === "answer" && given.length !== 1
    ? misread(`answer: probability or positions: expected one of them, found ${given.length}`)
    : (value as Said);
}

/** The start of a line, as a fault's message holds it. */
export const lineStart = (line: string): string => JSON.stringify(clip(line, 80));

/** A closing message as the attempt that it is; misread where it is of another question, or must name its own and does not. */
export function attemptOf(said: Closing, asked: AskedCase, named: boolean): Attempt | Misread {
  if (named && (said.id === undefined || said.repeat === undefined))
    return misread(`${said.type} without id and repeat, which tell whose it is where one process has many`);
  const [id, repeat] = [said.id ?? asked.id, said.repeat ?? asked.repeat];
  if (id !== asked.id || repeat !== asked.repeat)
    return misread(
      `it answered ${lineStart(id)}, repeat ${repeat}, and was asked ${lineStart(asked.id)}, repeat ${asked.repeat}`,
    );
  const usage = usageOf(said.usage);
  if (said.type === "decline")
    return { kind: "decline", reason: clip(said.reason, limits.wordsCharacters), usage };
  if (said.type === "fault") {
    const message = clip(said.message, limits.wordsCharacters);
    return { kind: "fault", class: said.class, message, usage };
  }
  const answer = givenAnswer(said, asked);
  return typeof answer === "string"
    ? { kind: "fault", class: "malformed_output", message: answer, usage }
    : { kind: "answer", ...answer, usage };
}

/** What is not said is null, not 0. */
export function usageOf(said: Static<typeof SaidUsage> | null | undefined): Usage | null {
  return said === undefined || said === null ? null : ({ ...noUsage, ...said } as Usage);
}
