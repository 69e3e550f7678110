import type {
  AssistantResult,
  AttemptState,
  BodyOutcome,
  Endpoint,
  ExchangePlan,
  FramedEvent,
  ModelFacts,
  ModelInfo,
  ModelRef,
  ProviderDelta,
  ProviderError,
  ProviderRequest,
  ResponseHead,
  Routing,
  TargetRef,
  ThinkingLevel,
} from "../schema/index.js";

/** A provider plugin as the core sees it: pure functions run in the sandbox. State is threaded, never kept there. */
export interface ProviderAdapter {
  readonly id: string;
  plan(request: ProviderRequest): Promise<ExchangePlan>;
  /** `head` of a non-2xx answer comes with the bounded body text. Nothing when the plugin has no words for it: the status speaks. */
  fail(head: ResponseHead, body: string): Promise<ProviderError | undefined>;
  /** Opens one attempt; decodes batches in order; `close` yields what is left, the terminal delta included. */
  open(head: ResponseHead): DecoderSession;
  /**
   * How its models are listed: up to four exchanges, of which the first has to succeed. `parse` gets one text for each, empty where
   * one of the others failed.
   */
  models?(
    endpoint: Endpoint,
  ): Promise<{ readonly plans: readonly ExchangePlan[]; parse(bodies: readonly string[]): Promise<readonly ModelInfo[]> }>;
}

export interface DecoderSession {
  push(batch: readonly FramedEvent[]): Promise<readonly ProviderDelta[]>;
  close(outcome: BodyOutcome): Promise<readonly ProviderDelta[]>;
  /** State is dropped; safe to call twice. */
  release(): void;
}

/**
 * Where a request goes, and all that is decided before it is sent. The user's selection stays what it was; this is what it means now.
 * Specification, "Dispatch identity".
 */
export interface Dispatch {
  readonly ref: ModelRef;
  /** Name of the connection where a person configured it: what stands before the slash of a selection that means it. */
  readonly connection?: string;
  readonly endpoint: Endpoint;
  readonly facts: ModelFacts;
  /** The level the model will be asked for; absent: nothing is said about it. */
  readonly thinking?: ThinkingLevel;
  readonly routing: Routing;
  /** Who shares a rate limit with it. */
  readonly bucket: string;
  /** What made it this one, for the status line: a variable's name or a connection's. */
  readonly source: string;
  /** The model is not known yet (`ref.model` is empty): its server has to be asked. */
  readonly needsModel: boolean;
}

/**
 * One response as the agent consumes it. Never throws once begun; ends with exactly one terminal event
 * (`done`, `failed` or `aborted`), nothing after it.
 */
export type ProviderEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** An attempt failed and the same one is asked again after the wait. `error` is that of the attempt that is over. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly max: number;
      readonly reason: string;
      readonly delayMs: number;
      readonly error: ProviderError;
    }
  /** An attempt failed and another model or account is asked in its place. */
  | {
      readonly type: "failover";
      readonly from: TargetRef;
      readonly to: TargetRef;
      readonly reason: string;
      readonly until?: number;
      readonly error: ProviderError;
    }
  /** Comes before every attempt but the first. It is sent when the next event is asked for: who records it does so before. */
  | { readonly type: "attempt"; readonly number: number; readonly to: Dispatch }
  | { readonly type: "done"; readonly result: AssistantResult }
  | { readonly type: "failed"; readonly error: ProviderError; readonly partial: AssistantResult }
  | { readonly type: "aborted"; readonly partial: AssistantResult };

export type { AttemptState };
