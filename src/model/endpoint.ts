/** Endpoints of chat models: where they are, how they are asked, how often; linted at the door. */
import { type Static, Type } from "@sinclair/typebox";
import { canonical, type Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { lookFor } from "../core/named-file.ts";
import { type Complain, type Place, refuse, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { readYaml } from "../core/yaml.ts";
import { isFloating } from "./family.ts";
import { SaidIdentity } from "./identity.ts";
import type { Estimate } from "./reader.ts";
import type { TokenCost } from "./token-usage.ts";

const strictly = { additionalProperties: false } as const;
const upTo = (maximum: number, minimum = 1) =>
  Type.Integer({ minimum, maximum, description: `an integer from ${minimum} to ${maximum}` });
const amount = Type.Number({ minimum: 0, maximum: 1e9, description: "an amount of 0 or more" });
const count = Type.Number({ minimum: 0, maximum: 1e12, description: "a count of 0 or more" });
const MODEL = "^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$";

/** `profiles/endpoints/<name>.yaml`. */
export const EndpointOnDisk = Type.Object(
  {
    endpoint: Type.String({
      pattern: "^[a-z0-9][a-z0-9.-]{0,99}$",
      description: "a name in lower case, with digits, . and -",
    }),
    description: Type.Optional(Type.String()),
    url: Type.String({ maxLength: 2000 }),
    model: Type.Optional(Type.String({ pattern: MODEL, description: "a snapshot's name" })),
    key_variable: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000 })),
    tools: Type.Optional(Type.Boolean()),
    max_tokens: Type.Optional(upTo(10_000_000)),
    max_tokens_key: Type.Optional(
      Type.Union([Type.Literal("max_tokens"), Type.Literal("max_completion_tokens")], {
        description: "max_tokens or max_completion_tokens",
      }),
    ),
    /** What this endpoint does not take. */
    omits: Type.Optional(
      Type.Array(
        Type.Union([Type.Literal("seed"), Type.Literal("temperature")], {
          description: "seed or temperature",
        }),
        { maxItems: 2 },
      ),
    ),
    max_turns: Type.Optional(upTo(limits.turns)),
    timeout_seconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: limits.requestSecondsMost,
        description: `seconds, more than 0 and at most ${limits.requestSecondsMost}`,
      }),
    ),
    retries: Type.Optional(upTo(limits.retries, 0)),
    requests_per_minute: Type.Optional(upTo(limits.requestsPerMinute)),
    tokens_per_minute: Type.Optional(upTo(limits.tokensPerMinute)),
    concurrency: Type.Optional(upTo(limits.concurrency)),
    /** Of a million tokens. */
    cost: Type.Optional(
      Type.Object(
        {
          input: amount,
          cached_input: Type.Optional(amount),
          output: amount,
          currency: Type.String({ pattern: "^[A-Z]{3}$", description: "three capital letters, as USD" }),
        },
        strictly,
      ),
    ),
    /** Of one trajectory. */
    estimate: Type.Optional(
      Type.Object(
        {
          model_calls: Type.Optional(count),
          input_tokens: Type.Optional(count),
          output_tokens: Type.Optional(count),
        },
        strictly,
      ),
    ),
    cache: Type.Optional(Type.Boolean()),
    identity: Type.Optional(SaidIdentity),
  },
  strictly,
);
export type EndpointOnDisk = Static<typeof EndpointOnDisk>;

/** Of one trajectory; null where nobody says. */
export type ExpectedUse = Omit<Estimate, "cost" | "currency">;

export type Endpoint = {
  readonly name: string;
  readonly place: Place;
  /** Of the completions: `<base>/chat/completions`. */
  readonly url: string;
  /** null: the checkpoint of a family says it. */
  readonly model: string | null;
  readonly keyVariable: string | null;
  readonly prompt: string | null;
  readonly tools: boolean;
  readonly maxTokens: number | null;
  readonly maxTokensKey: "max_tokens" | "max_completion_tokens";
  /** Parameters that are not sent. */
  readonly omits: readonly ("seed" | "temperature")[];
  readonly maxTurns: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrency: number;
  readonly cost: TokenCost | null;
  readonly estimate: ExpectedUse | null;
  readonly cache: boolean;
  readonly identity: SaidIdentity;
};

/** A name is a path, else a file of one of the folders, in their order. `place` names it: a flag, or a file's line. */
export function findEndpoint(name: string, folders: readonly string[], place: Place): string {
  const { found, looked } = lookFor(name, folders);
  return found ?? refuse("EndpointUnknown", { place, found: name, looked });
}

export function loadEndpoint(file: string, shown: string, complain: Complain = strict): Endpoint | undefined {
  const yaml = readYaml(file, shown, complain);
  const disk = yaml && fit(EndpointOnDisk, yaml.value, yaml.placeOf, complain);
  if (yaml === undefined || disk === undefined) return undefined;
  const wrong = wrongUrl(disk.url);
  if (disk.key_variable !== undefined && !VARIABLE.test(disk.key_variable)) {
    // It may be the key itself: no message repeats it.
    const place = yaml.placeOf("/key_variable");
    const found = `${disk.key_variable.length} characters that are no name`;
    complain("FieldInvalid", {
      place,
      field: "key_variable",
      found,
      expected: "the name of an environment variable",
    });
    return undefined;
  }
  if (wrong !== undefined)
    complain("FieldInvalid", { place: yaml.placeOf("/url"), field: "url", found: wrong, expected: BASE });
  if (disk.model !== undefined && isFloating(disk.model))
    complain("EvalCheckpointFloating", { place: yaml.placeOf("/model"), snapshot: disk.model });
  return wrong === undefined ? endpointOf(disk, shown) : undefined;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const BASE = "a base such as http://127.0.0.1:8080/v1, without user, password, query or fragment";

/** What is wrong with a base, in words that repeat no password. */
function wrongUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return "no URL";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `a URL of ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "a URL with a user or a password in it";
  return /[?#]/.test(text) ? "a URL with a query or a fragment" : undefined;
}

export function endpointOf(disk: EndpointOnDisk, place: Place): Endpoint {
  const { cost, estimate } = disk;
  return {
    name: disk.endpoint,
    place,
    url: `${new URL(disk.url).href.replace(/\/+$/, "")}/chat/completions`,
    model: disk.model ?? null,
    keyVariable: disk.key_variable ?? null,
    prompt: disk.prompt ?? null,
    tools: disk.tools ?? true,
    maxTokens: disk.max_tokens ?? null,
    maxTokensKey: disk.max_tokens_key ?? "max_tokens",
    omits: disk.omits ?? [],
    maxTurns: disk.max_turns ?? limits.turnsDefault,
    timeoutMs: Math.ceil((disk.timeout_seconds ?? limits.requestSeconds) * 1000),
    retries: disk.retries ?? limits.retriesDefault,
    requestsPerMinute: disk.requests_per_minute ?? null,
    tokensPerMinute: disk.tokens_per_minute ?? null,
    concurrency: disk.concurrency ?? limits.concurrency,
    cost: cost === undefined ? null : { ...cost, cached_input: cost.cached_input ?? cost.input },
    estimate:
      estimate === undefined
        ? null
        : { model_calls: null, input_tokens: null, output_tokens: null, ...estimate },
    cache: disk.cache ?? false,
    identity: disk.identity ?? {},
  };
}

/** Canonical text of what shapes an answer; rates, costs, timeouts and the key's name are not in it. */
export function endpointIdentity(endpoint: Endpoint): string {
  const { name, url, model, prompt, tools, maxTokens, maxTurns, omits } = endpoint;
  const asked = { tools, max_tokens: maxTokens, max_turns: maxTurns, omits };
  const shaping = { endpoint: name, url, model, prompt, ...asked };
  return canonical(shaping satisfies Json);
}
