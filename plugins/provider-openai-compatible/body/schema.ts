import type { JsonObject, JsonValue } from "smith-agent/plugin";

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const SHAPED = ["type", "$ref", "anyOf", "oneOf", "allOf"];

/** An object schema as every server takes it: `type` and `properties` are there even for a tool without arguments. */
export const objectSchema = (schema: JsonObject): JsonObject => ({
  ...schema,
  type: "object",
  properties: isObject(schema["properties"]) ? schema["properties"] : {},
});

/** The same schema with a `type` for every property and item that has none, taken from its enum or constant, else string. */
export function typedSchema(schema: JsonObject): JsonObject {
  const properties = schema["properties"];
  const items = schema["items"];
  return {
    ...schema,
    ...(SHAPED.some((key) => key in schema) ? {} : { type: guessedType(schema) }),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, isObject(value) ? typedSchema(value) : { type: "string" }]),
          ),
        }
      : {}),
    ...(isObject(items) ? { items: typedSchema(items) } : {}),
  };
}

function guessedType(schema: JsonObject): string {
  if ("properties" in schema) return "object";
  if ("items" in schema) return "array";
  const values = schema["enum"];
  const sample: JsonValue | undefined = Array.isArray(values) ? (values as readonly JsonValue[])[0] : schema["const"];
  if (typeof sample === "number") return "number";
  return typeof sample === "boolean" ? "boolean" : "string";
}

/** Keywords a server that holds arguments to a schema can hold them to. */
const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "description", "title", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf"],
]);

/**
 * Whether a schema is one that strict tools are allowed to have: every object closed and every property required. A tool with a
 * property that may be left out is sent without `strict`, because its arguments would change their meaning.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  if (Object.keys(schema).some((key) => !STRICT_KEYWORDS.has(key))) return false;
  const properties = schema["properties"];
  if (isObject(properties) || schema["type"] === "object") {
    const required: readonly JsonValue[] = Array.isArray(schema["required"]) ? (schema["required"] as readonly JsonValue[]) : [];
    const names = isObject(properties) ? Object.keys(properties) : [];
    if (schema["additionalProperties"] !== false || names.some((name) => !required.includes(name))) return false;
  }
  const inner = [...(isObject(properties) ? Object.values(properties) : []), ...listOf(schema["anyOf"]), ...listOf(schema["items"])];
  return inner.every((value) => isObject(value) && isStrictSchema(value));
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
