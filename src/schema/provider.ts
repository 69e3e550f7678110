import type { JsonObject, JsonValue } from "../base/index.js";
import type { Message, ModelRef, StopReason } from "./message.js";
import type { Usage } from "./usage.js";

/** A model as a catalog or a server lists it. Unknown limits and prices stay absent. */
export interface ModelInfo {
  readonly ref: ModelRef;
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  readonly images?: boolean;
  readonly thinking?: boolean;
}

/** Where a provider is reached. `credential` names a secret the host substitutes; the plugin never sees it. */
export interface Endpoint {
  /** Base URL without a trailing slash, query kept apart. Empty for a provider without network. */
  readonly baseUrl: string;
  readonly query?: string;
  readonly credential?: string;
  /** Quirk profile, data of the provider plugin. */
  readonly profile?: string;
}

/** One normalized request, as a provider plugin gets it. */
export interface ProviderRequest {
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly thinking?: string;
  /** cwd and date, for a provider that answers without a network. */
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
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string }
  /** `key` tells calls of one response apart; `id` is the vendor's, absent when it gave none. */
  | { readonly type: "tool-call"; readonly key: string; readonly id?: string; readonly name?: string; readonly args?: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "end"; readonly stop: Exclude<StopReason, "aborted" | "failed"> }
  | { readonly type: "error"; readonly error: ProviderError };

export interface ProviderError {
  readonly class:
    | "auth"
    | "invalid"
    | "not-found"
    | "context-overflow"
    | "rate-limit"
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
