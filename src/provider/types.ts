import type {
  AssistantResult,
  AttemptState,
  BodyOutcome,
  ExchangePlan,
  FramedEvent,
  ModelInfo,
  ProviderDelta,
  ProviderError,
  ProviderRequest,
  ResponseHead,
  Endpoint,
} from "../schema/index.js";

/** A provider plugin as the core sees it: pure functions run in the sandbox. State is threaded, never kept there. */
export interface ProviderAdapter {
  readonly id: string;
  plan(request: ProviderRequest): Promise<ExchangePlan>;
  /** `head` of a non-2xx answer comes with the bounded body text. Nothing when the plugin has no words for it: the status speaks. */
  fail(head: ResponseHead, body: string): Promise<ProviderError | undefined>;
  /** Opens one attempt; decodes batches in order; `close` yields what is left, the terminal delta included. */
  open(head: ResponseHead): DecoderSession;
  models?(endpoint: Endpoint): Promise<{ readonly plan: ExchangePlan; parse(body: string): Promise<readonly ModelInfo[]> }>;
}

export interface DecoderSession {
  push(batch: readonly FramedEvent[]): Promise<readonly ProviderDelta[]>;
  close(outcome: BodyOutcome): Promise<readonly ProviderDelta[]>;
  /** State is dropped; safe to call twice. */
  release(): void;
}

/**
 * One response as the agent consumes it. Never throws once begun; ends with exactly one terminal event
 * (`done` or `failed`), nothing after it.
 */
export type ProviderEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "retry"; readonly attempt: number; readonly max: number; readonly reason: string; readonly delayMs: number }
  | { readonly type: "done"; readonly result: AssistantResult }
  | { readonly type: "failed"; readonly error: ProviderError; readonly partial: AssistantResult }
  | { readonly type: "aborted"; readonly partial: AssistantResult };

export type { AttemptState };
