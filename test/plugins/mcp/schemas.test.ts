import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repairSchema } from "../../../plugins/tool-mcp/schema/repair.js";
import type { JsonObject, JsonValue } from "../../../src/plugin/sdk.js";

const EMPTY: JsonObject = { type: "object", properties: {} };
const A = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
const B = { type: "object", properties: { b: { type: "number" } }, required: ["b"] } as const;

const schemaOf = (given: JsonValue | undefined): JsonObject => {
  const repaired = repairSchema(given);
  if (repaired.type !== "usable") throw new Error(repaired.reason);
  return repaired.schema;
};
const wordsOf = (given: JsonValue): readonly string[] => {
  const repaired = repairSchema(given);
  return repaired.type === "usable" ? repaired.words : [];
};
const reasonOf = (given: JsonValue): string => {
  const repaired = repairSchema(given);
  return repaired.type === "usable" ? `usable: ${JSON.stringify(repaired.schema)}` : repaired.reason;
};

describe("schemas at the top", () => {
  test.each<[string, JsonValue | undefined, JsonObject]>([
    ["none", undefined, EMPTY],
    ["null", null, EMPTY],
    ["anything", true, EMPTY],
    ["an object of anything", { type: "object" }, EMPTY],
    ["nothing at all", {}, EMPTY],
    ["properties without a type", { properties: { x: { type: "string" } } }, { type: "object", properties: { x: { type: "string" } } }],
    ["properties that are a list", { type: "object", properties: [] }, EMPTY],
    ["properties that are null", { type: "object", properties: null }, EMPTY],
    ["an object or null", { type: ["object", "null"], properties: {} }, EMPTY],
    ["a type of no meaning", { type: "any" }, EMPTY],
    ["a boolean property", { properties: { x: true } }, { type: "object", properties: { x: {} } }],
    ["a property that is never there", { type: "object", properties: { x: false, y: {} } }, { type: "object", properties: { y: {} } }],
    ["required of an older draft", { type: "object", properties: {}, required: true }, EMPTY],
    ["an enumeration of objects", { type: "object", enum: [{}], not: { required: ["x"] } }, EMPTY],
    ["alternatives that are not there", { type: "object", anyOf: [] }, EMPTY],
  ])("%s becomes an object's", (_case, given, expected) => {
    expect(schemaOf(given)).toEqual(expected);
  });

  test.each<[string, JsonValue, string]>([
    ["a text", { type: "string" }, "its input schema cannot be used: it is a schema of string, not of an object"],
    [
      "a text or a list",
      { type: ["string", "array"] },
      "its input schema cannot be used: it is a schema of string or array, not of an object",
    ],
    [
      "alternatives without an object",
      { anyOf: [{ type: "string" }, false] },
      "its input schema cannot be used: none of its alternatives is a schema of an object",
    ],
    [
      "a part that is no object",
      { allOf: [A, { type: "array" }] },
      "its input schema cannot be used: it is a schema of array, not of an object",
    ],
    ["itself", { $ref: "#" }, "its input schema cannot be used: its alternatives are within one another too often"],
    ["a list", [], "its input schema is a list, not an object"],
    ["a word", "object", "its input schema is a text, not an object"],
    ["a number", 3, "its input schema is 3, not an object"],
    ["no", false, "its input schema is false, not an object"],
  ])("%s is none of an object's, and the reason is told", (_case, given, reason) => {
    expect(reasonOf(given)).toBe(reason);
  });

  test("a schema over the bound is left out", () => {
    expect(reasonOf({ type: "object", properties: { x: { description: "d".repeat(65_536) } } })).toMatch(
      /^its input schema has 65\d{3} characters, 65536 is the most$/u,
    );
  });

  test("one that grows over it by being put together is left out too", () => {
    const big = { type: "object", properties: { x: { description: "d".repeat(30_000) } } };
    const $defs = { big };
    const alternatives = [1, 2, 3].map((kind) => ({ properties: { kind: { const: kind }, [`y${kind}`]: big } }));
    expect(reasonOf({ $defs, anyOf: alternatives.slice(0, 1) })).toMatch(/^usable/u);
    expect(reasonOf({ $defs: {}, allOf: [{ $ref: "#/$defs/none" }] })).toMatch(/^usable/u);
    expect(reasonOf({ $defs, anyOf: alternatives })).toMatch(/characters, 65536 is the most$/u);
  });

  test.each<[string, string | undefined]>([
    ["^[a-z]+$", "^[a-z]+$"],
    ["[\\w-.]+", "[\\w-.]+"],
    ["(?P<year>\\d+)", undefined],
    ["(?i)yes", undefined],
    ["(", undefined],
  ])("the pattern %s stays where it is one of JavaScript's", (pattern, kept) => {
    const x = { type: "string", ...(kept === undefined ? {} : { pattern: kept }) };
    const given = { type: "object", properties: { x: { type: "string", pattern } } };
    expect(schemaOf(given)).toEqual({ type: "object", properties: { x } });
  });

  test("a key that the host does not take is the reason to leave the tool out", () => {
    expect(reasonOf(JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as JsonValue)).toBe(
      "its input schema has the key __proto__",
    );
    expect(reasonOf({ type: "object", required: ["__proto__"] })).toMatch(/^usable/u);
  });

  test.each([20, 10_000])("one that nests %i deep is kept or left out, and never a fault", (depth) => {
    let given: JsonValue = { type: "string" };
    for (let level = 0; level < depth; level += 1) given = { type: "object", properties: { x: given } };
    expect(reasonOf(given)).toMatch(depth < 32 ? /^usable/u : /^its input schema nests deeper than 32 schemas$/u);
  });

  test("alternatives of alternatives by reference come to an end", () => {
    const many = Array.from({ length: 20 }, () => ({ $ref: "#/$defs/x" }));
    expect(reasonOf({ $defs: { x: { anyOf: many } }, anyOf: many })).toMatch(/none of its alternatives|within one another too often/u);
  });
});

describe("alternatives at the top (mcp-3)", () => {
  test("any of two objects is one object with the properties of both, and its description tells", () => {
    const given = { anyOf: [A, B] };
    expect(schemaOf(given)).toEqual({ type: "object", properties: { a: { type: "string" }, b: { type: "number" } } });
    expect(wordsOf(given)).toEqual(["At least one of these has to be given: a; or b."]);
  });

  test("what every alternative needs is needed", () => {
    const x = { x: { type: "string" } };
    const given = {
      oneOf: [
        { type: "object", properties: { ...x, kind: { const: "one" } }, required: ["x", "kind"], additionalProperties: false },
        { type: "object", properties: { ...x, kind: { const: "two" } }, required: ["kind", "x"], additionalProperties: false },
      ],
    };
    expect(schemaOf(given)).toEqual({
      type: "object",
      properties: { ...x, kind: { anyOf: [{ const: "one" }, { const: "two" }] } },
      required: ["x", "kind"],
    });
    expect(wordsOf(given)).toEqual(['Exactly one of these has to be given: x with kind = "one"; or kind = "two" with x.']);
  });

  test("all of two objects needs what both need", () => {
    expect(schemaOf({ allOf: [A, B] })).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    });
  });

  test("conditions beside properties leave the properties as they are", () => {
    const given = {
      ...A,
      properties: { ...A.properties, b: { type: "string", enum: ["x"] } },
      anyOf: [{ properties: { b: { const: "x" } }, required: ["b"] }, {}],
    };
    expect(schemaOf(given)).toEqual({ type: "object", properties: given.properties, required: ["a"] });
  });

  test("a null beside the object is no alternative", () => {
    expect(schemaOf({ anyOf: [A, { type: "null" }] })).toEqual(A);
    expect(wordsOf({ anyOf: [A, { type: "null" }] })).toEqual([]);
  });

  test("a reference at the top is followed, and what it refers to stays", () => {
    const definitions = { Args: A };
    expect(schemaOf({ $ref: "#/definitions/Args", definitions, $schema: "http://json-schema.org/draft-07/schema#" })).toEqual({
      ...A,
      definitions,
      $schema: "http://json-schema.org/draft-07/schema#",
    });
  });

  test("properties named like things of every object are properties", () => {
    const properties: JsonObject = { hasOwnProperty: { type: "string" }, constructor: { type: "number" } };
    const merged = schemaOf({ anyOf: [{ properties }, { properties: { toString: { type: "null" } } }] });
    expect(Object.keys(merged["properties"] as object)).toEqual(["hasOwnProperty", "constructor", "toString"]);
  });
});

describe("schemas that are right", () => {
  test("what the conformance scenario looks for comes through: $schema, $defs, anchors, conditions, closed objects", () => {
    const given = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "here", type: "object", properties: { street: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" }, again: { $ref: "#here" } },
      if: { properties: { name: { const: "x" } }, required: ["name"] },
      then: { required: ["address"] },
      else: { required: ["again"] },
      additionalProperties: false,
    };
    expect(schemaOf(given)).toEqual(given);
    const withCondition = { ...given, allOf: [{ anyOf: [{ required: ["name"] }, { required: ["again"] }] }] };
    expect(schemaOf(withCondition)).toEqual(given);
    expect(wordsOf(withCondition)).toEqual(["At least one of these has to be given: name; or again."]);
  });

  test("a recursive one stays as it is", () => {
    const given = {
      type: "object",
      properties: { tree: { $ref: "#/$defs/node" }, self: { $ref: "#" } },
      $defs: { node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
    };
    expect(JSON.stringify(schemaOf(given))).toBe(JSON.stringify(given));
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["a reference to another document", { $ref: "https://example.com/x.json", description: "x" }, { description: "x" }],
    ["a reference to nothing", { $ref: "#/$defs/none" }, {}],
    ["a reference that is no address", { $ref: "#/%zz" }, {}],
    ["a list of anything", { type: "array" }, { type: "array", items: {} }],
    [
      "a tuple of an older draft",
      { type: "array", items: [{ type: "string" }, true], additionalItems: false },
      { type: "array", prefixItems: [{ type: "string" }, {}], items: false },
    ],
    ["an exclusive bound of an older draft", { type: "number", minimum: 0, exclusiveMinimum: true }, { type: "number", minimum: 0 }],
    ["a type nobody knows", { type: "int" }, {}],
    ["types of which one is known", { type: ["string", "date"] }, { type: ["string"] }],
    ["a title that is null", { title: null, type: "string" }, { type: "string" }],
    ["required of one property", { type: "object", properties: { y: true }, required: true }, { type: "object", properties: { y: {} } }],
    ["an enumeration of nothing", { enum: [], type: "string" }, { type: "string" }],
    ["keywords nobody knows", { "x-order": 3, nullable: true }, { "x-order": 3, nullable: true }],
    [
      "what only looks like a schema",
      { default: { type: "int", $ref: "x" }, const: { items: [] } },
      { default: { type: "int", $ref: "x" }, const: { items: [] } },
    ],
  ])("%s within is put right, and nothing else", (_case, given, expected) => {
    expect(schemaOf({ type: "object", properties: { x: given } })["properties"]).toEqual({ x: expected });
  });
});

/** JSON that looks like a schema more often than chance would have it. */
const schemaLike: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue; value: JsonValue }>((tie) => {
  const schemas = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "$ref", "type"), tie("schema"), { maxKeys: 3 });
  const lists = fc.array(tie("schema"), { maxLength: 3 });
  const value = fc.oneof(fc.jsonValue() as fc.Arbitrary<JsonValue>, tie("schema"));
  return {
    value,
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<JsonValue>(true, false, null, {}, "x", 1, []),
      fc.record(
        {
          type: fc.oneof(fc.constantFrom<JsonValue>("object", "string", "array", "int", ["object", "null"], 3, []), value),
          properties: fc.oneof(schemas, value),
          required: fc.oneof(fc.array(fc.constantFrom("a", "b")), value),
          items: fc.oneof(tie("schema"), lists),
          anyOf: fc.oneof(lists, value),
          oneOf: lists,
          allOf: lists,
          $defs: schemas,
          $ref: fc.constantFrom<JsonValue>("#", "#/$defs/a", "#/properties/a", "https://example.com/", 4),
          enum: value,
          additionalProperties: tie("schema"),
          description: value,
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonValue>,
    ),
  };
}).schema;

describe("any JSON", () => {
  test("gives a schema of an object that every vendor takes, or a reason; and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(schemaLike, fc.jsonValue() as fc.Arbitrary<JsonValue>), (given) => {
        const repaired = repairSchema(given);
        if (repaired.type === "unusable") {
          expect(repaired.reason).toMatch(/^its input schema /u);
          return;
        }
        const { schema } = repaired;
        expect(schema["type"]).toBe("object");
        for (const key of ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"]) expect(Object.hasOwn(schema, key)).toBe(false);
        expect(repaired.units).toBe(JSON.stringify(schema).length);
        expect(faultOf(schema)).toBeUndefined();
      }),
      { numRuns: 600 },
    );
  });

  test("what was put right once is right", () => {
    fc.assert(
      fc.property(schemaLike, (given) => {
        const first = repairSchema(given);
        fc.pre(first.type === "usable");
        const again = repairSchema(first.schema);
        expect(again.type === "usable" && JSON.stringify(again.schema)).toBe(JSON.stringify(first.schema));
      }),
      { numRuns: 300 },
    );
  });
});

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const isSchema = (value: JsonValue): boolean => typeof value === "boolean" || isObject(value);
const isTexts = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string") && new Set(value).size === value.length;

/** What a keyword's value has to be, by an independent reading of the standard. */
const RULES: { readonly [keyword: string]: (value: JsonValue, schema: JsonObject) => boolean } = {
  type: (value) =>
    Array.isArray(value) ? value.length > 0 && value.every((one) => TYPES.includes(one as string)) : TYPES.includes(value as string),
  required: isTexts,
  enum: (value) => Array.isArray(value) && value.length > 0,
  description: (value) => typeof value === "string",
  $ref: (value) => typeof value === "string" && value.startsWith("#"),
  properties: (value) => isObject(value) && Object.values(value).every(isObject),
  $defs: (value) => isObject(value) && Object.values(value).every(isObject),
  items: isSchema,
  additionalProperties: isSchema,
  anyOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isObject),
  oneOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isObject),
  allOf: (value) => Array.isArray(value) && value.length > 0 && value.every(isObject),
};

/** A fault that makes a vendor refuse the whole request. */
function faultOf(schema: JsonValue): string | undefined {
  if (!isObject(schema)) return isSchema(schema) ? undefined : `no schema: ${JSON.stringify(schema)}`;
  const own = (key: string): JsonValue | undefined => (Object.hasOwn(schema, key) ? schema[key] : undefined);
  const wrong = Object.entries(RULES).find(([key, isRight]) => {
    const value = own(key);
    return value !== undefined && !isRight(value, schema);
  });
  if (wrong !== undefined) return `${wrong[0]}: ${JSON.stringify(own(wrong[0]))}`;
  if ([own("type")].flat().includes("array") && own("items") === undefined) return "an array without items";
  const maps = ["properties", "$defs"].flatMap((key) => Object.values((own(key) ?? {}) as JsonObject));
  const lists = ["anyOf", "oneOf", "allOf"].flatMap((key) => (own(key) ?? []) as readonly JsonValue[]);
  const single = ["items", "additionalProperties"].map((key) => own(key) ?? true);
  return [...maps, ...lists, ...single].map(faultOf).find((fault) => fault !== undefined);
}
