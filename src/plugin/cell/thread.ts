import { Worker } from "node:worker_threads";
import { TERMINATE_WATCHDOG_MS, WORKER_RESOURCES } from "../limits.js";
import { type CellStart, CONTROL, type FromCell, type ToCell } from "./protocol.js";

export interface ThreadEvents {
  onMessage(message: FromCell): void;
  /** The thread ended without being asked to. Once. */
  onCrash(detail: string): void;
}

/** What a thread is doing this moment, read without asking it. */
export interface Running {
  readonly slice: number;
  readonly invocation: number;
  /** ms it may take. */
  readonly limitMs: number;
}

/** A worker thread and its control words. Knows nothing of what the messages mean. */
export class CellThread {
  readonly #worker: Worker;
  readonly #control: Int32Array;
  #sent = 0;
  #isOver = false;
  #events: ThreadEvents | undefined;
  /** How it ended before anybody had adopted it. */
  #crashed: string | undefined;

  constructor(url: URL, start: Omit<CellStart, "control">) {
    const control = new SharedArrayBuffer(CONTROL.words * Int32Array.BYTES_PER_ELEMENT);
    this.#control = new Int32Array(control);
    const workerData: CellStart = { ...start, control };
    // Its streams are captured: nothing of a thread may reach the terminal. Its environment is empty.
    const worker = new Worker(url, {
      workerData,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: WORKER_RESOURCES,
      name: "smith-plugins",
    });
    this.#worker = worker;
    worker.unref();
    worker.on("message", (message: FromCell) => {
      if (!this.#isOver) this.#events?.onMessage(message);
    });
    const crash = (detail: string): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#crashed = detail;
      this.#events?.onCrash(detail);
    };
    worker.on("error", (error: unknown) => crash(error instanceof Error ? error.message : String(error)));
    worker.on("exit", (code) => crash(`its thread ended with code ${code}`));
    worker.stdout.resume();
    worker.stderr.resume();
  }

  /** Gives it its owner. A thread says nothing before it is asked, so nothing is missed by adopting it late. */
  adopt(events: ThreadEvents): this {
    this.#events = events;
    if (this.#crashed !== undefined) events.onCrash(this.#crashed);
    return this;
  }

  send(message: ToCell): void {
    if (this.#isOver) return;
    this.#sent += 1;
    this.#worker.postMessage(message);
  }

  /** Whether every message sent so far was handled. */
  get isIdle(): boolean {
    // Both count up and wrap alike.
    return Atomics.load(this.#control, CONTROL.finished) === (this.#sent | 0);
  }

  get running(): Running | undefined {
    const slice = Atomics.load(this.#control, CONTROL.running);
    if (slice === 0) return undefined;
    const word = (index: number): number => Atomics.load(this.#control, index);
    return { slice, invocation: word(CONTROL.invocation), limitMs: word(CONTROL.limit) };
  }

  /** Ends the guest in this slice, if it is still the one that runs. Loops inside the engine's own code do not see it. */
  raiseFlag(slice: number): void {
    Atomics.store(this.#control, CONTROL.kill, slice);
  }

  /** While held, the thread keeps the process alive. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#worker.ref();
    else this.#worker.unref();
  }

  /** No message arrives any more once this is called. Resolves when the thread is gone, or is given up as unkillable. */
  async terminate(sleep: (ms: number, signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#isOver = true;
    const ended = new AbortController();
    const termination = this.#worker.terminate().finally(() => ended.abort());
    await Promise.race([termination, sleep(TERMINATE_WATCHDOG_MS, ended.signal)]);
    this.#worker.unref();
  }
}
