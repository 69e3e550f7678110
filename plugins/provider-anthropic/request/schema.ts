import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";

/** What the vendor takes as a tool's name. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/u;
/** What it takes as the name of a tool's parameter. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/u;
const UNIONS = ["anyOf", "oneOf", "allOf"] as const;

/**
 * Schema of a tool's arguments as the vendor takes it: always an object, without alternatives at its top. Those become one object with the
 * properties of all, of which only what every alternative needs is needed.
 */
export function inputSchema(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const needed = names(schema["required"]);
  const parts = [anyOf, oneOf, allOf].flatMap((list) => asArray(list)).map((part) => asObject(part) ?? {});
  const shared = alternatives(anyOf, oneOf).map((list) => common(list));
  const properties = Object.fromEntries(
    [...parts, schema].flatMap((part) => Object.entries(asObject(part["properties"]) ?? {})).filter(([name]) => PROPERTY_NAME.test(name)),
  );
  const required = [...new Set([...needed, ...shared.flat(), ...asArray(allOf).flatMap((part) => names(asObject(part)?.["required"]))])];
  const known = required.filter((name) => PROPERTY_NAME.test(name));
  const { required: _replaced, ...kept } = rest;
  return { ...kept, type: "object", properties, ...(known.length === 0 ? {} : { required: known }) };
}

const alternatives = (...lists: readonly (JsonValue | undefined)[]): readonly (readonly JsonValue[])[] =>
  lists.map(asArray).filter((list) => list.length > 0);

const names = (value: JsonValue | undefined): readonly string[] => asArray(value).filter((name) => typeof name === "string");

/** What every alternative requires. */
function common(list: readonly JsonValue[]): readonly string[] {
  const [first = [], ...others] = list.map((part) => names(asObject(part)?.["required"]));
  return first.filter((name) => others.every((other) => other.includes(name)));
}

/** A response format in the words of Chat Completions, as the vendor's; nothing when it has none for it. */
export function outputFormat(format: JsonValue | undefined): JsonObject | undefined {
  const wanted = asObject(format);
  if (asText(wanted?.["type"]) !== "json_schema") return undefined;
  const schema = asObject(asObject(wanted?.["json_schema"])?.["schema"]) ?? asObject(wanted?.["schema"]);
  return schema === undefined ? undefined : { type: "json_schema", schema: closed(schema) };
}

/** The vendor wants every object of such a schema to say that it has no further properties. */
function closed(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([key, value]) => [key, closedPart(key, value)] as const);
  const isObject = schema["type"] === "object" || asObject(schema["properties"]) !== undefined;
  return { ...Object.fromEntries(entries), ...(isObject && !("additionalProperties" in schema) ? { additionalProperties: false } : {}) };
}

function closedPart(key: string, value: JsonValue): JsonValue {
  if (key === "properties" || key === "$defs" || key === "definitions")
    return Object.fromEntries(Object.entries(asObject(value) ?? {}).map(([name, part]) => [name, closedSchema(part)]));
  if (key === "items") return closedSchema(value);
  return UNIONS.some((union) => union === key) ? asArray(value).map(closedSchema) : value;
}

const closedSchema = (value: JsonValue): JsonValue => {
  const schema = asObject(value);
  return schema === undefined ? value : closed(schema);
};
