import type { JsonObject, JsonValue, ModelFacts, Price } from "smith-agent/plugin";
import { asArray, asCount, asObject, asText } from "../json.js";

const CONTEXT_FIELDS = ["context_length", "context_window", "max_model_len", "loaded_context_length", "max_context_length"];
const OUTPUT_FIELDS = ["max_completion_tokens", "max_output_tokens", "max_output_length"];
/** Types of models that answer no chat. */
const OTHER_TYPES = /^(?:embeddings?|rerank(?:er)?|image|audio|video|speech|tts|stt|transcribe|moderation|ocr)$/iu;

/** False only where the server says that a model does something else. */
export function isChatModel(entry: JsonObject): boolean {
  const outputs = asArray(asObject(entry["architecture"])?.["output_modalities"]);
  return (
    !OTHER_TYPES.test(asText(entry["type"])) &&
    asObject(entry["capabilities"])?.["completion_chat"] !== false &&
    entry["supports_chat"] !== false &&
    entry["active"] !== false &&
    (outputs.length === 0 || outputs.includes("text"))
  );
}

/** What an entry of a list states, whichever server's words it is in. */
export function factsOf(entry: JsonObject): ModelFacts {
  const context = firstCount([...fields(entry, CONTEXT_FIELDS), ...metaContext(entry), leastContext(entry)]);
  const output = firstCount([...fields(entry, OUTPUT_FIELDS), asObject(entry["top_provider"])?.["max_completion_tokens"]]);
  const parameters = asArray(entry["supported_parameters"]).map(asText);
  const price = priceOf(entry);
  return {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...fact("images", imagesOf(entry)),
    ...fact("tools", toolsOf(entry, parameters)),
    ...(parameters.length === 0 ? {} : ofParameters(parameters)),
    ...(price === undefined ? {} : { price, ...cacheOf(price) }),
  };
}

export const fact = <const Name extends string>(name: Name, value: boolean | undefined): { readonly [N in Name]?: boolean } =>
  // A computed name widens to any string; it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: boolean };

const fields = (entry: JsonObject, names: readonly string[]): readonly (JsonValue | undefined)[] => names.map((name) => entry[name]);

/** The first count above 0: a 0 is how servers say that they do not know. */
export const firstCount = (values: readonly (JsonValue | undefined)[]): number | undefined =>
  values.map(asCount).find((count) => count !== undefined && count > 0);

function metaContext(entry: JsonObject): readonly (JsonValue | undefined)[] {
  const meta = asObject(entry["meta"]);
  return [meta?.["n_ctx"], meta?.["n_ctx_train"]];
}

/** Of a router: the least that any server behind it has. */
function leastContext(entry: JsonObject): number | undefined {
  const counts = asArray(entry["providers"]).flatMap((item) => firstCount([asObject(item)?.["context_length"]]) ?? []);
  return counts.length === 0 ? undefined : Math.min(...counts);
}

function imagesOf(entry: JsonObject): boolean | undefined {
  const inputs = [...asArray(asObject(entry["architecture"])?.["input_modalities"]), ...asArray(entry["input_modalities"])];
  if (inputs.length > 0) return inputs.includes("image");
  return firstFlag([asObject(entry["capabilities"])?.["vision"], entry["supports_image_input"], entry["supports_image_in"]]);
}

function toolsOf(entry: JsonObject, parameters: readonly string[]): boolean | undefined {
  if (parameters.length > 0) return parameters.includes("tools");
  const stated = firstFlag([asObject(entry["capabilities"])?.["function_calling"], entry["supports_tools"]]);
  if (stated !== undefined) return stated;
  const behind = asArray(entry["providers"]).map((item) => asObject(item)?.["supports_tools"]);
  return behind.length > 0 && behind.every((value) => value === true) ? true : undefined;
}

const firstFlag = (values: readonly (JsonValue | undefined)[]): boolean | undefined =>
  values.find((value): value is boolean => typeof value === "boolean");

/** Of a router that lists the parameters it takes for a model. */
const ofParameters = (parameters: readonly string[]): ModelFacts => ({
  structuredOutput: parameters.includes("structured_outputs"),
  sampling: parameters.includes("temperature"),
  // Which levels a model has is mapped by the router; only that it can be turned off is not known of every model.
  thinking: parameters.includes("reasoning") ? ["low", "medium", "high"] : [],
});

const PER_MILLION = 1_000_000;

/** Prices as one server states them for a token, as text, and another for a million, as numbers. */
function priceOf(entry: JsonObject): Price | undefined {
  const pricing = asObject(entry["pricing"]);
  if (pricing === undefined) return undefined;
  const isForToken = pricing["prompt"] !== undefined;
  const rate = (names: readonly string[]): number | undefined => {
    const value = names.map((name) => asRate(pricing[name])).find((found) => found !== undefined);
    return value === undefined ? undefined : isForToken ? perMillion(value) : value;
  };
  const input = rate(isForToken ? ["prompt"] : ["input"]);
  const output = rate(isForToken ? ["completion"] : ["output"]);
  if (input === undefined || output === undefined) return undefined;
  const read = rate(["input_cache_read", "cached_input"]);
  const write = rate(["input_cache_write"]);
  return { input, output, ...(read === undefined ? {} : { cacheRead: read }), ...(write === undefined ? {} : { cacheWrite: write }) };
}

/** A price of a token for a million of them, without the noise of binary fractions. */
export const perMillion = (value: number): number => Number((value * PER_MILLION).toPrecision(12));

/** A price of 0 or more; a negative one is how a router says that it depends. */
export function asRate(value: JsonValue | undefined): number | undefined {
  const rate = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof rate === "number" && Number.isFinite(rate) && rate >= 0 ? rate : undefined;
}

/** Writing into a cache has a price of its own only where what is written is marked; what is read for less without is automatic. */
function cacheOf({ cacheRead, cacheWrite }: Price): Pick<ModelFacts, "cache"> {
  if (cacheWrite !== undefined && cacheWrite > 0) return { cache: "points" };
  return cacheRead !== undefined && cacheRead > 0 ? { cache: "automatic" } : {};
}
