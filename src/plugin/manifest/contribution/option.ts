import { CORE_GROUPS, type DeclaredOption, isCoreVariable, type KdlNode, kindOf, variableOf } from "../../../config/index.js";
import type { JsonValue } from "../../../base/index.js";
import type { OptionContribution } from "../../types.js";
import { OPTION_NAME } from "../names.js";
import {
  badValue,
  type ManifestScope,
  nameOf,
  onlyOne,
  readChildren,
  readChoice,
  readList,
  readName,
  readProperties,
  rejectDuplicates,
  rejectProperty,
  requireValue,
} from "../node-reader.js";

const TYPES: readonly [OptionContribution["type"], ...OptionContribution["type"][]] = [
  "string",
  "integer",
  "number",
  "boolean",
  "string[]",
];
const ENUM_WORD = { pattern: /^[^\s,]{1,64}$/u, expected: "words without blanks" };

/** `config { option "lint.max-findings" type="integer" default=50 min=1 max=500 help="…" }` */
export function compileOptions(scope: ManifestScope, plugin: string, nodes: readonly KdlNode[]): readonly OptionContribution[] {
  const config = onlyOne(scope, nodes);
  if (config === undefined) return [];
  readProperties(scope, config, {});
  const { option } = readChildren(scope, config, ["option"]);
  rejectDuplicates(scope, option);
  return option.map((node) => compileOption(scope, plugin, node));
}

function compileOption(scope: ManifestScope, plugin: string, node: KdlNode): OptionContribution {
  const name = readName(scope, node, OPTION_NAME);
  rejectCoreName(scope, node, name);
  readChildren(scope, node, []);
  const {
    type: word,
    help,
    ...given
  } = readProperties(scope, node, {
    type: "text",
    default: "any",
    enum: "text",
    min: "number",
    max: "number",
    help: "text",
    secret: "flag",
  });
  const value = requireValue(scope, node, { name: "type", value: word, fallback: "string" });
  const type = readChoice(scope, node, { name: "type", value }, TYPES);
  const words = readList(scope, node, { name: "enum", value: given.enum }, ENUM_WORD);
  rejectBounds(scope, node, type, given);
  const option: DeclaredOption = {
    name,
    plugin,
    type,
    ...(given.enum === undefined ? {} : { enum: words }),
    ...(given.min === undefined ? {} : { min: given.min }),
    ...(given.max === undefined ? {} : { max: given.max }),
    help: requireValue(scope, node, { name: "help", value: help, fallback: "" }),
    secret: given.secret ?? false,
  };
  const usual = readDefault(scope, node, option);
  return usual === undefined ? option : { ...option, default: usual };
}

/** The default has the type the option says, so it is read by that; several texts stand in one property as on a command line. */
function readDefault(scope: ManifestScope, node: KdlNode, option: DeclaredOption): JsonValue | undefined {
  const entry = node.entries.find(({ name }) => name === "default");
  if (entry === undefined) return undefined;
  const kind = kindOf(option);
  const isList = option.type === "string[]" && typeof entry.value === "string";
  const value = isList ? kind.parseText(String(entry.value)) : kind.parseArguments([entry.value]);
  if (value === undefined) scope.problems.push(badValue(scope, entry, `default of ${nameOf(node)}`, kind.constraint));
  return value;
}

function rejectCoreName(scope: ManifestScope, node: KdlNode, name: string): void {
  const entry = node.entries.find((candidate) => candidate.name === undefined);
  const group = name.split(".")[0] ?? "";
  if (entry === undefined || !(CORE_GROUPS.has(group) || isCoreVariable(variableOf(name)))) return;
  const taken = [...CORE_GROUPS].sort().join(", ");
  scope.problems.push(badValue(scope, entry, "the name of option", `in a group of its own, not in one of smith's: ${taken}`));
}

interface Bounds {
  readonly enum?: string;
  readonly min?: number;
  readonly max?: number;
}

function rejectBounds(scope: ManifestScope, node: KdlNode, type: OptionContribution["type"], { min, max }: Bounds): void {
  if (type !== "string" && type !== "string[]") rejectProperty(scope, node, "enum", "absent: only texts have a list of words");
  if (type === "boolean") for (const name of ["min", "max"]) rejectProperty(scope, node, name, "absent: #true and #false have no bounds");
  else if (min !== undefined && max !== undefined && min > max) rejectProperty(scope, node, "max", `at least min, ${min}`);
}
