import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";
import type { NetGrant } from "../types.js";
import { methodsOf } from "./policy.js";

const grantWords = (grant: NetGrant): string =>
  `${grant.origin} (${methodsOf(grant).join(", ")}${grant.private ? ", private addresses too" : ""})`;

export interface DeniedRequest {
  readonly plugin: string;
  readonly method: string;
  readonly origin: string;
  readonly granted: readonly NetGrant[];
  /** Where the request was redirected from. */
  readonly from?: string;
}

const nodeFor = ({ method, origin }: Pick<DeniedRequest, "method" | "origin">): string =>
  `net "${origin}"${method === "GET" || method === "HEAD" ? "" : ` methods="${method}"`}`;

export const netDenied = (request: DeniedRequest): Diagnostic => {
  const { plugin, method, origin, granted, from } = request;
  const has = granted.length === 0 ? "It has no grant net." : `Its grant is net=${granted.map(grantWords).join("; ")}.`;
  return grantDenied({
    plugin,
    wanted: `send ${method} to ${origin}${from === undefined ? "" : `, where ${from} redirected it`}`,
    why: from === undefined ? has : `${has} Every redirect is checked like a request of its own.`,
    instead: "Ask an origin that is granted",
    manifest: nodeFor(request),
  });
};

export const privateDenied = (request: Omit<DeniedRequest, "granted">, host: string, address: string): Diagnostic =>
  diagnostic({
    code: "net.private-address",
    what: `${request.plugin} may not send ${request.method} to ${request.origin}: ${host === address ? host : `${host} leads to ${address}`}.`,
    why: "That is an address of this machine or of a network that is not public, and its grant net does not say private.",
    next: `Ask a public address, or ask the user to widen the grant: its manifest asks with grants { ${nodeFor(request)} private=#true }.`,
    source: { type: "plugin", id: request.plugin },
  });

export const badUrl = (problem: string): Diagnostic =>
  diagnostic({
    code: "net.bad-url",
    what: `The URL cannot be asked: ${problem}.`,
    why: "Only absolute http and https URLs without a user name and a password are fetched; credentials belong in headers, as {secret:NAME}.",
    next: "Give a URL like https://api.example.com/v1/items.",
  });

export const badMethod = (method: string): Diagnostic =>
  diagnostic({
    code: "net.bad-method",
    what: `${JSON.stringify(method)} is not a method that can be sent.`,
    why: "A method is one word, and CONNECT and TRACE are for proxies and their keepers.",
    next: "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.",
  });

export const badHeader = (name: string, problem: string): Diagnostic =>
  diagnostic({
    code: "net.bad-header",
    what: `The header ${JSON.stringify(name)} cannot be sent: ${problem}.`,
    why: "Headers that say how a message is framed, routed or packed are made by the host, and a value is one line.",
    next: "Leave it out or correct it.",
  });

export const requestTooLarge = (what: string, bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "net.request-too-large",
    what: `The ${what} of the request has ${bytes} bytes.`,
    why: `At most ${most} bytes of it are sent.`,
    next: "Send it in parts, or let a command send it.",
  });

export const unreachable = (target: string, words: string): Diagnostic =>
  diagnostic({
    code: "net.unreachable",
    what: `${target} cannot be reached: ${words}.`,
    why: "No connection came about, so nothing was sent.",
    next: "Check the host name and the network, then try again.",
    retry: { type: "now" },
  });

export const noAnswer = (target: string, words: string): Diagnostic =>
  diagnostic({
    code: "net.no-answer",
    what: `${target} gave no answer: ${words}.`,
    why: "The request was on its way when the connection ended, so it may have been carried out.",
    next: "Find out what has happened before a request that changes something is sent again.",
  });

export const fetchTimedOut = (target: string, ms: number): Diagnostic =>
  diagnostic({
    code: "net.timeout",
    what: `${target} was not done within ${ms} ms.`,
    why: "A fetch has a limit for all of it: connecting, redirects and the whole body.",
    next: "Try again with a larger timeoutMs, or ask for less.",
    retry: { type: "now" },
  });

export const fetchStopped = (): Diagnostic =>
  diagnostic({
    code: "net.aborted",
    what: "The request was stopped.",
    why: "The call was aborted; its connection is closed.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

export const badRedirect = (target: string, problem: string): Diagnostic =>
  diagnostic({
    code: "net.bad-redirect",
    what: `${target} redirected to a place that is not followed: ${problem}.`,
    why: "A redirect leads to an http or https URL without credentials, and at most five of them are followed.",
    next: "Ask the final URL directly.",
  });

export const brokenBody = (target: string, problem: string): Diagnostic =>
  diagnostic({
    code: "net.broken-body",
    what: `The answer of ${target} could not be read: ${problem}.`,
    why: "The head of the answer came and its body did not, so the request has been carried out as far as the server is concerned.",
    next: "Try again if the request changes nothing.",
  });

export const proxyFailed = (problem: string): Diagnostic =>
  diagnostic({
    code: "net.proxy",
    what: `The proxy cannot be used: ${problem}.`,
    why: "The proxy variables of the environment send this request through it, and nothing is sent past it.",
    next: "Ask the user to correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or to list the host in NO_PROXY.",
  });
