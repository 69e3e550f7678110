/**
 * The author's side of a plugin: `import { … } from "smith-agent/plugin"`. Inside the sandbox the same names come from
 * the built-in module `smith:sdk`. Types plus a few pure helpers; nothing here reaches the host.
 */
import type { CallId, EntryId, InvocationId, JsonObject, JsonValue, SubmissionId, WorkId } from "../base/index.js";
import type {
  Action,
  AttemptState,
  BodyOutcome,
  Endpoint,
  ExchangePlan,
  FormerValue,
  FramedEvent,
  JobInfo,
  LifecycleEvent,
  LifecycleEventType,
  McpServerView,
  ModelInfo,
  NamedValues,
  ProviderDelta,
  ProviderError,
  ProviderRequest,
  ResponseHead,
  SdkOperation,
  SdkOperations,
  SearchableTool,
  StateScope,
  TextRole,
  ToolOutput,
} from "../schema/index.js";

export type * from "../schema/index.js";
export type { InvocationId, JsonObject, JsonValue } from "../base/index.js";

type Call<Op extends SdkOperation> = (input: SdkOperations[Op]["input"]) => Promise<SdkOperations[Op]["output"]>;

/**
 * What one invocation may use. Every operation is there whatever was granted; one that was not is refused with `grant.denied`. After
 * the invocation settled all are. A refused or failed operation rejects with {@link HostError}.
 */
export interface PluginContext {
  /** Workspace root. */
  readonly cwd: string;
  /** ms since the epoch, fixed for the invocation. */
  readonly now: number;
  /** Values of this plugin's options in this run, by name. */
  readonly config: NamedValues;
  /** Files, below the roots of the grant. */
  readonly fs: {
    readonly read: Call<"fs.read">;
    readonly write: Call<"fs.write">;
    readonly edit: Call<"fs.edit">;
    readonly patch: Call<"fs.patch">;
    readonly list: Call<"fs.list">;
    readonly stat: Call<"fs.stat">;
  };
  /** Names and contents of files, as fast as the host can. */
  readonly search: { readonly find: Call<"search.find">; readonly grep: Call<"search.grep"> };
  /** Programs of the grant, bounded in output: those that are waited for, and jobs, which run beside the conversation. */
  readonly process: {
    readonly run: Call<"process.run">;
    readonly start: Call<"process.start">;
    readonly jobs: () => Promise<readonly JobInfo[]>;
    readonly output: Call<"process.output">;
    readonly kill: Call<"process.kill">;
  };
  /** Servers of the grant, one exchange at a time. */
  readonly net: { readonly fetch: Call<"net.fetch"> };
  /** JavaScript in a sandbox of its own. */
  readonly evaluate: { readonly run: Call<"evaluate.run"> };
  /** The repository, read only. */
  readonly vcs: { readonly status: Call<"vcs.status">; readonly diff: Call<"vcs.diff"> };
  /** Durable values the manifest declares: `get("key")` is null when there is none. */
  readonly state: {
    readonly get: (key: string) => Promise<JsonValue>;
    /** What another version of the value's format left under the key, for which `get` is null. It is there until `put` or `delete`. */
    readonly former: (key: string) => Promise<FormerValue | null>;
    readonly put: (key: string, value: JsonValue) => Promise<void>;
    readonly delete: (key: string) => Promise<void>;
  };
  /** The person, by meaning; how it looks is the frontend's. */
  readonly ui: {
    /** Null when the person would not say. Rejects with `ui.unavailable` where nobody can be asked. */
    readonly ask: (input: SdkOperations["ui.ask"]["input"]) => Promise<string | null>;
    readonly choose: (input: SdkOperations["ui.choose"]["input"]) => Promise<readonly string[] | null>;
    readonly confirm: (input: SdkOperations["ui.confirm"]["input"]) => Promise<boolean | null>;
    /** Kept in the session where no frontend shows it. */
    readonly notify: (text: string, role?: TextRole) => void;
    /** An item of the status line, of the plugin's own under `key`; an empty text takes it away. Dropped where there is none. */
    readonly status: (key: string, text: string, role?: TextRole) => void;
    /** Of this call, while it runs. Dropped where nobody looks. */
    readonly progress: (text: string) => void;
  };
  /** Files the manifest collects. */
  readonly resource: { readonly read: Call<"resource.read"> };
  /** Time, on record: `now` is fixed for the invocation, `clock.now` is not. */
  readonly clock: { readonly sleep: (ms: number) => Promise<void>; readonly now: () => Promise<number> };
  /** Random bytes, as base64. */
  readonly entropy: { readonly bytes: (count: number) => Promise<string> };
  /**
   * `keep("name", value)` hands a secret over that the plugin came by: from then on it is hidden from models and records, and the text
   * that is given back stands for it in this session wherever this plugin may use secrets.
   */
  readonly secrets: { readonly keep: (name: string, value: string) => Promise<string> };
  /** Work on texts at the host's speed. */
  readonly text: { readonly diff: Call<"text.diff">; readonly markdown: Call<"text.markdown"> };
  /** Servers of the Model Context Protocol that the grant names. */
  readonly mcp: {
    readonly servers: () => Promise<readonly McpServerView[]>;
    readonly call: Call<"mcp.call">;
    readonly read: Call<"mcp.read">;
    readonly resources: Call<"mcp.resources">;
    readonly prompt: Call<"mcp.prompt">;
    readonly reconnect: (server: string) => Promise<McpServerView>;
  };
  /** The session's tools. */
  readonly tools: { readonly searchable: () => Promise<readonly SearchableTool[]> };
  /** Another agent, on a branch of its own. */
  readonly agent: { readonly run: Call<"agent.run"> };
}

/** Context of a tool call. */
export type ToolContext = PluginContext;

/** Context of a command: with the collected file it was made for, when it is one of those. */
export interface CommandContext extends PluginContext {
  /** The collected file, of a command that is there for each of them. */
  readonly item?: { readonly name: string; readonly path: string; readonly text: string; readonly attributes: JsonObject };
}

/** Context of a handler: with the values of the state it declared to need. */
export interface HandlerContext extends PluginContext {
  /** Of this run of the handler. */
  readonly invocation: InvocationId;
  /** Values of the state the handler declares, by key. */
  readonly values: NamedValues;
}

/** Rejection of a host operation: a diagnostic in words for the model. Thrown out of a tool it becomes the tool's error result. */
export interface HostError extends Error {
  /** Told apart by this. */
  readonly name: "HostError";
  /** `area.reason`, stable. */
  readonly code: string;
  /** What happened, with the offending value. */
  readonly what: string;
  /** The rule behind it. */
  readonly why: string;
  /** What can be done. */
  readonly next: string;
}

/** Runs one call of a tool. The arguments were checked against the manifest; what it throws, the model sees as the tool's error. */
export type Tool<Args = JsonObject> = (args: Args, context: ToolContext) => Promise<ToolOutput> | ToolOutput;

/** What a tool set offers now. Names begin with the manifest's prefix. */
export interface ToolSetOffer {
  readonly tools: readonly OfferedTool[];
  /** For people, `/name args`. */
  readonly commands?: readonly OfferedCommand[];
  /** What was left out or changed, for the person: told once. */
  readonly notes?: readonly string[];
  /** A section of the system prompt that goes with it; left out: none. */
  readonly prompt?: string;
}

/** A tool that no manifest could name. */
export interface OfferedTool {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Left out: it may change anything. */
  readonly readOnly?: boolean;
  /** Whether a search has to name it first. */
  readonly offer?: "search";
  readonly timeoutMs?: number;
  /** Argument keys of the one-line summary. */
  readonly summaryKeys?: readonly string[];
  /** Given back to `run`. */
  readonly target: JsonValue;
}

/** A command that no manifest could name. */
export interface OfferedCommand {
  readonly name: string;
  readonly description: string;
  readonly usage?: string;
  readonly target: JsonValue;
}

/** Tools that come and go while smith runs, made from what its source says. */
export interface ToolSet<Source = JsonValue> {
  /** Pure: asked again whenever the source changed. The same source gives the same names. */
  readonly offer: (source: Source) => ToolSetOffer;
  readonly run: (call: ToolSetCall, context: ToolContext) => Promise<ToolOutput> | ToolOutput;
  readonly command?: (
    call: { readonly name: string; readonly target: JsonValue; readonly args: string },
    context: CommandContext,
  ) => Promise<Actions | void> | Actions | void;
}

/** A call of a tool of a set: the arguments were checked against the schema it was offered with. */
export interface ToolSetCall {
  readonly name: string;
  readonly target: JsonValue;
  readonly args: JsonObject;
}

type Actions = readonly Action[] | undefined;

/** `args` is everything after the command's name, trimmed. What it returns is carried out as one batch, or refused as one. */
export type Command = (args: string, context: CommandContext) => Promise<Actions | void> | Actions | void;

/** The event of a type, with its own fields. */
export type EventOf<Type extends LifecycleEventType> = Extract<LifecycleEvent, { readonly type: Type }>;

/** Told of an event it is declared for. What it returns is checked, merged with what other plugins want, and carried out. */
export type Handler<Type extends LifecycleEventType = LifecycleEventType> = (
  event: EventOf<Type>,
  context: HandlerContext,
) => Promise<Actions | void> | Actions | void;

/** Pure functions: no host operation is available to a provider. State is JSON, threaded through by the host. */
export interface Provider {
  /** The exchange that asks the model: made by the host, within the grant. */
  plan(request: ProviderRequest): ExchangePlan;
  /** Words for an answer that is a failure. Left out: told by its status. */
  fail?(head: ResponseHead, body: string): ProviderError;
  /** State of an answer that begins. Left out: null. */
  open?(head: ResponseHead): AttemptState;
  /** What a batch of events says, and the state after it. */
  events?(batch: readonly FramedEvent[], state: AttemptState): { readonly deltas: readonly ProviderDelta[]; readonly state: AttemptState };
  /** What is still to be said when the answer ends, the end itself included. */
  close?(outcome: BodyOutcome, state: AttemptState): readonly ProviderDelta[];
  /** The exchanges that list models, up to four: the first has to succeed. */
  models?(endpoint: Endpoint): ExchangePlan | readonly ExchangePlan[];
  /** The models of their answers, one text for each; empty where one of the others failed. */
  parseModels?(bodies: readonly string[]): readonly ModelInfo[];
}

/** Everything a module brings, under the names its manifest declares. What is not declared is never called. */
export interface Plugin {
  /** For the model, by name. A tool states its own argument type. */
  readonly tools?: { readonly [name: string]: Tool<never> };
  /** Tools nobody can name beforehand, by the set's name. */
  readonly toolSets?: { readonly [name: string]: ToolSet<never> };
  /** For people, by name. */
  readonly commands?: { readonly [name: string]: Command };
  /** One for each event. */
  readonly handlers?: { readonly [Type in LifecycleEventType]?: Handler<Type> };
  /** Ways to reach models, by id. */
  readonly providers?: { readonly [name: string]: Provider };
}

/** Identity function that types a plugin's default export. */
export const definePlugin = (plugin: Plugin): Plugin => plugin;

/** A successful result. */
export const result = (text: string, extra: Omit<ToolOutput, "text" | "isError"> = {}): ToolOutput => ({ text, isError: false, ...extra });

/** A failure the model can act on. */
export const failure = (text: string, extra: Omit<ToolOutput, "text" | "isError"> = {}): ToolOutput => ({ text, isError: true, ...extra });

/** Whether something caught is the refusal or failure of a host operation. */
export const isHostError = (error: unknown): error is HostError => error instanceof Error && error.name === "HostError";

/** Parses JSON without throwing. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What a test of a plugin may use; `smith plugins check` runs the files `test/*.test.ts` of the package in the sandbox. */
export interface TestContext {
  /** Throws unless both are the same JSON. */
  readonly equal: (actual: unknown, expected: unknown, message?: string) => void;
  /** Throws unless the value is truthy. */
  readonly ok: (value: unknown, message?: string) => void;
  /**
   * A context whose operations are answered by the given functions, by `group.name`. The manifest counts as in a session: an operation
   * of a facility it grants nothing of is refused with `grant.denied`, an input or a key of state it does not have as there, and that
   * whether an answer is given or not. Which paths, programs and origins are granted is not looked at. An operation without an
   * answer is refused with `grant.denied`, too. What is said with `ui.notify`, `ui.status` and `ui.progress` without the grant, or in
   * a way no session shows, fails the test. `config` and `values` are as given.
   */
  readonly context: (answers?: TestAnswers, given?: { readonly config?: NamedValues; readonly values?: NamedValues }) => HandlerContext;
  /**
   * An event as a handler gets it: what is not given has a usual value, and so have the ids of the items of `context`, `queue` and
   * `calls`, which are numbered from 1. Ids may be given as plain texts; those of entries and submissions are UUIDs.
   */
  readonly event: <Type extends LifecycleEventType>(type: Type, fields?: EventFields<Type>) => EventOf<Type>;
  /**
   * The actions, once it is known that a session takes them as the answer to the event, or of a command: each is whole, may answer
   * that event, is about what the event is about, is granted, and sets only state and options of the manifest; together they contradict
   * each other in nothing. Else it rejects with the {@link HostError} of the session. What depends on the session itself (whether an
   * entry or a model is there) is not looked at. No actions are an empty list.
   */
  readonly actions: (event: LifecycleEvent | "command", actions: Promise<Actions | void> | Actions | void) => Promise<readonly Action[]>;
}

type Id = CallId | EntryId | SubmissionId | WorkId;
type Plain<T> = T extends Id ? string : T;
type Item = { readonly entry: EntryId } | { readonly submission: SubmissionId } | { readonly call: CallId };
type Items<T> = T extends readonly (infer One extends Item)[] ? readonly { readonly [Key in keyof One]?: Plain<One[Key]> }[] : Plain<T>;

/** What a test may say of an event: any of its fields, ids as plain texts. */
export type EventFields<Type extends LifecycleEventType> = {
  readonly [Key in Exclude<keyof EventOf<Type>, "type">]?: Items<EventOf<Type>[Key]>;
};

/** Answers of a test in the place of the host, by operation. */
export type TestAnswers = { readonly [Op in SdkOperation]?: (input: SdkOperations[Op]["input"]) => SdkOperations[Op]["output"] };

/** Declares a test. Only inside of `test/*.test.ts`. */
export type TestFunction = (name: string, body: (t: TestContext) => Promise<void> | void) => void;

/** Declares a test of the package. */
export declare const test: TestFunction;

export type { StateScope, TextRole };
