import { isJsonObject } from "../../base/index.js";
import {
  type ExchangePlan,
  type ModelInfo,
  type Price,
  type ProviderDelta,
  type ProviderError,
  THINKING_LEVELS,
  type Usage,
} from "../../schema/index.js";
import { count, flag, json, list, number, object, oneOf, type Reader, record, text } from "./shape.js";

/** Counts of tokens. */
export const usage: Reader<Usage> = object(
  {},
  { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count },
);

export const providerError: Reader<ProviderError> = object(
  {
    class: oneOf(
      "auth",
      "invalid",
      "not-found",
      "context-overflow",
      "rate-limit",
      "quota",
      "overloaded",
      "transport",
      "content-filter",
      "protocol",
      "plugin",
    ),
    message: text,
  },
  { status: count, retryAfterMs: number },
);

const DELTAS: { readonly [Type in ProviderDelta["type"]]: Reader<ProviderDelta> } = {
  text: object({ type: oneOf("text"), text }),
  thinking: object({ type: oneOf("thinking"), text }, { signature: text, key: text, kind: text, id: text }),
  "tool-call": object({ type: oneOf("tool-call"), key: text }, { id: text, name: text, args: text, signature: text }),
  usage: object({ type: oneOf("usage"), usage }),
  whole: object({ type: oneOf("whole") }),
  end: object({ type: oneOf("end"), stop: oneOf("stop", "tool-use", "limit", "refusal", "content-filter") }),
  error: object({ type: oneOf("error"), error: providerError }),
};

const deltaType = oneOf("text", "thinking", "tool-call", "usage", "whole", "end", "error");

const delta: Reader<ProviderDelta> = (value, path) => {
  if (!isJsonObject(value)) return DELTAS.text(value, path);
  // Nearly every delta is a piece of text: worth a way of its own.
  const { type, text: piece } = value;
  if (type === "text" && typeof piece === "string" && Object.keys(value).length === 2) return { type, text: piece };
  return DELTAS[deltaType(type, `${path}.type`)](value, path);
};

export const deltas: Reader<readonly ProviderDelta[]> = list(delta);

const pathPart: Reader<string | number> = (value, path) => (typeof value === "number" ? count(value, path) : text(value, path));

const httpPlan = object(
  { type: oneOf("http"), method: oneOf("GET", "POST"), url: text, headers: record(text), framing: oneOf("sse", "lines", "json") },
  { body: json, merge: list(pathPart) },
);
const localPlan = object({ type: oneOf("local"), deltas });

/** A plan whose body, when there is one, came beside the JSON as text of its own (`null` marks its place). */
export const exchangePlan =
  (body: string): Reader<ExchangePlan> =>
  (value, path) => {
    if (!isJsonObject(value) || value["type"] !== "http") return localPlan(value, path);
    const { body: marker, ...plan } = httpPlan(value, path);
    return marker === undefined ? plan : { ...plan, body: marker === null ? body : text(marker, `${path}.body`) };
  };

const rates = { input: number, output: number } as const;
const cacheRates = { cacheRead: number, cacheWrite: number } as const;

const price: Reader<Price> = object(rates, { ...cacheRates, long: object({ ...rates, above: count }, cacheRates) });

const hint: Reader<string | number | boolean> = (value, path) =>
  typeof value === "boolean" ? value : typeof value === "number" ? number(value, path) : text(value, path);

export const models: Reader<readonly ModelInfo[]> = list(
  object(
    { ref: object({ provider: text, model: text }) },
    {
      title: text,
      contextTokens: count,
      outputTokens: count,
      images: flag,
      tools: flag,
      thinking: list(oneOf(...THINKING_LEVELS)),
      strictTools: flag,
      grammarTools: flag,
      trainedTools: list(text),
      structuredOutput: flag,
      sampling: flag,
      cache: oneOf("none", "automatic", "points"),
      price,
      hints: record(hint),
    },
  ),
);

/** One plan or a few. */
export const exchangePlans: Reader<readonly ExchangePlan[]> = (value, path) => {
  const one = exchangePlan("");
  return Array.isArray(value) ? list(one, { atLeast: 1, atMost: MAX_LISTINGS })(value, path) : [one(value, path)];
};

/** Exchanges that list the models of one server. */
const MAX_LISTINGS = 4;

/** A provider function may be absent; the guest then answers `null`. */
export const orAbsent =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (value, path) =>
    value === null ? undefined : reader(value, path);
