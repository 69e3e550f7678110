/** Requests and messages as the host gives them to the plugin of Chat Completions. */
import plugin from "../../plugins/provider-openai-compatible/index.js";
import { plan } from "../../plugins/provider-openai-compatible/request.js";
import type { JsonObject, Message, Provider, ProviderRequest, ThinkingPart } from "../../src/plugin/sdk.js";

export const request = (over: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: "openai-compatible",
  model: "m",
  endpoint: { baseUrl: "http://127.0.0.1:9/v1" },
  facts: {},
  system: "be brief",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  stream: true,
  context: { cwd: "/work" },
  ...over,
});

/** The body that a request comes to; with `profile`, on a server of that kind. */
export function bodyOf(over: Partial<ProviderRequest>, profile?: string): JsonObject {
  const endpoint = { baseUrl: "http://h/v1", ...(profile === undefined ? {} : { profile }) };
  const planned = plan(request({ endpoint, ...over }));
  if (planned.type !== "http") throw new Error("no exchange was planned");
  return JSON.parse(planned.body ?? "") as JsonObject;
}

export type WireMessages = readonly { readonly role: string; readonly content?: unknown; readonly [key: string]: unknown }[];

/** The messages of a body. */
export const messagesOf = (over: Partial<ProviderRequest>, profile?: string): WireMessages =>
  bodyOf({ system: "", ...over }, profile)["messages"] as unknown as WireMessages;

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type Call = AssistantMessage["toolCalls"][number];

/** A call as the core stores it; ids are branded there, which a plugin cannot see. */
export const call = (id: string, name: string, argsText = "{}", args?: JsonObject): Call =>
  ({ call: `our-${id}`, providerId: id, name, argsText, ...(args === undefined ? {} : { args }) }) as unknown as Call;

export const result = (id: string, text: string, rest: object = {}): Message =>
  ({ role: "tool", call: `our-${id}`, providerId: id, name: "read", text, isError: false, ...rest }) as unknown as Message;

export const user = (text: string): Message => ({ role: "user", text });

export const assistant = (
  text: string,
  toolCalls: readonly Call[] = [],
  rest: { readonly from?: AssistantMessage["from"]; readonly thinking?: readonly ThinkingPart[] } = {},
): AssistantMessage => ({ role: "assistant", text, toolCalls, ...rest }) as AssistantMessage;

export function provider(id: string): Provider {
  const found = plugin.providers?.[id];
  if (found === undefined) throw new Error(`the plugin contributes no provider ${id}`);
  return found;
}
