/** A client of a session over a pair of streams, in one process: the protocol is the package's on both sides. */
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { SaidIdentity } from "../../src/model/identity.ts";
import { type McpOptions, mcpReader } from "../../src/model/mcp-reader.ts";
import type { AskedCase, Attempt, Opening, ReaderSource, ToolAnswer, Tools } from "../../src/model/reader.ts";
import { toolSchemas, toolSchemaVersion } from "../../src/store/tools.ts";
import { askedCase } from "./an-asked-case.ts";

export const identity: SaidIdentity = {
  name: "client",
  snapshot: "none",
  pretrain_cutoff: "none",
  posttrain_cutoff: "none",
  prompt_digest: "none",
  uses_tools: true,
};

/** Tools that answer with what they were called with, and keep the calls in order. */
export function echoTools(answer: (n: number) => ToolAnswer | Error = () => ({ ok: true, rows: [] })) {
  const calls: unknown[] = [];
  const tools: Tools = {
    async call(tool, args) {
      calls.push([tool, args]);
      const given = answer(calls.length);
      if (given instanceof Error) throw given;
      return given;
    },
  };
  return { tools, calls };
}

type Heard = { readonly body: unknown; readonly isError: boolean };
export type Held = {
  readonly source: ReaderSource;
  readonly client: Client;
  /** What was written to the client's side, byte by byte. */
  readonly written: () => string;
  readonly input: PassThrough;
  readonly output: PassThrough;
  connect(): Promise<void>;
  /** A tool's answer, parsed. */
  call(name: string, args?: Record<string, unknown>): Promise<Heard>;
};

export function held(
  options: Partial<McpOptions> = {},
  mode: "legacy" | { pin: string } = "legacy",
  load?: Parameters<typeof mcpReader>[1],
): Held {
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const source = mcpReader(
    {
      identity,
      temperature: 0,
      params: {},
      family: null,
      files: {},
      shared: false,
      tools: { schemas: toolSchemas, version: toolSchemaVersion },
      say: () => undefined,
      input,
      output,
      asked: askedCase,
      ...options,
    },
    load,
  );
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  return {
    source,
    client,
    input,
    output,
    written: () => Buffer.concat(chunks).toString("utf8"),
    async connect() {
      const wire = new StdioServerTransport(output, input);
      const close = wire.close.bind(wire);
      wire.close = async () => {
        input.end(); // as the end of a client's process ends the pipe
        await close();
      };
      await client.connect(wire);
    },
    async call(name, args = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [first] = content as { type: string; text: string }[];
      return { body: JSON.parse(first?.text as string), isError: isError === true };
    },
  };
}

/** Asks the client's reader: identity, then the one trajectory. */
export async function ask(
  { source }: Held,
  tools: Tools | null,
  deadline: AbortSignal = new AbortController().signal,
  asked: AskedCase = askedCase,
): Promise<Attempt> {
  await source.identity(null);
  const opening: Opening = {
    deadline: () => deadline,
    refusal: () => null,
    paused: (work) => work,
    record: () => undefined,
  };
  return source.open(null, opening).answer(asked, tools, new AbortController().signal);
}
