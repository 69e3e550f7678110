import type { Endpoint } from "smith-agent/plugin";

const DEFAULT_BASE = "https://generativelanguage.googleapis.com/v1beta";
/** Collections of the API other than `models`: an id that begins with one is a whole resource name. */
const COLLECTIONS = /^(?:models|tunedModels|publishers|projects|endpoints)\//u;

/**
 * Address of one API path, with further query parameters. Surrounding blanks, trailing slashes, a query, a missing scheme and a base
 * that names a model or the list of models are all accepted; a base without a version means `/v1beta`.
 */
export function endpointUrl(endpoint: Endpoint, path: string, query: string): string {
  const given = endpoint.baseUrl.trim() === "" ? DEFAULT_BASE : endpoint.baseUrl.trim();
  const [address = "", ...rest] = given.split("?");
  const { origin, path: basePath } = split(withScheme(address));
  const own = [rest.join("?"), endpoint.query?.replace(/^\?/u, "") ?? ""].flatMap((part) => part.split("&"));
  const names = new Set(query.split("&").map(nameOf));
  const all = [...query.split("&"), ...own.filter((part) => !names.has(nameOf(part)))].filter((part) => part !== "");
  return `${origin}${versioned(basePath)}/${path}${all.length === 0 ? "" : `?${all.join("&")}`}`;
}

/** `models/ID`, whether or not the id has the prefix; its own slashes stay. */
export const modelPath = (model: string): string => {
  const id = modelId(model);
  return `${COLLECTIONS.test(id) ? "" : "models/"}${id.split("/").map(encodeURIComponent).join("/")}`;
};

/** The id as people write it. */
export const modelId = (model: string): string => model.trim().replace(/^\/+|^\/*models\//u, "");

const nameOf = (parameter: string): string => parameter.split("=")[0] ?? "";

function split(url: string): { readonly origin: string; readonly path: string } {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/iu.exec(url)?.[0] ?? "";
  const path = trimSlashes(url.slice(origin.length)).replace(/(?:\/models)(?:\/[^/]*)?$/u, "");
  return { origin, path: trimSlashes(path) };
}

const versioned = (path: string): string => (/\/v\d+(?:(?:alpha|beta)\d*)?(?:\/|$)/iu.test(path) ? path : `${path}/v1beta`);

function withScheme(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(address)) return address;
  return /^(?:localhost|127\.|\[|10\.|192\.168\.|0\.0\.0\.0)/iu.test(address) || /^[^/]*:\d+/u.test(address)
    ? `http://${address}`
    : `https://${address}`;
}

const trimSlashes = (text: string): string => text.replace(/\/+$/u, "");
