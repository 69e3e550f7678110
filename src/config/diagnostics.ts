import { type Diagnostic, diagnostic, type DiagnosticSource } from "../schema/index.js";
import type { TableOption } from "./option-table.js";

/** A place in a configuration file; lines and columns count from 1. */
export interface FilePlace {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
}

const inFile = (place: FilePlace): { readonly source: DiagnosticSource; readonly exit: 2 } => ({
  source: { type: "file", ...place },
  exit: 2,
});

export const syntaxError = (place: FilePlace, reason: string): Diagnostic =>
  diagnostic({
    code: "config.syntax",
    what: `${place.path} is not valid KDL`,
    why: reason,
    next: "Correct the line. Nothing in the file was used and the file was not changed.",
    ...inFile(place),
  });

export const isKdlV1 = (place: FilePlace, reason: string): Diagnostic =>
  diagnostic({
    code: "config.kdl-v1",
    what: `${place.path} is KDL v1`,
    why: `smith reads KDL 2, where this is an error: ${reason}`,
    next: 'Write #true, #false and #null for true, false and null, and #"..."# for r"...".',
    ...inFile(place),
  });

export const unknownKey = (place: FilePlace & { readonly key: string }, suggestion: string | undefined): Diagnostic =>
  diagnostic({
    code: "config.unknown-key",
    what: `unknown setting ${place.key}`,
    why: "No setting has this name.",
    next: suggestion === undefined ? "Remove it, or see the settings reference for the names that exist." : `Did you mean ${suggestion}?`,
    ...inFile(place),
  });

/** A group of settings that belongs to nothing in use. */
export const foreignKey = (place: FilePlace & { readonly key: string }, suggestion: string | undefined): Diagnostic =>
  diagnostic({
    code: "config.foreign-key",
    what: `the settings of ${place.key} are not used`,
    why: "They belong to no setting of smith and to no plugin in use.",
    next: suggestion === undefined ? "Install or enable the plugin they are for, or remove them." : `Did you mean ${suggestion}?`,
    ...inFile(place),
    severity: "warning",
  });

export const foreignPairKey = (key: string, suggestion: string | undefined): Diagnostic =>
  diagnostic({
    code: "config.foreign-pair-key",
    what: `--config ${key} is not used`,
    why: "It belongs to no setting of smith and to no plugin in use.",
    next:
      suggestion === undefined ? "Install or enable the plugin it is for, or leave it out." : `Did you mean --config ${suggestion}=...?`,
    source: { type: "flag", name: "--config" },
    severity: "warning",
  });

export const duplicateKey = (place: FilePlace & { readonly key: string }, firstLine: number): Diagnostic =>
  diagnostic({
    code: "config.duplicate-key",
    what: `${place.key} is set twice`,
    why: `Line ${String(firstLine)} sets it already, and only one of the two can hold.`,
    next: "Remove one of them.",
    ...inFile(place),
  });

export const unexpectedContent = (place: FilePlace & { readonly key: string }, problem: string, fix: string): Diagnostic =>
  diagnostic({
    code: "config.unexpected-content",
    what: `${place.key} ${problem}`,
    why: "It would be ignored, so it is most likely meant otherwise.",
    next: fix,
    ...inFile(place),
  });

const SHOWN_VALUE = 80;

const shown = (option: TableOption, value: string): string => {
  if (option.secret) return "a value that is not shown";
  return value.length > SHOWN_VALUE ? `${value.slice(0, SHOWN_VALUE)}...` : value;
};

/** `value` as it was written; `source` says on which surface. */
export function badValue(option: TableOption, value: string, source: DiagnosticSource): Diagnostic {
  return diagnostic({
    code: "config.bad-value",
    what: `${surface(option, source)} is ${shown(option, value)}`,
    why: `It takes ${option.kind.constraint}.`,
    next: nextFor(option, source),
    source,
    exit: 2,
  });
}

const surface = (option: TableOption, source: DiagnosticSource): string => {
  if (source.type === "env") return source.name;
  if (source.type === "flag" && source.name !== "--config") return source.name;
  return option.key;
};

function nextFor(option: TableOption, source: DiagnosticSource): string {
  const example = option.kind.type === "list" ? option.kind.example.replaceAll('" "', ",") : option.kind.example.replace(/^#/u, "");
  if (source.type === "env") return `Set it like ${source.name}=${example}, or unset it.`;
  if (source.type === "flag")
    return source.name === "--config" ? `Write --config ${option.key}=${example}.` : `Write ${source.name} ${example}.`;
  const path = option.key.split(".");
  const leaf = `${path.at(-1) ?? ""} ${option.kind.example}`;
  return `Write: ${path.length === 1 ? leaf : `${path.slice(0, -1).join(" { ")} { ${leaf} }`}`;
}

/** A node of the groups `models` and `connections`; `expected` completes "must be". */
export const badNode = (place: FilePlace, subject: string, expected: string): Diagnostic =>
  diagnostic({
    code: "config.bad-node",
    what: `${subject} cannot be used`,
    why: `It must be ${expected}.`,
    next: "Correct it; the guide to models has an example of each.",
    ...inFile(place),
  });

export const unknownNode = (place: FilePlace, name: string, known: string): Diagnostic =>
  diagnostic({
    code: "config.unknown-node",
    what: `unknown node ${name}`,
    why: `Known here: ${known}.`,
    next: `Write ${known}, or remove it.`,
    ...inFile(place),
  });

export const connectionsOfProject = (place: FilePlace): Diagnostic =>
  diagnostic({
    code: "config.project-connections",
    what: "connections of a project are not used",
    why: "They say where conversations and keys are sent, which is for you alone to say.",
    next: "Copy those you want to your own config.kdl.",
    ...inFile(place),
    severity: "warning",
  });

export const badMcpJson = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "config.bad-mcp-json",
    what: "the file of MCP servers cannot be used",
    why,
    next: 'Write { "mcpServers": { "name": { "command": "…", "args": ["…"] } } }; the guide to MCP has examples.',
    ...inFile({ path }),
  });

export const badMcpServer = (place: FilePlace, name: string, problem: string): Diagnostic =>
  diagnostic({
    code: "config.bad-mcp-server",
    what: `the MCP server ${JSON.stringify(name.slice(0, 100))} cannot be used: ${problem}`,
    why: "A server is started by its command or reached by its url; the other servers of the file are used.",
    next: "Correct it, or take it out with `smith mcp-servers remove`.",
    ...inFile(place),
    severity: "warning",
  });

export const mcpServerNotAdded = (path: string, name: string, problem: string): Diagnostic =>
  diagnostic({
    code: "config.mcp-server-not-added",
    what: `the MCP server ${JSON.stringify(name.slice(0, 100))} was not added: ${problem}`,
    why: "It could not be used so. The file is as it was.",
    next: "See smith mcp-servers add --help.",
    ...inFile({ path }),
  });

export const malformedPair = (pair: string): Diagnostic =>
  diagnostic({
    code: "config.malformed-pair",
    what: `--config ${pair} has no key or no =`,
    why: "The flag sets one setting and is read as key=value.",
    next: "Write it like --config limits.max-turns=20.",
    source: { type: "flag", name: "--config" },
    exit: 2,
  });

export const unknownPairKey = (key: string, suggestion: string | undefined): Diagnostic =>
  diagnostic({
    code: "config.unknown-pair-key",
    what: `--config names the unknown setting ${key}`,
    why: "No setting has this name.",
    next: suggestion === undefined ? "See the settings reference for the names that exist." : `Did you mean --config ${suggestion}=...?`,
    source: { type: "flag", name: "--config" },
    exit: 2,
  });

export const notAFile = (path: string, found: string): Diagnostic =>
  diagnostic({
    code: "config.not-a-file",
    what: `${path} is ${found}, not a file`,
    why: "Settings are read from a file of this name.",
    next: "Move it away, or put a file with settings in its place.",
    ...inFile({ path }),
  });

export const unreadable = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "config.unreadable",
    what: `${path} cannot be read`,
    why: reason,
    next: "Make it readable for your user, or move it away.",
    ...inFile({ path }),
  });

export const unwritable = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "config.unwritable",
    what: `${path} cannot be changed`,
    why: `${reason}. It is as it was.`,
    next: "Make the file and its folder writable for your user, or edit it yourself.",
    ...inFile({ path }),
  });

export const tooLarge = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "config.too-large",
    what: `${path} has ${String(bytes)} bytes`,
    why: `A configuration file may have ${String(maxBytes)} bytes.`,
    next: "Check that this is the file you meant; shorten it.",
    ...inFile({ path }),
  });

export const notUtf8 = (path: string): Diagnostic =>
  diagnostic({
    code: "config.not-utf8",
    what: `${path} is not UTF-8 text`,
    why: "Files of settings are UTF-8; this one has bytes that are not.",
    next: "Save it as UTF-8 in your editor.",
    ...inFile({ path }),
  });

export const untrustedProject = (path: string): Diagnostic =>
  diagnostic({
    code: "config.untrusted-project",
    what: "project configuration not used",
    why: `${path} can change what runs here, and this project is not trusted.`,
    next: "Read the file; then start with --trust to use it, or with --no-trust to leave it without this notice.",
    severity: "warning",
    source: { type: "file", path },
  });

export const noHome = (): Diagnostic =>
  diagnostic({
    code: "config.no-home",
    what: "no folder for smith's files",
    why: "HOME is not set, the system knows no home folder for this user, and SMITH_HOME is not set.",
    next: "Set HOME, or set SMITH_HOME to a folder that may hold configuration and sessions.",
    source: { type: "env", name: "HOME" },
    exit: 2,
  });

export const mcpFileBroken = (path: string): Diagnostic =>
  diagnostic({
    code: "mcp.file-broken",
    what: `${path} cannot be changed: it is no file of MCP servers.`,
    why: "What is in it would be lost.",
    next: "Correct it by hand, or move it away.",
    source: { type: "file", path },
  });

export const mcpFileUnwritten = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "mcp.file-unwritten",
    what: `${path} could not be written.`,
    why,
    next: "Look at the folder's permissions and space, and try again.",
    source: { type: "file", path },
  });
