import type { IncomingMessage } from "node:http";
import type { Clock } from "../../base/index.js";
import type { BodyEnd, HttpBody } from "./types.js";

export interface BodyContext {
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly gapMs: number;
  readonly signal: AbortSignal;
  /** Aborted when the engine closes: nothing is drained any longer. */
  readonly closing: AbortSignal;
}

/** How much, and how long, is read after {@link HttpBody.release} to save the connection. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 250;

const BROKEN = "the connection closed in the middle of the body";

/**
 * Reads a response in paused mode: what piled up while the reader was busy comes as one piece, so a slow reader gets
 * larger pieces instead of more of them, and Node stops reading the socket once its own buffer is full.
 */
export class ResponseBody implements HttpBody {
  readonly #res: IncomingMessage;
  readonly #context: BodyContext;
  /** Aborted at the end of the body; stops the watch over gaps. */
  readonly #over = new AbortController();
  #end: BodyEnd | undefined;
  /** What had arrived when the connection broke. */
  #rest: Uint8Array | undefined;
  #total = 0;
  #wake: (() => void) | undefined;
  #waitingSince: number | undefined;

  constructor(res: IncomingMessage, context: BodyContext) {
    this.#res = res;
    this.#context = context;
    res.on("readable", this.#notify);
    res.on("end", () => {
      if (res.complete) this.#finish("complete");
      else this.#broken(BROKEN);
    });
    res.on("error", (error) => {
      this.#broken(bodyFault(error));
    });
    res.on("close", () => {
      this.#broken(BROKEN);
    });
    if (context.signal.aborted) this.cancel();
    else context.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watchGap();
  }

  get end(): BodyEnd | undefined {
    return this.#end;
  }

  async read(): Promise<Uint8Array | undefined> {
    while (this.#end === undefined) {
      const piece = this.#take();
      if (piece !== undefined) return piece;
      await this.#arrival();
    }
    const rest = this.#rest;
    this.#rest = undefined;
    return this.#context.signal.aborted ? undefined : rest;
  }

  cancel(): void {
    this.#finish("cancelled");
  }

  release(): void {
    if (this.#end !== undefined) return;
    this.#settle({ outcome: "complete" });
    drain(this.#res, this.#context);
  }

  /** What is in the buffer now, cut at the bound of the body. */
  #take(): Uint8Array | undefined {
    const piece = this.#res.read() as Buffer | null;
    if (piece === null) return undefined;
    this.#total += piece.length;
    const over = this.#total - this.#context.maxBytes;
    if (over <= 0) return piece;
    this.#finish("truncated", `the body is larger than ${String(this.#context.maxBytes)} bytes`);
    return over < piece.length ? piece.subarray(0, piece.length - over) : undefined;
  }

  /** Resolves when there may be something to read, or the body has ended. */
  #arrival(): Promise<void> {
    if (this.#end !== undefined) return Promise.resolve();
    this.#waitingSince = this.#context.clock.monotonic();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #notify = (): void => {
    this.#waitingSince = undefined;
    this.#wake?.();
    this.#wake = undefined;
  };

  readonly #onAbort = (): void => {
    this.cancel();
  };

  #broken(detail: string): void {
    if (this.#end !== undefined) return;
    this.#rest = this.#take();
    this.#finish("failed", detail);
  }

  #finish(outcome: BodyEnd["outcome"], detail?: string): void {
    if (this.#end !== undefined) return;
    this.#settle({ outcome, ...(detail === undefined ? {} : { detail }) });
    if (outcome !== "complete") this.#res.destroy();
  }

  #settle(end: BodyEnd): void {
    this.#end = end;
    this.#over.abort("over");
    this.#context.signal.removeEventListener("abort", this.#onAbort);
    this.#res.removeListener("readable", this.#notify);
    this.#notify();
  }

  /** Only a wait of the reader counts as a gap, not the time it spends elsewhere. */
  readonly #watchGap = (): void => {
    if (this.#end !== undefined) return;
    const { clock, gapMs } = this.#context;
    const idle = this.#waitingSince === undefined ? 0 : clock.monotonic() - this.#waitingSince;
    if (idle >= gapMs) this.#finish("failed", `nothing arrived for ${String(Math.round(gapMs / 1000))} s`);
    else clock.sleep(gapMs - idle, this.#over.signal).then(this.#watchGap, this.#watchGap);
  };
}

/** Lets a body that nobody needs run out within small bounds, else closes its connection. */
function drain(res: IncomingMessage, { clock, closing, signal }: BodyContext): void {
  if (closing.aborted || signal.aborted) {
    res.destroy();
    return;
  }
  const over = new AbortController();
  const stop = (): void => {
    if (!over.signal.aborted) res.destroy();
  };
  let seen = 0;
  closing.addEventListener("abort", stop, { once: true });
  res.on("data", (piece: Buffer) => {
    seen += piece.length;
    if (seen > DRAIN_BYTES) stop();
  });
  res.once("close", () => {
    closing.removeEventListener("abort", stop);
    over.abort("over");
  });
  clock.sleep(DRAIN_MS, over.signal).then(stop, stop);
}

const bodyFault = (error: Error & { readonly code?: string }): string =>
  error.code === "ECONNRESET" ? "the connection was reset in the middle of the body" : `the body broke off: ${error.message}`;
