import type * as HttpModule from "node:http";
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { bareHost, err, ok, type Result, type Route, routeFor } from "../../base/index.js";
import type { EnvView, HttpFailure } from "./types.js";

/** Everything `http.request` needs for one target, proxy included. */
export interface Wire {
  readonly options: RequestOptions;
  /** Host names for messages: who is asked, and the proxy in between. */
  readonly target: string;
  readonly proxy?: string;
  /** What the proxy is given to let us through, in every form that it may say again. */
  readonly hidden: readonly string[];
  open(options: RequestOptions): ClientRequest;
}

export interface Transport {
  wire(url: URL, maxHeaderSize: number): Promise<Result<Wire, HttpFailure>>;
  close(): void;
}

/** Idle connections kept per host. */
export const MAX_KEPT = 4;

/** All connections per host are bounded too; parallel sub-agents share them. */
const AGENT = { keepAlive: true, maxFreeSockets: MAX_KEPT, maxSockets: 64 } as const;

/** Loads `node:http`, `node:https` and the tunnel agent when a target first needs them, and owns their connections. */
export function createTransport(env: EnvView): Transport {
  const agents = new Map<string, Agent>();
  const agent = (key: string, make: () => Agent): Agent => {
    const made = agents.get(key) ?? make();
    agents.set(key, made);
    return made;
  };
  return {
    wire: async (url, maxHeaderSize) => {
      const route = routeFor(url, env);
      if (route.type === "unusable") return err(unusable(route));
      const base: RequestOptions = { maxHeaderSize, ...(route.type === "direct" || url.protocol === "https:" ? targetOf(url) : {}) };
      const target = url.host;
      const proxy = route.type === "proxy" ? route.url.host : undefined;
      const hidden = route.type === "proxy" ? hiddenIn(route) : [];
      const named = { target, hidden, ...(proxy === undefined ? {} : { proxy }) };
      if (url.protocol === "https:") {
        const https = await import("node:https");
        const through =
          route.type === "direct"
            ? agent("https:", () => new https.Agent(AGENT))
            : await tunnel(route, (make) => agent(`tunnel ${route.url.href}`, make));
        // Without its protocol the tunnel's agent looks for a free connection under one name and keeps it under another.
        return ok({ ...named, options: { ...base, protocol: "https:", agent: through }, open: (options) => https.request(options) });
      }
      const http = await import("node:http");
      if (route.type === "direct")
        return ok({
          ...named,
          options: { ...base, agent: agent("http:", () => new http.Agent(AGENT)) },
          open: (options) => http.request(options),
        });
      return forward(url, route, { base, named, http, agent });
    },
    close: () => {
      for (const owned of agents.values()) owned.destroy();
      agents.clear();
    },
  };
}

type ProxyRoute = Extract<Route, { readonly type: "proxy" }>;

function hiddenIn({ auth }: ProxyRoute): readonly string[] {
  if (auth === undefined) return [];
  const encoded = auth.replace(/^Basic /u, "");
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  return [encoded, pair.slice(pair.indexOf(":") + 1)];
}

const targetOf = (url: URL): RequestOptions => ({
  host: bareHost(url),
  path: `${url.pathname}${url.search}`,
  ...(url.port === "" ? {} : { port: Number(url.port) }),
});

async function tunnel({ url: proxy, auth }: ProxyRoute, agent: (make: () => Agent) => Agent): Promise<Agent> {
  // A package in CommonJS has its names under `default` alone once it is bundled.
  const { default: agents } = await import("https-proxy-agent");
  const bare = new URL(proxy.href);
  bare.username = "";
  bare.password = "";
  return agent(() => new agents.HttpsProxyAgent(bare, { ...AGENT, headers: auth === undefined ? {} : { "Proxy-Authorization": auth } }));
}

/** Plain http by a proxy: the absolute URL as the path, no tunnel. */
async function forward(
  url: URL,
  route: ProxyRoute,
  parts: {
    readonly base: RequestOptions;
    readonly named: Pick<Wire, "target" | "proxy" | "hidden">;
    readonly http: typeof HttpModule;
    readonly agent: (key: string, make: () => Agent) => Agent;
  },
): Promise<Result<Wire, HttpFailure>> {
  const https = route.url.protocol === "https:" ? await import("node:https") : undefined;
  const through =
    https === undefined ? parts.agent("http:", () => new parts.http.Agent(AGENT)) : parts.agent("https:", () => new https.Agent(AGENT));
  const options: RequestOptions = {
    ...parts.base,
    ...targetOf(route.url),
    path: `${url.origin}${url.pathname}${url.search}`,
    agent: through,
    headers: { host: url.host, ...(route.auth === undefined ? {} : { "proxy-authorization": route.auth }) },
  };
  return ok({ ...parts.named, options, open: (final) => (https ?? parts.http).request(final) });
}

const unusable = (route: Extract<Route, { readonly type: "unusable" }>): HttpFailure => ({
  reason: "proxy",
  message: `the proxy in ${route.variable} cannot be used: ${route.problem}`,
});

/** Whom an exchange is with, for messages: with a proxy in between it may be the proxy that fails. */
export const whereTo = ({ target, proxy }: Pick<Wire, "target" | "proxy">): string =>
  proxy === undefined ? target : `${target} (through the proxy ${proxy})`;

/** Words for an error of the socket layer; `proxy` when the proxy is what could not be reached. */
export function socketFailure(error: NodeJS.ErrnoException, wire: Wire, connected: boolean): HttpFailure {
  const code = error.code ?? "";
  if (code === "HPE_HEADER_OVERFLOW") return { reason: "protocol", message: `${wire.target} sent more headers than allowed` };
  if (code.startsWith("HPE_")) return { reason: "protocol", message: `${wire.target} does not speak HTTP (${code})` };
  if (TLS_CODE.test(code)) return { reason: "connect", message: `TLS with ${whereTo(wire)} failed: ${tlsWords(code, error)}` };
  if (connected)
    return { reason: "reset", message: `${whereTo(wire)} closed the connection before it answered (${code || error.message})` };
  const words = CONNECT_WORDS[code] ?? (error.message === "" ? code : `${error.message}`);
  return wire.proxy === undefined
    ? { reason: "connect", message: `cannot connect to ${wire.target}: ${words}` }
    : { reason: "proxy", message: `cannot connect to ${wire.target} through the proxy ${wire.proxy}: ${words}` };
}

const CONNECT_WORDS: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused (ECONNREFUSED)",
  ENOTFOUND: "the host name is not known (ENOTFOUND)",
  EAI_AGAIN: "the host name could not be looked up (EAI_AGAIN)",
  ETIMEDOUT: "the connection timed out (ETIMEDOUT)",
  EHOSTUNREACH: "no route to the host (EHOSTUNREACH)",
  ENETUNREACH: "the network is not reachable (ENETUNREACH)",
  ECONNRESET: "the connection was reset (ECONNRESET)",
};

const TLS_CODE = /CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO_/;

const tlsWords = (code: string, error: Error): string =>
  code === "EPROTO" || code.startsWith("ERR_SSL")
    ? `does the server speak https? (${code})`
    : `${error.message} (${code}); a certificate authority of your own is named in NODE_EXTRA_CA_CERTS`;

/** Response headers with lower-case names. Node has bounded them already. */
export function headersOf(res: IncomingMessage): { readonly [name: string]: string } {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(res.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  return headers;
}
