import type { Endpoint, ExchangePlan, JsonObject, ModelInfo } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asCount, asObject, asText } from "./json.js";
import { apiHeaders } from "./request/plan.js";
import { endpointUrl } from "./url.js";

const PROVIDER = "anthropic";
/** Most that one page holds: all models there are. */
const PAGE = 1000;

/** Asks the server which models it has. */
export function models(endpoint: Endpoint): ExchangePlan {
  const url = endpointUrl(endpoint, "/models");
  return {
    type: "http",
    method: "GET",
    url: `${url}${url.includes("?") ? "&" : "?"}limit=${PAGE}`,
    headers: { accept: "application/json", ...apiHeaders(endpoint) },
    framing: "json",
  };
}

/** Reads `{data: […]}`, `{models: […]}` or a bare list, with the limits and capabilities a server states and no others. */
export function parseModels([body = ""]: readonly string[]): readonly ModelInfo[] {
  const value = parseJson(body);
  const object = asObject(value);
  const listed = [object?.["data"], object?.["models"], value].map(asArray).find((list) => list.length > 0) ?? [];
  return listed.flatMap((item) => {
    const entry = asObject(item);
    const model = asText(entry?.["id"]) || asText(entry?.["name"]);
    if (entry === undefined || model === "") return [];
    const title = asText(entry["display_name"]);
    return [{ ref: { provider: PROVIDER, model }, ...(title === "" ? {} : { title }), ...limits(entry), ...capabilities(entry) }];
  });
}

function limits(entry: JsonObject): Pick<ModelInfo, "contextTokens" | "outputTokens"> {
  const meta = asObject(entry["meta"]);
  const [context, output] = [
    [entry["max_input_tokens"], entry["context_length"], meta?.["n_ctx"], meta?.["n_ctx_train"]],
    [entry["max_tokens"], entry["max_output_tokens"]],
  ].map((values) => values.map(asCount).find((count) => count !== undefined && count > 0));
  return { ...(context === undefined ? {} : { contextTokens: context }), ...(output === undefined ? {} : { outputTokens: output }) };
}

/** `capabilities` of the vendor: each `{supported}`, thinking by its types, effort by its levels. */
function capabilities(entry: JsonObject): Pick<ModelInfo, "images" | "structuredOutput" | "thinking"> {
  const stated = asObject(entry["capabilities"]);
  const images = supported(stated?.["image_input"]);
  const structured = supported(stated?.["structured_outputs"]);
  // What a model that thinks can be asked for is in its catalog: that it may be turned off is said nowhere here.
  const thinks = supported(stated?.["thinking"]);
  return {
    ...(images === undefined ? {} : { images }),
    ...(structured === undefined ? {} : { structuredOutput: structured }),
    ...(thinks === false ? { thinking: [] } : {}),
  };
}

const supported = (value: JsonObject[string] | undefined): boolean | undefined => {
  const stated = asObject(value)?.["supported"];
  return typeof stated === "boolean" ? stated : undefined;
};
