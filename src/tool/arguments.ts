import type { ValidationResult } from "@cfworker/json-schema";
import type { JsonObject, Result } from "../base/index.js";
import { createDeadline, type Deadline, err, ok } from "../base/index.js";
import type { ToolDefinition } from "../schema/index.js";

/** Checks arguments against a tool's JSON Schema. Problems are sentences for the model, the nearest to the value first. */
export type ArgumentValidator = (tool: ToolDefinition, args: JsonObject) => Result<void, readonly string[]>;

const MAX_PROBLEMS = 5;
/** Checking takes well under a millisecond, unless a pattern of the schema backtracks. */
const MAX_MS = 1_000;

/**
 * Validator on `@cfworker/json-schema`, loaded at the first call. A schema that does not compile cannot validate: the
 * arguments pass, since a bad schema must not make a tool dead (docs/decisions/0005-dependencies.md). One that takes too long once,
 * which a server's pattern can, is not asked again: nothing else of the process runs meanwhile.
 */
export async function loadArgumentValidator(): Promise<ArgumentValidator> {
  const { Validator } = await import("@cfworker/json-schema");
  const compiled = new Map<ToolDefinition, Compiled | undefined>();
  const compile = (tool: ToolDefinition): Compiled | undefined => {
    if (!compiled.has(tool)) {
      try {
        // The library takes its own schema type; ours is JSON that a manifest compiler or a server made. It writes marks into the
        // schema it is given, and a generation's definitions are frozen: it gets a copy.
        const validator = new Validator(structuredClone(tool.parameters), "2020-12", false);
        compiled.set(tool, { validate: (args) => validator.validate(args), canTakeLong: canTakeLong(tool) });
      } catch {
        compiled.set(tool, undefined);
      }
    }
    return compiled.get(tool);
  };
  let deadline: Deadline | undefined;
  return (tool, args) => {
    const schema = compile(tool);
    if (schema === undefined) return ok(undefined);
    const check = (): ValidationResult => schema.validate(args);
    try {
      const checked = schema.canTakeLong ? (deadline ??= createDeadline()).run(check, MAX_MS)?.value : check();
      if (checked === undefined) {
        compiled.set(tool, undefined);
        return ok(undefined);
      }
      const { valid, errors } = checked;
      return valid ? ok(undefined) : err(leaves(errors).slice(0, MAX_PROBLEMS));
    } catch {
      return ok(undefined);
    }
  };
}

interface Compiled {
  readonly validate: (args: JsonObject) => ValidationResult;
  readonly canTakeLong: boolean;
}

/** What can take more steps than schema and arguments have parts: patterns, formats, which the library has patterns for, and references. */
const LONG = /"(?:pattern|patternProperties|format|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems|contains)"/u;

const canTakeLong = ({ parameters }: ToolDefinition): boolean => LONG.test(JSON.stringify(parameters));

interface SchemaError {
  readonly keyword: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** The library lists each parent of a failure too; only the failures themselves help a model. */
function leaves(errors: readonly SchemaError[]): readonly string[] {
  const parents = new Set(["properties", "items", "allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if", "false"]);
  const forbidden = new Set(errors.flatMap(({ keyword, instanceLocation }) => (keyword === "false" ? [instanceLocation] : [])));
  const isParent = ({ keyword, instanceLocation, error }: SchemaError): boolean =>
    parents.has(keyword) || (keyword === "additionalProperties" && !forbidden.has(`${instanceLocation}/${nameIn(error)}`));
  const inner = errors.filter((error) => !isParent(error));
  return [...new Set((inner.length > 0 ? inner : errors).map((error) => `${location(error.instanceLocation)}${words(error)}`))];
}

/** The library names a property in quotes. */
const nameIn = (error: string): string => /"(.*)"/su.exec(error)?.[1] ?? "";

function words({ keyword, error }: SchemaError): string {
  if (keyword === "required") return `"${nameIn(error)}" is missing`;
  if (keyword === "additionalProperties") return `there is no "${nameIn(error)}"`;
  return error.replace(/\.$/u, "");
}

const location = (pointer: string): string => {
  const path = pointer.replace(/^#\/?/, "");
  return path === "" ? "" : `${path}: `;
};
