import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { asList, asObject, isList, isObject, objectOf, texts } from "../json.js";
import { clip } from "../words.js";
import { resolveLocal } from "./pointer.js";

/** What an object schema demands, without alternatives at its top. */
export interface ObjectForm {
  /** Keywords that are neither about properties nor alternatives. */
  readonly rest: JsonObject;
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: readonly string[];
  /** What its alternatives demanded, for the description. */
  readonly words: readonly string[];
}

/** A schema that is none of an object's, and why. */
export interface NoObject {
  readonly problem: string;
}

interface Walk {
  readonly root: JsonObject;
  readonly depth: number;
  /** What was found of a schema before; a problem while it is looked at, so that one that is within itself comes to an end. */
  readonly known: Map<JsonObject, ObjectForm | NoObject>;
}

const MAX_DEPTH = 8;
const MAX_WORDS = 600;

/**
 * A schema as one object's: references and alternatives at its top are put together. Properties are those of all parts; needed is what every
 * alternative needs. Some vendors take nothing else at the top, and whoever checks a call is the server itself.
 */
export const objectForm = (schema: JsonObject): ObjectForm | NoObject => formOf(schema, { root: schema, depth: 0, known: new Map() });

export const isForm = (form: ObjectForm | NoObject): form is ObjectForm => !("problem" in form);

function formOf(given: JsonObject, walk: Walk): ObjectForm | NoObject {
  const before = walk.known.get(given);
  if (before !== undefined) return before;
  walk.known.set(given, TOO_DEEP);
  const form = walk.depth > MAX_DEPTH ? TOO_DEEP : newForm(given, walk);
  walk.known.set(given, form);
  return form;
}

const TOO_DEEP: NoObject = { problem: "its alternatives are within one another too often" };

function newForm(given: JsonObject, walk: Walk): ObjectForm | NoObject {
  const target = typeof given["$ref"] === "string" ? resolveLocal(walk.root, given["$ref"]) : undefined;
  const inner = { ...walk, depth: walk.depth + 1 };
  const { $ref: _reference, ...beside } = given;
  if (target !== undefined) return both(formOf(beside, inner), formOf(target, inner));
  const { type, properties, required, anyOf, oneOf, allOf, not: _not, enum: _enum, const: _const, ...rest } = beside;
  if (!mayBeObject(type)) return { problem: `it is a schema of ${typeWords(type)}, not of an object` };
  const own: ObjectForm = { rest, properties: new Map(Object.entries(asObject(properties))), required: texts(required), words: [] };
  const parts = [
    ...asList(allOf).map((part) => opened(partOf(part, inner))),
    besides(own, alternatives(anyOf, "At least one of these has to be given", inner)),
    besides(own, alternatives(oneOf, "Exactly one of these has to be given", inner)),
  ];
  return parts.reduce<ObjectForm | NoObject>((sum, part) => (part === undefined ? sum : both(sum, part)), own);
}

const mayBeObject = (type: JsonValue | undefined): boolean => {
  if (isList(type)) return type.length === 0 || type.includes("object");
  return typeof type !== "string" || type === "object" || type === "any";
};

const typeWords = (type: JsonValue | undefined): string => (typeof type === "string" ? type : texts(type).join(" or "));

const ANYTHING: ObjectForm = { rest: {}, properties: new Map(), required: [], words: [] };

function partOf(part: JsonValue, walk: Walk): ObjectForm | NoObject {
  if (isObject(part)) return formOf(part, walk);
  return part === true ? ANYTHING : { problem: "one of its parts is no schema of an object" };
}

/** A part that would have no properties but its own was written to stand alone. */
function opened(form: ObjectForm | NoObject): ObjectForm | NoObject {
  if (!isForm(form)) return form;
  const { additionalProperties: _closed, unevaluatedProperties: _left, ...rest } = form.rest;
  return { ...form, rest };
}

/** What the whole says of a property holds; that of some alternatives does not hold for the others. */
function besides(own: ObjectForm, form: ObjectForm | NoObject | undefined): ObjectForm | NoObject | undefined {
  if (form === undefined || !isForm(form)) return form;
  const says = (name: string): boolean => Object.keys(asObject(own.properties.get(name))).length > 0;
  return { ...form, properties: new Map([...form.properties].filter(([name]) => !says(name))) };
}

/** All that hold at once. */
function both(left: ObjectForm | NoObject, right: ObjectForm | NoObject): ObjectForm | NoObject {
  if (!isForm(left)) return left;
  if (!isForm(right)) return right;
  const properties = new Map(left.properties);
  for (const [name, schema] of right.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined || !isObject(known) || !isObject(schema) ? schema : { ...known, ...schema });
  }
  return {
    rest: { ...right.rest, ...left.rest },
    properties,
    required: [...new Set([...left.required, ...right.required])],
    words: [...left.words, ...right.words],
  };
}

/** Any of them: what one knows of a property that another knows otherwise, are two ways to write it. */
function alternatives(list: JsonValue | undefined, words: string, walk: Walk): ObjectForm | NoObject | undefined {
  const parts = asList(list);
  if (parts.length === 0) return undefined;
  const forms = parts.map((part) => partOf(part, walk)).filter(isForm);
  const [first, ...others] = forms;
  if (first === undefined) return { problem: "none of its alternatives is a schema of an object" };
  const ways = new Map<string, Set<JsonValue>>();
  for (const form of forms) {
    for (const [name, schema] of form.properties) {
      const known = ways.get(name) ?? new Set();
      ways.set(name, known.add(schema));
    }
  }
  return {
    // What holds for an alternative alone, such as that it has no further properties, does not hold for all.
    rest: others.length === 0 ? first.rest : {},
    properties: new Map([...ways].map(([name, schemas]) => [name, oneSchema([...schemas])])),
    required: first.required.filter((name) => others.every((other) => other.required.includes(name))),
    words: [
      ...(others.length === 0 ? [] : [clip(`${words}: ${forms.map(formWords).join("; or ")}.`, MAX_WORDS)]),
      ...new Set(forms.flatMap((form) => form.words)),
    ],
  };
}

function oneSchema(schemas: readonly JsonValue[]): JsonValue {
  const [only] = schemas;
  if (schemas.length === 1 && only !== undefined) return only;
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [same] = different;
  return different.length === 1 && same !== undefined ? same : { anyOf: different };
}

function formWords({ properties, required }: ObjectForm): string {
  const names = required.length > 0 ? required : [...properties.keys()];
  const constants = names.map((name) => {
    const fixed = asObject(properties.get(name))["const"];
    return fixed === undefined ? name : `${name} = ${JSON.stringify(fixed)}`;
  });
  return constants.length === 0 ? "anything" : constants.join(" with ");
}

/** The form as a schema. */
export const schemaOfForm = ({ rest, properties, required }: ObjectForm): JsonObject => ({
  ...rest,
  type: "object",
  properties: objectOf(properties),
  ...(required.length === 0 ? {} : { required }),
});
