import type { Endpoint, ExchangePlan, JsonObject, JsonValue, ModelFacts, ModelInfo } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";
import { PROFILE_OF, type ProfileName, profileName, profileOf } from "../profile/index.js";
import { authorization } from "../request.js";
import { besideUrl, endpointUrl } from "../url.js";
import { factsOf, isChatModel } from "./facts.js";
import { besideFacts } from "./beside.js";

/** What is asked beside the list, where a server tells more there: paths at its root, or below the API's own. */
const BESIDE: { readonly [Name in ProfileName]?: { readonly path: `/${string}`; readonly at: "root" | "api" } } = {
  "llama.cpp": { path: "/props", at: "root" },
  ollama: { path: "/api/ps", at: "root" },
  lmstudio: { path: "/api/v0/models", at: "root" },
  litellm: { path: "/model/info", at: "api" },
};

/** The list, and what a server tells beside it. The list comes first: the others may fail. */
export function listPlans(provider: string, endpoint: Endpoint): readonly ExchangePlan[] {
  const profile = profileOf(provider, endpoint);
  const beside = BESIDE[profileName(provider, endpoint)];
  const get = (url: string): ExchangePlan => ({
    type: "http",
    method: "GET",
    url,
    headers: { accept: "application/json", ...authorization(endpoint, profile) },
    framing: "json",
  });
  const list = get(endpointUrl(endpoint, "/models", profile));
  if (beside === undefined) return [list];
  return [list, get(beside.at === "root" ? besideUrl(endpoint, beside.path) : endpointUrl(endpoint, beside.path, profile))];
}

/** Models of `{data: […]}`, `{models: […]}` or a bare list. Those that cannot chat are left out where the server says so. */
export function listedModels(provider: string, [list = "", beside = ""]: readonly string[]): readonly ModelInfo[] {
  const more = besideFacts(parseJson(beside));
  const entries = entriesOf(parseJson(list));
  const isLlama = PROFILE_OF[provider] === "llama.cpp";
  const models = entries.flatMap((item): readonly ModelInfo[] => {
    const entry = asObject(item);
    const model = entry === undefined ? asText(item) : asText(entry["id"]) || asText(entry["model"]) || asText(entry["name"]);
    if (model === "" || (entry !== undefined && !isChatModel(entry)) || more.isExcluded(model)) return [];
    return [modelOf(provider, model, entry, more.of(model, isLlama && entries.length === 1))];
  });
  return [...new Map(models.map((info) => [info.ref.model, info])).values()];
}

function modelOf(provider: string, model: string, entry: JsonObject | undefined, more: ModelFacts): ModelInfo {
  const title = asText(entry?.["name"]) || asText(entry?.["display_name"]);
  return {
    ref: { provider, model },
    ...(title === "" || title === model ? {} : { title }),
    ...(entry === undefined ? {} : factsOf(entry)),
    ...more,
  };
}

function entriesOf(value: JsonValue | undefined): readonly JsonValue[] {
  const object = asObject(value);
  return [object?.["data"], object?.["models"], value].map(asArray).find((list) => list.length > 0) ?? [];
}
