import type { Endpoint } from "smith-agent/plugin";

const DEFAULT_BASE = "https://api.openai.com/v1";
const ENDPOINT_PATH = "/chat/completions";
/** What is asked of a deployment whose address names no version. */
const DEPLOYMENT_VERSION = "api-version=2024-10-21";

/** What of a profile an address depends on. */
export interface AddressForm {
  /** Path that a base URL without one means. */
  readonly basePath: string;
  /** A base may be `/openai/deployments/NAME`; lists are then beside the deployments, and the query has a version. */
  readonly deployments: boolean;
}

const PLAIN: AddressForm = { basePath: "/v1", deployments: false };

/**
 * Address of one API path. Surrounding blanks, trailing slashes, a query, a missing scheme and a base that is already the
 * whole endpoint are all accepted.
 */
export function endpointUrl(endpoint: Endpoint, path: "/chat/completions" | `/${string}`, form: AddressForm = PLAIN): string {
  const { origin, path: basePath, query } = partsOf(endpoint);
  const deployment = form.deployments ? /^(.*\/openai)\/deployments\/[^/]+$/u.exec(basePath) : null;
  if (deployment !== null) {
    const base = path === ENDPOINT_PATH ? basePath : (deployment[1] ?? "");
    const version = /(?:^|&)api-version=/u.test(query) ? query : joined(query, DEPLOYMENT_VERSION);
    return `${origin}${base}${path}?${version}`;
  }
  const isBare = basePath === "" || (form.deployments && basePath === "/openai");
  return `${origin}${isBare ? form.basePath : basePath}${path}${query === "" ? "" : `?${query}`}`;
}

/** Address of a path beside the API, at the root of the server or below what a proxy put before the API's own path. */
export function besideUrl(endpoint: Endpoint, path: `/${string}`): string {
  const { origin, path: basePath, query } = partsOf(endpoint);
  return `${origin}${basePath.replace(/\/v1$/u, "")}${path}${query === "" ? "" : `?${query}`}`;
}

/** Lower-case host without port, or `""`. */
export const hostOf = (baseUrl: string): string =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]*)/iu.exec(baseUrl.trim())?.[1]?.toLowerCase() ?? "";

interface AddressParts {
  readonly origin: string;
  readonly path: string;
  readonly query: string;
}

function partsOf(endpoint: Endpoint): AddressParts {
  const given = endpoint.baseUrl.trim() === "" ? DEFAULT_BASE : endpoint.baseUrl.trim();
  const [address = "", ...query] = given.split("?");
  return { ...split(withScheme(address)), query: joined(query.join("?"), endpoint.query?.replace(/^\?/u, "") ?? "") };
}

const joined = (left: string, right: string): string => [left, right].filter((part) => part !== "").join("&");

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
