import type * as HttpModule from "node:http";
import type { ClientRequest, RequestOptions } from "node:http";
import { isIP } from "node:net";
import { bareHost, err, ok, type Result, type Route, routeFor } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { proxyFailed } from "./failures.js";
import type { LookupPort } from "./lookup.js";
import { guardedLookup, PrivateAddressError, publicAddresses } from "./lookup.js";
import { NET_BOUNDS } from "./request.js";

/** How one hop reaches its host. A connection serves one request and is closed after it. */
export interface Wire {
  /** Host of the URL, for messages. */
  readonly target: string;
  /** Whether the first peer is spoken to through TLS. */
  readonly isTls: boolean;
  /** Whether answers may be the proxy's own. */
  readonly isForwarded: boolean;
  open(options: RequestOptions): ClientRequest;
  close(): void;
}

export interface WireDeps {
  /** HTTP(S)_PROXY, ALL_PROXY, NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lookup: LookupPort;
  readonly allowsPrivate: boolean;
}

/**
 * Prepares the way to a URL. Without a proxy every address is checked as it is connected. A proxy connects by itself, so there the
 * host as it is written and, where this machine can resolve it, what it resolves to here are checked, and what the proxy makes of
 * the name is the proxy's business; the proxy's own address is the user's choice. Rejects with a `PrivateAddressError`.
 */
export async function wireFor(url: URL, deps: WireDeps): Promise<Result<Wire, Diagnostic>> {
  const route = routeFor(url, deps.env);
  if (route.type === "unusable") return err(proxyFailed(`${route.variable}: ${route.problem}`));
  if (route.type === "proxy") {
    await checkProxied(bareHost(url), deps);
    return ok(url.protocol === "https:" ? await tunnelled(url, route) : await forwarded(url, route));
  }
  // Nobody looks up a literal address.
  if (isIP(bareHost(url)) !== 0) await publicAddresses(bareHost(url), deps.lookup, deps.allowsPrivate);
  return ok(await direct(url, deps));
}

async function checkProxied(host: string, { lookup, allowsPrivate }: WireDeps): Promise<void> {
  try {
    await publicAddresses(host, lookup, allowsPrivate);
  } catch (error) {
    // Behind many proxies only they can resolve public names.
    if (error instanceof PrivateAddressError) throw error;
  }
}

async function direct(url: URL, { lookup, allowsPrivate }: WireDeps): Promise<Wire> {
  const isTls = url.protocol === "https:";
  const { request } = isTls ? await import("node:https") : await import("node:http");
  const base: RequestOptions = {
    host: bareHost(url),
    path: `${url.pathname}${url.search}`,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    maxHeaderSize: NET_BOUNDS.headerBytes,
    lookup: guardedLookup(lookup, allowsPrivate),
    agent: false,
  };
  return { target: url.host, isTls, isForwarded: false, open: (options) => request({ ...base, ...options }), close: () => undefined };
}

type ProxyRoute = Extract<Route, { readonly type: "proxy" }>;

async function tunnelled(url: URL, { url: proxy, auth }: ProxyRoute): Promise<Wire> {
  // A package in CommonJS has its names under `default` alone once it is bundled.
  const [{ request }, { default: agents }] = await Promise.all([import("node:https"), import("https-proxy-agent")]);
  const bare = new URL(proxy.href);
  bare.username = "";
  bare.password = "";
  // Also ends a connection to the proxy that has not become a tunnel yet, which a request does not know of.
  const over = new AbortController();
  const headers: Record<string, string> = auth === undefined ? {} : { "Proxy-Authorization": auth };
  const agent = new agents.HttpsProxyAgent(bare, { headers, signal: over.signal });
  const base: RequestOptions = {
    host: bareHost(url),
    path: `${url.pathname}${url.search}`,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    maxHeaderSize: NET_BOUNDS.headerBytes,
    agent,
  };
  return {
    target: url.host,
    isTls: true,
    isForwarded: false,
    open: (options) => request({ ...base, ...options }),
    close: () => {
      over.abort("over");
      agent.destroy();
    },
  };
}

/** Plain http by a proxy: the absolute URL as the path, no tunnel. */
async function forwarded(url: URL, { url: proxy, auth }: ProxyRoute): Promise<Wire> {
  const isTls = proxy.protocol === "https:";
  const { request }: Pick<typeof HttpModule, "request"> = isTls ? await import("node:https") : await import("node:http");
  const base: RequestOptions = {
    host: bareHost(proxy),
    path: `${url.origin}${url.pathname}${url.search}`,
    ...(proxy.port === "" ? {} : { port: Number(proxy.port) }),
    maxHeaderSize: NET_BOUNDS.headerBytes,
    agent: false,
  };
  const own = { host: url.host, ...(auth === undefined ? {} : { "proxy-authorization": auth }) };
  return {
    target: url.host,
    isTls,
    isForwarded: true,
    open: ({ headers, ...options }) =>
      request({ ...base, ...options, headers: { ...(headers as HttpModule.OutgoingHttpHeaders), ...own } }),
    close: () => undefined,
  };
}
