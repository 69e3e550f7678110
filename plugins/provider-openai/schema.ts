import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { asArray, asObject } from "./json.js";

/** An object schema as every server takes it: `type` and `properties` are there even for a tool without arguments. */
export const objectSchema = (schema: JsonObject): JsonObject => ({
  ...schema,
  type: "object",
  properties: asObject(schema["properties"]) ?? {},
});

/** Keywords of strict schemas (the vendor's guide to structured outputs); anything else makes a schema loose. */
const STRICT_KEYWORDS: ReadonlySet<string> = new Set(
  "type properties required additionalProperties items enum const anyOf $ref $defs definitions title description pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split(
    " ",
  ),
);
const TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);
/** Levels of nesting a strict schema may have. */
const MAX_DEPTH = 10;

/** Whether the vendor takes the schema as strict: objects are closed, every property is required, only known keywords. */
export const isStrict = (schema: JsonObject): boolean => schema["type"] === "object" && schema["anyOf"] === undefined && fits(schema, 0);

function fits(value: JsonValue | undefined, depth: number): boolean {
  const schema = asObject(value);
  if (schema === undefined || depth > MAX_DEPTH || !Object.keys(schema).every((key) => STRICT_KEYWORDS.has(key))) return false;
  const nested = [
    ...asArray(schema["anyOf"]),
    ...Object.values(asObject(schema["$defs"]) ?? {}),
    ...Object.values(asObject(schema["definitions"]) ?? {}),
  ];
  return isShaped(schema) && isClosed(schema, depth) && hasItems(schema, depth) && nested.every((inner) => fits(inner, depth + 1));
}

/** Every schema says what it is. */
function isShaped(schema: JsonObject): boolean {
  if (["anyOf", "$ref", "enum", "const"].some((key) => key in schema)) return true;
  return typesOf(schema).length > 0 && typesOf(schema).every((type) => typeof type === "string" && TYPES.has(type));
}

function isClosed(schema: JsonObject, depth: number): boolean {
  if (!typesOf(schema).includes("object") && schema["properties"] === undefined) return true;
  const properties = asObject(schema["properties"]) ?? {};
  const required = new Set(asArray(schema["required"]));
  const names = Object.keys(properties);
  return (
    schema["additionalProperties"] === false &&
    names.length === required.size &&
    names.every((name) => required.has(name)) &&
    Object.values(properties).every((inner) => fits(inner, depth + 1))
  );
}

const hasItems = (schema: JsonObject, depth: number): boolean => !typesOf(schema).includes("array") || fits(schema["items"], depth + 1);

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const type = schema["type"];
  return type === undefined ? [] : Array.isArray(type) ? (type as readonly JsonValue[]) : [type];
}
