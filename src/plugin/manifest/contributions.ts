import type { KdlNode } from "../../config/index.js";
import type { ToolDefinition } from "../../schema/index.js";
import type { ConnectionContribution, PromptSection, ProviderContribution } from "../types.js";
import { compileArguments } from "./argument-schema.js";
import { missingInManifest } from "./diagnostics.js";
import {
  type ManifestScope,
  nameOf,
  onlyOne,
  placeOf,
  readChildren,
  readName,
  readProperties,
  readText,
  readTexts,
  rejectDuplicates,
  rejectProperty,
  requireValue,
  unknownProblem,
} from "./node-reader.js";

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 3_600_000;
const TOOL_NAME = { pattern: /^[a-z][a-z0-9_-]{0,63}$/u, expected: "lower case letters, digits, _ and -, at most 64" };
const WORD = { pattern: /^[a-z][a-z0-9._-]{0,63}$/u, expected: "lower case letters, digits, dots, _ and -, at most 64" };
const ENV_NAME = /^[A-Z][A-Z0-9_]*$/u;

/** `tool "name" read-only=#true timeout-ms=30000 { description; summary; arg ... }` */
export async function compileTool(scope: ManifestScope, plugin: string, node: KdlNode): Promise<ToolDefinition> {
  const name = readName(scope, node, TOOL_NAME);
  const properties = readProperties(scope, node, { "read-only": "flag", "timeout-ms": "integer" });
  const found = readChildren(scope, node, ["description", "summary", "arg"]);
  const timeoutMs = properties["timeout-ms"] ?? DEFAULT_TIMEOUT_MS;
  if (timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) rejectProperty(scope, node, "timeout-ms", `1 to ${MAX_TIMEOUT_MS}`);
  return {
    name,
    plugin,
    description: await compileDescription(scope, node, found.description),
    parameters: compileArguments(scope, found.arg),
    readOnly: properties["read-only"] ?? false,
    timeoutMs,
    summaryKeys: summaryKeys(scope, onlyOne(scope, found.summary), found.arg),
  };
}

/** A `description` child, given inline or as a file. Required. */
export async function compileDescription(scope: ManifestScope, owner: KdlNode, nodes: readonly KdlNode[]): Promise<string> {
  const node = onlyOne(scope, nodes);
  if (node === undefined) {
    scope.problems.push(missingInManifest(placeOf(scope, owner), nameOf(owner), "description"));
    return "";
  }
  const { file } = readProperties(scope, node, { file: "text" });
  const [inline] = readTexts(scope, node, { atLeast: 0, atMost: 1 });
  return readText(scope, node, { inline, file });
}

function summaryKeys(scope: ManifestScope, node: KdlNode | undefined, args: readonly KdlNode[]): readonly string[] {
  if (node === undefined) return [];
  const known = args.flatMap(({ entries }) => entries.filter(({ name }) => name === undefined).map(({ value }) => String(value)));
  const keys = readTexts(scope, node, { atLeast: 1, atMost: 8 });
  for (const key of keys) {
    const entry = node.entries.find(({ value }) => value === key) ?? node;
    if (!known.includes(key)) scope.problems.push(unknownProblem(scope, entry, { word: key, owner: "the tool's arguments", words: known }));
  }
  return keys;
}

/** `provider "id" title="..." { connection "name" rank=20 ... }` */
export function compileProvider(scope: ManifestScope, plugin: string, node: KdlNode): ProviderContribution {
  const id = readName(scope, node, WORD);
  const { title } = readProperties(scope, node, { title: "text" });
  const { connection } = readChildren(scope, node, ["connection"]);
  if (connection.length === 0) scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), "connection"));
  rejectDuplicates(scope, connection);
  return {
    id,
    plugin,
    title: requireValue(scope, node, { name: "title", value: title, fallback: "" }),
    connections: connection.map((child) => compileConnection(scope, child)),
  };
}

const NEEDS = ["credential", "base-url", "nothing"] as const;

function compileConnection(scope: ManifestScope, node: KdlNode): ConnectionContribution {
  const name = readName(scope, node, WORD);
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, {
    rank: "integer",
    "base-url-env": "text",
    "default-url": "text",
    "credential-env": "text",
    needs: "text",
    profile: "text",
    "default-model": "text",
  });
  return {
    name,
    rank: requireValue(scope, node, { name: "rank", value: properties.rank, fallback: 0 }),
    needs: readNeeds(scope, node, properties),
    ...present("baseUrlEnv", readEnv(scope, node, "base-url-env", properties["base-url-env"])),
    ...present("defaultUrl", readUrl(scope, node, properties["default-url"])),
    ...present("credentialEnv", readEnv(scope, node, "credential-env", properties["credential-env"])),
    ...present("profile", properties.profile),
    ...present("defaultModel", properties["default-model"]),
  };
}

/** The field, unless its value is absent. */
const present = <const Name extends string>(name: Name, value: string | undefined): { readonly [N in Name]?: string } =>
  // A computed name widens to any string; it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: string };

function readEnv(scope: ManifestScope, node: KdlNode, name: string, value: string | undefined): string | undefined {
  if (value !== undefined && !ENV_NAME.test(value)) rejectProperty(scope, node, name, "the name of an environment variable, in capitals");
  return value;
}

function readUrl(scope: ManifestScope, node: KdlNode, value: string | undefined): string | undefined {
  if (value !== undefined && !URL.canParse(value)) rejectProperty(scope, node, "default-url", "a URL");
  return value;
}

interface NeedProperties {
  readonly needs?: string;
  readonly "credential-env"?: string;
  readonly "base-url-env"?: string;
}

function readNeeds(scope: ManifestScope, node: KdlNode, properties: NeedProperties): ConnectionContribution["needs"] {
  const word = requireValue(scope, node, { name: "needs", value: properties.needs, fallback: "nothing" });
  const needs = NEEDS.find((known) => known === word);
  if (needs === undefined) rejectProperty(scope, node, "needs", NEEDS.join(", "));
  if (needs === undefined || needs === "nothing") return "nothing";
  const source = `${needs}-env` as const;
  requireValue(scope, node, { name: source, value: properties[source], fallback: "" });
  return needs;
}

/** `prompt "name" order=10 file="system.md" when-tool="shell"` */
export async function compilePrompt(scope: ManifestScope, node: KdlNode): Promise<PromptSection> {
  const [name = "", inline] = readTexts(scope, node, { atLeast: 1, atMost: 2 });
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, { order: "integer", file: "text", "when-tool": "text" });
  const whenTool = properties["when-tool"];
  return {
    name,
    order: requireValue(scope, node, { name: "order", value: properties.order, fallback: 0 }),
    text: await readText(scope, node, { inline, file: properties.file }),
    ...(whenTool === undefined ? {} : { whenTool }),
  };
}
