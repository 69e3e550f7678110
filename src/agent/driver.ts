import {
  type CallId,
  type Clock,
  type IdSource,
  invariant,
  type RequestId,
  type Result,
  type SubmissionId,
  type WorkId,
} from "../base/index.js";
import type {
  AccessMode,
  Diagnostic,
  Entry,
  ModelRef,
  MutationState,
  Position,
  RunLimits,
  ToolCallEntry,
  ToolDefinition,
} from "../schema/index.js";
import type { ProviderEvent } from "../provider/index.js";
import { SessionStorageError } from "../session/index.js";
import type { Approval, Dispatcher, DispatchOutcome } from "../tool/index.js";
import { decide, type EndFacts, failTurn, stopEnd } from "./decide.js";
import { storageStopped, unexpected } from "./diagnostics.js";
import type { Mint } from "./draft.js";
import { prepareRound, type RoundFacts } from "./round.js";
import type { AgentInput, AgentRequest, AgentState, Decision, QueuedItem, RoundEnd, StopCause, Turn, TurnEnd } from "./state.js";

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
  readonly facts: (signal: AbortSignal) => Promise<Result<RoundFacts, Diagnostic>>;
  /** Resolves when whoever observes can take more; bounds what a slow reader makes us keep. */
  readonly ready: () => Promise<void>;
  readonly respond: (round: RoundCall) => AsyncIterable<ProviderEvent>;
  readonly dispatcher: () => Dispatcher;
  readonly approve: (call: ToolCallEntry, tool: ToolDefinition, signal: AbortSignal) => Promise<Approval>;
  readonly diagnose: (event: Extract<ProviderEvent, { type: "failed" }>) => { readonly error: Diagnostic; readonly outcome: MutationState };
  readonly emit: (event: DriverEvent) => void;
}

export interface RoundCall {
  readonly facts: RoundFacts;
  readonly messages: ReturnType<typeof prepareRound>["messages"];
  readonly signal: AbortSignal;
}

/** What the driver tells its owner, in order. `committed` comes after the entries are durable. */
export type DriverEvent =
  /** Comes before the `committed` of the same change. */
  | { readonly type: "turn-started"; readonly submission: SubmissionId; readonly work: WorkId; readonly position: Position }
  | { readonly type: "committed"; readonly entries: readonly Entry[]; readonly position: Position }
  | { readonly type: "response-started"; readonly request: RequestId; readonly model: ModelRef }
  | { readonly type: "progress"; readonly event: Extract<ProviderEvent, { type: "text" | "thinking" | "retry" }> }
  | { readonly type: "tool-progress"; readonly call: CallId; readonly text: string }
  | { readonly type: "queue-changed" }
  | { readonly type: "turn-ended"; readonly end: TurnEnd }
  /** Nothing can be recorded any more. What waits is not delivered by this process; the file may still hold it as waiting. */
  | { readonly type: "sealed"; readonly error: Diagnostic };

export interface Driver {
  state(): AgentState;
  /** Admits input: a turn begins, or the input waits in the queue. Resolves when the admission is durable. */
  submit(input: Omit<Extract<AgentInput, { type: "submitted" }>, "type">): Promise<{ readonly queued: boolean }>;
  withdraw(submission: SubmissionId): Promise<boolean>;
  rename(name: string): Promise<void>;
  /** Records the wish to stop, aborts what runs, and gives back what waited: none of it is delivered any more. */
  stop(cause: StopCause): Promise<readonly QueuedItem[]>;
  /** No turn is running, and the end of each is recorded. */
  isIdle(): boolean;
  /** Resolves when every turn that is unfinished now has its end recorded. A turn that begins later is not waited for. */
  idle(): Promise<void>;
  /** Lets input that an earlier turn or process left waiting begin a turn now. */
  resumeQueue(): void;
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
  /** Turns whose end is not recorded yet. More than one for a moment: a new one may begin while the last change of the old is written. */
  readonly #unfinished = new Map<WorkId, Deferred>();

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
    await this.#apply({ type: "submitted", ...input });
    return { queued };
  }

  async withdraw(submission: SubmissionId): Promise<boolean> {
    if (!this.#state.queue.some((item) => item.submission === submission)) return false;
    await this.#apply({ type: "withdrawn", submission });
    return true;
  }

  async rename(name: string): Promise<void> {
    if (this.#sealed !== undefined) throw this.#sealed;
    await this.#apply({ type: "renamed", name });
  }

  async stop(cause: StopCause): Promise<readonly QueuedItem[]> {
    const { queue } = this.#state;
    await this.#apply({ type: "stop-requested", cause });
    return queue;
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#unfinished.values()].map(async (turn) => await turn.promise));
  }

  isIdle(): boolean {
    return this.#unfinished.size === 0;
  }

  resumeQueue(): void {
    if (this.#state.queue.length > 0 && this.#state.turn === undefined && this.#sealed === undefined) {
      this.#apply({ type: "queue-due" }).catch((error: unknown) => {
        this.#fail(error);
      });
    }
  }

  #mint(): Mint {
    return { ids: this.#ports.ids, time: this.#ports.clock.now() };
  }

  async #publish(entries: readonly Entry[]): Promise<Position | undefined> {
    return entries.length === 0 ? undefined : await this.#ports.commit(entries, this.#state.leaf);
  }

  /**
   * One input through the policy. The state moves at once, so that inputs of one tick see each other; requests wait for
   * durability, except that what must stop is stopped at once. Rejects when the change could not be recorded.
   */
  async #apply(input: AgentInput): Promise<void> {
    const before = this.#state;
    const decision: Decision = decide(before, input, this.#ports.limits(), this.#mint());
    this.#state = decision.state;
    const started = before.turn === undefined ? decision.state.turn : undefined;
    if (started !== undefined) {
      this.#abort = new AbortController();
      this.#unfinished.set(started.work, deferred());
    }
    const { turn } = decision.state;
    if (input.type === "stop-requested") this.#perform(decision.requests, turn?.work);
    try {
      this.#announce(await this.#publish(decision.entries), decision.entries, started);
    } catch (error) {
      this.#fail(error, decision);
      throw error;
    }
    if (decision.state.queue !== before.queue) this.#ports.emit({ type: "queue-changed" });
    if (input.type !== "stop-requested") this.#perform(decision.requests, turn?.work);
  }

  #announce(position: Position | undefined, entries: readonly Entry[], started: Turn | undefined): void {
    if (position === undefined) return;
    const [lead] = started?.submissions ?? [];
    if (started !== undefined && lead !== undefined) {
      this.#ports.emit({ type: "turn-started", submission: lead.submission, work: started.work, position });
    }
    this.#ports.emit({ type: "committed", entries, position });
  }

  /** `work` is the turn that asks: while its change was written it may have failed, and then nothing of it starts any more. */
  #perform(requests: readonly AgentRequest[], work: WorkId | undefined): void {
    const isCurrent = work !== undefined && this.#state.turn?.work === work;
    for (const request of requests) {
      switch (request.type) {
        case "start-round":
          if (isCurrent) this.#background(work, this.#round(work));
          break;
        case "run-tools":
          if (isCurrent) for (const call of request.calls) this.#background(work, this.#tool(call));
          break;
        case "stop-running":
          this.#abort.abort(request.cause);
          break;
        case "turn-ended":
          this.#turnEnded(request.end);
          break;
      }
    }
  }

  /** The work root: whatever escapes ends its own turn as failed, never a later one and never the process. */
  #background(work: WorkId, running: Promise<void>): void {
    running.catch((error: unknown) => {
      if (error instanceof SessionStorageError || this.#state.turn?.work === work) this.#fail(error);
    });
  }

  async #round(work: WorkId): Promise<void> {
    const { signal } = this.#abort;
    // A reader that takes nothing any more must not outlast the wish to stop.
    await untilAborted(signal, this.#ports.ready());
    const facts = signal.aborted ? undefined : await this.#ports.facts(signal);
    const { turn } = this.#state;
    if (turn?.work !== work) return;
    if (facts === undefined || signal.aborted) {
      await this.#endTurn(stopEnd(turn));
      return;
    }
    if (!facts.ok) {
      await this.#endTurn({ status: "error", reason: "provider", error: facts.error });
      return;
    }
    const prepared = prepareRound(this.#state, facts.value, this.#mint());
    this.#state = prepared.state;
    this.#announce(await this.#publish(prepared.entries), prepared.entries, undefined);
    if (this.#state.turn?.work !== work) return;
    this.#ports.emit({ type: "response-started", request: prepared.request, model: facts.value.dispatch });
    const end = await this.#stream({ facts: facts.value, messages: prepared.messages, signal });
    // A turn that failed meanwhile has its end recorded already; a late response belongs to nobody.
    if (this.#state.turn?.work !== work) return;
    const { request, effect } = prepared;
    await this.#apply({ type: "round-ended", request, effect, dispatch: facts.value.dispatch, end });
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
          return { type: "failed", ...this.#ports.diagnose(event), partial: event.partial };
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

  async #endTurn(facts: EndFacts): Promise<void> {
    const decision = failTurn(this.#state, facts, this.#mint());
    this.#state = decision.state;
    try {
      this.#announce(await this.#publish(decision.entries), decision.entries, undefined);
    } catch (error) {
      this.#fail(error, decision);
      return;
    }
    this.#perform(decision.requests, undefined);
  }

  /**
   * Ends the turn without a record when the record itself cannot be written; nothing is admitted after that. The unwritten
   * change may have been the turn's own end: whoever waits for it hears of the failure instead.
   */
  #fail(error: unknown, unwritten?: Decision): void {
    const storage = error instanceof SessionStorageError;
    const isNews = storage && this.#sealed === undefined;
    if (storage) this.#sealed ??= error;
    const facts: EndFacts = storage
      ? { status: "error", reason: "storage", error: storageStopped(error.diagnostic) }
      : { status: "error", reason: "bug", error: unexpected(error) };
    for (const request of unwritten?.requests ?? []) {
      if (request.type === "turn-ended") this.#turnEnded({ ...request.end, ...facts, error: facts.error });
    }
    if (this.#state.turn !== undefined) this.#abandon(facts, storage);
    if (isNews && facts.error !== undefined) this.#ports.emit({ type: "sealed", error: facts.error });
  }

  /** The running turn ends now; its end is recorded unless storage is what failed. */
  #abandon(facts: EndFacts, isSealed: boolean): void {
    this.#abort.abort("abort");
    const decision = failTurn(this.#state, facts, this.#mint());
    this.#state = decision.state;
    const end = (): void => {
      this.#perform(decision.requests, undefined);
    };
    if (isSealed) end();
    else this.#publish(decision.entries).then(end, end);
  }

  /** Whoever waits for the turn is released before observers hear of it: an observer that throws must not keep them. */
  #turnEnded(end: TurnEnd): void {
    this.#unfinished.get(end.work)?.resolve();
    this.#unfinished.delete(end.work);
    try {
      this.#ports.emit({ type: "turn-ended", end });
    } finally {
      this.resumeQueue();
    }
  }
}

/** Ends with `waiting` or at abort, whichever comes first. Leaves no listener behind: a turn has one signal for all its rounds. */
const untilAborted = (signal: AbortSignal, waiting: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      resolve();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    waiting.finally(() => signal.removeEventListener("abort", onAbort)).then(resolve, reject);
    if (signal.aborted) resolve();
  });

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function deferred(): Deferred {
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
