import { err, ok, type Result, type SubmissionId } from "../../base/index.js";
import type { AttributedAction, Boundary, Diagnostic, LifecycleEvent, LifecycleEventType } from "../../schema/index.js";
import { type ActionBoundary, isForAnytime, isNothing, ofType, outside } from "../boundary.js";
import { turnEnded } from "../lifecycle/index.js";
import type { AgentInput, AgentState, Decision, TurnEnd } from "../state.js";
import { askHandlers, type AskOptions, boundaryOf, unlessVetoed } from "./asking.js";
import { type Published, recordBoundary } from "./publishing.js";
import { CLOSING_MS, type DriverPorts, type LifecyclePort, type PublishedActions, type RunCommand } from "./types.js";
import { untilAborted } from "./waiting.js";

export interface HandlerPorts extends Pick<DriverPorts, "clock" | "lifecycle"> {
  readonly state: () => AgentState;
  /** Of the turn that runs. */
  readonly signal: () => AbortSignal;
  readonly apply: (input: AgentInput) => Promise<Decision>;
  /** Input that waits begins a turn, if none runs. */
  readonly resumeQueue: () => void;
  readonly fail: (error: unknown) => void;
}

/** A boundary that waits for a safe point. `settle`: a command waits for it. */
interface Waiting {
  readonly boundary: ActionBoundary;
  /** Others were asked about its compaction. */
  readonly isHeard?: boolean;
  readonly settle?: { readonly done: (came: Published) => void; readonly failed: (error: unknown) => void };
}

const NOTHING: Boundary = { accepted: [], refused: [] };

/**
 * Asks the handlers of a session and carries out what they want where that is possible: at once when nothing of it needs a safe
 * point, when no turn runs, or inside of {@link atSafePoint}; else it waits for the next one. A boundary whose run was aborted is
 * empty.
 */
export class Handlers {
  readonly #ports: HandlerPorts;
  /** What runs beside the turns, one after the other. */
  #tail: Promise<void> | undefined;
  #waiting: Waiting[] = [];
  /** More than 0 between rounds. */
  #open = 0;
  /** The last of what {@link inOrder} runs. */
  #last: Promise<unknown> = Promise.resolve();
  /** Of handlers that belong to no turn. */
  #rest = new AbortController();

  constructor(ports: HandlerPorts) {
    this.#ports = ports;
  }

  listens(event: LifecycleEventType, tool?: string): boolean {
    return this.#port.listens(event, tool);
  }

  /** Something runs or waits that the next safe point is for. */
  isBusy(): boolean {
    return this.#tail !== undefined || this.#waiting.length > 0;
  }

  /** What the handlers of an event want, with nothing of it done. */
  async ask(event: LifecycleEvent, options: AskOptions): Promise<ActionBoundary> {
    return await askHandlers(this.#port, this.#ports.state, event, options);
  }

  /** Asks and carries out, in place: only at a safe point, or for an event that is answered with nothing that needs one. */
  async tell(event: LifecycleEvent, options: AskOptions): Promise<Boundary> {
    const boundary = await this.ask(event, options);
    return isNothing(boundary) ? boundary : await this.publish(boundary);
  }

  /**
   * For what is asked while calls run side by side, from the question to the record of what came of it: one after the other, so that
   * each handler is given the state the one before left.
   */
  async inOrder<Value>(step: () => Promise<Value>): Promise<Value> {
    const run = this.#last.then(step);
    // Whoever asked hears of a failure; the next one is asked all the same.
    this.#last = run.catch(() => undefined);
    return await run;
  }

  /** Records a boundary and carries it out; gives what came of it. */
  async publish(boundary: ActionBoundary): Promise<Boundary> {
    return (await this.#carryOut({ boundary }))?.published ?? NOTHING;
  }

  /** Carries out what is no entry of the session, once it is recorded. */
  adopt({ accepted }: Boundary): void {
    const actions = outside(accepted);
    if (actions.length > 0) this.#port.adopt(actions);
  }

  /** Asks after everything that was asked beside the turns before. */
  beside(event: LifecycleEvent): void {
    const { signal } = this.#rest;
    this.#after(async () => {
      await this.#offer(await this.ask(event, { signal }));
    });
  }

  /** The same for an event of a turn, which is told only while that is not aborted. */
  besideTurn(event: Extract<LifecycleEvent, { readonly type: "round-settled" }>, signal: AbortSignal): void {
    const told = async (): Promise<void> => await this.#offer(await this.ask(event, { signal, work: event.work }));
    this.#after(async () => await this.inOrder(told));
  }

  /** Waits for the next safe point. */
  defer(boundary: ActionBoundary): void {
    if (!isNothing(boundary)) this.#waiting.push({ boundary });
  }

  /** No request runs and no batch is open for as long as `between` lasts. */
  async atSafePoint<Value>(between: () => Promise<Value>): Promise<Value> {
    this.#open += 1;
    try {
      return await between();
    } finally {
      this.#open -= 1;
    }
  }

  /** All that ran beside the turn has ended, and all that waited is published; or the turn is aborted. Only at a safe point. */
  async drain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#tail !== undefined) {
        await untilAborted(signal, this.#tail);
        continue;
      }
      const next = this.#waiting.shift();
      if (next === undefined) return;
      await this.#finish(next);
    }
  }

  /** The end of a turn is recorded: what it left is published or dropped, then that is told, then that nothing is left to do. */
  turnOver(end: TurnEnd): void {
    if (end.reason === "abort" || end.reason === "deadline")
      this.#waiting = this.#waiting.filter(({ boundary }) => boundary.work !== end.work);
    if (!this.isBusy() && !this.listens("turn-ended") && !this.listens("idle")) return;
    const { signal } = this.#rest;
    this.#after(async () => {
      if (this.listens("turn-ended")) await this.#offer(await this.ask(turnEnded(end), { signal }));
      await this.#publishWaiting();
      const { turn, queue } = this.#ports.state();
      if (turn === undefined && queue.length === 0 && this.listens("idle")) await this.#offer(await this.ask({ type: "idle" }, { signal }));
    });
  }

  /** Ends what runs beside the turns; nothing of it is published. What commands want stays. */
  cancel(): void {
    this.#rest.abort("abort");
    this.#rest = new AbortController();
    this.#waiting = this.#waiting.filter(({ settle }) => settle !== undefined);
  }

  /** Nothing can be recorded any more. */
  abandon(error: unknown): void {
    this.cancel();
    for (const { settle } of this.#waiting.splice(0)) settle?.failed(error);
  }

  async runActions(actions: readonly AttributedAction[], command: RunCommand | undefined): Promise<Result<PublishedActions, Diagnostic>> {
    const generation = command?.generation ?? this.#port.about?.().generation ?? 0;
    const trigger = command === undefined ? undefined : ({ type: "command", name: command.name, args: command.args } as const);
    const boundary = boundaryOf(this.#port, { accepted: actions, refused: [] }, { trigger, generation });
    if (isNothing(boundary)) return ok({ carriedOut: 0, submissions: [] });
    return await new Promise((resolve, reject) => {
      const done = ({ published: { accepted, refused }, entries }: Published): void => {
        const [first] = refused;
        const submissions = entries.flatMap((entry): readonly SubmissionId[] => (entry.type === "submission" ? [entry.submission] : []));
        resolve(first === undefined ? ok({ carriedOut: accepted.length, submissions }) : err(first.error));
      };
      const item = { boundary, settle: { done, failed: reject } };
      if (this.#isSafe(boundary)) this.#finish(item).catch(reject);
      else this.#waiting.push(item);
    });
  }

  async handled(): Promise<void> {
    while (this.#tail !== undefined) await this.#tail;
  }

  async closing(): Promise<void> {
    if (!this.isBusy() && !this.listens("closing")) return;
    const over = new AbortController();
    const { signal } = this.#rest;
    const limit = this.#ports.clock.sleep(CLOSING_MS, over.signal).then(() => {
      if (!over.signal.aborted) this.#rest.abort("closing");
    });
    this.#after(async () => {
      await this.#publishWaiting();
      if (this.listens("closing")) await this.#offer(await this.ask({ type: "closing" }, { signal }));
    });
    await untilAborted(signal, this.handled());
    over.abort("closed");
    await limit;
  }

  get #port(): LifecyclePort {
    return this.#ports.lifecycle;
  }

  #after(task: () => Promise<void>): void {
    const run = (this.#tail ?? Promise.resolve())
      .then(task)
      .catch((error: unknown) => {
        this.#ports.fail(error);
      })
      .finally(() => {
        if (this.#tail === run) this.#tail = undefined;
      });
    this.#tail = run;
  }

  #isSafe({ accepted }: Boundary): boolean {
    return this.#open > 0 || this.#ports.state().turn === undefined || accepted.every(isForAnytime);
  }

  async #offer(boundary: ActionBoundary): Promise<void> {
    if (isNothing(boundary)) return;
    if (this.#isSafe(boundary)) await this.#carryOut({ boundary });
    else this.#waiting.push({ boundary });
  }

  /** When no turn runs, or until one does. */
  async #publishWaiting(): Promise<void> {
    while (this.#ports.state().turn === undefined) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      await this.#finish(next);
    }
  }

  /** Nothing comes of it yet when it has to wait after all: a turn may have begun while others were asked. */
  async #carryOut(item: Waiting): Promise<Published | undefined> {
    const boundary = await this.#heard(item);
    if (!this.#isSafe(boundary)) {
      this.#waiting.push({ ...item, boundary, isHeard: true });
      return undefined;
    }
    const came = await recordBoundary(this.#ports.apply, boundary);
    this.adopt(came.published);
    item.settle?.done(came);
    await this.#tellCompaction(came);
    if (came.entries.some(({ type }) => type === "submission")) this.#ports.resumeQueue();
    return came;
  }

  /** A failure is that of the command that waits for it, if one does. */
  async #finish(item: Waiting): Promise<void> {
    try {
      await this.#carryOut(item);
    } catch (error) {
      if (item.settle === undefined) throw error;
      item.settle.failed(error);
    }
  }

  #signal(): AbortSignal {
    return this.#ports.state().turn === undefined ? this.#rest.signal : this.#ports.signal();
  }

  /** All but who wants it may say no to a compaction: then its whole batch is refused. */
  async #heard({ boundary, isHeard }: Waiting): Promise<ActionBoundary> {
    const [wanted] = ofType(boundary.accepted, "compact");
    if (wanted === undefined || isHeard === true || !this.listens("compaction-proposed")) return boundary;
    const { plugin, action } = wanted;
    const { firstKept, summary } = action;
    const signal = this.#signal();
    const said = await this.tell({ type: "compaction-proposed", by: plugin, firstKept, summary }, { signal, ...workOf(boundary) });
    if (signal.aborted) return { ...boundary, accepted: [], refused: [] };
    return unlessVetoed(boundary, wanted, said);
  }

  async #tellCompaction({ entries, published: { accepted } }: Published): Promise<void> {
    const made = entries.find((entry) => entry.type === "compaction");
    const [wanted] = ofType(accepted, "compact");
    if (made === undefined || wanted === undefined || !this.listens("compaction-settled")) return;
    const { firstKept, tokensBefore } = made;
    const { turn } = this.#ports.state();
    await this.#offer(
      await this.ask(
        { type: "compaction-settled", by: wanted.plugin, firstKept, tokensBefore },
        { signal: this.#signal(), ...(turn === undefined ? {} : { work: turn.work }) },
      ),
    );
  }
}

const workOf = ({ work }: ActionBoundary): Pick<AskOptions, "work"> => (work === undefined ? {} : { work });
