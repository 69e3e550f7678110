import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { routeFor } from "../../../base/index.js";

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Bytes of one body that is not a stream of events; such a stream may go on for ever, a message of it is bounded by its reader. */
const MAX_BODY = 64 * 1024 * 1024;
const HEAD_MS = 120_000;

/**
 * What `fetch` does, as far as a client of a server needs it, over proxies of the environment as well: Node's own knows none. Follows no
 * redirect by itself.
 */
export function createFetch(env: Readonly<Record<string, string>>): FetchLike {
  return async (target, init = {}) => {
    const url = new URL(target);
    const headers: Record<string, string> = {};
    new Headers(init.headers).forEach((value, name) => {
      headers[name] = value;
    });
    const body = bodyOf(init.body);
    const route = routeFor(url, env);
    if (route.type === "unusable") throw new TypeError(`The proxy in ${route.variable} cannot be used: ${route.problem}.`);
    const proxy = route.type === "proxy" ? route.url : undefined;
    const agent = proxy === undefined || url.protocol !== "https:" ? undefined : await tunnel(proxy.href);
    const options = {
      method: init.method ?? "GET",
      headers: body === undefined ? headers : { ...headers, "content-length": String(Buffer.byteLength(body)) },
    };
    return await new Promise<Response>((resolve, reject) => {
      const request = send(url, { ...options, ...(agent === undefined ? {} : { agent }) }, proxy, (incoming) => {
        request.setTimeout(0);
        resolve(responseOf(incoming, request));
      });
      const { signal } = init;
      const abort = (): void => {
        request.destroy(abortReason(signal));
      };
      if (signal?.aborted === true) abort();
      signal?.addEventListener("abort", abort, { once: true });
      request.once("close", () => signal?.removeEventListener("abort", abort));
      request.setTimeout(HEAD_MS, () => request.destroy(new Error("No answer began within 120 s.")));
      request.once("error", (error) => {
        reject(new TypeError("fetch failed", { cause: error }));
      });
      request.end(body);
    });
  };
}

interface SendOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

function send(url: URL, options: SendOptions, proxy: URL | undefined, onHead: (incoming: IncomingMessage) => void): ClientRequest {
  if (url.protocol === "https:") return httpsRequest(url, options, onHead);
  if (proxy === undefined) return httpRequest(url, options, onHead);
  const { hostname, port, username, password } = proxy;
  const auth =
    username === ""
      ? {}
      : {
          "proxy-authorization": `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`,
        };
  return httpRequest(
    {
      ...options,
      hostname,
      port: port === "" ? 80 : Number(port),
      path: url.href,
      headers: { ...options.headers, ...auth, host: url.host },
    },
    onHead,
  );
}

async function tunnel(proxy: string): Promise<Agent> {
  const { default: agents } = await import("https-proxy-agent");
  return new agents.HttpsProxyAgent(proxy);
}

function bodyOf(body: RequestInit["body"]): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("only text is sent to servers");
}

const abortReason = (signal: AbortSignal | null | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error("aborted");

const EMPTY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

function responseOf(incoming: IncomingMessage, request: ClientRequest): Response {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    headers.append(incoming.rawHeaders[index] ?? "", incoming.rawHeaders[index + 1] ?? "");
  const status = incoming.statusCode ?? 500;
  const isEvents = headers.get("content-type")?.includes("text/event-stream") === true;
  if (EMPTY.has(status)) incoming.resume();
  const body = EMPTY.has(status) ? null : webBody(incoming, request, isEvents ? Infinity : MAX_BODY);
  return new Response(body, { status: status === 101 ? 500 : status, statusText: incoming.statusMessage ?? "", headers });
}

const BUFFERED_BYTES = 256 * 1024;

/** Node's own conversion closes a stream twice when its reader gives it up. */
function webBody(incoming: IncomingMessage, request: ClientRequest, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  let isOver = false;
  const end = (finish: () => void): void => {
    if (isOver) return;
    isOver = true;
    finish();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on("data", (chunk: Buffer) => {
          if (isOver) return;
          bytes += chunk.length;
          if (bytes > maxBytes) {
            end(() => controller.error(new Error(`The answer has more than ${maxBytes} bytes.`)));
            request.destroy();
            return;
          }
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once("end", () => end(() => controller.close()));
        incoming.once("error", (error) => end(() => controller.error(error)));
        incoming.once("close", () => end(() => controller.error(new Error("The connection was closed."))));
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        isOver = true;
        request.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  );
}
