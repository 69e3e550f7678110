import type { Endpoint } from "smith-agent/plugin";
import { hostOf, isAzure } from "./url.js";

/** What a server takes beyond the core of the API. Everything that differs between servers is a field here, never a branch elsewhere. */
export interface Profile {
  /** Takes `store`, `include`, `prompt_cache_key` and `reasoning.summary`, and strict schemas. */
  readonly vendorFields: boolean;
  /** Where the system prompt goes: the field `instructions`, or a first item with this role. */
  readonly system: "instructions" | "system" | "developer";
  /** Takes images inside the output of a function; else they follow in a message of the user. */
  readonly imagesInOutput: boolean;
  /** Fewest `max_output_tokens` the server accepts. */
  readonly leastOutputTokens: number;
  /** Thinking that one model made may go to another of the same provider. */
  readonly sharesThinking: boolean;
}

const COMPATIBLE: Profile = {
  vendorFields: false,
  system: "instructions",
  imagesInOutput: false,
  leastOutputTokens: 1,
  sharesThinking: false,
};

const PROFILES: ReadonlyMap<string, Profile> = new Map([
  ["openai", { vendorFields: true, system: "instructions", imagesInOutput: true, leastOutputTokens: 16, sharesThinking: true }],
  ["compatible", COMPATIBLE],
  ["compatible-system", { ...COMPATIBLE, system: "system" }],
  ["compatible-developer", { ...COMPATIBLE, system: "developer" }],
]);

/** The vendor's own hosts are known by their names, however the URL was given; an unknown profile means no assumptions. */
export function profileOf(endpoint: Endpoint): Profile {
  const isVendor = hostOf(endpoint.baseUrl) === "api.openai.com" || (endpoint.profile === undefined && isAzure(endpoint.baseUrl));
  return PROFILES.get(isVendor ? "openai" : (endpoint.profile ?? "compatible")) ?? COMPATIBLE;
}
