import type { JsonObject, JsonValue, ModelFacts, Price } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";
import { asRate, fact, firstCount, perMillion } from "./facts.js";

/** What a server told beside its list. */
export interface Beside {
  /** Facts of one model. `isOnly`: it is the only one, so what is said of the server is said of it. */
  readonly of: (model: string, isOnly: boolean) => ModelFacts;
  readonly isExcluded: (model: string) => boolean;
}

/** Reads an answer of any of the servers: `/props`, `/api/ps`, `/api/v0/models` or `/model/info`. Nothing where it failed. */
export function besideFacts(value: JsonValue | undefined): Beside {
  const object = asObject(value);
  const props = object === undefined || !("default_generation_settings" in object) ? undefined : propsFacts(object);
  const entries = [...asArray(object?.["models"]), ...asArray(object?.["data"])].flatMap((item): readonly JsonObject[] => {
    const entry = asObject(item);
    return entry === undefined ? [] : [entry];
  });
  const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
  return {
    of: (model, isOnly) => ({ ...(isOnly ? props : {}), ...entryFacts(byId.get(model)) }),
    isExcluded: (model) => /^embeddings?$/u.test(asText(byId.get(model)?.["type"])),
  };
}

const idOf = (entry: JsonObject): string =>
  asText(entry["model_name"]) || asText(entry["id"]) || asText(entry["model"]) || asText(entry["name"]);

/** Of llama.cpp: the window that is really there, what the model sees, and what its chat template is made for. */
function propsFacts(props: JsonObject): ModelFacts {
  const context = firstCount([asObject(props["default_generation_settings"])?.["n_ctx"], props["n_ctx"]]);
  const caps = asObject(props["chat_template_caps"]);
  const vision = asObject(props["modalities"])?.["vision"];
  const template = asText(props["chat_template"]);
  return {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(typeof vision === "boolean" ? { images: vision } : {}),
    ...fact("tools", caps === undefined ? undefined : caps["supports_tools"] === true && caps["supports_tool_calls"] === true),
    ...templateThinking(template, caps?.["supports_reasoning_effort"] === true),
  };
}

/** A template that reads a switch or an effort can be asked by it; of one that reads neither nothing is known. */
function templateThinking(template: string, hasEffort: boolean): Pick<ModelFacts, "thinking"> {
  const hasSwitch = /\benable_thinking\b/u.test(template);
  if (hasEffort || /\breasoning_effort\b/u.test(template))
    return { thinking: hasSwitch ? ["off", "low", "medium", "high"] : ["low", "medium", "high"] };
  return hasSwitch ? { thinking: ["off", "medium"] } : {};
}

function entryFacts(entry: JsonObject | undefined): ModelFacts {
  if (entry === undefined) return {};
  const info = asObject(entry["model_info"]);
  return info === undefined ? loadedFacts(entry) : proxyFacts(info);
}

/** Of Ollama and LM Studio: what is loaded has its own window. */
function loadedFacts(entry: JsonObject): ModelFacts {
  const context = firstCount([entry["loaded_context_length"], entry["context_length"], entry["max_context_length"]]);
  const type = asText(entry["type"]);
  const capabilities = asArray(entry["capabilities"]);
  return {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...fact("images", type === "vlm" ? true : type === "llm" ? false : undefined),
    ...fact("tools", capabilities.includes("tool_use") ? true : undefined),
  };
}

/** Of LiteLLM, which knows the models behind it. */
function proxyFacts(info: JsonObject): ModelFacts {
  const context = firstCount([info["max_input_tokens"], info["max_tokens"]]);
  const output = firstCount([info["max_output_tokens"]]);
  const price = proxyPrice(info);
  return {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...fact("images", flagOf(info["supports_vision"])),
    ...fact("tools", flagOf(info["supports_function_calling"])),
    ...fact("structuredOutput", flagOf(info["supports_response_schema"])),
    ...(info["supports_reasoning"] === true ? { thinking: ["low", "medium", "high"] as const } : {}),
    ...(price === undefined ? {} : { price }),
    ...(info["supports_prompt_caching"] === true && price?.cacheWrite !== undefined ? { cache: "points" as const } : {}),
  };
}

const flagOf = (value: JsonValue | undefined): boolean | undefined => (typeof value === "boolean" ? value : undefined);

function proxyPrice(info: JsonObject): Price | undefined {
  const rate = (name: string): number | undefined => {
    const value = asRate(info[name]);
    return value === undefined ? undefined : perMillion(value);
  };
  const input = rate("input_cost_per_token");
  const output = rate("output_cost_per_token");
  // A model it has no price for is one that costs nothing in its words.
  if (input === undefined || output === undefined || (input === 0 && output === 0)) return undefined;
  const read = rate("cache_read_input_token_cost");
  const write = rate("cache_creation_input_token_cost");
  return { input, output, ...(read === undefined ? {} : { cacheRead: read }), ...(write === undefined ? {} : { cacheWrite: write }) };
}
