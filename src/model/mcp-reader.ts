/** A reader over the Model Context Protocol: the client of one session is what is under test, on one case. */
import { assert } from "../core/assert.ts";
import { refuse } from "../core/refusal.ts";
import { completeIdentity, type OutsideOptions } from "./identity.ts";
import { type McpPackage, type McpSession, mcpSession, type SessionOptions } from "./mcp-session.ts";
import type { ReaderSource } from "./reader.ts";

const NAME = "@modelcontextprotocol/server";
const VERSION = "2.4.0";

/** Its question is told before a run begins, so it is given here: the client's first call begins the run. */
export type McpOptions = OutsideOptions & Pick<SessionOptions, "input" | "output" | "asked">;

/**
 * Serves one trajectory. `identity` waits for the first call: a client that only looks who is there, as those do that try
 * the protocol's versions, leaves no run behind. `close`, which belongs after the run's, tells the client that its
 * answer is kept.
 */
export function mcpReader(options: McpOptions, load: () => Promise<McpPackage> = loadMcp): ReaderSource {
  const { identity, tools, input, output, asked, family, files } = options;
  const schemas = identity.uses_tools === false ? [] : tools.schemas;
  let session: McpSession | undefined;
  let asks = 0;
  const listen = async (): Promise<McpSession> => {
    const sdk = await load();
    session ??= mcpSession(sdk, { input, output, asked, schemas });
    return session;
  };
  return {
    name: "serve",
    adapter: "serve",
    family,
    files,
    async identity(checkpoint) {
      const complete = completeIdentity({}, checkpoint, options, "serve");
      if (!(await (await listen()).called))
        refuse("ReaderUnavailable", {
          place: "serve",
          problem: "the client left before it called a tool",
          next: "start `blindcast serve` from a client that calls `question`, or any other of its tools",
        });
      return complete;
    },
    open(_checkpoint, opening) {
      assert(++asks === 1, "a session serves one trajectory");
      return {
        async answer(given, bounded) {
          assert(given.id === asked.id, `the client was told of ${asked.id}, asked is ${given.id}`);
          return (await listen()).ask(bounded, opening.deadline());
        },
      };
    },
    async close() {
      await session?.end();
    },
  };
}

/** The package is the user's to install. */
async function loadMcp(): Promise<McpPackage> {
  try {
    const [{ Server }, { serveStdio, StdioServerTransport }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("@modelcontextprotocol/server/stdio"),
    ]);
    return { Server, serveStdio, StdioServerTransport };
  } catch (error) {
    return missingMcp(error);
  }
}

/** Refuses where the package is not there; any other error of its loading stands. */
export function missingMcp(error: unknown): never {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "ERR_MODULE_NOT_FOUND" && String(message).includes(NAME))
    refuse("PackageMissing", { place: "serve", name: NAME, version: VERSION });
  throw error;
}
