import type { Clock } from "../../base/index.js";
import type { EffectContext, EffectGateway, ImageShelf } from "../../effect/index.js";
import type { Cell, CellModule } from "../cell/index.js";
import type { DeliveryKind, EmitType } from "../engine/kinds.js";
import type { StateContribution } from "../types.js";
import type { Deadline } from "./deadline.js";
import type { EffectTrace } from "./effect-trace.js";

export interface InvocationDeps {
  readonly effects: EffectGateway;
  readonly clock: Clock;
}

/** One function of a plugin that is about to run with a context: a tool, a command or a handler. */
export interface InvocationPlan {
  readonly cell: Cell;
  readonly module: CellModule;
  readonly kind: DeliveryKind;
  readonly json: string;
  readonly sliceMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What the gateway is told of the asker with each operation. */
  readonly asker: Omit<EffectContext, "signal" | "onProgress" | "onIntent" | "effect" | "images">;
  readonly states: readonly StateContribution[];
  /** Awaited before the first operation. */
  readonly record?: () => Promise<void>;
  readonly onProgress: (text: string) => void;
  readonly emit: (what: EmitType, json: string, dropped: number) => void;
}

export type StopReason = "aborted" | "timed-out";

/** One invocation while it runs. */
export interface Run {
  readonly plan: InvocationPlan;
  readonly trace: EffectTrace;
  /** What it was given to look at. */
  readonly images: ImageShelf;
  /** Put to a person so far. */
  questions: number;
  readonly deadline: Deadline;
  /** Aborts whatever effects are left when the call is over or stopped. */
  readonly effectsOver: AbortController;
  stopped: StopReason | undefined;
  isLive: boolean;
  /** Of the invocation itself, once it was asked for. */
  recorded: Promise<void> | undefined;
  /** A failure of the host itself, thrown to whoever ran the function. */
  bug: { readonly error: unknown } | undefined;
}
