import { bareHost, type Clock } from "../../../base/index.js";
import { isPrivateAddress, type LookupPort, PrivateAddressError, publicAddresses, systemLookup } from "../../net/index.js";
import type { FetchLike } from "../transport/fetch.js";

interface ExchangePorts {
  readonly clock: Clock;
  readonly fetch: FetchLike;
  /** Ends what is under way. */
  readonly signal?: AbortSignal;
  /** The one a person set up: what it names beside itself is a stranger's word. */
  readonly server: URL;
  /** Default: the resolver of the system. */
  readonly lookup?: LookupPort;
}

const EXCHANGE = {
  /** One request with its whole answer, ms. */
  limitMs: 30_000,
  /** Bytes of an answer. */
  maxBytes: 1024 * 1024,
} as const;

/** Ends a sign-in: the protocol's own code goes on without an answer, and would ask for less. */
class ExchangeProblem extends Error {
  override readonly name = "ExchangeProblem";
}

/**
 * Requests of one sign-in, each with its whole answer bounded in time and bytes. A server on the open network sends nobody to addresses of
 * this machine or of a private network. The first that breaks one of these bounds is the last: all after it fail for the same reason.
 */
export class Exchanges {
  readonly #ports: ExchangePorts;
  #isInside: Promise<boolean> | undefined;
  /** Why nothing is asked any more. */
  problem: ExchangeProblem | undefined;

  constructor(ports: ExchangePorts) {
    this.#ports = ports;
  }

  readonly fetch: FetchLike = async (url, init = {}) =>
    await this.#bounded(
      new URL(url),
      async (stop) => await whole(await this.#ports.fetch(url, { ...init, signal: either(stop, init.signal) })),
    );

  /** The same without what comes after the head. */
  readonly head: FetchLike = async (url, init = {}) =>
    await this.#bounded(new URL(url), async (stop) => {
      const response = await this.#ports.fetch(url, { ...init, signal: either(stop, init.signal) });
      await response.body?.cancel();
      return response;
    });

  async #bounded(url: URL, ask: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    if (this.problem !== undefined) throw this.problem;
    const { clock, signal } = this.#ports;
    const over = new AbortController();
    const stop = new AbortController();
    const asked = async (): Promise<Response> => {
      await this.#admit(url);
      return await ask(either(stop.signal, signal));
    };
    try {
      const done = await Promise.race([asked(), clock.sleep(EXCHANGE.limitMs, over.signal)]);
      if (done !== undefined) return done;
      throw new ExchangeProblem(`${url.host} did not answer in full within ${EXCHANGE.limitMs / 1_000} s.`);
    } catch (error) {
      if (error instanceof ExchangeProblem) this.problem ??= error;
      throw error;
    } finally {
      over.abort("over");
      if (this.problem !== undefined) stop.abort(this.problem);
    }
  }

  async #admit(url: URL): Promise<void> {
    const { server, lookup = systemLookup } = this.#ports;
    if (url.host === server.host || (await (this.#isInside ??= isInside(bareHost(server), lookup)))) return;
    const inner = await innerAddress(bareHost(url), lookup);
    if (inner === undefined) return;
    const words = `The server names ${url.origin} for signing in, which leads to ${inner}`;
    throw new ExchangeProblem(`${words}: an address of this machine or of a private network, and it is at none itself. It was not asked.`);
  }
}

/** Requests to a server as they are, and those to whom it names for renewing a sign-in within the bounds of one. */
export const besideServer =
  (ports: ExchangePorts): FetchLike =>
  async (url, init) =>
    new URL(url).origin === ports.server.origin ? await ports.fetch(url, init) : await new Exchanges(ports).fetch(url, init);

const either = (one: AbortSignal, other: AbortSignal | null | undefined): AbortSignal =>
  other === undefined || other === null ? one : AbortSignal.any([one, other]);

/** Whether a server is reached at addresses of this machine or a private network alone. A name that only a proxy knows is not. */
async function isInside(host: string, lookup: LookupPort): Promise<boolean> {
  try {
    await publicAddresses(host, lookup, false);
    return false;
  } catch (error) {
    return error instanceof PrivateAddressError;
  }
}

/** The first address of a host that is not public, where there is one. Behind many proxies only they can resolve public names. */
async function innerAddress(host: string, lookup: LookupPort): Promise<string | undefined> {
  const found = await publicAddresses(host, lookup, true).catch(() => []);
  return found.map(({ address }) => address).find(isPrivateAddress);
}

/** A response with all of its body read. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    if (bytes <= EXCHANGE.maxBytes) continue;
    reader.cancel().catch(() => undefined);
    throw new ExchangeProblem(`An answer for signing in has more than ${EXCHANGE.maxBytes} bytes.`);
  }
  const { status, statusText, headers } = response;
  return new Response(Buffer.concat(chunks), { status, statusText, headers });
}
