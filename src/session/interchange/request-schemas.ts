import { z } from "zod";
import { type ModelFacts, THINKING_LEVELS } from "../../schema/index.js";
import { json, jsonObject, optional } from "./parts.js";

/** What a request was sent with and a response came with, as lines of a dump have it. */

export const thinkingPart = z.strictObject({
  text: z.string(),
  signature: optional(z.string()),
  kind: optional(z.string()),
  id: optional(z.string()),
  after: optional(z.strictObject({ text: z.number(), calls: z.number() })),
});

export const routing = z.strictObject({
  connection: z.string(),
  via: optional(z.array(z.string()).readonly()),
  credential: optional(z.string()),
  because: optional(z.string()),
});

export const sampling = z.strictObject({
  temperature: optional(z.number()),
  topP: optional(z.number()),
  maxTokens: optional(z.number()),
  stop: optional(z.array(z.string()).readonly()),
  responseFormat: optional(json),
  extra: optional(jsonObject),
});

const rates = {
  input: z.number(),
  output: z.number(),
  cacheRead: optional(z.number()),
  cacheWrite: optional(z.number()),
};

export const facts = z.strictObject({
  contextTokens: optional(z.number()),
  outputTokens: optional(z.number()),
  images: optional(z.boolean()),
  tools: optional(z.boolean()),
  thinking: optional(z.array(z.enum(THINKING_LEVELS)).readonly()),
  strictTools: optional(z.boolean()),
  grammarTools: optional(z.boolean()),
  trainedTools: optional(z.array(z.string()).readonly()),
  structuredOutput: optional(z.boolean()),
  sampling: optional(z.boolean()),
  cache: optional(z.enum(["none", "automatic", "points"])),
  price: optional(z.strictObject({ ...rates, long: optional(z.strictObject({ ...rates, above: z.number() })) })),
  hints: optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
} satisfies Record<keyof ModelFacts, z.ZodType>);
