import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../../base/index.js";
import { textWithin, wordsOf } from "./bodies.js";
import { EventBound } from "./event-bound.js";
import { cancelledIn, requestIn } from "./message.js";
import { Outbox, tooManyWait } from "./outbox.js";
import { ANSWER_LOST, type Challenge, HttpRefusal, NotTaken, retryAfter, SignInWanted, wordsIn } from "./refusals.js";
import { REOPENING, Reopening } from "./reopening.js";
import { type Protocol, Signing, type SigningPorts } from "./signing.js";

export interface HttpLaunch extends SigningPorts {
  /** Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The server wants another sign-in, and says which. */
  readonly onChallenge: (challenge: Challenge) => Promise<void>;
}

const RECONNECTION = { maxReconnectionDelay: 30_000, initialReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 2, maxRetries: 3 };
/** Between the end of a stream and the last of its messages being read. */
const READ_MS = 100;
/** A session is given back by a server that answers within this time. */
const GOODBYE_MS = 500;
const MAX_WORDS = 2_000;
const NOT_RESUMED = "The stream broke and could not be taken up again.";
/** UTF-16 units of one answer that is no stream. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** A request that waits for its answer. */
interface Exchange {
  readonly stop: AbortController;
  /** The last event of its stream; the stream can be taken up again after it. */
  event?: string;
  /** Attempts in a row to take it up that failed. */
  failures: number;
  /** When it was taken up last. */
  resumedMs?: number;
}

type Waiting = readonly [RequestId, Exchange];

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
  readonly #challengeIn: Protocol["challengeIn"];
  readonly #signing: Signing;
  readonly #exchanges = new Map<RequestId, Exchange>();
  readonly #outbox: Outbox;
  /** Of the stream that answers no request. */
  readonly #standing: Reopening;
  /** Last events of streams whose requests were given up: nobody takes them up again. */
  readonly #dropped = new Set<string>();
  #end: string | undefined;

  private constructor(launch: HttpLaunch, { Inner, ...protocol }: Protocol & { readonly Inner: typeof StreamableHTTPClientTransport }) {
    this.#launch = launch;
    this.#challengeIn = protocol.challengeIn;
    this.#signing = new Signing(launch, protocol);
    this.#inner = new Inner(launch.url, {
      fetch: async (url, init) => await this.#fetch(new URL(url), init ?? {}),
      reconnectionOptions: RECONNECTION,
    });
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#standing = new Reopening(launch.clock);
    this.#outbox = new Outbox(
      async (message) => {
        await this.#inner.send(message);
      },
      () => {
        this.#end ??= tooManyWait;
        this.close().catch(() => undefined);
      },
    );
    this.#inner.onmessage = (message) => {
      if (this.#end !== undefined) return;
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

  /** Why it was given up, where it was. */
  get end(): string | undefined {
    return this.#end;
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
    if (!("method" in message)) {
      await this.#outbox.send(message);
      return;
    }
    if (!("id" in message)) {
      this.#forget(message);
      await this.#inner.send(message);
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
    this.#outbox.close();
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
    const exchange = this.#exchanges.get(id);
    exchange?.stop.abort();
    if (exchange?.event !== undefined) this.#dropped.add(exchange.event);
    this.#exchanges.delete(id);
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (url.origin !== this.#launch.url.origin) return await this.#signing.send(url, init);
    for (const [name, value] of Object.entries(this.#launch.headers)) headers.set(name, value);
    const asked = { ...init, headers };
    if (init.method === "POST") return await this.#post(url, asked);
    return init.method === "GET" ? await this.#listen(url, asked, headers.get("last-event-id")) : await this.#signing.send(url, asked);
  }

  async #post(url: URL, init: RequestInit): Promise<Response> {
    const id = requestIn(init.body);
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (id !== undefined && exchange !== undefined) return await this.#ask(url, init, [id, exchange]);
    const response = await this.#signing.send(url, init);
    return response.ok ? response : await this.#refused(response);
  }

  /** Its answer may begin when it is whole: whoever asks says how long to wait. */
  async #ask(url: URL, init: RequestInit, [id, exchange]: Waiting): Promise<Response> {
    const response = await this.#signing.send(url, { ...init, signal: eitherOf(exchange.stop.signal, init.signal), headMs: Infinity });
    if (!response.ok) return await this.#refused(response);
    const { body, status, headers } = response;
    if (body === null) return response;
    const type = headers.get("content-type") ?? "";
    if (type.includes("text/event-stream"))
      return bounded(response, body, () => {
        this.#streamEnded([id, exchange], undefined, "The stream ended without an answer.");
      });
    if (!type.includes("application/json")) return response;
    const text = await textWithin(body, MAX_ANSWER);
    if (text === undefined) throw new NotTaken(`Its answer has more than ${MAX_ANSWER} characters, and was not taken.`);
    return new Response(text, { status, headers });
  }

  async #refused(response: Response): Promise<Response> {
    const { status, headers } = response;
    const isWall = status === 401 || status === 403;
    if (isWall && headers.has("www-authenticate")) await this.#challenged(response);
    const words = (await wordsOf(response.body, this.#launch.clock)).slice(0, MAX_WORDS);
    // Those are for the protocol's own code.
    if (isWall || (status >= 300 && status < 400)) return new Response(words, { status, headers });
    throw new HttpRefusal(status, wordsIn(words), retryAfter(headers.get("retry-after"), this.#launch.clock.now()));
  }

  async #challenged(response: Response): Promise<void> {
    const { resourceMetadataUrl, scope, error } = this.#challengeIn(response);
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

  /** Its stream is at the end; what was in it may still be on its way to us. It can be taken up after an event that is new since `event`. */
  #streamEnded([id, exchange]: Waiting, event: string | undefined, message: string): void {
    const read = this.#launch.clock.sleep(READ_MS, exchange.stop.signal).then(() => {
      if (exchange.event === event) this.#fail(id, exchange, message);
    });
    read.catch(() => undefined);
  }

  /** A stream to hear the server over: that of a request that goes on, or the one that belongs to none. */
  async #listen(url: URL, init: RequestInit, event: string | null): Promise<Response> {
    if (event !== null && this.#dropped.delete(event)) return noStream();
    const waiting = event === null ? undefined : [...this.#exchanges].find(([, exchange]) => exchange.event === event);
    if (waiting !== undefined) return await this.#resume(url, init, waiting);
    if (!(await this.#standing.mayOpen(init.signal ?? undefined))) return noStream();
    const response = await this.#signing.send(url, init);
    if (!response.ok || response.body === null) return response;
    this.#standing.opened();
    return bounded(response, response.body, () => {
      this.#standing.ended();
    });
  }

  async #resume(url: URL, init: RequestInit, waiting: Waiting): Promise<Response> {
    const [, exchange] = waiting;
    const { event } = exchange;
    const { clock } = this.#launch;
    const signal = eitherOf(exchange.stop.signal, init.signal);
    const left = (exchange.resumedMs ?? -Infinity) + REOPENING.minMs - clock.monotonic();
    if (left > 0) await clock.sleep(left, signal);
    exchange.resumedMs = clock.monotonic();
    try {
      const response = await this.#signing.send(url, { ...init, signal });
      if (!response.ok) this.#notResumed(waiting, response.status === 404 || response.status === 405);
      if (!response.ok || response.body === null) return response;
      exchange.failures = 0;
      // Without an event of its own the protocol's own code would not take it up, but open another stream.
      return bounded(response, response.body, () => {
        this.#streamEnded(waiting, event, NOT_RESUMED);
      });
    } catch (error) {
      this.#notResumed(waiting, false);
      throw error;
    }
  }

  #notResumed([id, exchange]: Waiting, isFinal: boolean): void {
    exchange.failures += 1;
    if (isFinal || exchange.failures >= RECONNECTION.maxRetries) this.#fail(id, exchange, NOT_RESUMED);
  }

  #fail(id: RequestId, exchange: Exchange, message: string): void {
    if (this.#exchanges.get(id) !== exchange) return;
    this.#exchanges.delete(id);
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message, data: ANSWER_LOST } });
  }
}

/** What the protocol's own code takes for a server that has no such stream. */
const noStream = (): Response => new Response(null, { status: 405 });

const bounded = ({ status, headers }: Response, body: ReadableStream<Uint8Array>, onEnd: () => void): Response =>
  new Response(new EventBound(onEnd).over(body), { status, headers });

const eitherOf = (one: AbortSignal, other: AbortSignal | null | undefined): AbortSignal =>
  other === undefined || other === null ? one : AbortSignal.any([one, other]);
