import type { JsonObject, JsonValue } from "smith-agent/plugin";

/** Readers of foreign JSON: what is not of the shape is as good as absent. */
export const asObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

export const asList = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? (value as readonly JsonValue[]) : []);

export const asText = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

export const asCount = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
