import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { hasForbiddenKey, isList, isObject, nestsWithin } from "../json.js";
import { plural } from "../words.js";
import { cleanSchema } from "./clean.js";
import { resolveLocal } from "./pointer.js";
import { isForm, objectForm, schemaOfForm } from "./union.js";

/** A schema that every vendor takes, or why there is none. */
export type Repaired =
  | {
      readonly type: "usable";
      readonly schema: JsonObject;
      /** UTF-16 units of its JSON. */
      readonly units: number;
      /** What it demanded that it cannot say any more, for the tool's description. */
      readonly words: readonly string[];
    }
  | { readonly type: "unusable"; readonly reason: string };

const MAX_UNITS = 64 * 1024;
/** Each schema within another takes two: 32 schemas. */
const MAX_LEVELS = 64;
const ALTERNATIVES = ["$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const"];

/** A tool's schema as it came, made one of an object's. Never throws, whatever came. */
export function repairSchema(given: JsonValue | undefined): Repaired {
  if (given === undefined || given === null || given === true) return usable({ type: "object", properties: {} }, []);
  if (!isObject(given)) return unusable(`its input schema is ${kindOf(given)}, not an object`);
  if (!nestsWithin(given, MAX_LEVELS)) return unusable(`its input schema nests deeper than ${MAX_LEVELS / 2} schemas`);
  const json = JSON.stringify(given);
  const units = json.length;
  if (units > MAX_UNITS) return tooLarge(units);
  if (hasForbiddenKey(json)) return unusable("its input schema has the key __proto__");
  // What is right already keeps even the order of its keys.
  if (given["type"] === "object" && !ALTERNATIVES.some((key) => Object.hasOwn(given, key))) {
    const schema = cleaned(given);
    return schema === given ? { type: "usable", schema, units, words: [] } : usable(schema, []);
  }
  const form = objectForm(given);
  return isForm(form) ? usable(cleaned(schemaOfForm(form)), form.words) : unusable(`its input schema cannot be used: ${form.problem}`);
}

/** References to what is not there are taken out. Each is looked up once. */
function cleaned(schema: JsonObject): JsonObject {
  const known = new Map<string, boolean>();
  const isKnown = (reference: string): boolean => {
    const answer = known.get(reference) ?? resolveLocal(schema, reference) !== undefined;
    known.set(reference, answer);
    return answer;
  };
  return withProperties(cleanSchema(schema, isKnown));
}

const withProperties = (schema: JsonObject): JsonObject => (isObject(schema["properties"]) ? schema : { ...schema, properties: {} });

function usable(schema: JsonObject, words: readonly string[]): Repaired {
  const units = JSON.stringify(schema).length;
  return units > MAX_UNITS ? tooLarge(units) : { type: "usable", schema, units, words };
}

const unusable = (reason: string): Repaired => ({ type: "unusable", reason });

const tooLarge = (units: number): Repaired => unusable(`its input schema has ${plural(units, "character")}, ${MAX_UNITS} is the most`);

function kindOf(value: Exclude<JsonValue, JsonObject>): string {
  if (isList(value)) return "a list";
  return typeof value === "string" ? "a text" : JSON.stringify(value);
}
