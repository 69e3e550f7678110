import type { Endpoint, ExchangePlan, JsonObject, Message, ProviderRequest } from "smith-agent/plugin";

/** One streamed `POST /api/chat`. */
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
  const { model, system, messages, tools, thinking } = request;
  const options = optionsOf(request);
  return {
    model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...messages.map(wireMessage)],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: { ...tool } })) }),
    ...(thinking === undefined ? {} : { think: THINK.get(thinking) ?? true }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    stream: true,
  };
}

/** Left out, the model decides. Most models only know whether; those that know a level take these three. */
const THINK: ReadonlyMap<string, boolean | string> = new Map<string, boolean | string>([
  ["off", false],
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
]);

function optionsOf({ temperature, maxOutputTokens, endpoint }: ProviderRequest): JsonObject {
  const window = Number(/^num_ctx=(\d+)$/u.exec(endpoint.profile ?? "")?.[1] ?? 0);
  return {
    ...(window === 0 ? {} : { num_ctx: window }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
  };
}

function wireMessage(message: Message): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text, ...imagesOf(message) };
    case "assistant":
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
        content: message.isError ? `Error: ${message.text}` : message.text,
        ...imagesOf(message),
      };
  }
}

const imagesOf = ({ images = [] }: Exclude<Message, { role: "assistant" }>): JsonObject =>
  images.length === 0 ? {} : { images: images.map(({ base64 }) => base64) };
