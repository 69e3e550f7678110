import type { DiagnosticSource } from "../../schema/index.js";
import { assign, joinReadings, NO_READING, type Reading, type ReadingRules, wrong } from "../assign.js";
import { badValue, duplicateKey, foreignKey, unexpectedContent, unknownKey } from "../diagnostics.js";
import type { KdlNode, KdlValue } from "./node.js";
import { isMcpNode } from "../mcp/index.js";
import { isModelNode } from "../models/index.js";
import type { TableOption } from "../option-table.js";
import type { ConfigFile } from "../types.js";

interface Scope extends ReadingRules, Pick<ConfigFile, "path" | "layer"> {
  /** Line of the first node of each key. */
  readonly seen: Map<string, number>;
}

/** Checks a parsed file against the table of options. Every problem is reported; what is right is used all the same. Pure. */
export const readDocument = (rules: ReadingRules, { path, layer, nodes }: ConfigFile): Reading =>
  readNodes({ ...rules, path, layer, seen: new Map() }, nodes, "");

function readNodes(scope: Scope, nodes: readonly KdlNode[], prefix: string): Reading {
  return joinReadings(nodes.map((node) => readNode(scope, node, `${prefix}${node.name}`)));
}

function readNode(scope: Scope, node: KdlNode, key: string): Reading {
  const { table } = scope;
  const place = { path: scope.path, line: node.line, column: node.column, key };
  const option = table.find(key);
  if (option !== undefined) return readOption(scope, node, option);
  if (isModelNode(key) || isMcpNode(key)) return NO_READING;
  if (!table.isGroup(key)) return readUnknown(scope, node, place);
  const [entry] = node.entries;
  const inner = readNodes(scope, node.children, `${key}.`);
  if (entry === undefined) return inner;
  const leaf = entry.name ?? table.options.find((known) => known.key.startsWith(`${key}.`))?.key.slice(key.length + 1) ?? key;
  const fix = `Write the settings of ${key} as lines in braces: ${key} { ${leaf} ${JSON.stringify(entry.value)} }`;
  return joinReadings([
    wrong(unexpectedContent({ ...place, line: entry.line, column: entry.column }, "is a group and takes no value", fix)),
    inner,
  ]);
}

/** A group that nobody declared may be that of a plugin which is not in use. */
function readUnknown({ table, foreign }: Scope, node: KdlNode, place: Parameters<typeof unknownKey>[0]): Reading {
  const isForeign = node.children.length > 0 && node.entries.length === 0 && !place.key.includes(".");
  if (!isForeign || foreign === "error") return wrong(unknownKey(place, table.suggest(place.key, "file")));
  return foreign === "ignore" ? NO_READING : wrong(foreignKey(place, table.suggest(place.key, "file")));
}

function readOption(scope: Scope, node: KdlNode, option: TableOption): Reading {
  const place = { path: scope.path, line: node.line, column: node.column, key: option.key };
  const firstLine = scope.seen.get(option.key);
  if (firstLine !== undefined) return wrong(duplicateKey(place, firstLine));
  scope.seen.set(option.key, node.line);
  const named = node.entries.find((entry) => entry.name !== undefined);
  if (named !== undefined) {
    const problem = `has the property ${named.name ?? ""}, and takes only ${option.kind.type === "list" ? "arguments" : "an argument"}`;
    return wrong(unexpectedContent({ ...place, line: named.line, column: named.column }, problem, exampleOf(option)));
  }
  const [child] = node.children;
  if (child !== undefined)
    return wrong(unexpectedContent({ ...place, line: child.line, column: child.column }, "takes no block in braces", exampleOf(option)));
  const value = option.kind.parseArguments(node.entries.map((entry) => entry.value));
  if (value !== undefined) return assign(option, value, { layer: scope.layer, source: fileSource(place) });
  const at = node.entries[0] ?? node;
  return wrong(badValue(option, writtenValue(node.entries), fileSource({ ...place, line: at.line, column: at.column })));
}

const fileSource = (place: {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly key: string;
}): DiagnosticSource => ({
  type: "file",
  ...place,
});

const exampleOf = (option: TableOption): string => `Write: ${option.key.slice(option.key.lastIndexOf(".") + 1)} ${option.kind.example}`;

function writtenValue(entries: readonly KdlValue[]): string {
  if (entries.length === 0) return "without a value";
  return entries
    .map(({ value }) =>
      typeof value === "string" ? JSON.stringify(value) : typeof value === "number" ? String(value) : `#${String(value)}`,
    )
    .join(" ");
}
