import type { Diagnostic, DiagnosticSource } from "../schema/index.js";
import { assignment, joinReadings, type Reading, suggestKey } from "./assign.js";
import { badValue, duplicateKey, unexpectedContent, unknownKey } from "./diagnostics.js";
import type { KdlNode, KdlValue } from "./kdl.js";
import { type AnyOption, optionByKey, OPTIONS, SETTING_NAMES } from "./options.js";
import type { Layer } from "./types.js";

interface Scope {
  readonly path: string;
  readonly layer: Layer;
  /** Line of the first node of each key. */
  readonly seen: Map<string, number>;
}

const GROUPS: ReadonlySet<string> = new Set(
  SETTING_NAMES.flatMap((name) => {
    const parts = OPTIONS[name].key.split(".");
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
  }),
);

/** Checks a parsed file against the table of options. Every problem is reported; what is right is used all the same. Pure. */
export const readDocument = (path: string, layer: Layer, nodes: readonly KdlNode[]): Reading =>
  readNodes({ path, layer, seen: new Map() }, nodes, "");

function readNodes(scope: Scope, nodes: readonly KdlNode[], prefix: string): Reading {
  return joinReadings(nodes.map((node) => readNode(scope, node, `${prefix}${node.name}`)));
}

function readNode(scope: Scope, node: KdlNode, key: string): Reading {
  const place = { path: scope.path, line: node.line, column: node.column, key };
  const option = optionByKey(key);
  if (option !== undefined) return readOption(scope, node, option);
  if (!GROUPS.has(key)) return wrong(unknownKey(place, suggestKey(key)));
  const [entry] = node.entries;
  const inner = readNodes(scope, node.children, `${key}.`);
  if (entry === undefined) return inner;
  const fix = `Write the settings of ${key} as lines in braces: ${key} { ${entry.name ?? firstLeafOf(key)} ${JSON.stringify(entry.value)} }`;
  return joinReadings([
    wrong(unexpectedContent({ ...place, line: entry.line, column: entry.column }, "is a group and takes no value", fix)),
    inner,
  ]);
}

function readOption(scope: Scope, node: KdlNode, option: AnyOption): Reading {
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
  if (value !== undefined) return { assignments: [assignment(option, value, scope.layer, fileSource(place))], diagnostics: [] };
  const at = node.entries[0] ?? node;
  return wrong(badValue(option, writtenValue(node.entries), fileSource({ ...place, line: at.line, column: at.column })));
}

const wrong = (problem: Diagnostic): Reading => ({ assignments: [], diagnostics: [problem] });

const fileSource = (place: {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly key: string;
}): DiagnosticSource => ({
  type: "file",
  ...place,
});

const exampleOf = (option: AnyOption): string => `Write: ${option.key.slice(option.key.lastIndexOf(".") + 1)} ${option.kind.example}`;

const firstLeafOf = (group: string): string =>
  SETTING_NAMES.map((name) => OPTIONS[name].key)
    .find((key) => key.startsWith(`${group}.`))
    ?.slice(group.length + 1) ?? group;

function writtenValue(entries: readonly KdlValue[]): string {
  if (entries.length === 0) return "without a value";
  return entries
    .map(({ value }) =>
      typeof value === "string" ? JSON.stringify(value) : typeof value === "number" ? String(value) : `#${String(value)}`,
    )
    .join(" ");
}
