import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { routeFor } from "../../../base/index.js";

export interface FetchInit extends RequestInit {
  /** Until the answer begins; 30 s unless said otherwise, whatever `signal` does. Infinity: `signal` is the limit. */
  readonly headMs?: number;
}

export type FetchLike = (url: string | URL, init?: FetchInit) => Promise<Response>;

/** Bytes of one body that is not a stream of events; such a stream may go on for ever, a message of it is bounded by its reader. */
const MAX_BODY = 64 * 1024 * 1024;
/** Until an answer begins, its head being whole. */
const HEAD_MS = 30_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * What `fetch` does, as far as a client of a server needs it, over proxies of the environment as well: Node's own knows none. Redirects of a
 * GET are followed unless `redirect` says otherwise; no credential goes to another origin on the way.
 */
export function createFetch(env: Readonly<Record<string, string>>): FetchLike {
  const once = exchangeOver(env);
  return async (target, init = {}) => {
    let url = new URL(target);
    let headers = new Headers(init.headers);
    for (let hops = 0; ; hops += 1) {
      const response = await once(url, { ...init, headers });
      const next = isFollowed(init) ? targetOf(response, url) : undefined;
      if (next === undefined) return response;
      await response.body?.cancel();
      if (hops === MAX_REDIRECTS) throw new TypeError(`The redirects of ${url.origin} do not end.`);
      if (url.protocol === "https:" && next.protocol !== "https:") throw new TypeError(`A redirect leads from https to ${next.origin}.`);
      if (next.origin !== url.origin) headers = publicHeaders(headers);
      url = next;
    }
  };
}

const isFollowed = ({ redirect = "follow", method = "GET" }: RequestInit): boolean => redirect === "follow" && method === "GET";

function targetOf(response: Response, from: URL): URL | undefined {
  const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
  if (location === null || !URL.canParse(location, from)) return undefined;
  const target = new URL(location, from);
  return target.protocol === "http:" || target.protocol === "https:" ? target : undefined;
}

const PUBLIC = ["accept", "accept-language", "mcp-protocol-version", "user-agent"];

function publicHeaders(headers: Headers): Headers {
  const left = new Headers();
  for (const name of PUBLIC) {
    const value = headers.get(name);
    if (value !== null) left.set(name, value);
  }
  return left;
}

/** One exchange; a redirect is an answer like any other. */
function exchangeOver(env: Readonly<Record<string, string>>): (url: URL, init: FetchInit) => Promise<Response> {
  return async (url, init) => {
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`An address of ${url.protocol} is not asked.`);
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
        endLimit();
        resolve(responseOf(incoming, request));
      });
      const { signal } = init;
      const abort = (): void => {
        request.destroy(abortReason(signal));
      };
      if (signal?.aborted === true) abort();
      signal?.addEventListener("abort", abort, { once: true });
      const endLimit = limitHead(request, init.headMs ?? HEAD_MS);
      request.once("close", () => {
        endLimit();
        signal?.removeEventListener("abort", abort);
      });
      // The agent would hand on what the proxy says as if the server had said it.
      request.once("proxyConnect", ({ statusCode }: { readonly statusCode: number }) => {
        if (statusCode !== 200) request.destroy(new Error(`The proxy refused the way to ${url.host} with status ${statusCode}.`));
      });
      request.once("error", (error) => {
        reject(new TypeError("fetch failed", { cause: error }));
      });
      request.end(body);
    });
  };
}

/** Ends a request whose answer does not begin, also where the other side sends a byte of its head now and then. */
function limitHead(request: ClientRequest, ms: number): () => void {
  if (ms === Infinity) return () => undefined;
  const timer = setTimeout(() => request.destroy(new Error(`No answer began within ${ms / 1000} s.`)), ms);
  return () => {
    clearTimeout(timer);
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
