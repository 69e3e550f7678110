import type { CallId, EffectId, InvocationId, JsonValue, Result, WorkId } from "../base/index.js";
import type {
  Diagnostic,
  EvaluateInput,
  FormerValue,
  ImagePart,
  ImageRef,
  McpCallInput,
  McpContent,
  McpPromptInfo,
  McpResourceInfo,
  McpServerView,
  MutationState,
  Question,
  QuestionAnswer,
  SdkOperation,
  SdkOperations,
  SearchableTool,
  StateInput,
  StateScope,
  SubAgentInput,
  SubAgentOutput,
  UiIntentType,
} from "../schema/index.js";

/** What one plugin may do. From its manifest, narrowed by user policy and by what the run and the tool may. */
export interface Grants {
  readonly fsRead: readonly GrantRoot[];
  readonly fsWrite: readonly GrantRoot[];
  readonly search: readonly GrantRoot[];
  /** Program patterns, `*` for any. Empty: no process at all. */
  readonly process: readonly string[];
  /** Variables a process gets besides the basic ones, by name or pattern; `*` for all but credentials. */
  readonly processEnv: readonly string[];
  readonly net: readonly NetGrant[];
  readonly evaluate: boolean;
  readonly vcs: boolean;
  readonly state: readonly StateGrant[];
  readonly ui: readonly UiIntentType[];
  /** Names of secrets that may be put back in what it does; `*` for all of a person, in files and commands alone. Values never reach the plugin. */
  readonly secrets: readonly string[];
  /** Names of servers of the Model Context Protocol; `*` for all. */
  readonly mcp: readonly string[];
  /** Other agents may be asked to work, within what this session may do. */
  readonly agent: boolean;
}

/**
 * `workspace`, `temp`, `plugin-data` (the plugin's own folder) and `resources` (folders of what its manifest collects) are resolved
 * per invocation; anything else is an absolute path.
 */
export type GrantRoot = "workspace" | "temp" | "anywhere" | "plugin-data" | "resources" | { readonly path: string };

export interface NetGrant {
  /** `https://api.example.com`, `https://*.example.com` or `*`. */
  readonly origin: string;
  /** Upper case; empty for GET and HEAD. */
  readonly methods: readonly string[];
  /** Addresses of this machine and of private networks, too. */
  readonly private: boolean;
}

export interface StateGrant {
  readonly scope: StateScope;
  readonly maxBytes: number;
}

/** Everything the gateway must know about the asker. Made by the host, never by the guest. */
export interface EffectContext {
  readonly plugin: string;
  readonly generation: number;
  readonly cause: CallId | InvocationId;
  readonly work?: WorkId;
  readonly grants: Grants;
  /** Folder of `plugin-data`, absolute; it need not exist yet. */
  readonly dataDir: string;
  /** Real folders and files of `resources`. */
  readonly resources: readonly string[];
  /** Workspace root, absolute. Relative paths of the plugin resolve against it. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Partial output while it runs, at most a few times a second, bounded. */
  readonly onProgress?: (text: string) => void;
  /** Set by the gateway for `run`: the effect on record. */
  readonly effect?: EffectId;
  /** Called once the intent is durable, before anything runs, so that the asker can name the effect whatever happens. */
  readonly onIntent?: (effect: EffectId) => void;
  /** Where images of this invocation are kept; absent where none can be handed on. */
  readonly images?: ImageShelf;
}

/** Images of one invocation: bytes stay with the host, the plugin hands on names. At most 16, 8 MiB of base64 together. */
export interface ImageShelf {
  /** Undefined: no room for it. */
  keep(image: ImagePart, size?: { readonly width: number; readonly height: number }): ImageRef | undefined;
  take(ref: string): ImagePart | undefined;
}

/** What the facility observed. `outcome` and `reply` are separate facts. */
export interface EffectReply<Output> {
  readonly outcome: MutationState;
  readonly result: Result<Output, Diagnostic>;
  /** The file it changed, or may have changed where the outcome is unknown, or all of them: real paths, absolute, in the form of records. */
  readonly touched?: string | readonly string[];
}

/** Runs SDK operations: grant check, durable intent, facility, durable outcome, only then the reply. */
export interface EffectGateway {
  call<Op extends SdkOperation>(
    op: Op,
    input: SdkOperations[Op]["input"],
    context: EffectContext,
  ): Promise<EffectReply<SdkOperations[Op]["output"]>>;
}

/** One facility behind an operation. `plan` is pure or reads only; nothing is changed before `run`. */
export interface Facility<Op extends SdkOperation> {
  /** Checks grants and narrows the input (real paths). A refusal is recorded as not-applied. */
  authorize(input: SdkOperations[Op]["input"], context: EffectContext): Promise<Result<SdkOperations[Op]["input"], Diagnostic>>;
  run(input: SdkOperations[Op]["input"], context: EffectContext): Promise<EffectReply<SdkOperations[Op]["output"]>>;
  /** What goes on record where that is less than all of it: nobody's credentials. Also of inputs that were refused. */
  readonly record?: {
    input?(input: SdkOperations[Op]["input"]): unknown;
    output?(output: SdkOperations[Op]["output"]): unknown;
  };
}

export type Facilities = { readonly [Op in SdkOperation]: Facility<Op> };

/** Asks a person, one question at a time and in order. */
export interface UiPort {
  /** `unavailable`: nobody can be asked in this run. Ends as `dismissed` soon after `signal` aborts. */
  ask(
    question: Question,
    asker: { readonly effect: EffectId; readonly plugin: string; readonly signal: AbortSignal },
  ): Promise<QuestionAnswer | "unavailable">;
}

/** Durable values of plugins, each under its owner. Only keys their manifests declare. */
export interface StatePort {
  get(plugin: string, input: StateInput): Promise<Result<FoundValue, Diagnostic>>;
  put(plugin: string, input: StateInput, value: JsonValue): Promise<Result<void, Diagnostic>>;
  /** Whether there was one. */
  delete(plugin: string, input: StateInput): Promise<Result<boolean, Diagnostic>>;
}

/** What is stored under a key: nothing, a value of the declared version, or one of another. */
export interface FoundValue {
  readonly value?: JsonValue;
  readonly former?: FormerValue;
}

/** Runs JavaScript in a fresh sandbox. */
export interface EvaluatePort {
  run(input: EvaluateInput, signal: AbortSignal): Promise<Result<JsonValue, Diagnostic>>;
}

/** Servers of the Model Context Protocol, of one process. `signal` gives up waiting and tells the server so. */
export interface McpPort {
  servers(): readonly McpServerView[];
  /** Never sent twice. `unknown` where it was sent and no answer came. */
  call(input: McpCallInput, use: McpUse): Promise<McpReply<McpAnswer>>;
  read(server: string, uri: string, use: McpUse): Promise<Result<readonly McpPart[], Diagnostic>>;
  resources(
    server: string,
    use: McpUse,
  ): Promise<Result<{ readonly resources: readonly McpResourceInfo[]; readonly truncated: boolean }, Diagnostic>>;
  prompt(
    server: string,
    prompt: { readonly name: McpPromptInfo["name"]; readonly args: Readonly<Record<string, string>> },
    use: McpUse,
  ): Promise<Result<McpRendered, Diagnostic>>;
  reconnect(server: string, use: McpUse): Promise<Result<McpServerView, Diagnostic>>;
}

/** Who uses a server, while it lasts. */
export interface McpUse {
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
  /** Answers what the server wants to know of a person meanwhile; absent: nobody is there. */
  readonly ask?: (question: Question) => Promise<QuestionAnswer | "unavailable">;
}

export interface McpReply<Output> {
  readonly outcome: MutationState;
  readonly result: Result<Output, Diagnostic>;
}

/** Content with its bytes. */
export type McpPart = Exclude<McpContent, { readonly type: "image" }> | { readonly type: "image"; readonly image: ImagePart };

export interface McpAnswer {
  readonly content: readonly McpPart[];
  readonly structured?: JsonValue;
  readonly isError: boolean;
}

export interface McpRendered {
  readonly description?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: McpPart }[];
}

/** Runs other agents of the session. */
export interface AgentPort {
  run(
    input: SubAgentInput,
    asker: {
      readonly plugin: string;
      readonly cause: EffectContext["cause"];
      readonly work?: EffectContext["work"];
      readonly signal: AbortSignal;
      readonly onProgress?: (text: string) => void;
    },
  ): Promise<EffectReply<SubAgentOutput>>;
}

/** The session's tools as a search sees them. */
export interface ToolsPort {
  searchable(): readonly SearchableTool[];
}

/** Collected files of plugins. */
export interface ResourcePort {
  find(plugin: string, kind: string, name: string): FoundResource | undefined;
}

export interface FoundResource {
  readonly path: string;
  readonly text: string;
  /** The resource is the folder of its file: what lies beside that belongs to it. */
  readonly isFolder: boolean;
}

/** A stored form of an effect's output: whole when small, bounded otherwise. */
export type RecordedOutput = JsonValue;
