import { z } from "zod";
import type { AnyId, JsonObject, JsonValue } from "../../base/index.js";
import { isJsonObject, isUuid } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";

/**
 * Lines of a dump as zod sees them. Unknown fields are errors everywhere but inside of JSON values. Nothing is transformed:
 * what was parsed is taken itself, so that the order of its keys stays.
 */
const NIL = "00000000-0000-0000-0000-000000000000";

export const id = <Id extends AnyId>() =>
  z.custom<Id>((value) => typeof value === "string" && isUuid(value) && value !== NIL, "is not an id, a UUID in lower case with hyphens");

/** JSON.parse made it, so it is JSON. */
export const json = z.custom<JsonValue>((value) => value !== undefined, "is missing");
export const jsonObject = z.custom<JsonObject>(isJsonObject, "is not an object");
export const count = z.int().min(0);
export const optional = z.exactOptional;
export const base64 = z.string().refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/u.test(text), "is not base64");
export const uuid = z.string().refine(isUuid, "is not a UUID in lower case with hyphens");

const image = z.strictObject({ mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]), base64: z.string() });
export const images = optional(z.array(image).readonly());
export const model = z.strictObject({ provider: z.string(), model: z.string() });
export const mutation = z.enum(["applied", "not-applied", "unknown"]);

/** US dollars. */
export const cost = z.number().min(0);

export const usage = z.strictObject({
  inputTokens: optional(z.number()),
  outputTokens: optional(z.number()),
  cacheReadTokens: optional(z.number()),
  cacheWriteTokens: optional(z.number()),
  reasoningTokens: optional(z.number()),
});

const source = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("file"),
    path: z.string(),
    line: optional(z.number()),
    column: optional(z.number()),
    key: optional(z.string()),
  }),
  z.strictObject({ type: z.literal("flag"), name: z.string() }),
  z.strictObject({ type: z.literal("env"), name: z.string() }),
  z.strictObject({ type: z.literal("plugin"), id: z.string(), file: optional(z.string()), line: optional(z.number()) }),
  z.strictObject({ type: z.literal("provider"), id: z.string(), url: optional(z.string()), status: optional(z.number()) }),
  z.strictObject({ type: z.literal("session"), id: z.string(), offset: optional(z.number()) }),
]);

export const error: z.ZodType<Diagnostic> = z.strictObject({
  code: z.string(),
  what: z.string(),
  why: z.string(),
  next: z.string(),
  source: optional(source),
  severity: z.enum(["error", "warning"]),
  retry: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("never") }),
    z.strictObject({ type: z.literal("now") }),
    z.strictObject({ type: z.literal("after"), delayMs: z.number() }),
  ]),
  get causes() {
    return optional(z.array(error).readonly());
  },
  exit: optional(z.literal([0, 1, 2, 3, 4, 70, 124, 129, 130, 143])),
});
