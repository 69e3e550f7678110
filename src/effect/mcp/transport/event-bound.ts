import { setImmediate as nextTurn } from "node:timers/promises";

/** Bytes of one event. */
const MAX_EVENT = 16 * 1024 * 1024;
const LF = 10;
const CR = 13;

/**
 * Bounds the events of a stream, and tells when it is at its end, however that came. Each chunk has a turn of the event loop: a server that
 * never pauses keeps no timer and no signal from being heard.
 */
export class EventBound {
  readonly #onEnd: () => void;
  #event = 0;
  #line = 0;
  #isOver = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  over(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          await nextTurn();
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            this.#end();
            return;
          }
          if (!this.#fits(value)) throw new Error(`An event has more than ${MAX_EVENT} bytes.`);
          controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          this.#end();
          await reader.cancel().catch(() => undefined);
        }
      },
      cancel: async (reason) => {
        this.#end();
        await reader.cancel(reason);
      },
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }

  /** An empty line ends an event. */
  #fits(chunk: Uint8Array): boolean {
    let from = 0;
    for (let to = chunk.indexOf(LF); to !== -1; to = chunk.indexOf(LF, from)) {
      const length = this.#line + to - from - (to > 0 && chunk[to - 1] === CR ? 1 : 0);
      this.#event = length <= 0 ? 0 : this.#event + length;
      this.#line = 0;
      from = to + 1;
    }
    const rest = chunk.subarray(from);
    this.#line += rest.length === 1 && rest[0] === CR ? 0 : rest.length;
    return this.#event + this.#line <= MAX_EVENT;
  }
}
