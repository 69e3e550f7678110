import type { ExchangePlan, JsonObject, JsonValue, ProviderRequest } from "smith-agent/plugin";
import { inputItems, systemItem } from "./input.js";
import { asObject, asText } from "./json.js";
import { profileOf } from "./profiles.js";
import type { Profile } from "./profiles.js";
import { isStrict, objectSchema } from "./schema.js";
import { endpointUrl } from "./url.js";

/** Longest `prompt_cache_key` the vendor takes. */
const MAX_CACHE_KEY = 64;

/** What is said, in the words of this API: the host's own, like the keys it refuses itself. */
const OWN_KEYS = ["input", "instructions"] as const;

const keyTaken = (key: string): ExchangePlan => ({
  type: "local",
  deltas: [{ type: "error", error: { class: "invalid", message: `request.extra may not hold ${key}, which is the conversation` } }],
});

/** One exchange of the Responses API. The server keeps nothing: everything the model should know is in the request. */
export function plan(request: ProviderRequest): ExchangePlan {
  const taken = OWN_KEYS.find((key) => Object.hasOwn(request.sampling?.extra ?? {}, key));
  if (taken !== undefined) return keyTaken(taken);
  const head = { type: "http", method: "POST", url: endpointUrl(request.endpoint, "/responses") } as const;
  const headers = {
    "content-type": "application/json",
    accept: request.stream ? "text/event-stream" : "application/json",
    ...authorization(request.endpoint.credential),
  };
  const text = JSON.stringify(body(request, profileOf(request.endpoint)));
  if (!request.stream) return { ...head, headers, body: text, framing: "json" };
  return { ...head, headers, body: text, framing: "sse", merge: ["delta"] };
}

/** The bearer header; the host puts the secret in place of its name. */
export const authorization = (credential: string | undefined): { readonly [name: string]: string } =>
  credential === undefined || credential === "" ? {} : { authorization: `Bearer {secret:${credential}}` };

function body(request: ProviderRequest, profile: Profile): JsonObject {
  const { facts, system } = request;
  const tools = facts.tools === false ? [] : request.tools;
  return {
    model: request.model,
    ...(system !== "" && profile.system === "instructions" ? { instructions: system } : {}),
    input: [...systemItem(system, profile), ...inputItems(request, profile)],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => wireTool(tool, request, profile)) }),
    stream: request.stream,
    ...(profile.vendorFields ? keeping(request) : {}),
    ...reasoning(request, profile),
    ...drawing(request, profile),
    ...request.sampling?.extra,
  };
}

/** The server keeps no response; so what it thought has to come with it, to be sent back. Its cache is found by the session. */
function keeping({ facts, thinking, cacheKey = "" }: ProviderRequest): JsonObject {
  const thinks = facts.thinking !== undefined && facts.thinking.length > 0 && thinking !== "off";
  return {
    store: false,
    ...(thinks ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(cacheKey === "" ? {} : { prompt_cache_key: cacheKey.slice(0, MAX_CACHE_KEY) }),
  };
}

function wireTool(tool: ProviderRequest["tools"][number], { facts }: ProviderRequest, profile: Profile): JsonObject {
  const parameters = objectSchema(tool.parameters);
  // Left out, it means strict to the vendor and to llama.cpp.
  const strict = profile.vendorFields && facts.strictTools === true && isStrict(parameters);
  return { type: "function", name: tool.name, description: tool.description, parameters, strict };
}

/** The word of the API for a level. `off` and `max` have one only where the catalog knows it. */
function reasoning({ thinking, facts }: ProviderRequest, profile: Profile): JsonObject {
  if (thinking === undefined || facts.thinking?.includes(thinking) !== true) return {};
  if (thinking === "off") {
    const word = asText(facts.hints?.["off"]);
    return word === "" ? {} : { reasoning: { effort: word } };
  }
  const effort = thinking === "max" ? asText(facts.hints?.["max"]) || "high" : thinking;
  return { reasoning: { effort, ...(profile.vendorFields ? { summary: "auto" } : {}) } };
}

/** How the answer is drawn. The API has nothing like `stop`. */
function drawing({ sampling, facts }: ProviderRequest, profile: Profile): JsonObject {
  if (sampling === undefined) return {};
  const { maxTokens, temperature, topP, responseFormat } = sampling;
  const takesSampling = facts.sampling !== false;
  const format = facts.structuredOutput === false ? undefined : textFormat(responseFormat);
  return {
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(profile.leastOutputTokens, maxTokens) }),
    ...(temperature === undefined || !takesSampling ? {} : { temperature }),
    ...(topP === undefined || !takesSampling ? {} : { top_p: topP }),
    ...(format === undefined ? {} : { text: { format } }),
  };
}

/** Chat Completions holds the schema in an object of its own; here its fields stand beside the type. */
function textFormat(format: JsonValue | undefined): JsonValue | undefined {
  const object = asObject(format);
  const inner = object?.["type"] === "json_schema" ? asObject(object["json_schema"]) : undefined;
  if (inner === undefined) return format ?? undefined;
  return { type: "json_schema", ...inner, name: asText(inner["name"]) || "answer" };
}
