import type { Endpoint, ExchangePlan, JsonObject, ModelInfo } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asCount, asObject, asText } from "./json.js";
import { authorization } from "./request.js";
import { endpointUrl } from "./url.js";

const PROVIDER = "openai";
const CONTEXT_FIELDS = ["context_length", "context_window", "max_model_len", "max_context_length", "loaded_context_length"];
/** Ids of the vendor's models that answer with something else than text: they cannot be talked with. */
const NOT_FOR_TEXT =
  /^(?:dall-e|whisper|tts-|text-embedding|text-moderation|omni-moderation|gpt-image|chatgpt-image|sora|babbage|davinci)|-(?:realtime|audio|tts|transcribe)(?:-|$)|^gpt-(?:realtime|audio)/u;

/** Asks the server which models it has. */
export const models = (endpoint: Endpoint): ExchangePlan => ({
  type: "http",
  method: "GET",
  url: endpointUrl(endpoint, "/models"),
  headers: { accept: "application/json", ...authorization(endpoint.credential) },
  framing: "json",
});

/** Reads `{data: […]}`, `{models: […]}` or a bare list; limits are taken where a server tells them and stay absent elsewhere. */
export function parseModels(bodies: readonly string[]): readonly ModelInfo[] {
  const value = parseJson(bodies[0] ?? "");
  const object = asObject(value);
  const listed = [object?.["data"], object?.["models"], value].map(asArray).find((list) => list.length > 0) ?? [];
  return listed.flatMap((item) => {
    const entry = asObject(item);
    const model = entry === undefined ? asText(item) : asText(entry["id"]) || asText(entry["model"]) || asText(entry["name"]);
    if (model === "" || NOT_FOR_TEXT.test(model)) return [];
    return [{ ref: { provider: PROVIDER, model }, ...(entry === undefined ? {} : told(entry)) }];
  });
}

function told(entry: JsonObject): Omit<ModelInfo, "ref"> {
  const meta = asObject(entry["meta"]);
  const context = firstCount([...CONTEXT_FIELDS.map((name) => entry[name]), meta?.["n_ctx"], meta?.["n_ctx_train"]]);
  const output = firstCount([
    entry["max_completion_tokens"],
    entry["max_output_tokens"],
    asObject(entry["top_provider"])?.["max_completion_tokens"],
  ]);
  const inputs = asArray(asObject(entry["architecture"])?.["input_modalities"]);
  return {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(inputs.length === 0 ? {} : { images: inputs.includes("image") }),
  };
}

const firstCount = (values: readonly Parameters<typeof asCount>[0][]): number | undefined =>
  values.map(asCount).find((count) => count !== undefined && count > 0);
