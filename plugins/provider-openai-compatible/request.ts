import type { ExchangePlan, JsonObject, JsonValue, Message, ProviderRequest } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { profileOf } from "./profiles.js";
import type { Profile } from "./profiles.js";
import { objectSchema, typedSchema } from "./schema.js";
import { endpointUrl } from "./url.js";

type WireMessage = { readonly role: string; readonly content: string | null; readonly [key: string]: JsonValue };
type AssistantMessage = Extract<Message, { role: "assistant" }>;
type ToolMessage = Extract<Message, { role: "tool" }>;

/** One streamed Chat Completions exchange. Contents are plain strings: every server and chat template takes those. */
export function plan(request: ProviderRequest): ExchangePlan {
  const profile = profileOf(request.endpoint);
  return {
    type: "http",
    method: "POST",
    url: endpointUrl(request.endpoint, "/chat/completions"),
    headers: { "content-type": "application/json", accept: "text/event-stream", ...authorization(request.endpoint.credential) },
    body: JSON.stringify(body(request, profile)),
    framing: "sse",
    merge: ["choices", 0, "delta", "content"],
  };
}

/** The bearer header; the host puts the secret in place of its name. */
export const authorization = (credential: string | undefined): { readonly [name: string]: string } =>
  credential === undefined || credential === "" ? {} : { authorization: `Bearer {secret:${credential}}` };

function body(request: ProviderRequest, profile: Profile): JsonObject {
  const { model, system, messages, tools, maxOutputTokens, temperature, thinking } = request;
  const wire = messages.flatMap((message) => wireMessage(message, profile));
  const wantsThinking = thinking !== undefined && thinking !== "" && thinking !== "off" && profile.reasoningEffort;
  return {
    model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...(profile.joinUsers ? joinUsers(wire) : wire)],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => wireTool(tool, profile)) }),
    stream: true,
    ...(profile.usageOption ? { stream_options: { include_usage: true } } : {}),
    ...(maxOutputTokens === undefined ? {} : { [profile.limitField]: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(wantsThinking ? { reasoning_effort: thinking } : {}),
  };
}

function wireTool(tool: ProviderRequest["tools"][number], profile: Profile): JsonObject {
  const parameters = objectSchema(tool.parameters);
  return {
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      parameters: profile.typedParameters ? typedSchema(parameters) : parameters,
    },
  };
}

function wireMessage(message: Message, profile: Profile): readonly WireMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: `${message.text}${imageNote(message.images?.length)}` }];
    case "assistant":
      return assistant(message, profile);
    case "tool":
      return [toolResult(message, profile)];
  }
}

/** Thinking is not replayed: these servers do not take it back. A message left with nothing to say is refused by some, so it goes. */
function assistant(message: AssistantMessage, profile: Profile): readonly WireMessage[] {
  if (message.toolCalls.length === 0) return message.text === "" ? [] : [{ role: "assistant", content: message.text }];
  const calls = message.toolCalls.map((call) => ({
    id: call.providerId,
    type: "function",
    function: { name: call.name, arguments: replayedArguments(call.argsText, call.args) },
  }));
  return [{ role: "assistant", content: message.text === "" ? profile.emptyContent : message.text, tool_calls: calls }];
}

/** Always a JSON object: servers refuse a whole conversation for one that is not. */
function replayedArguments(text: string, args: JsonObject | undefined): string {
  const parsed = parseJson(text);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return text;
  return args === undefined ? "{}" : JSON.stringify(args);
}

function toolResult(message: ToolMessage, profile: Profile): WireMessage {
  const prefix = message.isError && !/^error\b/iu.test(message.text) ? "Error: " : "";
  return {
    role: "tool",
    tool_call_id: message.providerId,
    ...(profile.toolName ? { name: message.name } : {}),
    content: `${prefix}${message.text}${imageNote(message.images?.length)}`,
  };
}

function imageNote(count: number | undefined): string {
  if (count === undefined || count === 0) return "";
  return `\n[${count === 1 ? "an image" : `${count} images`} left out: this connection carries text only]`;
}

function joinUsers(messages: readonly WireMessage[]): readonly WireMessage[] {
  const joined: WireMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "user" && last?.role === "user")
      joined[joined.length - 1] = { ...last, content: `${last.content ?? ""}\n\n${message.content ?? ""}` };
    else joined.push(message);
  }
  return joined;
}
