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
