import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { NotSent } from "./message.js";

/** What may wait for a server that does not take it: messages, and UTF-16 units of them. */
export const WAITING = { messages: 1_000, units: 16 * 1024 * 1024 } as const;
/** Answers that are on their way at once. */
const AT_ONCE = 8;

/** Why a connection is given up whose server asks and asks, and does not take the answers. */
export const tooManyWait = `It asked more than it takes answers to: over ${WAITING.messages} messages or ${WAITING.units} characters wait for it.`;

interface Waiting {
  readonly message: JSONRPCMessage;
  readonly units: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Sends answers a few at once, in their order, while the others wait. Where too many wait, it drops them all and says so, once. */
export class Outbox {
  readonly #send: (message: JSONRPCMessage) => Promise<void>;
  readonly #onTooMany: () => void;
  #waiting: Waiting[] = [];
  #units = 0;
  #sending = 0;
  #isClosed = false;

  constructor(send: (message: JSONRPCMessage) => Promise<void>, onTooMany: () => void) {
    this.#send = send;
    this.#onTooMany = onTooMany;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new NotSent("It was closed.");
    const units = JSON.stringify(message).length;
    if (this.#waiting.length >= WAITING.messages || this.#units + units > WAITING.units) {
      this.close();
      this.#onTooMany();
      throw new NotSent(tooManyWait);
    }
    const sent = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ message, units, resolve, reject });
    });
    this.#units += units;
    this.#next();
    await sent;
  }

  /** Nothing more is sent. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting) reject(new NotSent("It was closed."));
    this.#waiting = [];
    this.#units = 0;
  }

  #next(): void {
    while (this.#sending < AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#units -= next.units;
      this.#sending += 1;
      const over = (): void => {
        this.#sending -= 1;
        this.#next();
      };
      this.#send(next.message).then(next.resolve, next.reject).then(over, over);
    }
  }
}
