import type { Endpoint } from "smith-agent/plugin";

const DEFAULT_BASE = "https://api.anthropic.com";
const ENDPOINT_PATH = "/messages";
const VERSION_PATH = "/v1";

/**
 * Address of one API path. The base is what ANTHROPIC_BASE_URL holds by convention, without `/v1`; with it, with trailing slashes,
 * surrounding blanks, a query, a missing scheme and as the whole endpoint it means the same.
 */
export function endpointUrl(endpoint: Endpoint, path: "/messages" | "/models"): string {
  const given = endpoint.baseUrl.trim() === "" ? DEFAULT_BASE : endpoint.baseUrl.trim();
  const [address = "", ...query] = given.split("?");
  const allQuery = [query.join("?"), endpoint.query?.replace(/^\?/u, "") ?? ""].filter((part) => part !== "").join("&");
  return `${versioned(withScheme(address))}${path}${allQuery === "" ? "" : `?${allQuery}`}`;
}

function versioned(url: string): string {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/iu.exec(url)?.[0] ?? "";
  const trimmed = trimSlashes(url.slice(origin.length));
  const path = trimmed.endsWith(ENDPOINT_PATH) ? trimSlashes(trimmed.slice(0, -ENDPOINT_PATH.length)) : trimmed;
  return `${origin}${path.endsWith(VERSION_PATH) ? path : `${path}${VERSION_PATH}`}`;
}

function withScheme(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(address)) return address;
  return /^(?:localhost|127\.|\[|10\.|192\.168\.|0\.0\.0\.0)/iu.test(address) || /^[^/]*:\d+/u.test(address)
    ? `http://${address}`
    : `https://${address}`;
}

const trimSlashes = (text: string): string => text.replace(/\/+$/u, "");
