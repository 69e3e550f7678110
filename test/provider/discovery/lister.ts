/** A provider plugin that lists: one line of each answer is one model, `id` or `id contextTokens`. The second exchange adds a title. */
import { createServer } from "node:http";
import type { Provider } from "../../../src/plugin/sdk.js";
import type { ProviderAdapter } from "../../../src/provider/index.js";
import type { Endpoint, ExchangePlan, ModelInfo } from "../../../src/schema/index.js";
import { createDirectAdapter } from "../../support/direct-adapter.js";

type Framing = "lines" | "json";

const get = ({ baseUrl, credential }: Endpoint, path: string, framing: Framing): ExchangePlan => ({
  type: "http",
  method: "GET",
  url: `${baseUrl}${path}`,
  headers: credential === undefined ? {} : { authorization: `Bearer {secret:${credential}}` },
  framing,
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

const listerBy = (framing: Framing): Provider => ({
  plan: () => ({ type: "local", deltas: [] }),
  models: (endpoint) => [get(endpoint, "/models", framing), get(endpoint, "/props", framing)],
  parseModels,
});

export const listing = (framing: Framing = "lines"): ProviderAdapter => createDirectAdapter("p", listerBy(framing));

/** Answers by path; a path that is not named is 404. `hang` takes the request and never answers. */
export type Serving = { readonly [path: string]: string | { readonly status: number; readonly text: string } };

export interface TextServer {
  /** Without trailing slash. */
  readonly url: string;
  readonly asked: readonly { readonly path: string; readonly authorization: string | undefined }[];
  /** Resolves when that path was asked for. */
  arrived(path: string): Promise<void>;
  close(): Promise<void>;
}

/** A server on loopback that answers with text. */
export async function serve(paths: Serving): Promise<TextServer> {
  const asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
  const waiting: { readonly path: string; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, authorization: request.headers.authorization });
    for (const one of waiting) if (one.path === path) one.resolve();
    const answer = paths[path];
    if (answer === "hang") return;
    response.statusCode = answer === undefined ? 404 : typeof answer === "string" ? 200 : answer.status;
    response.end(typeof answer === "object" ? answer.text : answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    asked,
    arrived: (path) =>
      asked.some((one) => one.path === path) ? Promise.resolve() : new Promise((resolve) => waiting.push({ path, resolve })),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
