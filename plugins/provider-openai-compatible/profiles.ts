import type { Endpoint } from "smith-agent/plugin";
import { hostOf } from "./url.js";

/** What a server accepts. Everything that differs between servers is a field here, never a branch elsewhere. */
export interface Profile {
  /** Knows `stream_options.include_usage`. */
  readonly usageOption: boolean;
  readonly limitField: "max_tokens" | "max_completion_tokens";
  /** Content of an assistant message that has only tool calls. */
  readonly emptyContent: "" | null;
  /** Tool results carry the tool's name: some chat templates fail without it. */
  readonly toolName: boolean;
  /** User messages in a row become one: some chat templates insist on alternation. */
  readonly joinUsers: boolean;
  /** Every tool parameter gets a `type`: some grammars cannot be built without one. */
  readonly typedParameters: boolean;
  readonly reasoningEffort: boolean;
}

const COMPATIBLE: Profile = {
  usageOption: true,
  limitField: "max_tokens",
  emptyContent: "",
  toolName: true,
  joinUsers: false,
  typedParameters: false,
  reasoningEffort: true,
};

const PROFILES: ReadonlyMap<string, Profile> = new Map([
  ["compatible", COMPATIBLE],
  ["openai", { ...COMPATIBLE, limitField: "max_completion_tokens", emptyContent: null, toolName: false }],
  ["llama.cpp", { ...COMPATIBLE, usageOption: false, joinUsers: true, typedParameters: true, reasoningEffort: false }],
]);

/** The vendor's own host is known by its name, however the URL was given; an unknown profile means no assumptions. */
export function profileOf(endpoint: Endpoint): Profile {
  const name = hostOf(endpoint.baseUrl) === "api.openai.com" ? "openai" : (endpoint.profile ?? "compatible");
  return PROFILES.get(name) ?? COMPATIBLE;
}
