/** A provider plugin that lists: one line of each answer is one model, `id` or `id contextTokens`. The second exchange adds a title. */
import type { Provider } from "../../../src/plugin/sdk.js";
import type { ProviderAdapter } from "../../../src/provider/index.js";
import type { Endpoint, ExchangePlan, ModelInfo } from "../../../src/schema/index.js";
import { createDirectAdapter } from "../../support/direct-adapter.js";

const get = ({ baseUrl, credential }: Endpoint, path: string): ExchangePlan => ({
  type: "http",
  method: "GET",
  url: `${baseUrl}${path}`,
  headers: credential === undefined ? {} : { authorization: `Bearer {secret:${credential}}` },
  framing: "json",
});

function parseModels([lines = "", title = ""]: readonly string[]): readonly ModelInfo[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [model = "", tokens] = line.split(" ");
      return {
        ref: { provider: "", model },
        ...(title === "" ? {} : { title }),
        ...(tokens === undefined ? {} : { contextTokens: Number(tokens) }),
      };
    });
}

export const lister: Provider = {
  plan: () => ({ type: "local", deltas: [] }),
  models: (endpoint) => [get(endpoint, "/models"), get(endpoint, "/props")],
  parseModels,
};

export const listing = (): ProviderAdapter => createDirectAdapter("p", lister);
