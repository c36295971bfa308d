/** The tool loop: a chat model is asked, its calls are answered, until it answers, declines or is out of turns. */
import { canonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { misfit } from "../core/schema.ts";
import { callBounded } from "./bounded-call.ts";
import {
  answerArguments,
  type ChatSettings,
  type Completion,
  calledFunctions,
  declineArguments,
  type FunctionCall,
  messageText,
  objectAlone,
  requestWriter,
  toolReply,
} from "./chat.ts";
import { questionText, reminderText } from "./chat-prompt.ts";
import { type Given, givenAnswer } from "./given-answer.ts";
import { type AskedCase, type FaultClass, OUT_OF_TIME, type ToolAnswer, type Tools } from "./reader.ts";

/** How a conversation ended; usage is not its business. */
export type Ending =
  | (Given & { readonly kind: "answer" })
  | { readonly kind: "decline"; readonly reason: string }
  | { readonly kind: "fault"; readonly class: FaultClass; readonly message: string };
export type Failed = Extract<Ending, { kind: "fault" }>;

export type Conversation = {
  readonly asked: AskedCase;
  readonly tools: Tools | null;
  readonly settings: ChatSettings;
  readonly prompt: string;
  readonly maxTurns: number;
  readonly deadline: AbortSignal;
  /** One model call: a request's canonical bytes to a reply, or the fault that ends the conversation. */
  readonly complete: (body: string) => Promise<{ kind: "completion"; completion: Completion } | Failed>;
  /** Strict JSON of what the model wrote as text; undefined where it is none. */
  readonly parse: (text: string) => Json | undefined;
};

const failed = (of: FaultClass, message: string): Failed => ({ kind: "fault", class: of, message });

/** Rejects where a tool did, unless the host latched that as a violation: then the model is told, and goes on. */
export async function converse(conversation: Conversation): Promise<Ending> {
  const { asked, settings, prompt, maxTurns, complete } = conversation;
  const write = requestWriter(settings);
  const messages = [
    messageText("system", prompt),
    messageText("user", questionText(asked, settings.functions !== null)),
  ];
  let reminded = false;
  for (let turn = 0; turn < maxTurns; turn++) {
    const outcome = await complete(write(messages));
    if (outcome.kind === "fault") return outcome;
    const { completion } = outcome;
    const { content, refusal, calls } = completion;
    if (completion.finish === "content_filter")
      return failed("empty_output", "the endpoint's content filter held the reply back");
    if (calls.length > 0) {
      const ending = await answerCalls(conversation, messages, completion);
      if (ending !== undefined) return ending;
      continue;
    }
    if (refusal !== null && refusal !== "") return { kind: "decline", reason: refusal };
    const text = content ?? "";
    const ending = endingOfText(text, conversation);
    if (ending !== undefined) return ending;
    if (reminded)
      return text.trim() === ""
        ? failed("empty_output", "an empty reply, and another after a reminder")
        : failed("malformed_output", "a reply that is no answer, and another after a reminder");
    reminded = true;
    messages.push(
      messageText("assistant", text),
      messageText("user", reminderText(settings.functions !== null, asked.answer)),
    );
  }
  return failed("malformed_output", `no answer within ${maxTurns} calls of the model`);
}

const isFinal = ({ name }: FunctionCall) => name === "answer" || name === "decline";

/** Answers each call in its order; an ending where the reply answers or declines, once the others are done. */
async function answerCalls(
  { asked, tools, settings, deadline, parse }: Conversation,
  messages: string[],
  { content, calls }: Completion,
): Promise<Ending | undefined> {
  if (settings.functions === null) return failed("protocol", "a function call, and none was offered");
  if (tools === null && !calls.every(isFinal)) return failed("protocol", "a tool call without tools");
  if (calls.filter(isFinal).length > 1) return failed("malformed_output", "two answers in one reply");
  messages.push(calledFunctions(content, calls));
  let bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0);
  let ending: Ending | undefined;
  for (const call of calls) {
    const args = call.args.trim() === "" ? {} : parse(call.args);
    let told: string;
    if (args === undefined) told = answerText(notDone("the arguments are not strict JSON"));
    else if (isFinal(call)) {
      const given = endingOfCall(call.name, args, asked);
      if (typeof given !== "string") ending = given;
      told = answerText(notDone(typeof given === "string" ? given : "ended"));
    } else told = answerText(await callBounded(tools as Tools, call.name, args));
    const message = toolReply(call.id, told);
    messages.push(message);
    bytes += Buffer.byteLength(message);
    if (bytes > limits.requestBytes)
      return failed("context_window", `a conversation of more than ${limits.requestBytes} bytes`);
    if (deadline.aborted) return failed("timeout", OUT_OF_TIME);
  }
  return ending;
}

const notDone = (message: string): ToolAnswer => ({ ok: false, fault: { class: "bad_request", message } });
const answerText = (answer: ToolAnswer) => canonical(answer as unknown as Json);

/** What `answer` or `decline` says, or what is wrong with its arguments. */
function endingOfCall(name: string, args: Json, asked: AskedCase): Ending | string {
  const schema = name === "answer" ? answerArguments : declineArguments;
  const wrong = misfit(schema(asked.answer), args);
  if (wrong !== undefined) return wrong.toWellFormed();
  if (name === "decline") return { kind: "decline", reason: (args as { reason: string }).reason };
  const answer = givenAnswer(args as object, asked);
  return typeof answer === "string" ? answer : { kind: "answer", ...answer };
}

/** Exactly `{"probability": P}`, or `{"positions": {…}}`, or `{"decline": "reason"}`. */
function endingOfText(text: string, { asked, parse }: Conversation): Ending | undefined {
  const value = objectAlone(text, parse) as { readonly [key: string]: Json } | undefined;
  if (value === undefined || Object.keys(value).length !== 1) return undefined;
  const given =
    value[asked.answer] === undefined
      ? endingOfCall("decline", { reason: value["decline"] ?? null }, asked)
      : endingOfCall("answer", value, asked);
  return typeof given === "string" ? undefined : given;
}
