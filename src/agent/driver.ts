import {
  type CallId,
  type Clock,
  type EffectId,
  type IdSource,
  invariant,
  type RequestId,
  type Result,
  type SubmissionId,
} from "../base/index.js";
import type { AccessMode, Diagnostic, Entry, ModelRef, Position, RunLimits, ToolCallEntry, ToolDefinition } from "../schema/index.js";
import type { ProviderEvent } from "../provider/index.js";
import { SessionStorageError } from "../session/index.js";
import type { Approval, Dispatcher, DispatchOutcome } from "../tool/index.js";
import { decide, failTurn } from "./decide.js";
import { storageStopped, unexpected } from "./diagnostics.js";
import type { Mint } from "./draft.js";
import { prepareRound, type RoundFacts } from "./round.js";
import type { AgentInput, AgentRequest, AgentState, Decision, QueuedItem, RoundEnd, StopCause, TurnEnd } from "./state.js";

/** Everything the driver may do to the world, passed in by the composition. */
export interface DriverPorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly cwd: string;
  readonly limits: () => RunLimits;
  readonly mode: () => AccessMode;
  /** Queues one change at once; resolves with its place when it is durable. */
  readonly commit: (entries: readonly Entry[], leaf: AgentState["leaf"]) => Promise<Position>;
  /** Prompt, tools and model of the next request; a diagnostic ends the turn. */
  readonly facts: () => Promise<Result<RoundFacts, Diagnostic>>;
  readonly respond: (round: RoundCall) => AsyncIterable<ProviderEvent>;
  readonly dispatcher: () => Dispatcher;
  readonly approve: (call: ToolCallEntry, tool: ToolDefinition, signal: AbortSignal) => Promise<Approval>;
  readonly diagnose: (event: Extract<ProviderEvent, { type: "failed" }>) => Diagnostic;
  readonly emit: (event: DriverEvent) => void;
}

export interface RoundCall {
  readonly facts: RoundFacts;
  readonly messages: ReturnType<typeof prepareRound>["messages"];
  readonly signal: AbortSignal;
}

/** What the driver tells its owner, in order. `committed` comes after the entries are durable. */
export type DriverEvent =
  | { readonly type: "committed"; readonly entries: readonly Entry[]; readonly position: Position }
  | { readonly type: "response-started"; readonly request: RequestId; readonly model: ModelRef }
  | { readonly type: "progress"; readonly event: Extract<ProviderEvent, { type: "text" | "thinking" | "retry" }> }
  | { readonly type: "tool-progress"; readonly call: CallId; readonly text: string }
  | { readonly type: "queue-changed" }
  | { readonly type: "turn-ended"; readonly end: TurnEnd };

export interface Driver {
  state(): AgentState;
  /** Admits input: a turn begins, or the input waits in the queue. Resolves when the admission is durable. */
  submit(input: Omit<Extract<AgentInput, { type: "submitted" }>, "type">): Promise<{ readonly queued: boolean }>;
  withdraw(submission: SubmissionId): Promise<boolean>;
  rename(name: string): Promise<void>;
  /** Records the wish to stop and aborts what runs. */
  stop(cause: StopCause): Promise<void>;
  /** Resolves when no turn is running. */
  idle(): Promise<void>;
}

/** Pure decide, then act, then feed the fact back (style section 6). One driver per session; one turn at a time. */
export function createDriver(initial: AgentState, ports: DriverPorts): Driver {
  return new TurnDriver(initial, ports);
}

class TurnDriver implements Driver {
  #state: AgentState;
  readonly #ports: DriverPorts;
  #abort = new AbortController();
  /** Set once the record of a change failed: the state in memory may be ahead of the file, so nothing more is admitted. */
  #sealed: SessionStorageError | undefined;
  #idle: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(initial: AgentState, ports: DriverPorts) {
    this.#state = initial;
    this.#ports = ports;
  }

  state(): AgentState {
    return this.#state;
  }

  async submit(input: Omit<Extract<AgentInput, { type: "submitted" }>, "type">): Promise<{ readonly queued: boolean }> {
    if (this.#sealed !== undefined) throw this.#sealed;
    const queued = this.#state.turn !== undefined;
    if (!queued) {
      this.#abort = new AbortController();
      this.#idle = deferred();
    }
    const decision = decide(this.#state, { type: "submitted", ...input }, this.#ports.limits(), this.#mint());
    this.#state = decision.state;
    try {
      await this.#publish(decision.entries);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    if (queued) this.#ports.emit({ type: "queue-changed" });
    this.#perform(decision.requests);
    return { queued };
  }

  async withdraw(submission: SubmissionId): Promise<boolean> {
    const known = this.#state.queue.some((item: QueuedItem) => item.submission === submission);
    if (!known) return false;
    await this.#apply({ type: "withdrawn", submission });
    this.#ports.emit({ type: "queue-changed" });
    return true;
  }

  async rename(name: string): Promise<void> {
    await this.#apply({ type: "renamed", name });
  }

  async stop(cause: StopCause): Promise<void> {
    await this.#apply({ type: "stop-requested", cause });
  }

  async idle(): Promise<void> {
    await this.#idle?.promise;
  }

  #mint(): Mint {
    return { ids: this.#ports.ids, time: this.#ports.clock.now() };
  }

  async #publish(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const position = await this.#ports.commit(entries, this.#state.leaf);
    this.#ports.emit({ type: "committed", entries, position });
  }

  /** One input through the policy. The state moves at once, so that inputs of one tick see each other; requests wait for durability. */
  async #apply(input: AgentInput): Promise<void> {
    const queueBefore = this.#state.queue;
    const decision: Decision = decide(this.#state, input, this.#ports.limits(), this.#mint());
    this.#state = decision.state;
    if (input.type === "stop-requested") this.#perform(decision.requests);
    try {
      await this.#publish(decision.entries);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (decision.state.queue !== queueBefore) this.#ports.emit({ type: "queue-changed" });
    if (input.type !== "stop-requested") this.#perform(decision.requests);
  }

  #perform(requests: readonly AgentRequest[]): void {
    for (const request of requests) {
      switch (request.type) {
        case "start-round":
          this.#background(this.#round());
          break;
        case "run-tools":
          for (const call of request.calls) this.#background(this.#tool(call));
          break;
        case "stop-running":
          this.#abort.abort(request.cause);
          break;
        case "turn-ended":
          this.#ports.emit({ type: "turn-ended", end: request.end });
          this.#settleIdle();
          break;
      }
    }
  }

  /** The work root: whatever escapes ends the turn as failed, never the process. */
  #background(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#fail(error);
    });
  }

  async #round(): Promise<void> {
    const { signal } = this.#abort;
    const facts = await this.#ports.facts();
    if (!facts.ok) {
      await this.#endTurn({ status: "error", reason: "provider", error: facts.error });
      return;
    }
    if (signal.aborted) {
      const deadline = this.#state.turn?.stopping === "deadline";
      await this.#endTurn(deadline ? { status: "limit", reason: "deadline" } : { status: "aborted", reason: "abort" });
      return;
    }
    const prepared = prepareRound(this.#state, facts.value, this.#mint());
    this.#state = prepared.state;
    await this.#publish(prepared.entries);
    this.#ports.emit({ type: "response-started", request: prepared.request, model: facts.value.dispatch });
    const end = await this.#stream({ facts: facts.value, messages: prepared.messages, signal });
    await this.#roundEnded(prepared.request, prepared.effect, facts.value.dispatch, end);
  }

  async #roundEnded(request: RequestId, effect: EffectId, dispatch: ModelRef, end: RoundEnd): Promise<void> {
    await this.#apply({ type: "round-ended", request, effect, dispatch, end });
  }

  async #stream(round: RoundCall): Promise<RoundEnd> {
    for await (const event of this.#ports.respond(round)) {
      switch (event.type) {
        case "text":
        case "thinking":
        case "retry":
          this.#ports.emit({ type: "progress", event });
          break;
        case "done":
          return { type: "done", result: event.result };
        case "failed":
          return { type: "failed", error: this.#ports.diagnose(event), partial: event.partial };
        case "aborted":
          return { type: "aborted", partial: event.partial };
      }
    }
    invariant(false, "a provider stream ended without a terminal event");
  }

  async #tool(call: ToolCallEntry): Promise<void> {
    const { signal } = this.#abort;
    const { work } = call;
    const outcome: DispatchOutcome = await this.#ports.dispatcher().dispatch({
      call,
      work,
      cwd: this.#ports.cwd,
      mode: this.#ports.mode(),
      signal,
      onProgress: (text) => {
        this.#ports.emit({ type: "tool-progress", call: call.call, text });
      },
      approve: async (tool) => await this.#ports.approve(call, tool, signal),
    });
    // A turn that failed meanwhile has its end recorded already; a late result belongs to nobody.
    if (this.#state.turn?.work === work) await this.#apply({ type: "tool-settled", call, outcome });
  }

  async #endTurn(facts: Parameters<typeof failTurn>[1]): Promise<void> {
    const decision = failTurn(this.#state, facts, this.#mint());
    this.#state = decision.state;
    await this.#publish(decision.entries);
    this.#perform(decision.requests);
  }

  /** Ends the turn without a record when the record itself cannot be written. */
  #fail(error: unknown): void {
    if (this.#state.turn === undefined) return;
    this.#abort.abort("abort");
    if (error instanceof SessionStorageError) this.#sealed = error;
    const storage = error instanceof SessionStorageError;
    const facts = storage
      ? ({ status: "error", reason: "storage", error: storageStopped(error.diagnostic) } as const)
      : ({ status: "error", reason: "bug", error: unexpected(error) } as const);
    const decision = failTurn(this.#state, facts, this.#mint());
    this.#state = decision.state;
    const end = (): void => {
      this.#perform(decision.requests);
    };
    if (storage) end();
    else this.#publish(decision.entries).then(end, end);
  }

  #settleIdle(): void {
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Nothing to ask and nobody to answer: the approval every non-interactive `ask` gets. */
export const denyUnattended = (tool: ToolDefinition): Approval => ({
  allowed: false,
  why: `${tool.name} changes things, and nobody can be asked in this run. Use --mode auto to allow it.`,
});
