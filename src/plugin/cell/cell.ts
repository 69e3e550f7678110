import type { Clock } from "../../base/index.js";
import type { DeliveryKind, EmitType, LogLevel } from "../engine/index.js";
import { FLAG_AFTER_MS, TERMINATE_AFTER_MS, WATCH_GRACE_MS, WATCH_MS } from "../limits.js";
import type { CellModule, CellStart, FaultType, FromCell } from "./protocol.js";
import { CellThread } from "./thread.js";

/** An answer to a host call, as JSON text: a value, or the words of a HostError. */
export interface HostAnswer {
  readonly isAnswer: boolean;
  readonly json: string;
}

export interface GuestCall {
  readonly plugin: string;
  /** Where its code is. The same for every call of one plugin in one cell. */
  readonly module: CellModule;
  readonly kind: DeliveryKind;
  /** Decoder the call is about; 0 for none. */
  readonly attempt?: number;
  readonly json: string;
  readonly sliceMs: number;
  /** May be sent again to a new instance, when the old one went for another's sake before this call reached the host. */
  readonly isRepeatable: boolean;
  /** Answers a host call. Must not reject. Never called once the call has ended. */
  readonly answer?: (operation: string, json: string) => Promise<HostAnswer>;
  /** Takes what the guest says to people. Must not throw. Never called once the call has ended. */
  readonly emit?: (what: EmitType, json: string, dropped: number) => void;
}

export type DestroyReason = FaultType | "crashed" | "closed" | "sibling";

export type GuestEnd =
  | { readonly type: "returned"; readonly text: string; readonly json: string }
  | { readonly type: "threw"; readonly json: string }
  | { readonly type: "stalled" }
  | { readonly type: "cancelled" }
  | { readonly type: "destroyed"; readonly reason: DestroyReason; readonly detail: string };

export interface GuestRun {
  /** Never rejects. */
  readonly end: Promise<GuestEnd>;
  /** Ends it as `cancelled` within 250 ms, whatever the guest does, unless it ends by itself first. Safe to call again. */
  readonly cancel: () => void;
}

export interface CellOptions {
  readonly workerUrl: URL;
  readonly start: Omit<CellStart, "control">;
  /** A thread that was started ahead with the same data; taken for the first call. */
  readonly ahead?: CellThread;
  readonly clock: Clock;
  readonly onLog: (plugin: string, level: LogLevel, text: string, dropped: number) => void;
  /** A plugin's instance died, or the whole thread (`plugin` is then the one it was busy with, if any). */
  readonly onFault: (fault: { readonly plugin: string | undefined; readonly reason: DestroyReason; readonly detail: string }) => void;
}

interface Entry {
  readonly call: GuestCall;
  readonly settle: (end: GuestEnd) => void;
  /** Ends the waits of a cancelled call; most are never cancelled. */
  over: AbortController | undefined;
  isCancelled: boolean;
  hasReachedHost: boolean;
  isRepeat: boolean;
}

/**
 * One worker thread and the guests in it, seen from the main thread. The thread starts with the first call (or `warm`) and is
 * replaced when it had to be terminated. Authority stays here: what a guest says is matched against live calls only.
 */
export class Cell {
  readonly #options: CellOptions;
  readonly #entries = new Map<number, Entry>();
  #thread: CellThread | undefined;
  #ahead: CellThread | undefined;
  #lastId = 0;
  #isClosed = false;
  #ending: Promise<void> = Promise.resolve();
  #watch: AbortController | undefined;

  constructor(options: CellOptions) {
    this.#options = options;
    this.#ahead = options.ahead;
  }

  warm(): void {
    if (!this.#isClosed) this.#open();
  }

  call(call: GuestCall): GuestRun {
    this.#lastId = this.#lastId === 0x7fffffff ? 1 : this.#lastId + 1;
    const id = this.#lastId;
    const end = new Promise<GuestEnd>((settle) => {
      const entry: Entry = { call, settle, over: undefined, isCancelled: false, hasReachedHost: false, isRepeat: false };
      this.#entries.set(id, entry);
      if (this.#isClosed) this.#end(id, { type: "destroyed", reason: "closed", detail: "" });
      else this.#send(id, entry);
    });
    return { end, cancel: () => this.#cancel(id) };
  }

  /** Lets a decoder's state go. */
  drop(plugin: string, attempt: number): void {
    this.#thread?.send({ type: "drop", plugin, attempt, now: this.#options.clock.now() });
  }

  /** Forgets the plugin's instance; its next call makes another. */
  forget(plugin: string): void {
    this.#thread?.send({ type: "close", plugin });
  }

  /** Calls in flight. */
  get calls(): number {
    return this.#entries.size;
  }

  /** Whether it holds a thread, or one was started ahead for it. */
  get isStarted(): boolean {
    return this.#thread !== undefined || this.#ahead !== undefined;
  }

  /** Lets the thread go; the next call starts another. Does nothing while a call is in flight. */
  rest(): void {
    if (this.#entries.size === 0) this.#terminate({ reason: "closed", detail: "", culprit: undefined });
  }

  /** Ends every call as `destroyed` and resolves when no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // One that was never needed has nobody to end it but us.
    if (this.#ahead !== undefined) this.#open();
    this.#terminate({ reason: "closed", detail: "", culprit: undefined });
    await this.#ending;
  }

  #open(): CellThread {
    if (this.#thread !== undefined) return this.#thread;
    const thread = this.#ahead ?? new CellThread(this.#options.workerUrl, this.#options.start);
    this.#ahead = undefined;
    this.#thread = thread;
    return thread.adopt({
      onMessage: (message) => this.#receive(message),
      onCrash: (detail) => this.#terminate({ reason: "crashed", detail, culprit: undefined }),
    });
  }

  #send(id: number, { call }: Entry): void {
    const thread = this.#open();
    thread.hold(true);
    const { plugin, module, kind, json, sliceMs, attempt = 0 } = call;
    thread.send({ type: "call", plugin, module, id, kind, attempt, json, now: this.#options.clock.now(), sliceMs });
    this.#startWatch();
  }

  #receive(message: FromCell): void {
    switch (message.type) {
      case "returned":
        return this.#end(message.id, { type: "returned", text: message.text, json: message.json });
      case "threw":
        return this.#end(message.id, { type: "threw", json: message.json });
      case "stalled":
        return this.#end(message.id, { type: "stalled" });
      case "host":
        return this.#answer(message);
      case "emit":
        return this.#emit(message);
      case "log":
        return this.#options.onLog(message.plugin, message.level, message.text, message.dropped);
      case "fault":
        return this.#onFault(message);
    }
  }

  #end(id: number, end: GuestEnd): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.over?.abort("over");
    // A cancelled call may still have settled by itself; one that was stopped for it is just cancelled.
    entry.settle(entry.isCancelled && end.type === "destroyed" && end.reason !== "closed" ? { type: "cancelled" } : end);
    if (this.#entries.size === 0) this.#thread?.hold(false);
  }

  #answer(message: Extract<FromCell, { type: "host" }>): void {
    const thread = this.#thread;
    const { plugin, instance, id, call, operation, json } = message;
    const reply = ({ isAnswer, json: text }: HostAnswer): void => {
      if (this.#thread !== thread) return;
      thread?.send({ type: "answer", plugin, instance, call, isAnswer, json: text, now: this.#options.clock.now() });
      this.#startWatch();
    };
    const entry = this.#entries.get(id);
    // The guest's word for who asks counts only as far as it names a live call of the same plugin.
    if (entry === undefined || entry.call.plugin !== plugin || entry.call.answer === undefined) return reply(NOT_LIVE);
    entry.hasReachedHost = true;
    entry.call.answer(operation, json).then(reply, () => reply(NOT_LIVE));
  }

  #emit({ plugin, id, what, json, dropped }: Extract<FromCell, { type: "emit" }>): void {
    const call = this.#entries.get(id)?.call;
    if (call?.plugin === plugin) call.emit?.(what, json, dropped);
  }

  #onFault({ plugin, fault, culprit, invocations, detail }: Extract<FromCell, { type: "fault" }>): void {
    const isWanted = this.#entries.get(culprit)?.isCancelled === true && fault === "killed";
    if (!isWanted) this.#options.onFault({ plugin, reason: fault, detail });
    this.#lose(invocations, { reason: fault, detail, culprit: fault === "load" ? "all" : culprit });
  }

  /** The instances of these calls are gone. Innocent calls that nothing has happened for yet are sent again, once. */
  #lose(ids: readonly number[], loss: Loss): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      const isGuilty = loss.culprit === "all" || loss.culprit === id;
      const isInnocent = !isGuilty && loss.reason !== "closed" && !entry.isCancelled;
      if (isInnocent && entry.call.isRepeatable && !entry.hasReachedHost && !entry.isRepeat) {
        entry.isRepeat = true;
        this.#send(id, entry);
      } else {
        this.#end(id, {
          type: "destroyed",
          reason: isInnocent && loss.culprit !== undefined ? "sibling" : loss.reason,
          detail: loss.detail,
        });
      }
    }
  }

  #terminate(loss: Loss): void {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#watch?.abort("over");
    this.#watch = undefined;
    if (thread !== undefined) {
      const { clock } = this.#options;
      this.#ending = Promise.all([this.#ending, thread.terminate((ms, signal) => clock.sleep(ms, signal))]).then(() => undefined);
      const culprit = typeof loss.culprit === "number" ? this.#entries.get(loss.culprit) : undefined;
      if (loss.reason !== "closed" && culprit?.isCancelled !== true) {
        this.#options.onFault({ plugin: culprit?.call.plugin, reason: loss.reason, detail: loss.detail });
      }
    }
    this.#lose([...this.#entries.keys()], loss);
  }

  #cancel(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.isCancelled) return;
    entry.isCancelled = true;
    const over = (entry.over = new AbortController());
    const step = (ms: number, act: () => void): Promise<void> =>
      this.#options.clock.sleep(ms, over.signal).then(() => {
        if (this.#entries.has(id)) act();
      });
    const flag = (): void => {
      const running = this.#thread?.running;
      if (running?.invocation === id) this.#thread?.raiseFlag(running.slice);
    };
    const giveUp = (): void => {
      const { plugin } = entry.call;
      if (this.#thread?.running?.invocation === id) return this.#terminate({ reason: "killed", detail: "", culprit: id });
      this.#thread?.send({ type: "cancel", plugin, id, now: this.#options.clock.now() });
      this.#end(id, { type: "cancelled" });
    };
    step(FLAG_AFTER_MS, flag)
      .then(() => step(TERMINATE_AFTER_MS - FLAG_AFTER_MS, giveUp))
      .catch(rethrowLater);
  }

  /** Looks at the thread from outside while it has something to do, since one that is stuck cannot say so. */
  #startWatch(): void {
    if (this.#watch !== undefined) return;
    const watch = new AbortController();
    this.#watch = watch;
    this.#watchThread(watch.signal)
      .finally(() => {
        if (this.#watch === watch) this.#watch = undefined;
      })
      .catch(rethrowLater);
  }

  async #watchThread(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let seen: Sighting | undefined;
    while (this.#thread?.isIdle === false) {
      await clock.sleep(WATCH_MS, signal);
      if (signal.aborted) return;
      const thread = this.#thread;
      const running = thread?.running;
      if (thread === undefined || running === undefined) continue;
      const now = clock.monotonic();
      seen = seen?.slice === running.slice && seen.thread === thread ? seen : { thread, slice: running.slice, at: now };
      if (now - seen.at >= running.limitMs + WATCH_GRACE_MS)
        this.#terminate({ reason: "busy", detail: String(running.limitMs), culprit: running.invocation });
    }
  }
}

/** A slice that was seen running, and since when. */
interface Sighting {
  readonly thread: CellThread;
  readonly slice: number;
  readonly at: number;
}

interface Loss {
  readonly reason: DestroyReason;
  readonly detail: string;
  /** The call whose fault it is; `all` when each would end alike; undefined when nobody's. */
  readonly culprit: number | "all" | undefined;
}

const NOT_LIVE: HostAnswer = {
  isAnswer: false,
  json: JSON.stringify({
    code: "plugin.settled",
    what: "a host operation was called outside of a live call",
    why: "its tool call has settled, or it is not a tool call",
    next: "await every host operation before the tool returns",
  }),
};

/** Bugs in timers' callbacks surface as uncaught errors instead of vanishing. */
function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
