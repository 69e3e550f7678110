import type { JsonObject, JsonValue } from "../base/index.js";
import type { Message, StopReason } from "./message.js";
import type { ModelFacts, ThinkingLevel, Usage } from "./model/index.js";

/** Where a provider is reached. `credential` names a secret the host substitutes; the plugin never sees it. */
export interface Endpoint {
  /** Base URL without a trailing slash, query kept apart. Empty for a provider without network. */
  readonly baseUrl: string;
  readonly query?: string;
  readonly credential?: string;
  /** Quirk profile, data of the provider plugin. */
  readonly profile?: string;
  /** Further headers a person configured for this server. The host adds them; they win over the plugin's. Never given to a plugin: one may be a key. */
  readonly headers?: { readonly [name: string]: string };
}

/** How one answer is drawn. Every field is optional; the vendor's default holds for what is absent. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  /** Most tokens of the answer, thinking included where the vendor counts it so. */
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Opaque: the form the vendor's API takes for structured output, in the words of Chat Completions (`json_object`, `json_schema`). */
  readonly responseFormat?: JsonValue;
  /** Fields of the vendor's request, merged last. Never one of {@link RESERVED_KEYS}. */
  readonly extra?: JsonObject;
}

/** Keys of a request that `extra` may not hold: they are the host's. Seed of the framework, section 8.2. */
export const RESERVED_KEYS = ["model", "messages", "tools", "tool_choice", "stream"] as const;

/** One normalized request, as a provider plugin gets it. */
export interface ProviderRequest {
  /** Which of the plugin's providers is asked; what it made earlier has this id in `from.provider`. */
  readonly provider: string;
  readonly model: string;
  readonly endpoint: Endpoint;
  /** What is known of the model. What is not advertised here must not be asked for. */
  readonly facts: ModelFacts;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
  readonly sampling?: Sampling;
  /** One of `facts.thinking`. Absent: the vendor's own default, and nothing is said about it. */
  readonly thinking?: ThinkingLevel;
  /** False: one whole answer is wanted, not a stream. */
  readonly stream: boolean;
  /** The same for all requests of one session: for caches that are kept by a key. */
  readonly cacheKey?: string;
  /** cwd, for a provider that answers without a network. */
  readonly context: { readonly cwd: string };
}

/** What a provider plugin wants done: one HTTP exchange, or an answer made without any. */
export type ExchangePlan =
  | {
      readonly type: "http";
      readonly method: "GET" | "POST";
      readonly url: string;
      /** Values may hold `{secret:NAME}`; the host substitutes after recording. */
      readonly headers: { readonly [name: string]: string };
      readonly body?: string;
      /** What an event of the answer is: a server-sent one, a line that is not blank (newline-delimited JSON), or the whole body. */
      readonly framing: "sse" | "lines" | "json";
      /** See `merge` in docs/plugins: JSON path of a string whose chunks may be joined when all else in the event is equal. */
      readonly merge?: readonly (string | number)[];
    }
  | { readonly type: "local"; readonly deltas: readonly ProviderDelta[] };

/** What a decoder makes of vendor events. Deltas only; the core assembles them. */
export type ProviderDelta =
  | { readonly type: "text"; readonly text: string }
  /**
   * A piece of a thinking part. `key` tells parts of one response apart; without keys a part ends with its signature. `kind` and `id`
   * are the plugin's own words, kept with the part and given back with it.
   */
  | {
      readonly type: "thinking";
      readonly text: string;
      readonly signature?: string;
      readonly key?: string;
      readonly kind?: string;
      readonly id?: string;
    }
  /** `key` tells calls of one response apart; `id` is the vendor's, absent when it gave none. `signature` as of a thinking part. */
  | {
      readonly type: "tool-call";
      readonly key: string;
      readonly id?: string;
      readonly name?: string;
      readonly args?: string;
      readonly signature?: string;
    }
  | { readonly type: "usage"; readonly usage: Usage }
  /**
   * All that makes the answer one is there, but its server may still say something: it is listened to as long as it goes on, and for a
   * moment of silence, not until it closes the connection. Content that comes after it takes it back.
   */
  | { readonly type: "whole" }
  | { readonly type: "end"; readonly stop: Exclude<StopReason, "aborted" | "failed"> }
  | { readonly type: "error"; readonly error: ProviderError };

export interface ProviderError {
  readonly class:
    | "auth"
    | "invalid"
    | "not-found"
    | "context-overflow"
    | "rate-limit"
    /** Used up until somebody pays or a period ends: waiting a moment does not help. */
    | "quota"
    | "overloaded"
    | "transport"
    | "content-filter"
    | "protocol"
    | "plugin";
  /** The server's own words, bounded. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The URL that was asked, set by the host. Never holds a secret. */
  readonly url?: string;
}

export interface FramedEvent {
  readonly event?: string;
  readonly data: string;
}

export interface ResponseHead {
  readonly status: number;
  /** The URL that answered, so that an error can name it. Never holds a secret. */
  readonly url?: string;
  readonly headers: { readonly [name: string]: string };
}

/** How the body ended; a consumer can never take a cut body for a whole one. */
export type BodyOutcome = "complete" | "truncated" | "cancelled" | "failed";

/** Opaque to the host: whatever JSON the plugin keeps for one attempt. */
export type AttemptState = JsonValue;
