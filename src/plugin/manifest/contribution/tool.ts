import type { KdlNode } from "../../../config/index.js";
import type { ToolDefinition } from "../../../schema/index.js";
import { readDescription } from "../file-text.js";
import { TOOL_NAME } from "../names.js";
import {
  type ManifestScope,
  onlyOne,
  readChildren,
  readCount,
  readName,
  readProperties,
  readTexts,
  rejectProperty,
  badValue,
  unknownProblem,
} from "../node-reader.js";
import { compileArguments } from "./arguments.js";

const TIMEOUT_MS = { usual: 30_000, min: 1, max: 3_600_000 };
/** `{{key}}` and text; braces stand for nothing else. */
const RESULT_SUMMARY = /^([^{}]|\{\{[A-Za-z_][A-Za-z0-9_.-]*\}\})+$/u;

const OFFERS = ["search", "trained", "finder"] as const;
const isOffer = (word: string): word is (typeof OFFERS)[number] => OFFERS.some((known) => known === word);
const PROGRAM = /^[A-Za-z0-9_.+-]{1,64}$/u;

/** `tool "name" read-only=#true timeout-ms=30000 { description; summary; result-summary; arg ... }`, `offer="search"`, `"trained"` or `"finder"`, `program="nu" program-from="..."` */
export async function compileTool(scope: ManifestScope, plugin: string, node: KdlNode): Promise<ToolDefinition> {
  const name = readName(scope, node, TOOL_NAME);
  const properties = readProperties(scope, node, {
    "read-only": "flag",
    "timeout-ms": "integer",
    offer: "text",
    program: "text",
    "program-from": "text",
    resource: "text",
  });
  const found = readChildren(scope, node, ["description", "summary", "result-summary", "arg"]);
  const resultSummary = readResultSummary(scope, onlyOne(scope, found["result-summary"]));
  return {
    name,
    plugin,
    description: await readDescription(scope, node, found.description),
    parameters: compileArguments(scope, found.arg),
    readOnly: properties["read-only"] ?? false,
    timeoutMs: readCount(scope, node, { name: "timeout-ms", value: properties["timeout-ms"] }, TIMEOUT_MS),
    summaryKeys: summaryKeys(scope, onlyOne(scope, found.summary), found.arg),
    ...(resultSummary === undefined ? {} : { resultSummary }),
    ...whenOffered(scope, node, { ...properties, programFrom: properties["program-from"] }),
  };
}

interface Conditions {
  readonly offer?: string;
  readonly program?: string;
  readonly programFrom: string | undefined;
  readonly resource?: string;
}

function whenOffered(scope: ManifestScope, node: KdlNode, conditions: Conditions): Partial<ToolDefinition> {
  const { offer, program, resource } = conditions;
  const resources = resource?.split(",").map((kind) => kind.trim()) ?? [];
  if (resources.includes("")) rejectProperty(scope, node, "resource", "kinds of resources, several with commas");
  if (offer !== undefined && !isOffer(offer)) rejectProperty(scope, node, "offer", `one of ${OFFERS.join(", ")}`);
  if (program !== undefined && !PROGRAM.test(program)) rejectProperty(scope, node, "program", "the name of a program, without a path");
  return {
    ...(offer !== undefined && isOffer(offer) ? { offer } : {}),
    ...neededProgram(conditions),
    ...(resources.length === 0 ? {} : { resources }),
  };
}

function neededProgram({ program, programFrom }: Conditions): Pick<ToolDefinition, "program" | "programFrom"> {
  if (program === undefined) return {};
  return { program, ...(programFrom === undefined ? {} : { programFrom }) };
}

function readResultSummary(scope: ManifestScope, node: KdlNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  readProperties(scope, node, {});
  readChildren(scope, node, []);
  const [text] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  const entry = node.entries[0];
  if (text !== undefined && entry !== undefined && !RESULT_SUMMARY.test(text))
    scope.problems.push(badValue(scope, entry, node.name, "text in which {{key}} stands for a value of the result's data"));
  return text;
}

/** The argument keys of the one-line summary; each must be an argument of the tool. */
function summaryKeys(scope: ManifestScope, node: KdlNode | undefined, args: readonly KdlNode[]): readonly string[] {
  if (node === undefined) return [];
  readProperties(scope, node, {});
  readChildren(scope, node, []);
  const known = args.flatMap(({ entries }) => entries.filter(({ name }) => name === undefined).map(({ value }) => String(value)));
  const keys = readTexts(scope, node, { atLeast: 1, atMost: 8 });
  for (const key of keys) {
    const entry = node.entries.find(({ value }) => value === key) ?? node;
    if (!known.includes(key)) scope.problems.push(unknownProblem(scope, entry, { word: key, owner: "the tool's arguments", words: known }));
  }
  return keys;
}
