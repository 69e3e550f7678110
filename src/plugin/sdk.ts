/**
 * The author's side of a plugin: `import { … } from "smith-agent/plugin"`. Inside the sandbox the same names come from
 * the built-in module `smith:sdk`. Types plus a few pure helpers; nothing here reaches the host.
 */
import type { JsonObject, JsonValue } from "../base/index.js";
import type {
  AttemptState,
  BodyOutcome,
  Endpoint,
  ExchangePlan,
  FramedEvent,
  ModelInfo,
  ProviderDelta,
  ProviderError,
  ProviderRequest,
  ResponseHead,
  SdkOperation,
  SdkOperations,
  ToolOutput,
} from "../schema/index.js";

export type * from "../schema/index.js";
export type { JsonObject, JsonValue } from "../base/index.js";

type Call<Op extends SdkOperation> = (input: SdkOperations[Op]["input"]) => Promise<SdkOperations[Op]["output"]>;

/** What one invocation may use. Refused after the invocation settled. A refused or failed operation rejects with {@link HostError}. */
export interface ToolContext {
  readonly cwd: string;
  /** ms since the epoch, fixed for the invocation. */
  readonly now: number;
  readonly fs: {
    readonly read: Call<"fs.read">;
    readonly write: Call<"fs.write">;
    readonly edit: Call<"fs.edit">;
    readonly list: Call<"fs.list">;
  };
  readonly search: { readonly find: Call<"search.find">; readonly grep: Call<"search.grep"> };
  readonly process: { readonly run: Call<"process.run"> };
}

/** Rejection of a host operation: a diagnostic in words for the model. Thrown out of a tool it becomes the tool's error result. */
export interface HostError extends Error {
  readonly name: "HostError";
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly next: string;
}

export type Tool<Args = JsonObject> = (args: Args, context: ToolContext) => Promise<ToolOutput> | ToolOutput;

/** Pure functions: no host operation is available to a provider. State is JSON, threaded through by the host. */
export interface Provider {
  plan(request: ProviderRequest): ExchangePlan;
  fail?(head: ResponseHead, body: string): ProviderError;
  open?(head: ResponseHead): AttemptState;
  events?(batch: readonly FramedEvent[], state: AttemptState): { readonly deltas: readonly ProviderDelta[]; readonly state: AttemptState };
  close?(outcome: BodyOutcome, state: AttemptState): readonly ProviderDelta[];
  models?(endpoint: Endpoint): ExchangePlan;
  parseModels?(body: string): readonly ModelInfo[];
}

export interface Plugin {
  // A tool states its own argument type; the host has validated the arguments against the manifest before the call.
  readonly tools?: { readonly [name: string]: Tool<never> };
  readonly providers?: { readonly [name: string]: Provider };
}

/** Identity function that types a plugin's default export. */
export const definePlugin = (plugin: Plugin): Plugin => plugin;

/** A successful result. */
export const result = (text: string, extra: Omit<ToolOutput, "text" | "isError"> = {}): ToolOutput => ({ text, isError: false, ...extra });

/** A failure the model can act on. */
export const failure = (text: string, extra: Omit<ToolOutput, "text" | "isError"> = {}): ToolOutput => ({ text, isError: true, ...extra });

export const isHostError = (error: unknown): error is HostError => error instanceof Error && error.name === "HostError";

/** Parses JSON without throwing. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
