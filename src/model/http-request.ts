/** One POST of JSON, and its reply as a value: no redirect, no proxy, no body beyond the limit or cut short. */
import * as http from "node:http";
import * as https from "node:https";
import { strictUtf8 } from "../core/bytes.ts";
import { limits } from "../core/limits.ts";
import { OUT_OF_TIME } from "./reader.ts";

export type HttpReply = {
  readonly kind: "reply";
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
};
/** No reply, in words without address, port or time. `status` where the reply's head came. */
export type HttpFault = {
  readonly kind: "fault";
  readonly class: "transport" | "timeout" | "malformed_output";
  readonly status: number | null;
  readonly message: string;
  /** The deadline is over, or trying again would not help. */
  readonly final: boolean;
  /** Nobody is at the address, or there is none. */
  readonly unreachable?: true;
};

const UNREACHABLE = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

export type HttpClient = {
  post(body: string, authorization: string | null, signal: AbortSignal): Promise<HttpReply | HttpFault>;
  close(): void;
};

/**
 * A client of one address that keeps its connections. Redirects are replies like others: they would take the key to
 * another address.
 */
export function httpClient(url: string, timeoutMs: number): HttpClient {
  const address = new URL(url);
  const secure = address.protocol === "https:";
  const agent = new (secure ? https : http).Agent({ keepAlive: true });
  const send = secure ? https.request : http.request;
  return {
    post: (body, authorization, signal) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        "content-length": Buffer.byteLength(body),
        ...(authorization === null ? {} : { authorization }),
      };
      const request = () => send(address, { method: "POST", agent, headers });
      return exchange(request, body, timeoutMs, signal);
    },
    close: () => agent.destroy(),
  };
}

const LATE: HttpFault = {
  kind: "fault",
  class: "timeout",
  status: null,
  message: OUT_OF_TIME,
  final: true,
};

function exchange(
  open: () => http.ClientRequest,
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HttpReply | HttpFault> {
  if (signal.aborted) return Promise.resolve(LATE);
  return new Promise((resolve) => {
    const request = open();
    let status: number | null = null;
    let settled = false;
    const settle = (outcome: HttpReply | HttpFault) => {
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", late);
      resolve(outcome);
    };
    const give = (outcome: HttpFault) => {
      if (settled) return; // its connection may serve another request by now
      settle(outcome);
      request.destroy();
    };
    const fault = (of: HttpFault["class"], message: string, final = false) =>
      give({ kind: "fault", class: of, status, message, final });
    const late = () => give({ ...LATE, status });
    const timer = setTimeout(() => fault("timeout", "no reply within the request's time"), timeoutMs);
    signal.addEventListener("abort", late, { once: true });
    const broken = (error: Error) => {
      const code = (error as NodeJS.ErrnoException).code ?? error.name;
      const failed = { kind: "fault", class: "transport", status, final: false } as const;
      const message = `the connection failed (${code})`;
      give({ ...failed, message, ...(UNREACHABLE.includes(code) ? { unreachable: true } : {}) });
    };
    request.on("error", broken);
    request.on("response", (response) => {
      const code = response.statusCode ?? 0;
      if (code < 100 || code > 999) {
        response.resume();
        return fault("transport", `HTTP status ${code}`);
      }
      status = code;
      gather(response, fault, (text) => {
        const retryAfter = response.headers["retry-after"] ?? null;
        settle({ kind: "reply", status: status as number, retryAfter, text });
      });
    });
    request.end(body);
  });
}

/** The whole body as text; `fault` where it is too long, cut short or not UTF-8. */
function gather(
  response: http.IncomingMessage,
  fault: (of: HttpFault["class"], message: string, final?: boolean) => void,
  done: (text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limits.replyBytes) chunks.push(chunk);
    else fault("malformed_output", `a reply of more than ${limits.replyBytes} bytes`, true);
  });
  response.on("error", () => fault("transport", "the reply was cut short"));
  response.on("end", () => {
    if (!response.complete) return fault("transport", "the reply was cut short");
    const text = strictUtf8(Buffer.concat(chunks));
    return text === undefined ? fault("malformed_output", "the reply is not UTF-8") : done(text);
  });
}
