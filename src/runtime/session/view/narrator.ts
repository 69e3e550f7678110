import type { CallId, Clock, SessionId } from "../../../base/index.js";
import type { DriverEvent, QueuedItem, TurnEnd } from "../../../agent/index.js";
import type { Entry, Position, QueuedInput, SmithEvent, Spend, ToolCallEntry, ToolDefinition } from "../../../schema/index.js";
import { type EventContext, entryEvents } from "./events.js";
import { runEnd } from "../receipts.js";
import type { StatusBoard } from "./status-board.js";

/** An event without what every event has. */
export type EventBody = SmithEvent extends infer Event ? (Event extends SmithEvent ? Omit<Event, "session" | "time"> : never) : never;

export interface NarratorPorts {
  readonly session: SessionId;
  readonly cwd: string;
  readonly clock: Clock;
  readonly tool: (name: string) => ToolDefinition | undefined;
  readonly status: StatusBoard;
  readonly send: (event: SmithEvent) => void;
}

/** Tells what the driver does in the event vocabulary, and keeps the status in step with what was told. */
export class Narrator {
  readonly #ports: NarratorPorts;
  readonly #context: EventContext;
  /** Of the newest change told. */
  #position: Position | undefined;
  #startedMs: number | undefined;
  #hasThought = false;

  constructor(ports: NarratorPorts) {
    this.#ports = ports;
    this.#context = { session: ports.session, tool: ports.tool, calls: new Map<CallId, ToolCallEntry>() };
  }

  tell(event: Exclude<DriverEvent, { type: "queue-changed" | "sealed" }>): void {
    switch (event.type) {
      case "turn-started":
        this.#turnStarted(event);
        break;
      case "committed":
        this.#position = event.position;
        for (const entry of event.entries) for (const one of entryEvents(entry, this.#context, event.position)) this.#ports.send(one);
        this.spent(event.entries);
        break;
      case "response-started":
        if (this.#hasThought) this.emit({ type: "thinking_cleared" });
        this.#hasThought = false;
        this.#ports.status.asked(event);
        this.emit({ type: "assistant_start", request: event.request, model: event.model });
        break;
      case "progress":
        this.#progress(event.event);
        break;
      case "tool-progress":
        this.emit({ type: "tool_progress", id: event.call, text: event.text });
        break;
      case "turn-ended":
        this.#turnEnded(event.end);
        break;
    }
  }

  queue(items: readonly QueuedItem[]): void {
    if (items.length === 0 && this.#ports.status.value.queue.length === 0) return;
    const queue = items.map(queuedInput);
    this.#ports.status.update({ queue });
    this.emit({ type: "queue", items: queue });
  }

  /** Tells what was recorded beside the turns. */
  recorded(entries: readonly Entry[], position: Position): void {
    for (const entry of entries) for (const event of entryEvents(entry, this.#context, position)) this.#ports.send(event);
  }

  /** Takes in what was used, also by works whose entries are nobody's news. */
  spent(entries: readonly Entry[]): void {
    if (this.#ports.status.observe(entries)) this.#metrics(true);
  }

  emit(body: EventBody): void {
    this.#ports.send(this.stamped(body));
  }

  stamped(body: EventBody): SmithEvent {
    return { session: this.#ports.session, time: this.#ports.clock.now(), ...body };
  }

  #turnStarted({ submission, position }: Extract<DriverEvent, { type: "turn-started" }>): void {
    const { status, cwd, clock } = this.#ports;
    const { model, name } = status.value;
    this.#startedMs = clock.monotonic();
    status.update({ running: true });
    this.emit({ type: "run_start", position, submission, model, cwd, ...(name === undefined ? {} : { name }) });
    this.#metrics(true);
  }

  #progress(event: Extract<DriverEvent, { type: "progress" }>["event"]): void {
    switch (event.type) {
      case "text":
        this.emit({ type: "assistant_delta", text: event.text });
        break;
      case "thinking":
        this.#hasThought = true;
        this.emit({ type: "thinking_delta", text: event.text });
        break;
      case "retry":
        this.emit({
          type: "retry",
          attempt: event.attempt,
          max: event.max,
          reason: event.reason,
          failure: event.error.class,
          delayMs: event.delayMs,
        });
        break;
      case "failover":
        this.emit({
          type: "failover",
          from: event.from,
          to: event.to,
          reason: event.reason,
          failure: event.error.class,
          ...(event.until === undefined ? {} : { until: event.until }),
        });
        break;
    }
  }

  /** What was used before this process is known. */
  readonly counted = (before: Spend): void => {
    const { status } = this.#ports;
    status.counted(before);
    this.#metrics(status.value.running);
  };

  /** Seconds since the turn began, and the tokens and cost of the session so far. */
  #metrics(running: boolean): void {
    const { usage, cost } = this.#ports.status.value;
    const since = this.#startedMs ?? this.#ports.clock.monotonic();
    const elapsed = Math.round(this.#ports.clock.monotonic() - since) / 1000;
    this.emit({
      type: "run_metrics",
      running,
      elapsed,
      ...(usage?.inputTokens === undefined ? {} : { inputTokens: usage.inputTokens }),
      ...(usage?.outputTokens === undefined ? {} : { outputTokens: usage.outputTokens }),
      ...(cost === undefined ? {} : { cost }),
    });
  }

  #turnEnded(end: TurnEnd): void {
    // Of a turn whose beginning could not be recorded nobody has heard; whoever asked for it gets the refusal.
    if (!this.#ports.status.value.running) return;
    this.#ports.status.update({ running: false });
    if (end.reason === "abort") this.emit({ type: "interrupted" });
    if (end.error !== undefined) this.emit({ type: "error", diagnostic: end.error });
    this.#metrics(false);
    const [receipt] = end.submissions;
    // The change that ended the turn was the last one; without storage there is none.
    const position = end.reason === "storage" ? undefined : this.#position;
    if (receipt !== undefined) this.emit({ type: "run_end", receipt, ...runEnd(end), ...(position === undefined ? {} : { position }) });
  }
}

export const queuedInput = ({ submission, delivery, text }: QueuedItem): QueuedInput => ({ submission, delivery, text });
