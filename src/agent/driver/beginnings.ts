import type { WorkId } from "../../base/index.js";
import { turnStarted } from "../lifecycle/index.js";
import type { AgentInput, AgentState, Turn } from "../state.js";
import type { Handlers } from "./handlers.js";
import type { DriverPorts } from "./types.js";

type Submitted = Pick<Extract<AgentInput, { readonly type: "submitted" }>, "submission" | "text">;

export interface BeginningPorts {
  readonly ports: Pick<DriverPorts, "cwd" | "mode" | "lifecycle">;
  readonly handlers: Handlers;
  readonly state: () => AgentState;
  readonly signal: () => AbortSignal;
}

/** What handlers are told before the first request of a turn: once for each, and of the session once in a process. */
export class Beginnings {
  readonly #own: BeginningPorts;
  readonly #isResumed: boolean;
  #told: WorkId | undefined;
  #admitted: Submitted | undefined;

  constructor(own: BeginningPorts) {
    this.#own = own;
    this.#isResumed = own.state().history.some(({ type }) => type === "user-message");
  }

  /** Input came that begins a turn; undefined: the next one begins otherwise. */
  admitted(input: Submitted | undefined): void {
    this.#admitted = input;
  }

  /** In order, each carried out before the next. Only at a safe point. */
  async tell(turn: Turn): Promise<void> {
    if (turn.work === this.#told) return;
    const isOpening = this.#told === undefined;
    const input = this.#admitted;
    this.#told = turn.work;
    this.#admitted = undefined;
    const { handlers, state } = this.#own;
    const options = { signal: this.#own.signal(), work: turn.work };
    if (isOpening && handlers.listens("session-opened")) await handlers.tell(this.#opened(), options);
    if (input !== undefined && input.submission === turn.submissions[0]?.submission && handlers.listens("input-admitted")) {
      const { submission, text } = input;
      await handlers.tell({ type: "input-admitted", submission, text, delivery: "turn" }, options);
    }
    // One that goes on after its process ended was told to that process.
    const started = turn.rounds === 0 && handlers.listens("turn-started") ? turnStarted(turn, state().history) : undefined;
    if (started !== undefined) await handlers.tell(started, options);
  }

  #opened() {
    const { cwd, mode, lifecycle } = this.#own.ports;
    const trusted = lifecycle.about?.().trusted ?? false;
    return { type: "session-opened", cwd, trusted, resumed: this.#isResumed, mode: mode() } as const;
  }
}
