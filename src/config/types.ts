import type { JsonObject, JsonValue } from "../base/index.js";
import type { AccessMode, DiagnosticSource, ThinkingLevel } from "../schema/index.js";
import type { KdlNode } from "./file/node.js";

/** The seven layers, weakest first. Specification, "Configuration". */
export type Layer = "default" | "built-in-plugin" | "plugin" | "user" | "project" | "env" | "flag";

/** A parsed file. */
export interface ConfigFile {
  readonly path: string;
  readonly layer: Layer;
  readonly nodes: readonly KdlNode[];
}

/** A resolved value and where it came from. */
export interface Resolved<T> {
  readonly value: T;
  readonly layer: Layer;
  readonly source?: DiagnosticSource;
}

/** Every option of the core, once. Flags, variables, KDL keys, help and reference derive from `options.ts`, typed by this. */
export interface Settings {
  readonly model: string | undefined;
  readonly mode: AccessMode | undefined;
  readonly thinking: ThinkingLevel | undefined;
  /** Whether local servers are looked for. */
  readonly discovery: boolean;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** Most tokens of one answer. */
  readonly maxOutput: number | undefined;
  readonly stop: readonly string[] | undefined;
  readonly responseFormat: JsonObject | undefined;
  /** Further fields of every request, in the words of the server. */
  readonly extra: JsonObject | undefined;
  readonly stream: boolean;
  readonly retryAttempts: number;
  readonly retryMaxWaitMs: number;
  /** Variables whose values are secrets. */
  readonly secretEnv: readonly string[];
  /** Files whose values are secrets, written like `.env`. */
  readonly secretFiles: readonly string[];
  readonly maxTurns: number | undefined;
  readonly maxTokens: number | undefined;
  readonly maxCost: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly stallThreshold: number;
  readonly tools: readonly string[] | undefined;
  readonly plugins: boolean;
  readonly disabledPlugins: readonly string[];
  /** `plugin-id:facility`: what the user takes away from plugins. */
  readonly deniedGrants: readonly string[];
  readonly system: string | undefined;
  readonly appendSystem: string | undefined;
  readonly log: "off" | "error" | "warn" | "info" | "debug" | "trace";
  readonly printOnExit: boolean;
  /** Name of a theme; undefined for the one that fits the terminal. */
  readonly theme: string | undefined;
}

export type ResolvedSettings = { readonly [Key in keyof Settings]: Resolved<Settings[Key]> };

/** What an option of a plugin is in this run. Undefined: nothing was said and its manifest has no default. */
export interface ResolvedOption extends Resolved<JsonValue | undefined> {
  readonly plugin: string;
  readonly name: string;
}

/** Folders, XDG or all under SMITH_HOME. Product page section 4. */
export interface Paths {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
  readonly sessions: string;
}
