import type { Diagnostic } from "../../schema/index.js";
import { outputFailed } from "../diagnostics.js";
import type { OutputPort } from "../host.js";

/** Above this many bytes not yet taken by the reader, a producer that can wait should, and droppable records are dropped. */
export const HIGH_WATER_BYTES = 1_048_576;

/**
 * The only way to an output stream. Text written in one turn of the event loop goes out in one piece. `closed` means the
 * reader went away (EPIPE): what is written from then on is dropped, quietly. `failed` carries the reason.
 */
export interface Writer {
  write(text: string): void;
  /** Hands over at once what waits for the end of the turn: keeps the order between two streams on one terminal. */
  push(): void;
  /** Resolves when the reader has fallen behind no longer, or never will catch up. */
  ready(): Promise<void>;
  /** Resolves when everything is with the operating system, or cannot get there. */
  flush(): Promise<void>;
  isBehind(): boolean;
  state(): "open" | "closed" | "failed";
  failure(): Diagnostic | undefined;
  /** Called once, when the state stops being `open`. */
  onBroken(listener: () => void): void;
}

export const createWriter = (port: OutputPort): Writer => new PortWriter(port);

class PortWriter implements Writer {
  readonly #port: OutputPort;
  #waiting = "";
  #scheduled = false;
  /** Bytes handed over and not yet taken. */
  #underway = 0;
  #state: "open" | "closed" | "failed" = "open";
  #failure: Diagnostic | undefined;
  #listeners: (() => void)[] = [];
  #watchers: { readonly until: () => boolean; readonly resolve: () => void }[] = [];

  constructor(port: OutputPort) {
    this.#port = port;
  }

  write(text: string): void {
    if (this.#state !== "open") return;
    this.#waiting += text;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.push();
      this.#wake();
    });
  }

  push(): void {
    if (this.#waiting === "" || this.#state !== "open") return;
    const text = this.#waiting;
    this.#waiting = "";
    const bytes = Buffer.byteLength(text);
    this.#underway += bytes;
    this.#port.write(text, (error) => {
      this.#underway -= bytes;
      if (error !== undefined && error !== null) this.#breakOff(error);
      this.#wake();
    });
  }

  ready(): Promise<void> {
    return this.#when(() => !this.isBehind());
  }

  flush(): Promise<void> {
    this.push();
    return this.#when(() => this.#state !== "open" || (this.#waiting === "" && this.#underway === 0));
  }

  isBehind(): boolean {
    return this.#state === "open" && this.#underway + this.#waiting.length > HIGH_WATER_BYTES;
  }

  state(): "open" | "closed" | "failed" {
    return this.#state;
  }

  failure(): Diagnostic | undefined {
    return this.#failure;
  }

  onBroken(listener: () => void): void {
    if (this.#state === "open") this.#listeners.push(listener);
    else listener();
  }

  #when(until: () => boolean): Promise<void> {
    return until() ? Promise.resolve() : new Promise((resolve) => this.#watchers.push({ until, resolve }));
  }

  #wake(): void {
    const done = this.#watchers.filter(({ until }) => until());
    this.#watchers = this.#watchers.filter((watcher) => !done.includes(watcher));
    for (const { resolve } of done) resolve();
  }

  #breakOff(error: Error): void {
    if (this.#state !== "open") return;
    const isGone = "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED");
    this.#state = isGone ? "closed" : "failed";
    if (!isGone) this.#failure = outputFailed(`The system says: ${error.message}.`);
    this.#waiting = "";
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
