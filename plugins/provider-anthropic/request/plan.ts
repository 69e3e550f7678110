import type { Endpoint, ExchangePlan, JsonObject, ProviderRequest } from "smith-agent/plugin";
import { endpointUrl } from "../url.js";
import { cached, withCachedLast, withCachePoints } from "./cache.js";
import { calledTools, conversation, withLastWord } from "./conversation.js";
import type { Turn } from "./conversation.js";
import { inputSchema, outputFormat, TOOL_NAME } from "./schema.js";
import { thinkingForm } from "./thinking.js";
import type { ThinkingForm } from "./thinking.js";

const VERSION = "2023-06-01";
/** Limit of an answer when neither the person nor the catalog sets one: every model since 2024 takes it. The API wants some limit. */
const DEFAULT_MAX_TOKENS = 8192;

/** What is said, in the words of this API: the host's own, like the keys it refuses itself. */
const OWN_KEYS = ["system"] as const;

const keyTaken = (key: string): ExchangePlan => ({
  type: "local",
  deltas: [{ type: "error", error: { class: "invalid", message: `request.extra may not hold ${key}, which is the conversation` } }],
});

/** One Messages exchange, streamed or whole. */
export function plan(request: ProviderRequest): ExchangePlan {
  const taken = OWN_KEYS.find((key) => Object.hasOwn(request.sampling?.extra ?? {}, key));
  if (taken !== undefined) return keyTaken(taken);
  const turns = conversation(request);
  const maxTokens = request.sampling?.maxTokens ?? request.facts.outputTokens ?? DEFAULT_MAX_TOKENS;
  const form = thinkingForm(request, maxTokens, turns);
  return {
    type: "http",
    method: "POST",
    url: endpointUrl(request.endpoint, "/messages"),
    headers: {
      "content-type": "application/json",
      accept: request.stream ? "text/event-stream" : "application/json",
      ...apiHeaders(request.endpoint),
      ...(form.betas.length === 0 ? {} : { "anthropic-beta": form.betas.join(",") }),
    },
    body: wellFormed(JSON.stringify(body(request, { turns, maxTokens, form }))),
    framing: request.stream ? "sse" : "json",
    ...(request.stream ? { merge: ["delta", "text"] } : {}),
  };
}

/** Version and key; the host puts the secret in place of its name. */
export function apiHeaders({ credential, profile }: Endpoint): { readonly [name: string]: string } {
  const version = { "anthropic-version": VERSION };
  if (credential === undefined || credential === "") return version;
  return profile === "bearer"
    ? { ...version, authorization: `Bearer {secret:${credential}}` }
    : { ...version, "x-api-key": `{secret:${credential}}` };
}

interface Parts {
  readonly turns: readonly Turn[];
  readonly maxTokens: number;
  readonly form: ThinkingForm;
}

function body(request: ProviderRequest, { turns, maxTokens, form }: Parts): JsonObject {
  const { model, system, facts, sampling = {} } = request;
  const hasPoints = facts.cache === "points";
  return {
    model,
    max_tokens: maxTokens,
    ...(system.trim() === "" ? {} : { system: hasPoints ? [cached({ type: "text", text: system })] : system }),
    messages: withLastWord(hasPoints ? withCachePoints(turns) : turns, request).map((turn) => ({ ...turn })),
    ...toolFields(request, turns, hasPoints),
    stream: request.stream,
    ...(form.thinking === undefined ? {} : { thinking: form.thinking }),
    ...outputConfig(request, form),
    ...(form.isOn || facts.sampling === false ? {} : drawFields(request)),
    ...stopFields(request),
    ...sampling.extra,
  };
}

function outputConfig({ facts, sampling }: ProviderRequest, { effort }: ThinkingForm): JsonObject {
  const format = facts.structuredOutput === true ? outputFormat(sampling?.responseFormat) : undefined;
  if (effort === undefined && format === undefined) return {};
  return { output_config: { ...(effort === undefined ? {} : { effort }), ...(format === undefined ? {} : { format }) } };
}

/** Sequences of nothing but blanks are refused. */
function stopFields({ sampling }: ProviderRequest): JsonObject {
  const stop = (sampling?.stop ?? []).filter((sequence) => sequence.trim() !== "");
  return stop.length === 0 ? {} : { stop_sequences: stop };
}

/** The vendor's scale of temperature ends at 1; its models with the hint `sampler="one"` take one of the two. */
function drawFields({ sampling = {}, facts }: ProviderRequest): JsonObject {
  const { temperature, topP } = sampling;
  const isOne = facts.hints?.["sampler"] === "one" && temperature !== undefined;
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature) }),
    ...(topP === undefined || isOne ? {} : { top_p: topP }),
  };
}

/**
 * A conversation with calls in it needs tools, so where none are offered (a summary is asked for) those that were called are named and may
 * not be used. A tool whose name or place in the list the vendor refuses is left out, for the sake of all others.
 */
function toolFields({ tools }: ProviderRequest, turns: readonly Turn[], hasPoints: boolean): JsonObject {
  const offered = tools
    .filter(({ name }, at) => TOOL_NAME.test(name) && tools.findIndex((tool) => tool.name === name) === at)
    .map(({ name, description, parameters }) => ({
      name,
      ...(description === "" ? {} : { description }),
      input_schema: inputSchema(parameters),
    }));
  if (offered.length > 0) return { tools: hasPoints ? withCachedLast(offered) : offered };
  const called = calledTools(turns).map((name) => ({ name, input_schema: inputSchema({}) }));
  return called.length === 0 ? {} : { tools: called, tool_choice: { type: "none" } };
}

/** Half a character, left by whatever cut a text, makes the vendor refuse the whole request. JSON text has such halves as escapes. */
const wellFormed = (json: string): string =>
  json.includes("\\ud") ? json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/gu, (found) => (found === "\\\\" ? found : "\\ufffd")) : json;
