/** One model call at an endpoint: its tries, the waits between them, and what each reply means. */
import type { Json } from "../core/canonical.ts";
import { limits } from "../core/limits.ts";
import { clip } from "../core/words.ts";
import { type Completion, parseCompletion } from "./chat.ts";
import { type Credential, credentialOf, parseWithout } from "./credential.ts";
import type { Endpoint } from "./endpoint.ts";
import { type HttpFault, type HttpReply, httpClient } from "./http-request.ts";
import { rateLimit, type Sleep } from "./rate-limit.ts";
import { type FaultClass, type Opening, OUT_OF_TIME, type Retry } from "./reader.ts";

/** What is not deterministic, as the command line passes it in. */
export type Outside = {
  /** An environment variable's value. */
  readonly key: (variable: string) => string | undefined;
  readonly clock: { readonly now: () => number; readonly elapsed: () => number };
  readonly sleep: Sleep;
};

export type CallOutcome = {
  readonly completion: Completion | null;
  /** `stops`: no other call would fare better. */
  readonly fault: { readonly class: FaultClass; readonly message: string; readonly stops?: true } | null;
  readonly status: number | null;
  /** The last try's body without the key; "" where none came. */
  readonly text: string;
  readonly retries: readonly Retry[];
  readonly ms: number;
};

/** How long a call may take; the wait for its turn is not in it. */
export type CallTime = Pick<Opening, "deadline" | "paused">;

/** An endpoint as it is asked: its connections, rates and key are shared by all who ask. */
export type EndpointClient = {
  readonly endpoint: Endpoint;
  /** `tokens`: expected use, for the rate. `once`: what came whole but is no completion is not asked for again. */
  call(body: string, tokens: number, time: CallTime, once?: boolean): Promise<CallOutcome>;
  /** Strict JSON of text that the model wrote, without the key; undefined where it is none. */
  parse(text: string): Json | undefined;
  close(): void;
};

/** Refuses CredentialMissing before anything is sent. */
export function endpointClient(endpoint: Endpoint, outside: Outside): EndpointClient {
  const { clock, sleep } = outside;
  const credential = credentialOf(endpoint, outside.key);
  const http = httpClient(endpoint.url, endpoint.timeoutMs);
  const rates = rateLimit(endpoint, clock.elapsed, sleep);
  const call: EndpointClient["call"] = async (body, tokens, time, once = false) => {
    const signal = time.deadline();
    const begun = clock.elapsed();
    const retries: Retry[] = [];
    const ended = ({ again: _, ...reading }: Reading): CallOutcome => {
      return { ...reading, retries, ms: Math.round(clock.elapsed() - begun) };
    };
    for (;;) {
      const turn = await time.paused(rates.turn(tokens, signal));
      if (typeof turn === "string") return ended(noTurn(turn));
      const started = clock.elapsed();
      const reply = await http.post(body, credential.header, signal);
      const reading = reply.kind === "reply" ? readReply(reply, credential) : readFault(reply);
      turn.end(tokensOf(reading.completion));
      const { fault, again, status } = reading;
      const given = once && fault?.class === "malformed_output";
      if (fault === null || !again || given || retries.length >= endpoint.retries) return ended(reading);
      const asked = reply.kind === "reply" ? askedWait(reply.retryAfter, clock.now) : null;
      const waitMs = Math.min(limits.waitMs, asked ?? limits.waitMsFirst * (1 << retries.length));
      const ms = Math.round(clock.elapsed() - started);
      retries.push({ class: fault.class, status, ms, wait_ms: waitMs });
      if (asked !== null && (status === 429 || status === 503)) rates.pause(waitMs);
      await sleep(waitMs, signal);
    }
  };
  const parse = (text: string) => parseWithout(credential, text)?.value;
  return { endpoint, call, parse, close: http.close };
}

type Reading = Pick<CallOutcome, "completion" | "fault" | "status" | "text"> & { readonly again: boolean };

function noTurn(why: "late" | "full"): Reading {
  const fault =
    why === "late"
      ? ({ class: "timeout", message: OUT_OF_TIME } as const)
      : ({ class: "rate_limit", message: `more than ${limits.waiting} requests wait` } as const);
  return { completion: null, fault, status: null, text: "", again: false };
}

function readFault({ class: of, message, status, final, unreachable }: HttpFault): Reading {
  const fault =
    unreachable === true ? ({ class: of, message, stops: true } as const) : { class: of, message };
  return { completion: null, fault, status, text: "", again: !final };
}

function tokensOf(completion: Completion | null): number | null {
  const { input = null, output = null } = completion?.tokens ?? {};
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
}

/** A refused key's reply is not kept: some name a part of the key in it. */
function readReply({ status, text }: HttpReply, credential: Credential): Reading {
  if (status === 401 || status === 403) {
    const whose =
      credential.variable === null ? "asks for a key" : `refused the key of ${credential.variable}`;
    const message = `HTTP ${status}: the endpoint ${status === 401 ? whose : "refused the request"}`;
    // A key that is wrong is wrong in each case; what is forbidden may be forbidden in this one.
    const fault = { class: "auth", message, ...(status === 401 ? { stops: true as const } : {}) } as const;
    return { completion: null, fault, status, text: "", again: false };
  }
  const parsed = parseWithout(credential, text);
  const shown = parsed?.text ?? credential.redact(text);
  if (status < 200 || status > 299) {
    const { again, ...fault } = faultOfStatus(status, parsed?.value);
    return { completion: null, fault, status, text: shown, again };
  }
  const completion = parsed === undefined ? undefined : parseCompletion(parsed.value);
  if (completion !== undefined) return { completion, fault: null, status, text: shown, again: false };
  const message = parsed === undefined ? "the reply is not strict JSON" : "the reply is no chat completion";
  return {
    completion: null,
    fault: { class: "malformed_output", message },
    status,
    text: shown,
    again: true,
  };
}

/** What its maker may do about by itself is tried again; what is wrong with the request is not. */
function faultOfStatus(
  status: number,
  body: Json | undefined,
): {
  readonly class: FaultClass;
  readonly message: string;
  readonly again: boolean;
} {
  if (status === 429) return { class: "rate_limit", message: "HTTP 429", again: true };
  const { code, message } = errorOf(body);
  const words = clip(message, WORDS);
  if (status >= 500 || status === 408 || status === 409 || status === 425)
    return { class: "transport", message: `HTTP ${status}${words === "" ? "" : `: ${words}`}`, again: true };
  if (status < 400)
    return {
      class: "bad_request",
      message: `HTTP ${status}: redirects are not followed`,
      again: false,
    };
  return {
    class: CONTEXT.test(`${code} ${message}`) ? "context_window" : "bad_request",
    message: words === "" ? `HTTP ${status}` : `HTTP ${status}: ${words}`,
    again: false,
  };
}

const WORDS = 300;
const CONTEXT =
  /context_length_exceeded|context[ _](?:length|window|size)|maximum context|prompt is too long/i;

/** `{"error": {"code", "type", "message"}}`, as far as it is there. */
function errorOf(body: Json | undefined): { readonly code: string; readonly message: string } {
  const outer = (body ?? null) as { readonly error?: Json } | null;
  const error = (outer?.error ?? null) as { readonly [key: string]: Json } | string | null;
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  if (typeof error === "string") return { code: "", message: error };
  return { code: `${text(error?.["code"])} ${text(error?.["type"])}`, message: text(error?.["message"]) };
}

/** `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3), in milliseconds; null for anything else. */
function askedWait(header: string | null, now: () => number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now());
}
