import { DELIVERY, type Engine, type EngineFault, EMITS, type GuestModules, type GuestPost, LOG_LEVELS, POST } from "../engine/index.js";
import { SLICE_MS } from "../limits.js";
import { CallCredit, LogBudget } from "./credit.js";
import type { FaultType, FromCell, ToCell } from "./protocol.js";
import type { Slices } from "./slices.js";

export interface InstanceOptions {
  readonly plugin: string;
  /** Unique in the thread. */
  readonly number: number;
  readonly engine: Engine;
  readonly slices: Slices;
  readonly outstandingUnits: number;
  readonly outstandingCalls: number;
  readonly logsPerSecond: number;
  readonly emitsPerSecond: number;
  readonly send: (message: FromCell) => void;
}

/**
 * One plugin in one engine, inside the worker. Runs each delivery as a slice, keeps the guest's accounts and says when it died.
 * Nothing here decides what the guest may do: that is the main side's.
 */
export class PluginInstance {
  readonly #options: InstanceOptions;
  readonly #credit: CallCredit;
  readonly #logs: LogBudget;
  readonly #emits: LogBudget;
  /** Live invocations and the slice time of each. */
  readonly #invocations = new Map<number, number>();
  /** Which invocation each outstanding host call belongs to. */
  readonly #callers = new Map<number, number>();
  #isLoaded = false;
  #loadError: string | undefined;

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.#credit = new CallCredit(options.outstandingCalls, options.outstandingUnits);
    this.#logs = new LogBudget(options.logsPerSecond);
    this.#emits = new LogBudget(options.emitsPerSecond);
  }

  get number(): number {
    return this.#options.number;
  }

  /** Evaluates the modules on behalf of the first call. False: it is gone, and the fault was sent. */
  load(modules: GuestModules | undefined, { id: invocation, now }: Extract<ToCell, { type: "call" }>, limitMs: number): boolean {
    const { engine } = this.#options;
    this.#slice(invocation, limitMs, () => engine.load(modules, now));
    if (engine.fault !== undefined) return this.#dieOf(invocation, engine.fault);
    if (this.#isLoaded) return true;
    const unfinished = JSON.stringify({
      name: "Error",
      message: "the module waits at its top level for something that never comes",
      stack: "",
    });
    return this.#die(invocation, "load", this.#loadError ?? unfinished);
  }

  /** False: it is gone, and the fault was sent. */
  call({ id, kind, attempt, json, now, sliceMs }: Extract<ToCell, { type: "call" }>): boolean {
    this.#invocations.set(id, sliceMs);
    return this.#deliver(id, sliceMs, () => this.#options.engine.deliver({ kind, id, extra: attempt, json }, now));
  }

  answer({ call, isAnswer, json, now }: Extract<ToCell, { type: "answer" }>): boolean {
    const invocation = this.#callers.get(call);
    if (invocation === undefined || !this.#credit.give(call)) return true;
    this.#callers.delete(call);
    const kind = isAnswer ? DELIVERY.resolve : DELIVERY.reject;
    const sliceMs = this.#invocations.get(invocation) ?? SLICE_MS;
    return this.#deliver(invocation, sliceMs, () => this.#options.engine.deliver({ kind, id: call, extra: 0, json }, now));
  }

  /** Tells the guest's tables that an invocation is over or a decoder is not needed. Runs no plugin code. */
  forget(kind: typeof DELIVERY.cancel | typeof DELIVERY.drop, id: number, now: number): boolean {
    if (kind === DELIVERY.cancel) this.#invocations.delete(id);
    return this.#deliver(0, SLICE_MS, () => this.#options.engine.deliver({ kind, id, extra: id, json: "null" }, now));
  }

  /** The engine's port. */
  onPost(post: GuestPost): "accepted" | "refused" {
    switch (post.kind) {
      case POST.call:
        return this.#onCall(post);
      case POST.returned:
      case POST.threw:
        return this.#onEnd(post);
      case POST.log:
        this.#onLog(post);
        return "accepted";
      case POST.emit:
        return this.#onEmit(post);
      case POST.loaded:
        this.#isLoaded = true;
        return "accepted";
    }
  }

  #onCall({ id: call, extra: id, text: operation, json }: GuestPost): "accepted" | "refused" {
    if (!this.#invocations.has(id) || !this.#credit.take(call, json.length)) return "refused";
    this.#callers.set(call, id);
    const { plugin, number, send } = this.#options;
    send({ type: "host", plugin, instance: number, id, call, operation, json });
    return "accepted";
  }

  #onEnd({ kind, id, text, json }: GuestPost): "accepted" | "refused" {
    if (kind === POST.threw && id === 0 && !this.#isLoaded) {
      this.#loadError = json;
      return "accepted";
    }
    if (!this.#invocations.delete(id)) return "refused";
    this.#options.send(kind === POST.returned ? { type: "returned", id, text, json } : { type: "threw", id, json });
    return "accepted";
  }

  #onLog({ id: level, json: text }: GuestPost): void {
    const dropped = this.#logs.take(performance.now());
    if (dropped === undefined) return;
    const { plugin, send } = this.#options;
    send({ type: "log", plugin, level: LOG_LEVELS[level] ?? "info", text, dropped });
  }

  #onEmit({ id, text, json }: GuestPost): "accepted" | "refused" {
    const what = EMITS.find((type) => type === text);
    if (what === undefined || !this.#invocations.has(id)) return "refused";
    const dropped = this.#emits.take(performance.now());
    if (dropped === undefined) return "refused";
    const { plugin, send } = this.#options;
    send({ type: "emit", plugin, id, what, json, dropped });
    return "accepted";
  }

  #slice(invocation: number, limitMs: number, work: () => void): void {
    this.#options.slices.run(invocation, limitMs, work);
  }

  #deliver(invocation: number, limitMs: number, work: () => void): boolean {
    const { engine } = this.#options;
    this.#slice(invocation, limitMs, work);
    if (engine.fault !== undefined) return this.#dieOf(invocation, engine.fault);
    if (this.#credit.outstanding === 0) this.#endStalled();
    return true;
  }

  /** With no host call in the air and no job left, what has not settled never will. */
  #endStalled(): void {
    for (const id of this.#invocations.keys()) this.#options.send({ type: "stalled", id });
    this.#invocations.clear();
  }

  #dieOf(culprit: number, fault: EngineFault): false {
    if (fault.type !== "interrupted") return this.#die(culprit, fault.type, fault.detail);
    const { stopReason, limitMs } = this.#options.slices;
    return this.#die(culprit, stopReason ?? "busy", String(limitMs));
  }

  #die(culprit: number, fault: FaultType, detail: string): false {
    const { plugin, send } = this.#options;
    // A call whose module did not load was never entered among the live ones.
    const invocations = [...new Set([...this.#invocations.keys(), culprit])];
    send({ type: "fault", plugin, fault, culprit, invocations, detail });
    return false;
  }
}
