import type { Clock, InvocationId, JsonObject, JsonValue, Result, WorkId } from "../base/index.js";
import type { EffectGateway, Grants } from "../effect/index.js";
import type { ProviderAdapter } from "../provider/index.js";
import type {
  ArgumentLink,
  Action,
  ActionType,
  AttributedAction,
  Boundary,
  Diagnostic,
  LifecycleEvent,
  LifecycleEventType,
  NamedValues,
  ProviderCatalog,
  SdkOperation,
  StateScope,
  ToolDefinition,
} from "../schema/index.js";
import type { ToolRunner } from "../tool/index.js";

/** A manifest after compilation: plain JSON, cached by content hash. Getting one runs no plugin code. */
export interface CompiledPlugin {
  readonly id: string;
  readonly version: string;
  /** Major of the plugin contract it was written for. */
  readonly sdk: number;
  readonly description: string;
  /** SHA-256 of manifest and sources, hex. */
  readonly hash: string;
  /** Bundled: path of the one guest module, relative to the index file. Else the name of the entry module in the package. Empty: it has no code. */
  readonly entry: string;
  readonly grants: Grants;
  readonly tools: readonly ToolDefinition[];
  readonly toolSets: readonly ToolSetContribution[];
  readonly commands: readonly CommandContribution[];
  readonly providers: readonly ProviderContribution[];
  readonly prompts: readonly PromptSection[];
  readonly resources: readonly ResourceContribution[];
  readonly themes: readonly ThemeContribution[];
  readonly keys: readonly KeyContribution[];
  readonly options: readonly OptionContribution[];
  readonly handlers: readonly HandlerContribution[];
  /** Durable state the plugin declares, by key. */
  readonly states: readonly StateContribution[];
}

/** Tools that nobody can name beforehand, made by the plugin from what their source says. */
export interface ToolSetContribution {
  readonly name: string;
  readonly plugin: string;
  /** What they come from: servers of the Model Context Protocol. */
  readonly source: "mcp";
  readonly prefix: string;
  /** Most tools it may offer. */
  readonly max: number;
  /** Longest that one call may take, ms. */
  readonly timeoutMs: number;
}

/** What a tool set offers at one moment, checked and bounded. */
export interface OfferedSet {
  readonly plugin: string;
  readonly set: string;
  readonly tools: readonly ToolDefinition[];
  readonly commands: readonly CommandContribution[];
  readonly prompt?: string;
}

/** A command of people, `/name args`. Run by the function of that name in the module. */
export interface CommandContribution {
  readonly name: string;
  readonly plugin: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** How its arguments are written, e.g. `[topic]`; absent: it takes none. */
  readonly usage?: string;
  /** One command for each resource of this kind, named `name` + its name; the function gets the resource. */
  readonly each?: string;
  readonly timeoutMs: number;
  /** The tool set it is from, and what that needs to run it. */
  readonly set?: { readonly name: string; readonly target: JsonValue };
}

/** Vendor words as data. The core resolves connections by rank without knowing any vendor. */
export interface ProviderContribution {
  readonly id: string;
  readonly plugin: string;
  readonly title: string;
  readonly connections: readonly ConnectionContribution[];
  readonly catalog?: ProviderCatalog;
  readonly oauth?: OauthContribution;
}

export interface ConnectionContribution {
  readonly name: string;
  /** Lower is preferred when nothing is chosen. */
  readonly rank: number;
  readonly baseUrlEnv?: string;
  readonly defaultUrl?: string;
  /** Variables that may hold the API key, the first that is set does; each name is also a secret's name. */
  readonly credentialEnvs: readonly string[];
  /** Chosen by default only when the credential is present, the base URL is, or a server answers at the default URL. */
  readonly needs: "credential" | "base-url" | "answer" | "nothing";
  readonly profile?: string;
  readonly defaultModel?: string;
}

/** How a person signs in to a provider without a key: RFC 8628 (device) and RFC 6749 section 6 (renewal), as data. */
export interface OauthContribution {
  readonly clientId: string;
  readonly tokenUrl: string;
  readonly deviceUrl: string;
  readonly scopes: readonly string[];
}

/** One part of the system prompt; `{{cwd}}`, `{{date}}`, `{{platform}}`, `{{shell}}` are filled in by the runtime. */
export interface PromptSection {
  readonly name: string;
  readonly plugin: string;
  readonly order: number;
  readonly text: string;
  /** Shown only when this tool is active. */
  readonly whenTool?: string;
  /** Followed by one item for each resource of a kind; the section is left out when there is none. */
  readonly each?: {
    readonly kind: string;
    /** `{{name}}`, `{{description}}`, `{{path}}` and `{{text}}` are filled in. */
    readonly item: string;
  };
}

/** Text files the host collects for a plugin when a session is opened, without running code. */
export interface ResourceContribution {
  readonly kind: string;
  readonly plugin: string;
  /** How name, description and attributes are found: YAML front matter, a JSON object, or none (the file's name). */
  readonly format: "front-matter" | "json" | "text";
  readonly sources: readonly ResourceSource[];
  /** Of one file; a longer one is left out with a diagnostic, or cut where `cut` says so. */
  readonly maxBytes: number;
  readonly cut: boolean;
  /** Whether its name is that of the file or of its folder, where the content names none. */
  readonly named: "file" | "folder";
}

export interface ResourceSource {
  /**
   * `user`: smith's configuration folder. `project`: the workspace, only when it is trusted. `ancestors`: the workspace and every folder
   * above it up to the repository's root, outermost first, trusted or not. `plugin`: the package itself.
   */
  readonly from: "user" | "project" | "ancestors" | "plugin";
  /** Relative, with `*` for one path segment or a part of one. */
  readonly path: string;
}

/** One collected file. */
export interface Resource {
  readonly kind: string;
  readonly plugin: string;
  readonly name: string;
  readonly description: string;
  readonly from: ResourceSource["from"];
  /** Real path, absolute. */
  readonly path: string;
  /** Without front matter. */
  readonly text: string;
  readonly attributes: JsonObject;
}

/** Styles by name; a style it does not name is that of the built-in theme it is based on. */
export interface ThemeContribution {
  readonly name: string;
  readonly plugin: string;
  readonly base: "dark" | "light";
  readonly styles: Readonly<Record<string, ThemeStyle>>;
}

export interface ThemeStyle {
  /** `#rrggbb`. */
  readonly fg?: string;
  readonly bg?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
}

export interface KeyContribution {
  /** e.g. `ctrl+t`, `alt+enter`, `f5`. */
  readonly key: string;
  readonly plugin: string;
  /** A command as it would be typed, without the slash, or an action of the interface as `@name`. Empty: the key does nothing. */
  readonly command: string;
}

/** A setting of a plugin. Its key in configuration is `name`, below no other. */
export interface OptionContribution {
  readonly name: string;
  readonly plugin: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "string[]";
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly help: string;
  readonly secret: boolean;
}

export interface HandlerContribution {
  readonly event: LifecycleEventType;
  readonly plugin: string;
  /** Lower runs first; equal ones by id of the plugin. */
  readonly order: number;
  readonly timeoutMs: number;
  /** Of `tool-proposed`: when it cannot answer, the call is denied. */
  readonly required: boolean;
  /** Only for these tools. */
  readonly tools?: readonly string[];
  /** Keys of declared state whose values come with the event. */
  readonly state: readonly string[];
}

export interface StateContribution {
  readonly key: string;
  readonly plugin: string;
  readonly scope: StateScope;
  /** Of the value's format, from 1. */
  readonly version: number;
  readonly maxBytes: number;
  readonly fork: "copy" | "fresh";
}

/** What `dist/plugins/index.json` holds. */
export interface PluginIndex {
  readonly sdk: number;
  readonly plugins: readonly CompiledPlugin[];
}

/** Weaker first; of one id, the last is used. `run`: named by `--plugin`. */
export type PluginOrigin = "bundled" | "user" | "project" | "run";

/**
 * Where the code of a plugin is. `tree`: a JSON file with every module of the package, by name, ready for the engine. `none`: all the
 * plugin brings is data.
 */
export type ModuleLocation =
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "tree"; readonly path: string; readonly entry: string }
  | { readonly type: "none" };

/** A plugin that may be used: known, trusted, granted, enabled. */
export interface ActivePlugin {
  readonly compiled: CompiledPlugin;
  readonly origin: PluginOrigin;
  readonly modules: ModuleLocation;
  /** Folder of the package; absent for bundled ones. */
  readonly dir?: string;
}

/** Coherent, frozen set of contributions that a round works with. Registries hold each name once. */
export interface Generation {
  readonly number: number;
  readonly plugins: readonly ActivePlugin[];
  readonly tools: readonly ToolDefinition[];
  readonly commands: readonly CommandContribution[];
  readonly providers: readonly ProviderContribution[];
  readonly prompts: readonly PromptSection[];
  readonly resources: readonly Resource[];
  readonly themes: readonly ThemeContribution[];
  readonly keys: readonly KeyContribution[];
  /** In the order they run. */
  readonly handlers: readonly HandlerContribution[];
}

export interface GenerationInput {
  readonly plugins: readonly ActivePlugin[];
  readonly resources: readonly Resource[];
  /** What tool sets offer. Left out: nothing. */
  readonly sets?: readonly OfferedSet[];
}

export interface PluginHostDeps {
  readonly input: GenerationInput;
  readonly effects: EffectGateway;
  readonly clock: Clock;
  /** Value of a plugin's options in this run, by name: configuration over the manifest's defaults. */
  readonly config: (plugin: string) => NamedValues;
  /** Folder of a plugin's own data, absolute. */
  readonly dataDir: (plugin: string) => string;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/**
 * Plugins at work. One generation is current; who needs the same one for longer takes a lease, and what it holds stays usable until
 * that is given back.
 */
export interface PluginHost {
  readonly generation: Generation;
  lease(): GenerationLease;
  /** Asks a tool set of the current generation what it offers. What it does wrong is a diagnostic; a tool of it that cannot be offered, a note. */
  offer(
    set: ToolSetContribution,
    source: JsonValue,
  ): Promise<Result<{ readonly offered: OfferedSet; readonly notes: readonly string[] }, Diagnostic>>;
  /**
   * Makes a new generation current, all of it or nothing: the result is what is wrong with it. Cells of plugins whose hash stays are
   * kept; others end when nothing uses them any more.
   */
  publish(input: GenerationInput): Result<Generation, readonly Diagnostic[]>;
  /** Told of each generation after it became current. Returns the unsubscribe function. */
  observe(listener: (generation: Generation) => void): () => void;
  /** Starts the workers' threads now, without waiting, so that a first call does not pay for it. */
  warm(what: "providers" | "tools"): void;
  close(): Promise<void>;
}

export interface GenerationLease {
  readonly generation: Generation;
  readonly tools: ToolRunner;
  provider(id: string): ProviderAdapter | undefined;
  /** Runs a command. What a plugin does wrong is a diagnostic; never rejects for it. */
  command(call: CommandCall): Promise<Result<readonly Action[], Diagnostic>>;
  /** Runs one handler. */
  handler(call: HandlerCall): Promise<Result<readonly Action[], Diagnostic>>;
  release(): void;
}

/** Common to everything that runs beside a tool call. */
export interface Invocation {
  readonly invocation: InvocationId;
  readonly plugin: string;
  readonly work?: WorkId;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Nothing may be changed: what the plugin may do is narrowed to reading. */
  readonly readOnly?: boolean;
  /** Awaited before its first effect: resolves when the invocation is on record. */
  readonly record: () => Promise<void>;
}

export interface CommandCall extends Invocation {
  readonly command: CommandContribution;
  readonly args: string;
  /** Of a command that is there for each resource. */
  readonly resource?: Resource;
}

export interface HandlerCall extends Invocation {
  readonly handler: HandlerContribution;
  readonly event: LifecycleEvent;
  readonly state: NamedValues;
}

/** Whether an action can be carried out on the branch as it is; asked for each batch after those before it were accepted. */
export type ActionCheck = (actions: readonly AttributedAction[], earlier: readonly AttributedAction[]) => Diagnostic | undefined;

export interface LifecycleDeps {
  readonly clock: Clock;
  readonly nextInvocation: () => InvocationId;
  readonly cwd: string;
  /** Values of declared state for a handler. */
  readonly readState: (plugin: string, states: readonly StateContribution[]) => Promise<NamedValues>;
  /** Puts an invocation on record before its first effect. */
  readonly record: (invocation: {
    readonly invocation: InvocationId;
    readonly plugin: string;
    readonly generation: number;
    readonly work?: WorkId;
    readonly event: LifecycleEventType;
  }) => Promise<void>;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** Where arguments of a proposed call really lead. */
  readonly linksOf?: (args: JsonObject) => Promise<readonly ArgumentLink[]>;
}

/** Runs the handlers of one event in order, validates and merges what they want. Design study, 8.7. */
export interface Lifecycle {
  listens(generation: Generation, event: LifecycleEventType, tool?: string): boolean;
  run(lease: GenerationLease, event: LifecycleEvent, options: LifecycleRun): Promise<Boundary>;
}

export interface LifecycleRun {
  readonly work?: WorkId;
  readonly signal: AbortSignal;
  readonly check: ActionCheck;
  /** Only this plugin is told. */
  readonly only?: string;
}

/** What a plugin was allowed, in words for people; one line for each grant. Also what makes a wider grant wider. */
export interface GrantLine {
  readonly facility: string;
  readonly words: string;
  /** It can change things outside the session, or send something away. */
  readonly isStrong: boolean;
}

export type { ActionType, SdkOperation };
