import { err, invariant, ok, type EffectId, type EntryId, type Result, type SubmissionId, type WorkId } from "../../base/index.js";
import type { AttributedAction, Diagnostic, Entry, LifecycleEvent, Position, StateFields } from "../../schema/index.js";
import { SessionStorageError } from "../../session/index.js";
import { decide, type EndFacts, failTurn, whyNotNavigate } from "../decide/index.js";
import type { Mint } from "../draft.js";
import type { Available, ContextEditRequest, EffectFacts, EffectWord, QueuedItem } from "../facts.js";
import { roundSettled } from "../lifecycle/index.js";
import {
  type AgentInput,
  type AgentRequest,
  type AgentState,
  type Decision,
  emptyState,
  type StopCause,
  type Turn,
  type TurnEnd,
} from "../state.js";
import { Beginnings } from "./beginnings.js";
import { Handlers } from "./handlers.js";
import { failureOf, isRefusal, withoutContent } from "./refusal.js";
import type { StepPorts } from "./step-ports.js";
import { runTool } from "./tool-step.js";
import { passHold, runRound } from "./turn-steps.js";
import type { Driver, DriverPorts, PublishedActions, RunCommand } from "./types.js";
import { type Deferred, deferred } from "./waiting.js";

/** Pure decide, then act, then feed the fact back (style section 6). One driver per session; one turn at a time. */
export function createDriver(initial: AgentState, ports: DriverPorts): Driver {
  return new TurnDriver(initial, ports);
}

type Submitted = Omit<Extract<AgentInput, { type: "submitted" }>, "type">;

class TurnDriver implements Driver {
  #state: AgentState;
  readonly #ports: DriverPorts;
  #abort = new AbortController();
  /** Set once the record of a change failed: the state in memory may be ahead of the file, so nothing more is admitted. */
  #sealed: SessionStorageError | undefined;
  /** Turns whose end is not recorded yet. More than one for a moment: a new one may begin while the last change of the old is written. */
  readonly #unfinished = new Map<WorkId, Deferred>();

  readonly #handlers: Handlers;
  readonly #steps: StepPorts;
  readonly #beginnings: Beginnings;

  constructor(initial: AgentState, ports: DriverPorts) {
    this.#state = initial;
    this.#ports = ports;
    const state = (): AgentState => this.#state;
    const signal = (): AbortSignal => this.#abort.signal;
    const apply = async (input: AgentInput): Promise<Decision> => await this.#apply(input);
    this.#handlers = new Handlers({
      clock: ports.clock,
      lifecycle: ports.lifecycle,
      state,
      signal,
      apply,
      resumeQueue: () => {
        this.resumeQueue();
      },
      fail: (error) => {
        this.#fail(error);
      },
    });
    this.#beginnings = new Beginnings({ ports, handlers: this.#handlers, state, signal });
    this.#steps = {
      ports,
      handlers: this.#handlers,
      state,
      signal,
      apply,
      mint: () => this.#mint(),
      applyFact: async (input) => await this.#applyFact(input),
      record: async (prepared) => {
        const recorded = this.#publish(prepared);
        this.#state = prepared.state;
        this.#announce(await recorded, prepared.entries, undefined);
      },
      endTurn: async (facts) => {
        await this.#endTurn(facts);
      },
      beginning: async (turn) => {
        await this.#beginnings.tell(turn);
      },
    };
  }

  state(): AgentState {
    return this.#state;
  }

  async submit(input: Submitted): Promise<{ readonly queued: boolean }> {
    if (this.#sealed !== undefined) throw this.#sealed;
    const queued = this.#state.turn !== undefined;
    if (!queued) this.#beginnings.admitted(input);
    await this.#apply({ type: "submitted", ...input });
    const { submission, text, delivery } = input;
    if (queued && this.#handlers.listens("input-admitted")) this.#handlers.beside({ type: "input-admitted", submission, text, delivery });
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

  async navigate(to: EntryId | undefined): Promise<Result<void, Diagnostic>> {
    if (this.#sealed !== undefined) throw this.#sealed;
    const refused = whyNotNavigate(this.#state);
    if (refused !== undefined) return err(refused);
    const loaded = to === undefined ? ok(emptyState) : await this.#ports.load(to);
    return loaded.ok ? await this.#ask({ type: "leaf-selected", to, loaded: loaded.value }) : loaded;
  }

  async editContext(edits: readonly ContextEditRequest[]): Promise<Result<void, Diagnostic>> {
    return await this.#ask({ type: "context-edited", edits });
  }

  async resume(available: Available): Promise<Result<SubmissionId, Diagnostic>> {
    if (this.#sealed !== undefined) throw this.#sealed;
    this.#beginnings.admitted(undefined);
    const decision = await this.#apply({ type: "work-resumed", available });
    if (decision.refused !== undefined) return err(decision.refused);
    const ended = decision.requests.flatMap((request) => (request.type === "turn-ended" ? request.end.submissions : []));
    const submission = decision.state.turn?.submissions[0]?.submission ?? ended[0];
    invariant(submission !== undefined, "a turn was resumed without a submission");
    return ok(submission);
  }

  async endInterruption(): Promise<void> {
    if (this.#sealed !== undefined) throw this.#sealed;
    await this.#apply({ type: "interruption-ended" });
  }

  async putState(fields: StateFields): Promise<Result<void, Diagnostic>> {
    return await this.#ask({ type: "branch-state-changed", fields });
  }

  async reconcile(effect: EffectFacts, word: EffectWord): Promise<Result<EffectId, Diagnostic>> {
    const said = await this.#ask({ type: "effect-reconciled", effect, word });
    return said.ok ? ok(effect.intent.effect) : said;
  }

  async stop(cause: StopCause): Promise<readonly QueuedItem[]> {
    const { queue } = this.#state;
    this.#handlers.cancel();
    await this.#apply({ type: "stop-requested", cause });
    return queue;
  }

  async runActions(
    actions: readonly AttributedAction[],
    _trigger: "command",
    command?: RunCommand,
  ): Promise<Result<PublishedActions, Diagnostic>> {
    if (this.#sealed !== undefined) throw this.#sealed;
    return await this.#handlers.runActions(actions, command);
  }

  tell(event: Extract<LifecycleEvent, { readonly type: "model-changed" }>): void {
    if (this.#sealed === undefined && this.#handlers.listens(event.type)) this.#handlers.beside(event);
  }

  async handled(): Promise<void> {
    await this.#handlers.handled();
  }

  async closing(): Promise<void> {
    if (this.#sealed === undefined) await this.#handlers.closing();
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#unfinished.values()].map(async (turn) => await turn.promise));
  }

  isIdle(): boolean {
    return this.#unfinished.size === 0;
  }

  giveUp(error: SessionStorageError): void {
    if (this.#sealed === undefined) this.#fail(error);
  }

  resumeQueue(): void {
    if (this.#state.queue.length > 0 && this.#state.turn === undefined && this.#sealed === undefined) {
      this.#apply({ type: "queue-due" }).catch((error: unknown) => {
        this.#fail(error);
      });
    }
  }

  /** Before the turn goes on: its next safe point waits for what handlers want. */
  #roundSettled(turn: Turn | undefined, input: AgentInput): void {
    if (input.type !== "round-ended" || turn === undefined || !this.#handlers.listens("round-settled")) return;
    const event = roundSettled(turn, input.end);
    if (event !== undefined) this.#handlers.besideTurn(event, this.#abort.signal);
  }

  #mint(): Mint {
    return { ids: this.#ports.ids, time: this.#ports.clock.now() };
  }

  /** An input that may be refused by the policy. */
  async #ask(input: AgentInput): Promise<Result<void, Diagnostic>> {
    if (this.#sealed !== undefined) throw this.#sealed;
    const { refused } = await this.#apply(input);
    return refused === undefined ? ok(undefined) : err(refused);
  }

  /** Queues a change. Throws at once when it is refused. */
  #publish({ entries, state }: Pick<Decision, "entries" | "state">): Promise<Position | undefined> {
    if (entries.length === 0) return Promise.resolve(undefined);
    return this.#ports.commit(entries, state.leaf ?? (this.#state.leaf === undefined ? undefined : null));
  }

  /**
   * One input through the policy. The state moves at once, so that inputs of one tick see each other; requests wait for
   * durability, except that what must stop is stopped at once. Rejects when the change could not be recorded. A change that a
   * bound of the session refuses is as if it had not been asked for.
   */
  async #apply(input: AgentInput): Promise<Decision> {
    const before = this.#state;
    const decision: Decision = decide(before, input, this.#ports.limits(), this.#mint());
    const started = before.turn === undefined ? decision.state.turn : undefined;
    const isStop = input.type === "stop-requested";
    const recorded = this.#queue(decision, !isStop);
    this.#adopt(decision, started);
    if (isStop) this.#perform(decision.requests, decision.state.turn?.work);
    try {
      this.#announce(await recorded, decision.entries, started);
    } catch (error) {
      if (isRefusal(error) && !isStop && this.#state === decision.state) this.#goBack(before, started);
      else this.#fail(error, decision);
      throw error;
    }
    if (decision.state.queue !== before.queue) this.#ports.emit({ type: "queue-changed" });
    this.#roundSettled(before.turn, input);
    if (!isStop) this.#perform(decision.requests, decision.state.turn?.work);
    return decision;
  }

  /** Queues a change; throws at once only a refusal that leaves everything as it is. What is being stopped or ends cannot go back. */
  #queue(decision: Decision, canGoBack: boolean): Promise<Position | undefined> {
    try {
      return this.#publish(decision);
    } catch (error) {
      if (isRefusal(error) && canGoBack) throw error;
      return Promise.reject(error instanceof Error ? error : new TypeError(String(error)));
    }
  }

  #adopt(decision: Decision, started: Turn | undefined): void {
    this.#state = decision.state;
    if (started === undefined) return;
    this.#abort = new AbortController();
    this.#unfinished.set(started.work, deferred());
  }

  #goBack(before: AgentState, started: Turn | undefined): void {
    this.#state = before;
    if (started === undefined) return;
    this.#unfinished.get(started.work)?.resolve();
    this.#unfinished.delete(started.work);
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
          if (isCurrent) this.#background(work, runRound(this.#steps, work));
          break;
        case "hold":
          if (isCurrent) this.#background(work, passHold(this.#steps, work));
          break;
        case "run-tools":
          if (isCurrent) for (const call of request.calls) this.#background(work, runTool(this.#steps, call));
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
      const isStorage = error instanceof SessionStorageError && !isRefusal(error);
      if (isStorage || this.#state.turn?.work === work) this.#fail(error);
    });
  }

  /** What happened has to be recorded: when its content is refused, then without it. */
  async #applyFact(input: Extract<AgentInput, { type: "round-ended" | "tool-settled" }>): Promise<Decision> {
    const work = this.#state.turn?.work;
    try {
      return await this.#apply(input);
    } catch (error) {
      if (!isRefusal(error) || this.#state.turn?.work !== work) throw error;
      return await this.#apply(withoutContent(input, error.diagnostic));
    }
  }

  async #endTurn(facts: EndFacts): Promise<void> {
    const decision = failTurn(this.#state, facts, this.#mint());
    try {
      const recorded = this.#publish(decision);
      this.#state = decision.state;
      this.#announce(await recorded, decision.entries, undefined);
    } catch (error) {
      this.#state = decision.state;
      this.#fail(error, decision);
      return;
    }
    this.#perform(decision.requests, undefined);
  }

  /**
   * Ends the turn without a record when the record itself cannot be written; nothing is admitted after that. `ahead` is a change
   * that the state in memory holds and the file does not. It may have been the turn's own end: whoever waits for it hears of the
   * failure instead.
   */
  #fail(error: unknown, ahead?: Decision): void {
    const wasSealed = this.#sealed !== undefined;
    if (error instanceof SessionStorageError && (ahead !== undefined || !isRefusal(error))) this.#sealed ??= error;
    const facts = failureOf(error);
    for (const request of ahead?.requests ?? []) {
      if (request.type === "turn-ended") this.#turnEnded({ ...request.end, ...facts, error: facts.error });
    }
    if (this.#state.turn !== undefined) this.#abandon(facts);
    if (this.#sealed !== undefined) this.#handlers.abandon(this.#sealed);
    if (!wasSealed) this.#tellSealed();
  }

  #tellSealed(): void {
    const error = this.#sealed === undefined ? undefined : failureOf(this.#sealed).error;
    if (error !== undefined) this.#ports.emit({ type: "sealed", error });
  }

  /**
   * The running turn ends now; its end is recorded unless nothing can be recorded any more. An end that cannot be recorded after
   * all leaves the state ahead of the file.
   */
  #abandon(facts: EndFacts): void {
    this.#abort.abort("abort");
    const decision = failTurn(this.#state, facts, this.#mint());
    const recorded = this.#sealed === undefined ? this.#queue(decision, false) : undefined;
    this.#state = decision.state;
    const end = (): void => {
      this.#perform(decision.requests, undefined);
    };
    if (recorded === undefined) end();
    else
      recorded.then(end, (error: unknown) => {
        if (error instanceof SessionStorageError) this.#sealed ??= error;
        end();
        this.#tellSealed();
      });
  }

  /** Whoever waits for the turn is released before observers hear of it: an observer that throws must not keep them. */
  #turnEnded(end: TurnEnd): void {
    this.#unfinished.get(end.work)?.resolve();
    this.#unfinished.delete(end.work);
    if (this.#sealed === undefined) this.#handlers.turnOver(end);
    try {
      this.#ports.emit({ type: "turn-ended", end });
    } finally {
      this.resumeQueue();
    }
  }
}
