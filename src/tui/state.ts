import { type Command, markShown, reduce, type Ui, type UiEvent } from "./store/index.js";
import type { InputEvent } from "./terminal/index.js";

export interface StatePorts {
  /** Of the monotonic clock. */
  now(): number;
  run(command: Command): void;
  /** The state changed; a key's echo is not to wait. */
  request(cause: "input" | "change"): void;
  fail(error: unknown): void;
}

/** The state of one run, and the one way to change it: an event is reduced, its commands are run, a frame is asked for. */
export class State {
  value: Ui;
  /** Set at the end: what comes after changes nothing. */
  isOver = false;
  private readonly ports: StatePorts;

  constructor(value: Ui, ports: StatePorts) {
    this.value = value;
    this.ports = ports;
  }

  readonly dispatch = (event: UiEvent): void => {
    this.apply("change", [event]);
  };

  readonly typed = (events: readonly InputEvent[]): void => {
    this.apply(
      "input",
      events.map((input) => ({ type: "input", input, at: this.ports.now() })),
    );
  };

  /** A frame of it was painted, in which no text can begin after `lastTop`. */
  shown(lastTop: number): void {
    this.value = markShown(this.value, this.ports.now(), lastTop);
  }

  private apply(cause: "input" | "change", events: readonly UiEvent[]): void {
    try {
      for (const event of events) {
        if (this.isOver) return;
        const { ui, commands } = reduce(this.value, event);
        this.value = ui;
        for (const command of commands) this.ports.run(command);
      }
      this.ports.request(cause);
    } catch (error) {
      this.ports.fail(error);
    }
  }
}
