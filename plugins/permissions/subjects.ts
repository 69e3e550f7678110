import type { JsonObject, JsonValue } from "smith-agent/plugin";

/** What a call is about, as its arguments name it. */
export interface Subjects {
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  readonly texts: readonly string[];
  /** Folder a command is run in. */
  readonly folder?: string;
}

type Kind = "commands" | "paths" | "urls" | "texts";

/** Names of arguments, in small letters and without `_` and `-`. */
const KINDS: Readonly<Record<string, Kind>> = {
  command: "commands",
  cmd: "commands",
  path: "paths",
  paths: "paths",
  file: "paths",
  files: "paths",
  filepath: "paths",
  filepaths: "paths",
  filename: "paths",
  dir: "paths",
  directory: "paths",
  folder: "paths",
  cwd: "paths",
  glob: "paths",
  oldpath: "paths",
  newpath: "paths",
  source: "paths",
  destination: "paths",
  url: "urls",
  urls: "urls",
  uri: "urls",
  pattern: "texts",
  query: "texts",
};

const MAX_DEPTH = 8;

/** Reads them from all levels of the arguments. Values that are neither a string nor a list of strings name nothing. */
export function subjectsOf(args: JsonObject): Subjects {
  const found: Record<Kind, string[]> = { commands: [], paths: [], urls: [], texts: [] };
  collect(args, found, 0);
  const folder = found.commands.length > 0 && typeof args["cwd"] === "string" ? { folder: args["cwd"] } : {};
  return { ...found, ...folder };
}

function collect(value: JsonValue, found: Record<Kind, string[]>, depth: number): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) collect(item, found, depth + 1);
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    const kind = Object.hasOwn(KINDS, normalized(key)) ? KINDS[normalized(key)] : undefined;
    if (kind !== undefined) found[kind].push(...texts(part, kind));
    collect(part, found, depth + 1);
  }
}

const normalized = (key: string): string => key.toLowerCase().replace(/[_-]/gu, "");

function texts(value: JsonValue, kind: Kind): readonly string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  const items = (value as readonly JsonValue[]).filter((item) => typeof item === "string");
  return kind === "commands" && items.length > 0 ? [items.join(" ")] : items;
}
