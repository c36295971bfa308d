/** A chat endpoint on the loopback for tests: it answers by a function, and fails as it is told to. */
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../src/core/canonical.ts";
import type { AskedCase, ToolAnswer, Tools } from "../../src/model/reader.ts";

type ChatMessage = {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
};
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature: number;
  readonly seed: number;
  readonly max_tokens?: number;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
};

/** What a model says: calls of functions, or text. */
export type Said = {
  readonly calls?: readonly { readonly name: string; readonly args: Json | string; readonly id?: string }[];
  readonly content?: string | null;
  readonly refusal?: string;
  readonly finish?: string;
};

/** How one request goes wrong; `raw` is a body as it is, of any status. */
export type ServerFault =
  | { readonly kind: "raw"; readonly status: number; readonly body: string; readonly headers?: Headers }
  | { readonly kind: "cut" }
  | { readonly kind: "reset" }
  | { readonly kind: "silent" };
type Headers = Readonly<Record<string, string>>;

export type ChatServerOptions = {
  readonly answer: (request: ChatRequest, authorization: string) => Said | Promise<Said>;
  /** Of the n-th request, from 0; null: it is answered. */
  readonly fault?: (n: number, request: ChatRequest, authorization: string) => ServerFault | null;
  readonly delayMs?: number;
};

export type ChatServer = {
  /** The base that an endpoint names. */
  readonly url: string;
  /** Bodies as they came. */
  readonly bodies: string[];
  readonly authorizations: string[];
  /** The most requests that were in flight at once. */
  readonly most: () => number;
  readonly close: () => Promise<void>;
};

export async function chatServer(options: ChatServerOptions): Promise<ChatServer> {
  const bodies: string[] = [];
  const authorizations: string[] = [];
  let running = 0;
  let most = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    most = Math.max(most, ++running);
    response.on("close", () => running--);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const authorization = request.headers.authorization ?? "";
      const n = bodies.push(body) - 1;
      authorizations.push(authorization);
      void reply(options, n, request.url ?? "", body, authorization, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    authorizations,
    most: () => most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function reply(
  { answer, fault, delayMs = 0 }: ChatServerOptions,
  n: number,
  url: string,
  body: string,
  authorization: string,
  response: http.ServerResponse,
): Promise<void> {
  const request = JSON.parse(body) as ChatRequest;
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  const wrong = url === "/v1/chat/completions" ? (fault?.(n, request, authorization) ?? null) : NOT_FOUND;
  if (wrong === null) {
    const text = completionText(request, await answer(request, authorization));
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  } else if (wrong.kind === "raw") response.writeHead(wrong.status, wrong.headers).end(wrong.body);
  else if (wrong.kind === "cut") {
    const text = completionText(request, { content: '{"probability":1}' });
    response.writeHead(200, { "content-length": text.length }).write(text.slice(0, text.length / 2));
    response.socket?.end();
  } else if (wrong.kind === "reset") response.socket?.resetAndDestroy();
}

const NOT_FOUND: ServerFault = { kind: "raw", status: 404, body: '{"error":{"message":"no such path"}}' };

/** A completion with usage that follows from the request alone. */
export function completionText(request: ChatRequest, said: Said): string {
  const calls = said.calls?.map(({ name, args, id }, i) => ({
    id: id ?? `c${request.messages.length}_${i}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  const prompt_tokens = Math.ceil(JSON.stringify(request.messages).length / 4);
  return JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: `${request.model}-served`,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: said.content ?? null,
          ...(said.refusal === undefined ? {} : { refusal: said.refusal }),
          ...(calls === undefined ? {} : { tool_calls: calls }),
        },
        finish_reason: said.finish ?? (calls === undefined ? "stop" : "tool_calls"),
      },
    ],
    usage: {
      prompt_tokens,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: Math.floor(prompt_tokens / 2) },
    },
  });
}

/** The horizon and its day, as the user message of a request gives them. */
function askedOf(request: ChatRequest): Pick<AskedCase, "question" | "horizon" | "asked_day"> {
  const text = request.messages.find(({ role }) => role === "user")?.content ?? "";
  const line = (label: string) => new RegExp(`^${label}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return {
    question: line("Question"),
    horizon: line("Horizon"),
    asked_day: line("Local day of the horizon"),
  };
}

/**
 * A model that does what a reader of ours would: it calls the tools that the reader calls, one a reply, and answers as
 * it does. Everything that it knows it has from the messages.
 */
export function imitating(
  reader: (tools: Tools, asked: AskedCase) => Promise<number>,
): (request: ChatRequest) => Promise<Said> {
  return async (request) => {
    const answers = request.messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => content ?? "");
    let next = 0;
    const tools: Tools = {
      call: async (name, args) => {
        const text = answers[next++];
        if (text === undefined) throw new Wanted(name, args);
        return JSON.parse(text) as ToolAnswer;
      },
    };
    const asked = {
      ...askedOf(request),
      id: "",
      repeat: 0,
      kind: "forecast",
      tables: {},
      answer: "probability",
    } as const;
    try {
      return { calls: [{ name: "answer", args: { probability: await reader(tools, asked) } }] };
    } catch (error) {
      if (error instanceof Wanted) return { calls: [{ name: error.tool, args: error.args }] };
      throw error;
    }
  };
}

/** The call that an imitated reader waits for. */
class Wanted extends Error {
  readonly tool: string;
  readonly args: Json;
  constructor(tool: string, args: Json) {
    super(tool);
    this.tool = tool;
    this.args = args;
  }
}
