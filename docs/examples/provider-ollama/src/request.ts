import type { Endpoint, ExchangePlan, JsonObject, JsonValue, Message, ProviderRequest, ThinkingLevel } from "smith-agent/plugin";
import { asObject } from "./json.js";

/** One `POST /api/chat`. An answer that is not streamed is one line of the same form. */
export function plan(request: ProviderRequest): ExchangePlan {
  return {
    type: "http",
    method: "POST",
    url: address(request.endpoint, "/api/chat"),
    headers: { "content-type": "application/json", ...authorization(request.endpoint) },
    body: JSON.stringify(body(request)),
    framing: "lines",
  };
}

export const address = ({ baseUrl, query }: Endpoint, path: string): string => `${baseUrl}${path}${query === undefined ? "" : `?${query}`}`;

/** The plugin never sees the key: the host puts it in place of its name when it sends the request. */
export const authorization = ({ credential }: Endpoint): { readonly [name: string]: string } =>
  credential === undefined ? {} : { authorization: `Bearer {secret:${credential}}` };

function body(request: ProviderRequest): JsonObject {
  const { model, system, messages, tools, facts, thinking, sampling = {} } = request;
  const options = optionsOf(request);
  const format = formatOf(sampling.responseFormat);
  // What is not known of a model is not asked of it: one that cannot see gets words in place of an image.
  const wire = messages.map((message) => wireMessage(message, facts.images === true));
  return {
    model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...wire],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: { ...tool } })) }),
    ...(thinking === undefined ? {} : { think: THINK[thinking] }),
    ...(format === undefined ? {} : { format }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    stream: request.stream,
    // Last: who sets a field by hand wants it as it is.
    ...sampling.extra,
  };
}

/** Left out, the model decides. Most models only know whether; those that know a level take these three. */
const THINK: { readonly [Level in ThinkingLevel]: boolean | string } = {
  off: false,
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  max: "high",
};

function optionsOf({ sampling = {}, endpoint }: ProviderRequest): JsonObject {
  const window = Number(/^num_ctx=(\d+)$/u.exec(endpoint.profile ?? "")?.[1] ?? 0);
  const { temperature, topP, maxTokens, stop = [] } = sampling;
  return {
    ...(window === 0 ? {} : { num_ctx: window }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}

/** The wish comes in the words of Chat Completions; the server takes `"json"`, or the schema itself. */
function formatOf(wanted: JsonValue | undefined): JsonValue | undefined {
  const format = asObject(wanted);
  if (format?.["type"] === "json_object") return "json";
  return format?.["type"] === "json_schema" ? (asObject(format["json_schema"])?.["schema"] ?? "json") : undefined;
}

function wireMessage(message: Message, sees: boolean): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", ...contentOf(message.text, message, sees) };
    case "assistant":
      // What was thought is not given back: the server has no way to know it again.
      return {
        role: "assistant",
        content: message.text,
        ...(message.toolCalls.length === 0
          ? {}
          : { tool_calls: message.toolCalls.map(({ name, args = {} }) => ({ function: { name, arguments: args } })) }),
      };
    case "tool":
      // There is no field for it, and a model that does not know that a call failed repeats it.
      return {
        role: "tool",
        tool_name: message.name,
        ...contentOf(message.isError ? `Error: ${message.text}` : message.text, message, sees),
      };
  }
}

function contentOf(text: string, { images = [] }: Exclude<Message, { role: "assistant" }>, sees: boolean): JsonObject {
  if (images.length === 0) return { content: text };
  if (sees) return { content: text, images: images.map(({ base64 }) => base64) };
  return { content: `${text}\n[${images.length === 1 ? "an image" : `${images.length} images`} left out: this model takes text only]` };
}
