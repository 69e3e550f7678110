import type { Endpoint } from "smith-agent/plugin";

const DEFAULT_BASE = "https://api.openai.com/v1";
const ENDPOINT_PATH = "/chat/completions";

/**
 * Address of one API path. Surrounding blanks, trailing slashes, a query, a missing scheme and a base that is already the
 * whole endpoint are all accepted; a bare origin means its `/v1`.
 */
export function endpointUrl(endpoint: Endpoint, path: "/chat/completions" | "/models"): string {
  const given = endpoint.baseUrl.trim() === "" ? DEFAULT_BASE : endpoint.baseUrl.trim();
  const [address = "", ...query] = given.split("?");
  const { origin, path: basePath } = split(withScheme(address));
  const allQuery = [query.join("?"), endpoint.query?.replace(/^\?/u, "") ?? ""].filter((part) => part !== "").join("&");
  return `${origin}${basePath === "" ? "/v1" : basePath}${path}${allQuery === "" ? "" : `?${allQuery}`}`;
}

/** Lower-case host without port, or `""`. */
export const hostOf = (baseUrl: string): string =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]*)/iu.exec(baseUrl.trim())?.[1]?.toLowerCase() ?? "";

function split(url: string): { readonly origin: string; readonly path: string } {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/iu.exec(url)?.[0] ?? "";
  const trimmed = trimSlashes(url.slice(origin.length));
  const path = trimmed.endsWith(ENDPOINT_PATH) ? trimSlashes(trimmed.slice(0, -ENDPOINT_PATH.length)) : trimmed;
  return { origin, path };
}

function withScheme(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(address)) return address;
  return /^(?:localhost|127\.|\[|10\.|192\.168\.|0\.0\.0\.0)/iu.test(address) || /^[^/]*:\d+/u.test(address)
    ? `http://${address}`
    : `https://${address}`;
}

const trimSlashes = (text: string): string => text.replace(/\/+$/u, "");
