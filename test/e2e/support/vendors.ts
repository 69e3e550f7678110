import { type ModelServer, type RecordedRequest, type Reply, startModelServer } from "../../support/model-server.js";
import { answerTo, type Api, apiOf, type Turn } from "../../support/vendors/index.js";
import { createPlace, type Place } from "./place.js";

/** Selections of one model for each API, by the connections of {@link vendorConfig}. */
export const MODELS: { readonly [A in Api]: string } = {
  chat: "local/scripted",
  anthropic: "claude/claude-sonnet-4-5",
  responses: "gpt/gpt-6.2-sol",
  google: "gemini/gemini-3.8-flash",
};

/** Keys of the four connections. None may be seen anywhere but in the header of its own requests. */
export const KEYS: { readonly [A in Api]: string } = {
  chat: "sk-local-3c61a0be77",
  anthropic: "sk-claude-94be02d1aa",
  responses: "sk-gpt-b31f55c0e2",
  google: "AIza-gemini-7fd20c64",
};

const VARIABLES: { readonly [A in Api]: string } = {
  chat: "E2E_LOCAL",
  anthropic: "E2E_CLAUDE",
  responses: "E2E_GPT",
  google: "E2E_GEMINI",
};

export const keyVariables: Readonly<Record<string, string>> = Object.fromEntries(
  (Object.keys(VARIABLES) as readonly Api[]).map((api) => [VARIABLES[api], KEYS[api]]),
);

/** Four vendors that are one server. */
export const vendorConfig = (origin: string): string => `models {
  model "openai-compatible/scripted" { context 200000; output 32000; images #true; tools #true; sampling #true; thinking "off" "low" "high"; price input=1 output=2 }
}
connections {
  connection "local" provider="openai-compatible" base-url="${origin}/v1" key-env="${VARIABLES.chat}"
  connection "claude" provider="anthropic" base-url="${origin}" key-env="${VARIABLES.anthropic}"
  connection "gpt" provider="openai" base-url="${origin}/v1" profile="openai" key-env="${VARIABLES.responses}"
  connection "gemini" provider="google" base-url="${origin}/v1beta" key-env="${VARIABLES.google}"
}
`;

export type VendorScript = (request: RecordedRequest, n: number) => Turn | Reply | Promise<Turn | Reply>;

export interface Vendors extends Place {
  readonly server: ModelServer;
  readonly origin: string;
  /** Replaces what the model says from the next request on; `n` counts from 0 again. */
  script(next: VendorScript | readonly (Turn | Reply)[]): void;
  /** Requests since the last script, by whatever API. */
  asked(): readonly RecordedRequest[];
}

const isReply = (value: Turn | Reply): value is Reply => "pieces" in value;

/** A place with one server that is all four vendors; it refuses what they refuse. Made once for many tests: `script` begins anew. */
export async function createVendors(variables: Readonly<Record<string, string>> = {}): Promise<Vendors> {
  let current: VendorScript = () => ({ text: "done" });
  let from = 0;
  let ids = 0;
  const server = await startModelServer({
    script: async (request, n) => {
      const next = await current(request, n - from);
      ids += 1;
      return isReply(next) ? next : answerTo(request, next, ids);
    },
  });
  const place = createPlace({ ...keyVariables, ...variables });
  const origin = server.url.replace(/\/v1$/u, "");
  place.config(vendorConfig(origin));
  return {
    ...place,
    server,
    origin,
    script(next) {
      from = server.requests.length;
      current = typeof next === "function" ? next : (_request, n) => next[n] ?? { text: "done" };
    },
    asked: () => server.requests.slice(from),
    async close() {
      await place.close();
      await server.close();
    },
  };
}

/** What was asked last by an API; a failed expectation when nothing was. */
export function lastAsked(vendors: Vendors, api?: Api): RecordedRequest {
  const found = vendors.asked().findLast(({ path }) => api === undefined || apiOf(path) === api);
  if (found === undefined) throw new Error(`nothing was asked by ${api ?? "any API"}`);
  return found;
}
