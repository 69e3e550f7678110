import type { Endpoint } from "smith-agent/plugin";
import { hostOf } from "../url.js";
import type { Profile } from "./types.js";

/** Of a server nobody told anything about: nothing that one of them may refuse, everything that one of them may miss. */
const COMPATIBLE: Profile = {
  auth: "bearer",
  basePath: "/v1",
  deployments: false,
  limitField: "max_tokens",
  usageOption: false,
  systemRole: "system",
  emptyContent: "",
  toolName: true,
  alternate: true,
  bridge: true,
  typedParameters: true,
  images: true,
  toolIds: "any",
  thinking: "effort",
  replay: { form: "none" },
  inlineThinking: true,
  parallelField: false,
  strictTools: false,
  responseFormat: "any",
  cacheKey: "none",
  cachePoints: false,
};

/** Of a server that runs models of one's own, with their chat templates. */
const LOCAL: Profile = {
  ...COMPATIBLE,
  usageOption: true,
  thinking: "template",
  replay: { form: "reasoning_content", scope: "turn", required: false },
};

/** Of a company's API: no chat template of a stranger is in between. */
const HOSTED: Profile = {
  ...COMPATIBLE,
  usageOption: true,
  toolName: false,
  alternate: false,
  bridge: false,
  typedParameters: false,
  inlineThinking: false,
};

const OPENAI: Profile = {
  ...HOSTED,
  limitField: "max_completion_tokens",
  systemRole: "developer",
  emptyContent: null,
  parallelField: true,
  strictTools: true,
  cacheKey: "prompt_cache_key",
};

const REASONING_CONTENT = { form: "reasoning_content", scope: "session", required: true } as const;

/** One row for each kind of server. */
const PROFILES = {
  compatible: COMPATIBLE,
  openai: OPENAI,
  azure: { ...OPENAI, auth: "api-key", basePath: "/openai/v1", deployments: true, systemRole: "system", cacheKey: "none" },
  "llama.cpp": { ...LOCAL, usageOption: false },
  ollama: { ...LOCAL, thinking: "effort", replay: { form: "none" } },
  lmstudio: { ...LOCAL, thinking: "effort", replay: { form: "none" } },
  vllm: LOCAL,
  sglang: LOCAL,
  // Routers hand an empty text on as a block, and the order of roles as it is: some of the vendors behind refuse either.
  litellm: { ...HOSTED, emptyContent: null, bridge: true, toolName: true, inlineThinking: true, parallelField: true, cachePoints: true },
  openrouter: {
    ...HOSTED,
    basePath: "/api/v1",
    emptyContent: null,
    bridge: true,
    thinking: "reasoning",
    replay: { form: "reasoning_details" },
    parallelField: true,
    cachePoints: true,
  },
  deepseek: { ...HOSTED, images: false, thinking: "type-effort", replay: REASONING_CONTENT, responseFormat: "object" },
  moonshot: { ...HOSTED, thinking: "type", replay: REASONING_CONTENT, cacheKey: "prompt_cache_key" },
  groq: { ...HOSTED, basePath: "/openai/v1", limitField: "max_completion_tokens", inlineThinking: true, parallelField: true },
  mistral: {
    ...HOSTED,
    usageOption: false,
    toolName: true,
    bridge: true,
    toolIds: "nine",
    replay: { form: "parts" },
    parallelField: true,
    strictTools: true,
  },
  xai: { ...HOSTED, parallelField: true, cacheKey: "x-grok-conv-id" },
  together: { ...HOSTED, toolName: true, bridge: true, inlineThinking: true },
  fireworks: {
    ...HOSTED,
    basePath: "/inference/v1",
    thinking: "effort-max",
    replay: { form: "reasoning_content", scope: "session", required: false },
    inlineThinking: true,
    cacheKey: "x-session-affinity",
  },
  cerebras: { ...HOSTED, limitField: "max_completion_tokens", inlineThinking: true, parallelField: true },
  huggingface: { ...HOSTED, toolName: true, bridge: true, inlineThinking: true },
} as const satisfies { readonly [name: string]: Profile };

export type ProfileName = keyof typeof PROFILES;

export const PROFILE_NAMES = Object.keys(PROFILES) as readonly ProfileName[];

/** Which profile a provider of the manifest has unless its connection says otherwise. */
export const PROFILE_OF: { readonly [provider: string]: ProfileName } = {
  "openai-chat": "openai",
  "openai-compatible": "compatible",
  "llama-cpp": "llama.cpp",
  ollama: "ollama",
  lmstudio: "lmstudio",
  vllm: "vllm",
  sglang: "sglang",
  litellm: "litellm",
  azure: "azure",
  openrouter: "openrouter",
  deepseek: "deepseek",
  moonshot: "moonshot",
  groq: "groq",
  mistral: "mistral",
  xai: "xai",
  together: "together",
  fireworks: "fireworks",
  cerebras: "cerebras",
  huggingface: "huggingface",
};

/** Companies' own hosts, and the ends of the names of those that have many. */
const HOSTS: readonly (readonly [RegExp, ProfileName])[] = [
  [/^api\.openai\.com$/u, "openai"],
  [/\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/u, "azure"],
  [/(?:^|\.)openrouter\.ai$/u, "openrouter"],
  [/^api\.deepseek\.com$/u, "deepseek"],
  [/^api\.moonshot\.(?:ai|cn)$/u, "moonshot"],
  [/^api\.groq\.com$/u, "groq"],
  [/^(?:api|codestral)\.mistral\.ai$/u, "mistral"],
  [/(?:^|\.)api\.x\.ai$/u, "xai"],
  [/^api\.together\.(?:ai|xyz)$/u, "together"],
  [/^api\.fireworks\.ai$/u, "fireworks"],
  [/^api\.cerebras\.ai$/u, "cerebras"],
  [/^router\.huggingface\.co$/u, "huggingface"],
];

const isName = (name: string | undefined): name is ProfileName => name !== undefined && Object.hasOwn(PROFILES, name);

/** The profile's name: what the connection says, else the provider's; where that assumes nothing, a company's host is known by its name. */
export function profileName(provider: string, endpoint: Endpoint): ProfileName {
  const given = isName(endpoint.profile) ? endpoint.profile : (PROFILE_OF[provider] ?? "compatible");
  if (given !== "compatible") return given;
  const host = hostOf(endpoint.baseUrl);
  return HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? given;
}

export const profileOf = (provider: string, endpoint: Endpoint): Profile => PROFILES[profileName(provider, endpoint)];

/** What the decoder needs of a provider, of which it only knows the id. */
export const providerProfile = (provider: string): Profile => PROFILES[PROFILE_OF[provider] ?? "compatible"];
