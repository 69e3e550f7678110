import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";

/** Which form of a schema is wanted: JSON Schema as far as the API takes it, or the older form without unions of types. */
export type SchemaForm = "json" | "reduced";

interface Walk {
  readonly form: SchemaForm;
  readonly root: JsonObject;
  /** References that are being resolved: one of them again is recursion. */
  readonly open: readonly string[];
}

/** Keywords taken over as they are, when they have the type that is meant. */
const TEXTS = ["title", "description"];
const LIMITS: ReadonlyMap<string, readonly string[]> = new Map([
  ["number", ["minimum", "maximum"]],
  ["integer", ["minimum", "maximum"]],
  ["array", ["minItems", "maxItems"]],
]);
/** Those only the older form has. */
const REDUCED_LIMITS: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["minLength", "maxLength", "pattern"]],
  ["object", ["minProperties", "maxProperties"]],
]);
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["date-time", "enum"]],
  ["number", ["float", "double"]],
  ["integer", ["int32", "int64"]],
]);
const TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "array", "object"]);
/** Deeper than any schema a model could fill in. */
const MAX_DEPTH = 40;

/** A schema with nothing the API refuses: references put in place, constants as enumerations, foreign keywords left out. */
export const apiSchema = (schema: JsonObject, form: SchemaForm): JsonObject => reduce(schema, { form, root: schema, open: [] }, 0);

/** Parameters of a function, or nothing for one without any: an object without properties is refused. */
export function parametersSchema(schema: JsonObject, form: SchemaForm): JsonObject | undefined {
  const reduced = apiSchema({ ...schema, type: "object" }, form);
  return asObject(reduced["properties"]) === undefined && form === "reduced" ? undefined : reduced;
}

function reduce(value: JsonValue, walk: Walk, depth: number): JsonObject {
  const given = asObject(value);
  // `true` and `{}` allow anything, which has no form of its own.
  if (given === undefined || depth > MAX_DEPTH) return anything(walk);
  const { schema, walk: inside } = resolve(given, walk);
  const variants = asArray(schema["anyOf"] ?? schema["oneOf"]);
  const types = typesOf(schema);
  const isNullable = types.has("null") || schema["nullable"] === true || variants.some(isNull);
  const named = [...types].filter((type) => TYPES.has(type));
  const real = variants.filter((variant) => !isNull(variant));
  if (real.length > 0 && named.length === 0) return union(schema, real, { walk: inside, depth, isNullable });
  if (named.length > 1)
    return union(
      schema,
      named.map((type) => ({ ...schema, type, anyOf: [], oneOf: [] })),
      { walk: inside, depth, isNullable },
    );
  return single(schema, named[0] ?? guessedType(schema), { walk: inside, depth, isNullable });
}

interface Place {
  readonly walk: Walk;
  readonly depth: number;
  readonly isNullable: boolean;
}

function single(schema: JsonObject, type: string, place: Place): JsonObject {
  return {
    ...typeField(type, place),
    ...annotations(schema),
    ...choices(schema, type, place),
    ...limits(schema, type, place.walk.form),
    ...(type === "object" ? objectFields(schema, place) : {}),
    ...(type === "array" ? { items: reduce(itemsOf(schema), place.walk, place.depth + 1) } : {}),
  };
}

/** The variants of a union; what stands beside them but a description is not understood there. A union of one is that one. */
function union(schema: JsonObject, variants: readonly JsonValue[], { walk, depth, isNullable }: Place): JsonObject {
  const reduced = distinct(variants.map((variant) => reduce(variant, walk, depth + 1)));
  const [first] = reduced;
  const beside = annotations(schema);
  if (reduced.length === 1 && first !== undefined) {
    const only = { ...first, ...beside };
    return isNullable ? { ...only, ...typeField(asText(first["type"]) || "string", { walk, depth, isNullable }) } : only;
  }
  if (!isNullable) return { ...beside, anyOf: reduced };
  return walk.form === "json" ? { ...beside, anyOf: [...reduced, { type: "null" }] } : { ...beside, anyOf: reduced, nullable: true };
}

function distinct(schemas: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  return [...seen.values()];
}

/** Follows a reference into the document and merges what stands beside it, and `allOf`. Recursion ends as any object. */
function resolve(given: JsonObject, walk: Walk): { readonly schema: JsonObject; readonly walk: Walk } {
  const reference = asText(given["$ref"]);
  const { $ref: _reference, allOf: _all, ...rest } = given;
  if (reference !== "" && walk.open.includes(reference)) return { schema: { ...rest, type: "object" }, walk };
  const inside = reference === "" ? walk : { ...walk, open: [...walk.open, reference] };
  const parts = [...(reference === "" ? [] : [target(walk.root, reference) ?? {}]), ...asArray(given["allOf"])];
  if (parts.length === 0) return { schema: given, walk };
  let schema: JsonObject = rest;
  let within = inside;
  for (const part of parts) {
    const object = asObject(part);
    if (object === undefined) continue;
    const resolved = within.open.length > MAX_DEPTH ? { schema: {}, walk: within } : resolve(object, within);
    within = resolved.walk;
    schema = both(resolved.schema, schema);
  }
  return { schema, walk: within };
}

/** Two schemas of which both hold; where they say the same thing the second counts. */
function both(first: JsonObject, second: JsonObject): JsonObject {
  const properties = { ...asObject(first["properties"]), ...asObject(second["properties"]) };
  const required = [...new Set([...asArray(first["required"]), ...asArray(second["required"])])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A JSON pointer within the document (RFC 6901), as references to definitions are written. */
function target(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const object: JsonObject | undefined = asObject(value);
    value = object === undefined ? asArray(value)[Number(key)] : Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return value;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function typesOf(schema: JsonObject): ReadonlySet<string> {
  const type = schema["type"];
  return new Set((typeof type === "string" ? [type] : asArray(type).map(asText)).map((name) => name.toLowerCase()));
}

const isNull = (variant: JsonValue): boolean => {
  const schema = asObject(variant);
  return schema !== undefined && (asText(schema["type"]) === "null" || schema["const"] === null);
};

const typeField = (type: string, { walk, isNullable }: Place): JsonObject =>
  !isNullable ? { type } : walk.form === "json" ? { type: [type, "null"] } : { type, nullable: true };

const anything = ({ form }: Walk): JsonObject => (form === "json" ? {} : { type: "string" });

function guessedType(schema: JsonObject): string {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  const sample = "const" in schema ? schema["const"] : asArray(schema["enum"]).find((value) => value !== null);
  if (typeof sample === "number") return Number.isInteger(sample) ? "integer" : "number";
  if (typeof sample === "boolean") return "boolean";
  if (sample === undefined && ("minimum" in schema || "maximum" in schema)) return "number";
  return "string";
}

const annotations = (schema: JsonObject): JsonObject =>
  Object.fromEntries(TEXTS.flatMap((key) => (typeof schema[key] === "string" && schema[key] !== "" ? [[key, schema[key]]] : [])));

/** Enumerations are of texts in the older form; of other values they are told in words. */
function choices(schema: JsonObject, type: string, { walk }: Place): JsonObject {
  const values = ("const" in schema ? [schema["const"]] : asArray(schema["enum"])).filter(
    (value): value is string | number | boolean => value !== null && typeof value !== "object",
  );
  if (values.length === 0) return {};
  if (type === "string" || (walk.form === "json" && (type === "number" || type === "integer"))) {
    const fitting = [...new Set(values.map((value) => (type === "string" ? String(value) : value)))];
    return { enum: fitting.filter((value) => value !== "") };
  }
  const words = `One of: ${values.map(String).join(", ")}.`;
  const described = asText(schema["description"]);
  return { description: described === "" ? words : `${described} ${words}` };
}

function limits(schema: JsonObject, type: string, form: SchemaForm): JsonObject {
  const format = asText(schema["format"]);
  const keys = [...(LIMITS.get(type) ?? []), ...(form === "reduced" ? (REDUCED_LIMITS.get(type) ?? []) : [])];
  return {
    ...(FORMATS.get(type)?.includes(format) === true ? { format } : {}),
    ...Object.fromEntries(
      keys.flatMap((key) => (typeof schema[key] === (key === "pattern" ? "string" : "number") ? [[key, schema[key]]] : [])),
    ),
  };
}

function objectFields(schema: JsonObject, { walk, depth }: Place): JsonObject {
  const properties = Object.entries(asObject(schema["properties"]) ?? {}).filter(([, value]) => value !== false);
  const names = new Set(properties.map(([name]) => name));
  const required = asArray(schema["required"]).filter((name) => names.has(asText(name)));
  const more = schema["additionalProperties"];
  return {
    ...(properties.length === 0
      ? {}
      : { properties: Object.fromEntries(properties.map(([name, value]) => [name, reduce(value, walk, depth + 1)])) }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(walk.form === "json" && more !== undefined
      ? { additionalProperties: typeof more === "boolean" ? more : reduce(more, walk, depth + 1) }
      : {}),
  };
}

function itemsOf(schema: JsonObject): JsonValue {
  const items = schema["items"];
  if (asObject(items) !== undefined) return items ?? {};
  const variants = [...asArray(items), ...asArray(schema["prefixItems"])];
  return variants.length === 0 ? {} : { anyOf: variants };
}
