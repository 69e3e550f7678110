import type { JsonObject, JsonValue, ProviderRequest, Sampling } from "smith-agent/plugin";
import { asObject } from "../json.js";
import { type Profile, thinkingFields } from "../profile/index.js";
import { withCachePoints } from "./cache.js";
import { wireName } from "./ids.js";
import { wireMessages } from "./messages.js";
import { isStrictSchema, objectSchema, typedSchema } from "./schema.js";

/** Keys that stay the host's, whatever is merged in. */
const RESERVED: ReadonlySet<string> = new Set(["model", "messages", "tools", "tool_choice", "stream"]);

/** The body of one request. Fields stand where they stood in the last one, so that what is the same has the same beginning. */
export function requestBody(request: ProviderRequest, profile: Profile): JsonObject {
  const { model, facts, stream, sampling = {} } = request;
  return {
    model,
    messages: withSystem(request, profile),
    ...offered(request, profile),
    stream,
    ...(stream && profile.usageOption ? { stream_options: { include_usage: true } } : {}),
    ...drawn(sampling, request, profile),
    ...thinkingFields(profile.thinking, facts.hints?.["thinking"], request.thinking),
    ...(profile.cacheKey === "prompt_cache_key" && request.cacheKey !== undefined ? { prompt_cache_key: request.cacheKey } : {}),
    ...Object.fromEntries(Object.entries(sampling.extra ?? {}).filter(([key]) => !RESERVED.has(key))),
  };
}

function withSystem(request: ProviderRequest, profile: Profile): readonly JsonObject[] {
  const { system, facts } = request;
  const said = wireMessages(request, profile);
  const messages = system === "" ? said : [{ role: profile.systemRole, content: system }, ...said];
  return profile.cachePoints && facts.cache === "points" ? withCachePoints(messages) : messages;
}

/** The tools, unless the model is known to take none: a list without items is refused. */
function offered(request: ProviderRequest, profile: Profile): JsonObject {
  const { tools, facts } = request;
  if (tools.length === 0 || facts.tools === false) return {};
  const hint = facts.hints?.["parallel-calls"];
  return {
    tools: tools.map((tool) => wireTool(tool, request, profile)),
    ...(profile.parallelField && typeof hint === "boolean" ? { parallel_tool_calls: hint } : {}),
  };
}

function wireTool(tool: ProviderRequest["tools"][number], { facts }: ProviderRequest, profile: Profile): JsonObject {
  const parameters = objectSchema(tool.parameters);
  const isStrict = profile.strictTools && facts.strictTools === true && isStrictSchema(parameters);
  return {
    type: "function",
    function: {
      name: wireName(tool.name),
      description: tool.description,
      parameters: profile.typedParameters ? typedSchema(parameters) : parameters,
      ...(isStrict ? { strict: true } : {}),
    },
  };
}

/** How the answer is drawn. What the model is known not to take is left out. */
function drawn(sampling: Sampling, { facts }: ProviderRequest, profile: Profile): JsonObject {
  const { temperature, topP, maxTokens, stop, responseFormat } = sampling;
  const isDrawn = facts.sampling !== false;
  const hasFormat = responseFormat !== undefined && facts.structuredOutput !== false;
  return {
    ...(maxTokens === undefined ? {} : { [profile.limitField]: maxTokens }),
    ...(isDrawn && temperature !== undefined ? { temperature } : {}),
    ...(isDrawn && topP !== undefined ? { top_p: topP } : {}),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...(hasFormat ? { response_format: formatOf(responseFormat, profile) } : {}),
  };
}

function formatOf(format: JsonValue, profile: Profile): JsonValue {
  return profile.responseFormat === "object" && asObject(format)?.["type"] === "json_schema" ? { type: "json_object" } : format;
}
