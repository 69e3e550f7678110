import type { Timers } from "./frame/index.js";
import { foldBurst, InputDecoder, type InputEvent } from "./terminal/index.js";
import type { TerminalInput } from "./types.js";

/** A lone ESC is the Escape key after this silence; longer over a slow line. */
const ESCAPE_MS = 25;
const REMOTE_ESCAPE_MS = 60;
/** A paste whose end does not come is taken as it is after this silence. */
const PASTE_MS = 1000;
/** Reads that follow each other this fast belong to one unmarked paste. */
const BURST_MS = 30;

/** The only reader of the terminal: bytes to events, with the timers that end ambiguous sequences. */
export class Keyboard {
  private readonly decoder = new InputDecoder();
  private cancel: (() => void) | undefined;
  private lastBurst = Number.NEGATIVE_INFINITY;
  private attached = false;
  private readonly options: {
    readonly input: TerminalInput;
    readonly timers: Timers;
    readonly now: () => number;
    readonly remote: boolean;
    readonly onEvents: (events: readonly InputEvent[]) => void;
    readonly onEnd: () => void;
  };

  constructor(options: Keyboard["options"]) {
    this.options = options;
  }

  attach(): void {
    if (this.attached) return;
    this.attached = true;
    const { input } = this.options;
    input.on("data", this.onData);
    input.on("end", this.onEnd);
    input.on("error", this.onEnd);
    input.resume();
  }

  detach(): void {
    if (!this.attached) return;
    this.attached = false;
    this.cancel?.();
    const { input } = this.options;
    input.off("data", this.onData);
    input.off("end", this.onEnd);
    input.off("error", this.onEnd);
    input.pause();
  }

  /** Bytes read before; their end is not waited for. */
  feed(bytes: Uint8Array): void {
    this.deliver(this.decoder.push(bytes), false);
    this.arm();
  }

  private readonly onEnd = (): void => {
    this.options.onEnd();
  };

  private readonly onData = (chunk: Uint8Array): void => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    this.deliver(this.decoder.push(bytes), true);
    this.arm();
  };

  private deliver(events: readonly InputEvent[], mayFold: boolean): void {
    if (events.length === 0) return;
    const now = this.options.now();
    const folded = mayFold ? foldBurst(events, now - this.lastBurst < BURST_MS) : { events, folded: false };
    if (folded.folded) this.lastBurst = now;
    this.options.onEvents(folded.events);
  }

  private arm(): void {
    this.cancel?.();
    this.cancel = undefined;
    const { pending } = this.decoder;
    if (pending === "none") return;
    const ms = pending === "paste" ? PASTE_MS : this.options.remote ? REMOTE_ESCAPE_MS : ESCAPE_MS;
    this.cancel = this.options.timers.after(ms, () => {
      this.cancel = undefined;
      this.deliver(this.decoder.flush(), false);
    });
  }
}
