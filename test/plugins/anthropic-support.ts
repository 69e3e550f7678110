/** Requests and messages as the core makes them; ids are branded there, which a plugin cannot see. */
import { plan } from "../../plugins/provider-anthropic/request/plan.js";
import type { JsonObject, Message, ModelFacts, ProviderRequest } from "../../src/plugin/sdk.js";

export type Assistant = Extract<Message, { role: "assistant" }>;

export const CLAUDE = { provider: "anthropic", model: "claude-x" } as const;

/** Facts as of a model with a budget, and of one with an effort. */
export const BUDGET: ModelFacts = {
  contextTokens: 200_000,
  outputTokens: 64_000,
  images: true,
  tools: true,
  thinking: ["off", "low", "medium", "high", "max"],
  structuredOutput: true,
  sampling: true,
  cache: "points",
  hints: { thinking: "budget", interleaved: true },
};
export const ADAPTIVE: ModelFacts = { ...BUDGET, sampling: false, hints: { thinking: "adaptive", display: true, prefill: false } };

export const request = (over: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: CLAUDE.provider,
  model: CLAUDE.model,
  endpoint: { baseUrl: "http://h" },
  facts: {},
  system: "be brief",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  stream: true,
  context: { cwd: "/work" },
  ...over,
});

export interface Planned {
  readonly headers: { readonly [name: string]: string };
  readonly body: JsonObject;
}

export function planned(over: Partial<ProviderRequest> = {}): Planned {
  const made = plan(request(over));
  if (made.type !== "http") throw new Error("not a request");
  return { headers: made.headers, body: JSON.parse(made.body ?? "") as JsonObject };
}

export const bodyOf = (over: Partial<ProviderRequest> = {}): JsonObject => planned(over).body;

export const user = (text: string, rest: object = {}): Message => ({ role: "user", text, ...rest });

/** Calls are `[id, name, arguments as streamed]`; the provider's id is the same. */
export const assistant = (text: string, calls: readonly (readonly [string, string, string])[] = [], rest: object = {}): Assistant =>
  ({
    role: "assistant",
    text,
    toolCalls: calls.map(([id, name, argsText]) => ({ call: id, providerId: id, name, argsText, ...parsed(argsText) })),
    from: CLAUDE,
    ...rest,
  }) as unknown as Assistant;

export const result = (id: string, text: string, rest: object = {}): Message =>
  ({ role: "tool", call: id, providerId: id, name: "read", text, isError: false, ...rest }) as unknown as Message;

function parsed(argsText: string): object {
  try {
    const args: unknown = JSON.parse(argsText);
    return typeof args === "object" && args !== null && !Array.isArray(args) ? { args } : {};
  } catch {
    return {};
  }
}

export const READ_TOOL = { name: "read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } };
