/** An http reader against a server of the test's own: what it was asked, what was recorded, and no time spent waiting. */
import { after } from "node:test";
import type { Json } from "../../src/core/canonical.ts";
import { type EndpointOnDisk, endpointOf } from "../../src/model/endpoint.ts";
import { type HttpOptions, httpReader } from "../../src/model/http-reader.ts";
import type { AskedCase, Attempt, ModelCall, ServedRow, ToolAnswer, Tools } from "../../src/model/reader.ts";
import { toolSchemas, toolSchemaVersion } from "../../src/store/tools.ts";
import { type ChatServer, type ChatServerOptions, chatServer } from "../support/chat-server.ts";
import { askedCase } from "./an-asked-case.ts";

/** A server that goes with the file's tests. */
export async function served(options: ChatServerOptions): Promise<ChatServer> {
  const server = await chatServer(options);
  after(server.close);
  return server;
}

export type Scene = {
  readonly disk?: Partial<EndpointOnDisk>;
  readonly options?: Partial<HttpOptions>;
  readonly tools?: Tools | null;
  readonly deadline?: AbortSignal;
  readonly refusal?: () => string | null;
  readonly asked?: AskedCase;
};
export type Outcome = {
  readonly attempt: Attempt;
  readonly calls: readonly ModelCall[];
  readonly sleeps: readonly number[];
};

/** Sleeps end at once, and the clock has moved on by them. */
export function skippingClock(start = 0) {
  let at = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    clock: { now: () => 1_700_000_000_000 + at, elapsed: () => at },
    sleep: async (ms: number) => {
      sleeps.push(ms);
      at += ms;
    },
  };
}

export function readerAt(url: string, { disk, options }: Pick<Scene, "disk" | "options">) {
  const { sleeps, clock, sleep } = skippingClock();
  const endpoint = endpointOf({ endpoint: "local", url, model: "m-1", ...disk }, "local.yaml");
  const source = httpReader({
    endpoint,
    endpoints: new Map(),
    answer: "probability",
    identity: { pretrain_cutoff: "none", posttrain_cutoff: "none" },
    temperature: 0,
    params: {},
    family: null,
    files: {},
    tools: { schemas: toolSchemas, version: toolSchemaVersion },
    shared: false,
    say: () => {},
    seed: 7,
    key: () => undefined,
    clock,
    sleep,
    cache: null,
    ...options,
  });
  return { source, endpoint, sleeps };
}

/** One trajectory from identity to close. */
export async function ask(url: string, scene: Scene = {}): Promise<Outcome> {
  const { source, sleeps } = readerAt(url, scene);
  const calls: ModelCall[] = [];
  const deadline = scene.deadline ?? new AbortController().signal;
  try {
    await source.identity(null);
    const reader = source.open(null, {
      deadline: () => deadline,
      refusal: scene.refusal ?? (() => null),
      paused: (work) => work,
      record: (call) => void calls.push(call),
    });
    const tools = scene.tools === undefined ? rowTools([]).tools : scene.tools;
    const attempt = await reader.answer(scene.asked ?? askedCase, tools, new AbortController().signal);
    return { attempt, calls, sleeps };
  } finally {
    await source.close?.();
  }
}

/** Tools over rows in their order: `rows` with offset and limit, and every call noted. */
export function rowTools(rows: readonly ServedRow[]): {
  tools: Tools;
  called: { tool: string; args: Json }[];
} {
  const called: { tool: string; args: Json }[] = [];
  const call = async (tool: string, args: Json): Promise<ToolAnswer> => {
    called.push({ tool, args });
    if (tool !== "rows") return { ok: false, fault: { class: "bad_request", message: `no tool ${tool}` } };
    const { offset = 0, limit = 100 } = args as { offset?: number; limit?: number };
    const page = rows.slice(offset, offset + Math.min(limit, 40));
    return offset + page.length < rows.length
      ? { ok: true, rows: page, total: rows.length, truncated: true }
      : { ok: true, rows: page };
  };
  return { tools: { call }, called };
}

/** Days of weather up to the asked one, wet by a rule that has no period in sight. */
export function weatherRows(count: number): ServedRow[] {
  const first = Date.UTC(2014, 5, 1) - count * 86_400_000;
  return Array.from({ length: count }, (_, i) => {
    const date = new Date(first + i * 86_400_000).toISOString().slice(0, 10);
    const precipitation = (i * i + 3 * i) % 7 < 3 ? 1.5 : 0;
    return { ref: `weather#${date}`, available_at: `${date}T07:00:00Z`, body: { date, precipitation } };
  });
}
