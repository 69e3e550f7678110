import type { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, isJsonObject, parseJson } from "../../../base/index.js";
import type { SignedIn } from "../oauth/client.js";
import { EventBound } from "./event-bound.js";
import type { FetchLike } from "./fetch.js";
import { cancelledIn } from "./message.js";
import { ANSWER_LOST, type Challenge, HttpRefusal, SignInWanted } from "./refusals.js";

export interface HttpLaunch {
  readonly url: URL;
  /** Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly authProvider?: SignedIn;
  /** The server wants another sign-in, and says which. */
  readonly onChallenge: (challenge: Challenge) => Promise<void>;
}

const RECONNECTION = { maxReconnectionDelay: 30_000, initialReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 2, maxRetries: 3 };
/** Between the end of a stream and the last of its messages being read. */
const READ_MS = 100;
/** A session is given back by a server that answers within this time. */
const GOODBYE_MS = 500;
const MAX_WORDS = 2_000;

/** A request that waits for its answer. */
interface Exchange {
  readonly stop: AbortController;
  /** The last event of its stream; the stream can be taken up again after it. */
  event?: string;
  /** Attempts in a row to take it up that failed. */
  failures: number;
}

interface Protocol {
  readonly Inner: typeof StreamableHTTPClientTransport;
  readonly challengeIn: typeof extractWWWAuthenticateParams;
  readonly renew: typeof auth;
}

/**
 * A server over streamable HTTP. On top of the protocol's own transport: a stream that ends without its answer fails the request at once
 * unless it can be taken up again, a request that was given up is not waited for, and no header of the setting leaves the server's origin.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #launch: HttpLaunch;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #protocol: Omit<Protocol, "Inner">;
  #renewing: Promise<boolean> | undefined;
  readonly #exchanges = new Map<RequestId, Exchange>();

  private constructor(launch: HttpLaunch, { Inner, ...protocol }: Protocol) {
    this.#launch = launch;
    this.#protocol = protocol;
    this.#inner = new Inner(launch.url, {
      fetch: async (url, init) => await this.#fetch(new URL(url), init ?? {}),
      reconnectionOptions: RECONNECTION,
    });
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      if ("id" in message && !("method" in message) && message.id !== undefined) this.#exchanges.delete(message.id);
      this.onmessage?.(message);
    };
  }

  static async create(launch: HttpLaunch): Promise<HttpTransport> {
    const [{ StreamableHTTPClientTransport: Inner }, { extractWWWAuthenticateParams: challengeIn, auth: renew }] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      import("@modelcontextprotocol/sdk/client/auth.js"),
    ]);
    return new HttpTransport(launch, { Inner, challengeIn, renew });
  }

  get protocolVersion(): string | undefined {
    return this.#inner.protocolVersion;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
  }

  /** Options of a stream to take up are not looked at: it is taken up here. */
  async send(message: JSONRPCMessage, _?: TransportSendOptions): Promise<void> {
    if (!("method" in message) || !("id" in message)) {
      await this.#inner.send(message);
      this.#forget(message);
      return;
    }
    const exchange: Exchange = { stop: new AbortController(), failures: 0 };
    this.#exchanges.set(message.id, exchange);
    try {
      await this.#inner.send(message, {
        onresumptiontoken: (token) => {
          exchange.event = token;
        },
      });
    } catch (error) {
      this.#exchanges.delete(message.id);
      throw error;
    }
  }

  async close(): Promise<void> {
    const over = new AbortController();
    const goodbye = this.#inner.terminateSession().catch(() => undefined);
    await Promise.race([goodbye, this.#launch.clock.sleep(GOODBYE_MS, over.signal)]);
    over.abort("over");
    this.#exchanges.clear();
    await this.#inner.close();
  }

  /** Nobody waits for the answer to a request that was cancelled. */
  #forget(message: JSONRPCMessage): void {
    const id = cancelledIn(message);
    if (id === undefined) return;
    this.#exchanges.get(id)?.stop.abort();
    this.#exchanges.delete(id);
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const isServer = url.origin === this.#launch.url.origin;
    const headers = new Headers(init.headers);
    if (isServer) for (const [name, value] of Object.entries(this.#launch.headers)) headers.set(name, value);
    const id = isServer && init.method === "POST" ? requestIn(init.body) : undefined;
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (id !== undefined && exchange !== undefined) return await this.#ask(url, { ...init, headers }, { id, exchange });
    const event = init.method === "GET" ? headers.get("last-event-id") : null;
    return event === null ? await this.#signed(url, { ...init, headers }) : await this.#resume(url, { ...init, headers }, event);
  }

  async #ask(url: URL, init: RequestInit, { id, exchange }: { readonly id: RequestId; readonly exchange: Exchange }): Promise<Response> {
    const signals = [exchange.stop.signal, ...(init.signal === undefined || init.signal === null ? [] : [init.signal])];
    const response = await this.#signed(url, { ...init, signal: AbortSignal.any(signals) });
    if (!response.ok) return await this.#refused(response);
    if (response.headers.get("content-type")?.includes("text/event-stream") !== true || response.body === null) return response;
    const bound = new EventBound(() => {
      this.#streamEnded(id, exchange);
    });
    return new Response(bound.over(response.body), { status: response.status, headers: response.headers });
  }

  /**
   * A request with the sign-in that is kept, renewed where it ran out: once for all requests that find that, for a refresh token may serve one
   * time only. A request that is refused for that was not looked at, so sending it again repeats nothing.
   */
  async #signed(url: URL, init: RequestInit): Promise<Response> {
    const { authProvider: provider, url: server, fetch } = this.#launch;
    if (provider === undefined || url.origin !== server.origin) return await fetch(url, init);
    const send = async (token: string | undefined): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return await fetch(url, { ...init, headers });
    };
    const current = async (): Promise<string | undefined> => (await provider.tokens())?.access_token;
    let isTaken = true;
    let token = await current();
    let response = await send(token);
    while (response.status === 401 && isTaken) {
      await response.body?.cancel();
      isTaken = (await current()) !== token || (await this.#renew(provider, response));
      token = await current();
      response = await send(token);
    }
    return response;
  }

  /** True: another process had renewed it, so it may have run out again. */
  async #renew(provider: SignedIn, response: Response): Promise<boolean> {
    const { url, fetch } = this.#launch;
    const { resourceMetadataUrl } = this.#protocol.challengeIn(response);
    const wanted = { serverUrl: url, fetchFn: fetch, ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }) };
    const renewed = async (): Promise<boolean> => {
      const isTaken = await provider.reload();
      if (!isTaken) await this.#protocol.renew(provider, wanted);
      return isTaken;
    };
    this.#renewing ??= renewed().finally(() => {
      this.#renewing = undefined;
    });
    return await this.#renewing;
  }

  async #refused(response: Response): Promise<Response> {
    const { status, headers } = response;
    const isWall = status === 401 || status === 403;
    if (isWall && headers.has("www-authenticate")) await this.#challenged(response);
    // Those are for the protocol's own code.
    if (isWall || (status >= 300 && status < 400)) return response;
    const words = (await response.text().catch(() => "")).slice(0, MAX_WORDS);
    throw new HttpRefusal(status, wordsIn(words), retryAfter(headers.get("retry-after"), this.#launch.clock.now()));
  }

  async #challenged(response: Response): Promise<void> {
    const { resourceMetadataUrl, scope, error } = this.#protocol.challengeIn(response);
    const isMore = response.status === 403 && error === "insufficient_scope";
    await this.#launch.onChallenge({
      isMore,
      ...(resourceMetadataUrl === undefined ? {} : { metadataUrl: resourceMetadataUrl.href }),
      ...(scope === undefined ? {} : { scope }),
    });
    if (!isMore) return;
    await response.body?.cancel();
    // A token that is renewed covers no more than it did.
    throw new SignInWanted(`It asks for more than the sign-in covers${scope === undefined ? "" : ` (${scope.slice(0, 200)})`}.`, true);
  }

  /** Its stream is at the end; what was in it may still be on its way to us. */
  #streamEnded(id: RequestId, exchange: Exchange): void {
    const read = this.#launch.clock.sleep(READ_MS, exchange.stop.signal).then(() => {
      if (exchange.event === undefined) this.#fail(id, exchange, "The stream ended without an answer.");
    });
    read.catch(() => undefined);
  }

  async #resume(url: URL, init: RequestInit, event: string): Promise<Response> {
    const waiting = [...this.#exchanges].find(([, exchange]) => exchange.event === event);
    try {
      const response = await this.#signed(url, init);
      if (waiting !== undefined && !response.ok) this.#notResumed(waiting, response.status === 404 || response.status === 405);
      if (waiting !== undefined && response.ok) waiting[1].failures = 0;
      return response;
    } catch (error) {
      if (waiting !== undefined) this.#notResumed(waiting, false);
      throw error;
    }
  }

  #notResumed([id, exchange]: readonly [RequestId, Exchange], isFinal: boolean): void {
    exchange.failures += 1;
    if (isFinal || exchange.failures >= RECONNECTION.maxRetries)
      this.#fail(id, exchange, "The stream broke and could not be taken up again.");
  }

  #fail(id: RequestId, exchange: Exchange, message: string): void {
    if (this.#exchanges.get(id) !== exchange) return;
    this.#exchanges.delete(id);
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message, data: ANSWER_LOST } });
  }
}

/** The id of the request a body holds. */
function requestIn(body: RequestInit["body"]): RequestId | undefined {
  const message = typeof body === "string" ? parseJson(body) : undefined;
  const id = isJsonObject(message) && typeof message["method"] === "string" ? message["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** What an error says, out of its JSON where it is that. */
function wordsIn(text: string): string {
  const value = parseJson(text);
  const error = isJsonObject(value) ? value["error"] : undefined;
  const words = isJsonObject(error) ? error["message"] : error;
  return typeof words === "string" ? words : text.trim();
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/u.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 86_400_000) : undefined;
}
