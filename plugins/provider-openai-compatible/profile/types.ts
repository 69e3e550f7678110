import type { ThinkingForm } from "./thinking.js";

/** What a server accepts. Everything that differs between servers is a field here, never a branch on a name elsewhere. */
export interface Profile {
  /** Header that carries the key: `authorization: Bearer KEY`, or `api-key: KEY`. */
  readonly auth: "bearer" | "api-key";
  /** Path that a base URL without one means. */
  readonly basePath: string;
  /** Addresses of a deployment, with its version in the query, are understood. */
  readonly deployments: boolean;
  readonly limitField: "max_tokens" | "max_completion_tokens";
  /** Knows `stream_options.include_usage`, and tells usage only then. */
  readonly usageOption: boolean;
  readonly systemRole: "system" | "developer";
  /** Content of an assistant message that has only tool calls. */
  readonly emptyContent: "" | null;
  /** Tool results carry the tool's name: some chat templates fail without it. */
  readonly toolName: boolean;
  /** Neighbours of one role become one message: some chat templates insist on alternation. */
  readonly alternate: boolean;
  /** Between a tool result and a user message stands one of the assistant: some servers and templates refuse them side by side. */
  readonly bridge: boolean;
  /** Every tool parameter gets a `type`: some grammars cannot be built without one. */
  readonly typedParameters: boolean;
  /** Takes images, as data URLs, of models that see. */
  readonly images: boolean;
  /** Ids of tool calls: `nine` is exactly nine letters and digits, `any` is checked only where another model made them. */
  readonly toolIds: "any" | "nine";
  /** How a thinking level is asked for. A model's own form is its hint `thinking`. */
  readonly thinking: ThinkingForm;
  readonly replay: Replay;
  /** Thinking written into the text between `<think>` and `</think>` at its start is told apart. */
  readonly inlineThinking: boolean;
  /** Knows `parallel_tool_calls`; it is sent for models whose hint `parallel-calls` says how. */
  readonly parallelField: boolean;
  /** Takes `strict` on tools whose schema qualifies. */
  readonly strictTools: boolean;
  /** Which response formats it takes: all, or no schema (a wish for one becomes `json_object`). */
  readonly responseFormat: "any" | "object";
  /** Where the key of the session's cache goes: a field of the body or a header. */
  readonly cacheKey: "none" | "prompt_cache_key" | "x-grok-conv-id" | "x-session-affinity";
  /** Takes `cache_control` in parts of a message's content. */
  readonly cachePoints: boolean;
}

/** How a model's earlier thinking goes back to the provider that made it. */
export type Replay =
  | { readonly form: "none" }
  /**
   * A text beside the content. `turn`: only of what came after the last user message; `session`: of everything. `required`: a message
   * with calls is refused without, so one that has none gets a mark in its place.
   */
  | { readonly form: "reasoning_content"; readonly scope: "turn" | "session"; readonly required: boolean }
  /** The list of details exactly as it came. */
  | { readonly form: "reasoning_details" }
  /** A part of the content. */
  | { readonly form: "parts" };
