import type { Endpoint, ExchangePlan, JsonObject, ModelInfo } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asCount, asObject, asText } from "./json.js";
import { keyHeader } from "./request/plan.js";
import { endpointUrl, modelId } from "./url.js";

const PROVIDER = "google";

/** Asks which models there are: all of them, on one page. */
export const models = (endpoint: Endpoint): ExchangePlan => ({
  type: "http",
  method: "GET",
  url: endpointUrl(endpoint, "models", "pageSize=1000"),
  headers: { accept: "application/json", ...keyHeader(endpoint) },
  framing: "json",
});

/** Those of the list that generate content, with the limits the server tells. */
export function parseModels(bodies: readonly string[]): readonly ModelInfo[] {
  const listed = asArray(asObject(parseJson(bodies[0] ?? ""))?.["models"]);
  return listed.flatMap((item) => {
    const entry = asObject(item) ?? {};
    const model = modelId(asText(entry["name"]));
    return model === "" || !generates(entry) ? [] : [{ ref: { provider: PROVIDER, model }, ...facts(entry) }];
  });
}

/** Servers that translate to this API leave the methods out. */
const generates = (entry: JsonObject): boolean => {
  const methods = asArray(entry["supportedGenerationMethods"]);
  return methods.length === 0 || methods.includes("generateContent");
};

function facts(entry: JsonObject): Omit<ModelInfo, "ref"> {
  const title = asText(entry["displayName"]);
  const context = asCount(entry["inputTokenLimit"]) ?? 0;
  const output = asCount(entry["outputTokenLimit"]) ?? 0;
  return {
    ...(title === "" ? {} : { title }),
    ...(context === 0 ? {} : { contextTokens: context }),
    ...(output === 0 ? {} : { outputTokens: output }),
    // That it thinks says nothing of its levels.
    ...(entry["thinking"] === false ? { thinking: [] } : {}),
  };
}
