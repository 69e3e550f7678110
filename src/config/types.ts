import type { JsonValue } from "../base/index.js";
import type { AccessMode, DiagnosticSource } from "../schema/index.js";

/** The seven layers, weakest first. Specification, "Configuration". */
export type Layer = "default" | "built-in-plugin" | "plugin" | "user" | "project" | "env" | "flag";

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
  readonly thinking: string | undefined;
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
  readonly log: "off" | "error" | "warn" | "info" | "debug";
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
