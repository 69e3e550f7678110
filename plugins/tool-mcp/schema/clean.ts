import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { isList, isObject, objectOf, texts } from "../json.js";

/** What cleaning has to know of the whole schema. */
interface Scope {
  readonly isKnown: (reference: string) => boolean;
}

type Cleaner = (value: JsonValue, scope: Scope) => JsonValue | undefined;

const TYPES: ReadonlySet<JsonValue> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

const text: Cleaner = (value) => (typeof value === "string" ? value : undefined);
/** Of another dialect, such as Python's, it is refused by vendors, some of them with the whole request. */
const pattern: Cleaner = (value) => (typeof value === "string" && (compiles(value, "u") || compiles(value, "")) ? value : undefined);
const number: Cleaner = (value) => (typeof value === "number" ? value : undefined);
const flag: Cleaner = (value) => (typeof value === "boolean" ? value : undefined);
const values: Cleaner = (value) => (isList(value) && value.length > 0 ? value : undefined);

/** A schema or, as the standard allows, a plain yes or no. */
const schemaOrFlag: Cleaner = (value, scope) => (typeof value === "boolean" ? value : isObject(value) ? clean(value, scope) : undefined);

/** Where `true` stands for any value, models and vendors are told so by an empty schema. */
const anySchema: Cleaner = (value, scope) => (isObject(value) ? clean(value, scope) : value === true ? {} : undefined);

const schemaList: Cleaner = (value, scope) => {
  if (!isList(value)) return undefined;
  const kept = value.map((one) => anySchema(one, scope)).filter((one) => one !== undefined);
  if (kept.length === 0) return undefined;
  return kept.length === value.length && kept.every((one, index) => one === value[index]) ? value : kept;
};

/** What is no schema says nothing of the value; `false` says that there is none. */
const named: Cleaner = (value, scope) => (value === false ? undefined : (anySchema(value, scope) ?? {}));

const schemaMap: Cleaner = (value, scope) => (isObject(value) ? eachOf(value, scope, () => named) : undefined);

const typeWord: Cleaner = (value) => {
  if (!isList(value)) return TYPES.has(value) ? value : undefined;
  const known = texts(value).filter((one) => TYPES.has(one));
  if (known.length === 0) return undefined;
  return known.length === value.length ? value : known;
};

const textList: Cleaner = (value) => {
  if (!isList(value)) return undefined;
  const kept = texts(value);
  return kept.length === value.length ? value : kept;
};

const KEYWORDS: ReadonlyMap<string, Cleaner> = new Map<string, Cleaner>([
  ...["$schema", "$id", "$anchor", "$comment", "title", "description", "format"].map((key) => [key, text] as const),
  ...["contentEncoding", "contentMediaType"].map((key) => [key, text] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].map((key) => [key, number] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map((key) => [key, number] as const),
  ...["minContains", "maxContains"].map((key) => [key, number] as const),
  ...["uniqueItems", "deprecated", "readOnly", "writeOnly"].map((key) => [key, flag] as const),
  ...["enum", "examples"].map((key) => [key, values] as const),
  ...["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains"].map((key) => [key, schemaOrFlag] as const),
  ...["not", "if", "then", "else", "propertyNames", "contentSchema"].map((key) => [key, schemaOrFlag] as const),
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].map((key) => [key, schemaMap] as const),
  ...["anyOf", "oneOf", "allOf", "prefixItems"].map((key) => [key, schemaList] as const),
  ["$ref", (value, { isKnown }) => (typeof value === "string" && isKnown(value) ? value : undefined)],
  ["pattern", pattern],
  ["required", textList],
  ["items", (value, scope) => (value === false ? value : anySchema(value, scope))],
  ["type", typeWord],
]);

/**
 * The same schema with what no schema may have taken out or put right, keyword by keyword, and nothing else changed: keywords that are not
 * known stay, so do `$schema`, `$defs`, references within the schema, and everything that was right.
 */
export const cleanSchema = (schema: JsonObject, isKnown: (reference: string) => boolean): JsonObject => clean(schema, { isKnown });

function clean(given: JsonObject, scope: Scope): JsonObject {
  const schema = isList(given["items"]) ? withoutTuples(given, given["items"]) : given;
  const cleaned = eachOf(schema, scope, (key) => KEYWORDS.get(key));
  return isArray(cleaned["type"]) && cleaned["items"] === undefined ? { ...cleaned, items: {} } : cleaned;
}

/** The same object where nothing of it changes: a server's schemas have to be looked through in the time of one slice. */
function eachOf(value: JsonObject, scope: Scope, cleanerOf: (key: string) => Cleaner | undefined): JsonObject {
  let changes: Map<string, JsonValue | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const one = value[key];
    const cleaner = cleanerOf(key);
    if (one === undefined || cleaner === undefined) continue;
    const cleaned = cleaner(one, scope);
    if (cleaned !== one) changes = (changes ?? new Map<string, JsonValue | undefined>()).set(key, cleaned);
  }
  if (changes === undefined) return value;
  const kept: [string, JsonValue][] = [];
  for (const [key, one] of Object.entries(value)) {
    const now = changes.has(key) ? changes.get(key) : one;
    if (now !== undefined) kept.push([key, now]);
  }
  return objectOf(kept);
}

/** A list of items was how a tuple was written before 2020-12; vendors that check take the new way alone. */
function withoutTuples({ items: _items, additionalItems, ...rest }: JsonObject, items: readonly JsonValue[]): JsonObject {
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

/** One vendor refuses an array that says nothing of its items. */
const isArray = (type: JsonValue | undefined): boolean => type === "array" || (isList(type) && type.includes("array"));

function compiles(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).source !== "";
  } catch {
    return false;
  }
}
