/** `http:<endpoint>`: a chat model behind an OpenAI-compatible endpoint, with our own tool loop. */
import { canonical, type Json } from "../core/canonical.ts";
import { type Digest, digestOf } from "../core/digest.ts";
import { refuse } from "../core/refusal.ts";
import { type ChatSettings, chatFunctions, parseCompletion } from "./chat.ts";
import { type Conversation, converse } from "./chat-loop.ts";
import { promptDigest, systemPrompt } from "./chat-prompt.ts";
import { type Endpoint, type ExpectedUse, endpointIdentity } from "./endpoint.ts";
import type { ModelCheckpoint } from "./family.ts";
import type { Wanted } from "./given-answer.ts";
import { type CallOutcome, type EndpointClient, endpointClient, type Outside } from "./http-call.ts";
import { completeIdentity, type OutsideOptions, type SaidIdentity } from "./identity.ts";
import {
  type AskedCase,
  type Estimate,
  type ModelCall,
  noUsage,
  type Opening,
  type Reader,
  type ReaderIdentity,
  type ReaderSource,
  type Usage,
} from "./reader.ts";
import { type ReplyCache, replyKey } from "./reply.ts";
import { callUsage, costOf, sumUsage } from "./token-usage.ts";

export type HttpOptions = OutsideOptions &
  Outside & {
    /** How the model is asked, and where unless its family's row names another. */
    readonly endpoint: Endpoint;
    /** Those that rows of the family name. */
    readonly endpoints: ReadonlyMap<string, Endpoint>;
    /** What every question of the run wants. */
    readonly answer: Wanted["answer"];
    /** The profile's. */
    readonly seed: number;
    /** Kept open by whoever passes it in; used where the endpoint says `cache: true`. */
    readonly cache: ReplyCache | null;
    /** Clients by the endpoint's name, to share connections and rates with; those that are missing are put in. */
    readonly clients?: Map<string, EndpointClient>;
  };

/** A conversation that was given up before its first call. */
const NO_CALLS: Usage = { ...noUsage, model_calls: 0, retries: 0 };
const SEEDS = 2_147_483_648;

/** A checkpoint as it is asked, or the endpoint's own model. */
type Asked = {
  readonly client: EndpointClient;
  readonly identity: ReaderIdentity;
  readonly settings: Omit<ChatSettings, "seed">;
};

/**
 * One conversation a trajectory. Where a row of the family names an endpoint, its model is asked there: prompt, tools,
 * tokens, turns and estimate stay those of the reader's endpoint; address, key, rates, tries and cost are the row's.
 */
export function httpReader(options: HttpOptions): ReaderSource {
  const { endpoint, family, files } = options;
  const clients = options.clients ?? new Map<string, EndpointClient>();
  const known = new Map<ModelCheckpoint | null, Asked>();
  const askedOf = (checkpoint: ModelCheckpoint | null): Asked => {
    const asked = known.get(checkpoint) ?? prepare(options, clients, checkpoint);
    known.set(checkpoint, asked);
    return asked;
  };
  return {
    name: `http:${endpoint.name}`,
    adapter: "http",
    files,
    family,
    ...(endpoint.estimate === null ? {} : { estimate: dearest(endpoint.estimate, options) }),
    identity: async (checkpoint) => {
      const { identity } = askedOf(checkpoint);
      // Opened before anything is spent: a folder that cannot be used refuses here.
      if (endpoint.cache) await options.cache?.get("");
      return identity;
    },
    open: (checkpoint, opening) => chatReader(options, askedOf(checkpoint), opening),
    close: async () => {
      for (const client of clients.values()) client.close();
    },
  };
}

/** Rows of the family may be asked where it costs more: nobody is told less than it may come to. */
function dearest(estimate: ExpectedUse, { endpoint, endpoints }: HttpOptions): Estimate {
  const { input_tokens: input, output_tokens: output } = estimate;
  const costs = [endpoint, ...endpoints.values()].map(({ cost }) =>
    cost === null || input === null || output === null ? null : costOf(cost, input, 0, output),
  );
  const cost = costs.includes(null) ? null : Math.max(...(costs as number[]));
  return { ...estimate, cost, currency: endpoint.cost?.currency ?? null };
}

function prepare(
  options: HttpOptions,
  clients: Map<string, EndpointClient>,
  checkpoint: ModelCheckpoint | null,
): Asked {
  const { endpoint, tools } = options;
  const at = endpointOfRow(options, checkpoint);
  const identity = identityOfModel(options, checkpoint);
  const client = clients.get(at.name) ?? endpointClient(at, options);
  clients.set(at.name, client);
  const settings = {
    model: modelOf(options, checkpoint),
    temperature: identity.temperature,
    maxTokens: endpoint.maxTokens,
    maxTokensKey: endpoint.maxTokensKey,
    omits: endpoint.omits,
    functions: endpoint.tools ? canonical(chatFunctions(tools.schemas, options.answer)) : null,
  };
  return { client, identity, settings };
}

function endpointOfRow({ endpoint, endpoints }: HttpOptions, checkpoint: ModelCheckpoint | null): Endpoint {
  const name = checkpoint?.endpoint ?? endpoint.name;
  if (name === endpoint.name) return endpoint;
  const place = (checkpoint as ModelCheckpoint).place;
  return (
    endpoints.get(name) ??
    refuse("EndpointUnknown", { place, found: name, looked: [endpoint.name, ...endpoints.keys()] })
  );
}

function identityOfModel(options: HttpOptions, checkpoint: ModelCheckpoint | null): ReaderIdentity {
  const { endpoint, tools } = options;
  const model = modelOf(options, checkpoint);
  const identityOf: SaidIdentity = { snapshot: model, ...options.identity, ...endpoint.identity };
  const said: SaidIdentity = {
    name: `http:${endpoint.name}`,
    prompt_digest: promptDigest(endpoint, tools.schemas, options.answer),
    uses_tools: endpoint.tools,
  };
  const identity = completeIdentity(said, checkpoint, { ...options, identity: identityOf }, endpoint.place);
  const told = identityOf.temperature;
  if (!endpoint.omits.includes("temperature") || told !== undefined) return identity;
  // The profile's is not sent: whoever knows at which the model answers must say so, or the stamp refuses.
  const { temperature: _, ...untold } = identity;
  return untold as ReaderIdentity;
}

/** What is asked for: the checkpoint's snapshot, else what the endpoint names. */
function modelOf({ endpoint }: HttpOptions, checkpoint: ModelCheckpoint | null): string {
  return (
    checkpoint?.snapshot ??
    endpoint.model ??
    refuse("ReaderUnavailable", {
      place: endpoint.place,
      problem: "no `model`, and no family whose checkpoint would say which",
      next: "write `model:` into the endpoint's file, or choose a family",
    })
  );
}

function chatReader(options: HttpOptions, to: Asked, opening: Opening): Reader {
  const { endpoint } = options;
  return {
    async answer(asked, tools) {
      const deadline = opening.deadline();
      const usages: Usage[] = [];
      const ending = await converse({
        asked,
        tools,
        settings: { ...to.settings, seed: (options.seed + asked.repeat) % SEEDS },
        prompt: systemPrompt(endpoint, options.answer),
        maxTurns: endpoint.maxTurns,
        deadline,
        parse: to.client.parse,
        complete: modelPort({ options, to, opening, asked, usages }),
      });
      return { ...ending, usage: sumUsage([NO_CALLS, ...usages]) };
    },
  };
}

type Port = {
  readonly options: HttpOptions;
  readonly to: Asked;
  readonly opening: Opening;
  readonly asked: AskedCase;
  /** What each call used, in order. */
  readonly usages: Usage[];
};

/** One model call, out of the cache where it is there; recorded before the conversation goes on. */
function modelPort(port: Port): Conversation["complete"] {
  const { options, to, opening } = port;
  const { client } = to;
  const keyOf = cacheKey(port);
  return async (body) => {
    const refusal = opening.refusal();
    if (refusal !== null) return { kind: "fault", class: "budget", message: refusal };
    const request = digestOf(body);
    const key = keyOf?.(request);
    const kept = key === undefined ? undefined : keptReply(await options.cache?.get(key), client);
    const outcome = kept?.outcome ?? (await client.call(body, expectedTokens(options, body), opening));
    const { completion, fault, text, status, retries, ms } = outcome;
    const usage = kept?.usage ?? callUsage(completion?.tokens ?? null, retries.length, client.endpoint.cost);
    port.usages.push(usage);
    opening.record({
      name: client.endpoint.name,
      model: to.settings.model,
      served: completion?.served ?? null,
      request,
      reply: text,
      status,
      class: fault?.class ?? null,
      retries,
      cached: kept !== undefined,
      usage,
      ms,
    } satisfies ModelCall);
    if (completion === null) return { kind: "fault", ...(fault as NonNullable<typeof fault>) };
    if (key !== undefined && kept === undefined && status === 200 && completion.finish !== "content_filter")
      await options.cache?.put(key, canonical({ reply: text, usage }));
    return { kind: "completion", completion };
  };
}

/** undefined: no reply is kept. */
function cacheKey({ options, to, asked }: Port): ((request: Digest) => Digest) | undefined {
  if (!options.endpoint.cache || options.cache === null) return undefined;
  const { identity, client } = to;
  const endpoint = `${endpointIdentity(options.endpoint)} ${client.endpoint.url}`;
  const { id, repeat } = asked;
  return (request) => replyKey({ adapter: "http", identity, endpoint, request, id, repeat });
}

/** A kept reply as if it had come now, with the usage of when it came; undefined where it is none. */
function keptReply(
  text: string | undefined,
  client: EndpointClient,
): { readonly outcome: CallOutcome; readonly usage: Usage } | undefined {
  const kept = text === undefined ? undefined : (client.parse(text) as Kept | undefined);
  const value = kept === undefined ? undefined : client.parse(kept.reply);
  const completion = value === undefined ? undefined : parseCompletion(value);
  if (kept === undefined || completion === undefined) return undefined;
  const outcome = { completion, fault: null, status: 200, text: kept.reply, retries: [], ms: 0 };
  return { outcome, usage: kept.usage };
}
type Kept = { readonly reply: string; readonly usage: Usage } & { readonly [key: string]: Json };

/** For the rate, until the reply says what it was: four bytes a token, and as much as may be written. */
function expectedTokens({ endpoint }: HttpOptions, body: string): number {
  const { output_tokens = null, model_calls = null } = endpoint.estimate ?? {};
  const written = endpoint.maxTokens ?? (output_tokens ?? 0) / (model_calls || 1);
  return Math.ceil(body.length / 4 + written);
}
