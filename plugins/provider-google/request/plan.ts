import type { Endpoint, ExchangePlan, JsonObject, JsonValue, ProviderRequest } from "smith-agent/plugin";
import { contents } from "./contents.js";
import { asObject } from "../json.js";
import { functionName } from "./names.js";
import { apiSchema, parametersSchema } from "./schema.js";
import { thinkingConfig } from "./thinking.js";
import { type Traits, traitsOf } from "./traits.js";
import { endpointUrl, modelPath } from "../url.js";

/** More are refused. */
const MAX_STOPS = 5;

/** What is said, in the words of this API: the host's own, like the keys it refuses itself. */
const OWN_KEYS = ["contents", "systemInstruction", "system_instruction"] as const;

const keyTaken = (key: string): ExchangePlan => ({
  type: "local",
  deltas: [{ type: "error", error: { class: "invalid", message: `request.extra may not hold ${key}, which is the conversation` } }],
});

/** One exchange: streamed as events, or one whole answer of the same form. */
export function plan(request: ProviderRequest): ExchangePlan {
  const taken = OWN_KEYS.find((key) => Object.hasOwn(request.sampling?.extra ?? {}, key));
  if (taken !== undefined) return keyTaken(taken);
  const { endpoint, model, stream } = request;
  const path = `${modelPath(model)}:${stream ? "streamGenerateContent" : "generateContent"}`;
  return {
    type: "http",
    method: "POST",
    url: endpointUrl(endpoint, path, stream ? "alt=sse" : ""),
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...keyHeader(endpoint),
    },
    body: JSON.stringify(body(request)),
    framing: stream ? "sse" : "json",
  };
}

/** The key goes into a header, never into the URL; the host puts it in place of its name. */
export const keyHeader = ({ credential }: Endpoint): { readonly [name: string]: string } =>
  credential === undefined || credential === "" ? {} : { "x-goog-api-key": `{secret:${credential}}` };

function body(request: ProviderRequest): JsonObject {
  const { model, facts, tools, sampling = {} } = request;
  const traits = traitsOf(model, facts);
  const format = formatOf(sampling.responseFormat);
  // A model that takes only one of the two is held to the format by words.
  const isInWords = format !== undefined && tools.length > 0 && !traits.formatWithTools;
  const system = [request.system, isInWords ? formatWords(format) : ""].filter((text) => text !== "").join("\n\n");
  const { generationConfig: more, ...extra } = sampling.extra ?? {};
  // All that is said of an answer stands in this one object: a field more of it must not drop the others.
  const config = { ...generationConfig(request, traits, isInWords ? undefined : format), ...asObject(more) };
  return {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: contents(request, traits).map(({ role, parts }) => ({ role, parts })),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: declarations(tools, traits) }] }),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
    ...extra,
  };
}

function declarations(tools: ProviderRequest["tools"], traits: Traits): readonly JsonValue[] {
  return tools.map(({ name, description, parameters }) => {
    const schema = parametersSchema(parameters, traits.schema);
    return {
      name: functionName(name),
      description: description === "" ? name : description,
      ...(schema === undefined ? {} : { [traits.schema === "json" ? "parametersJsonSchema" : "parameters"]: schema }),
    };
  });
}

function generationConfig({ thinking, facts, sampling = {} }: ProviderRequest, traits: Traits, format: Format | undefined): JsonObject {
  const config = thinkingConfig(thinking, traits);
  const { temperature, topP, maxTokens, stop = [] } = sampling;
  const isDrawn = facts.sampling !== false;
  return {
    ...(temperature === undefined || !isDrawn ? {} : { temperature }),
    ...(topP === undefined || !isDrawn ? {} : { topP }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(stop.length === 0 ? {} : { stopSequences: stop.slice(0, MAX_STOPS) }),
    ...(config === undefined ? {} : { thinkingConfig: config }),
    ...(format === undefined ? {} : formatFields(format, traits)),
  };
}

interface Format {
  readonly schema?: JsonObject;
}

/** The wish for JSON in the words of Chat Completions; other formats are plain text, which needs no wish. */
function formatOf(format: JsonValue | undefined): Format | undefined {
  const wanted = asObject(format);
  if (wanted?.["type"] === "json_object") return {};
  if (wanted?.["type"] !== "json_schema") return undefined;
  const schema = asObject(asObject(wanted["json_schema"])?.["schema"]) ?? asObject(wanted["schema"]);
  return schema === undefined ? {} : { schema };
}

function formatFields({ schema }: Format, traits: Traits): JsonObject {
  return {
    responseMimeType: "application/json",
    ...(schema === undefined
      ? {}
      : { [traits.schema === "json" ? "responseJsonSchema" : "responseSchema"]: apiSchema(schema, traits.schema) }),
  };
}

const formatWords = ({ schema }: Format): string =>
  `The final answer is JSON and nothing else${schema === undefined ? "." : `, by this JSON Schema: ${JSON.stringify(schema)}`}`;
