import type { Endpoint } from "smith-agent/plugin";

const DEFAULT_BASE = "https://api.openai.com/v1";
const ENDPOINT_PATHS = ["/responses", "/chat/completions", "/models"];
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//iu;
/** Hosts that speak without TLS when no scheme is given: this machine, private networks, whatever has a port. */
const PLAIN_HOST = /^(?:localhost|127\.|\[|10\.|192\.168\.|0\.0\.0\.0)|^[^/]*:\d+/iu;

/**
 * Address of one API path. Surrounding blanks, trailing slashes, a query, a missing scheme and a base that is already a whole endpoint
 * are all accepted; a bare origin means its `/v1` (of Azure its `/openai/v1`).
 */
export function endpointUrl(endpoint: Endpoint, path: "/responses" | "/models"): string {
  const given = endpoint.baseUrl.trim() === "" ? DEFAULT_BASE : endpoint.baseUrl.trim();
  const [address = "", ...query] = given.split("?");
  const url = SCHEME.test(address) ? address : `${PLAIN_HOST.test(address) ? "http" : "https"}://${address}`;
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/iu.exec(url)?.[0] ?? "";
  const base = basePath(url.slice(origin.length));
  const bare = isAzure(url) ? "/openai/v1" : "/v1";
  const allQuery = [query.join("?"), endpoint.query?.replace(/^\?/u, "") ?? ""].filter((part) => part !== "").join("&");
  return `${origin}${base === "" ? bare : base}${path}${allQuery === "" ? "" : `?${allQuery}`}`;
}

/** Lower-case host without port, or `""`. */
export const hostOf = (baseUrl: string): string =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]*)/iu.exec(baseUrl.trim())?.[1]?.toLowerCase() ?? "";

/** The vendor's API in Azure's cloud. */
export const isAzure = (baseUrl: string): boolean =>
  /\.(?:openai\.azure|services\.ai\.azure|cognitiveservices\.azure)\.com$/u.test(hostOf(baseUrl));

function basePath(path: string): string {
  const trimmed = trimSlashes(path);
  const endpoint = ENDPOINT_PATHS.find((known) => trimmed.endsWith(known));
  return endpoint === undefined ? trimmed : trimSlashes(trimmed.slice(0, -endpoint.length));
}

const trimSlashes = (text: string): string => text.replace(/\/+$/u, "");
