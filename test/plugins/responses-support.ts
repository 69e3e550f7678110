/** Requests and conversations for the tests of plugins/provider-openai. */
import { plan } from "../../plugins/provider-openai/request.js";
import type { JsonObject, Message, ModelFacts, ProviderRequest, ThinkingPart } from "../../src/plugin/sdk.js";

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
type ToolMessage = Extract<Message, { role: "tool" }>;

/** A model of the vendor that can do everything. */
export const ALL_FACTS: ModelFacts = {
  images: true,
  tools: true,
  thinking: ["off", "low", "medium", "high", "max"],
  strictTools: true,
  structuredOutput: true,
  sampling: false,
  hints: { off: "none", max: "xhigh" },
};

export const request = (over: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: "openai",
  model: "m",
  endpoint: { baseUrl: "https://api.openai.com/v1", credential: "OPENAI_API_KEY", profile: "openai" },
  facts: ALL_FACTS,
  system: "be brief",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  stream: true,
  context: { cwd: "/work" },
  ...over,
});

/** A server of somebody else about which nothing is known. */
export const UNKNOWN = { endpoint: { baseUrl: "http://127.0.0.1:9/v1", profile: "compatible" }, facts: {} } as const;

export function bodyOf(over: Partial<ProviderRequest> = {}): JsonObject {
  const planned = plan(request(over));
  return planned.type === "http" ? (JSON.parse(planned.body ?? "") as JsonObject) : {};
}

/** Ids of calls are branded by the core, which a test of a plugin has no way to make. */
export const call = (id: string, argsText = "{}", providerId = id, name = "read"): AssistantMessage["toolCalls"][number] =>
  ({ call: id, providerId, name, argsText }) as AssistantMessage["toolCalls"][number];

export const result = (id: string, text = "done", rest: Partial<ToolMessage> = {}): ToolMessage =>
  ({ role: "tool", call: id, providerId: id, name: "read", text, isError: false, ...rest }) as ToolMessage;

export const answer = (text: string, rest: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  text,
  toolCalls: [],
  from: { provider: "openai", model: "m" },
  ...rest,
});

export const thought = (id: string, over: Partial<ThinkingPart> = {}): ThinkingPart => ({
  text: "hm",
  id,
  kind: "summary",
  signature: `secret of ${id}`,
  ...over,
});

export const PNG = { mediaType: "image/png", base64: "iVBORw0KGgo=" } as const;
