import type { KdlNode } from "../../../config/index.js";
import type { JsonObject } from "../../../base/index.js";
import { ARGUMENT_NAME } from "../names.js";
import {
  type ManifestScope,
  nameOf,
  readChildren,
  readName,
  readProperties,
  rejectDuplicates,
  rejectProperty,
  requireValue,
  unknownProblem,
} from "../node-reader.js";

const TYPES = ["string", "integer", "number", "boolean", "object"] as const;
type BaseType = (typeof TYPES)[number];
const TYPE_WORDS = TYPES.flatMap((type) => [type, `${type}[]`]);

/**
 * The JSON Schema of an object with these `arg` nodes as its properties. As terse as it can be: it is sent to a model with
 * every request.
 */
export function compileArguments(scope: ManifestScope, nodes: readonly KdlNode[]): JsonObject {
  rejectDuplicates(scope, nodes);
  const compiled = nodes.map((node) => compileArgument(scope, node));
  const required = compiled.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(compiled.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

interface CompiledArgument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

function compileArgument(scope: ManifestScope, node: KdlNode): CompiledArgument {
  const name = readName(scope, node, ARGUMENT_NAME);
  const properties = readProperties(scope, node, {
    type: "text",
    required: "flag",
    help: "text",
    enum: "text",
    min: "number",
    max: "number",
    "max-items": "integer",
  });
  const children = readChildren(scope, node, ["arg"]).arg;
  const { base, isList } = readType(scope, node, requireValue(scope, node, { name: "type", value: properties.type, fallback: "string" }));
  const help = properties.help === undefined ? {} : { description: properties.help };
  const item = { ...bounds(scope, node, base, properties), ...members(scope, node, base, children) };
  const schema = isList
    ? { type: "array", ...help, items: { type: base, ...item }, ...maxItems(properties["max-items"]) }
    : { type: base, ...help, ...item };
  if (!isList) rejectProperty(scope, node, "max-items", "absent: only a list has items");
  return { name, isRequired: properties.required === true, schema };
}

const maxItems = (most: number | undefined): JsonObject => (most === undefined ? {} : { maxItems: most });

function readType(scope: ManifestScope, node: KdlNode, word: string): { readonly base: BaseType; readonly isList: boolean } {
  const isList = word.endsWith("[]");
  const base = TYPES.find((type) => type === (isList ? word.slice(0, -2) : word));
  if (base !== undefined) return { base, isList };
  const entry = node.entries.find(({ name }) => name === "type") ?? node;
  scope.problems.push(unknownProblem(scope, entry, { word, owner: `type of ${nameOf(node)}`, words: TYPE_WORDS }));
  return { base: "string", isList: false };
}

interface BoundProperties {
  readonly enum?: string;
  readonly min?: number;
  readonly max?: number;
}

/** `min` and `max` bound a number's value and a string's length. */
function bounds(scope: ManifestScope, node: KdlNode, base: BaseType, properties: BoundProperties): JsonObject {
  rejectBounds(scope, node, base, properties);
  const { enum: words, min, max } = properties;
  const [least, most] = isNumeric(base) ? (["minimum", "maximum"] as const) : (["minLength", "maxLength"] as const);
  return {
    ...(words === undefined ? {} : { enum: words.split(",").map((word) => word.trim()) }),
    ...(min === undefined ? {} : { [least]: min }),
    ...(max === undefined ? {} : { [most]: max }),
  };
}

const isNumeric = (base: BaseType): boolean => base === "integer" || base === "number";

function rejectBounds(scope: ManifestScope, node: KdlNode, base: BaseType, { min, max }: BoundProperties): void {
  if (base !== "string") rejectProperty(scope, node, "enum", "absent: only strings have a list of words");
  if (!isNumeric(base) && base !== "string") {
    for (const name of ["min", "max"]) rejectProperty(scope, node, name, "absent: only numbers and strings have bounds");
  }
  if (min !== undefined && max !== undefined && min > max) rejectProperty(scope, node, "max", `at least min, ${min}`);
}

function members(scope: ManifestScope, node: KdlNode, base: BaseType, children: readonly KdlNode[]): JsonObject {
  if (base === "object") return compileArguments(scope, children);
  const [first] = children;
  if (first !== undefined)
    scope.problems.push(unknownProblem(scope, first, { word: "arg", owner: `${nameOf(node)}, which is no object,`, words: [] }));
  return {};
}
