import type { JsonObject, JsonValue } from "smith-agent/plugin";

/** Readers of foreign JSON: what is not of the shape is as good as absent. */
export const asObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

export const asArray = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];

export const asText = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** No answer has more of anything; such a number is a mistake of its server's, and sums with it would not be exact. */
const MOST = 1e12;

/** A count: a finite number of 0 or more, also when it comes as text, as 64-bit numbers do. */
export function asCount(value: JsonValue | undefined): number | undefined {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof count === "number" && count >= 0 && count <= MOST ? Math.round(count) : undefined;
}

/** At most `limit` characters, told when cut, never half a character. */
export function bounded(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/u, "")} [cut; ${text.length} characters]`;
}
