import { type Endpoint, type ExchangePlan, type ModelInfo, parseJson } from "smith-agent/plugin";
import { asList, asObject, asText } from "./json.js";
import { address, authorization } from "./request.js";

/** Asks which models are there. The host takes the first one when nobody chose any. */
export const models = (endpoint: Endpoint): ExchangePlan => ({
  type: "http",
  method: "GET",
  url: address(endpoint, "/api/tags"),
  headers: authorization(endpoint),
  framing: "json",
});

/** One body: there was one exchange. */
export const parseModels = ([body = ""]: readonly string[]): readonly ModelInfo[] =>
  asList(asObject(parseJson(body))?.["models"]).flatMap((item) => {
    const entry = asObject(item);
    const model = asText(entry?.["model"]) || asText(entry?.["name"]);
    return model === "" ? [] : [{ ref: { provider: "ollama", model } }];
  });
