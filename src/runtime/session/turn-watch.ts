import type { AgentState, Driver, DriverEvent, QueuedItem, TurnEnd } from "../../agent/index.js";
import type { Entry, ReceiptEntry } from "../../schema/index.js";
import { queuedEarlier, unknownCost } from "../diagnostics.js";
import { receiptEnd, type Receipts, runEnd } from "./receipts.js";
import type { SessionParts } from "./session-parts.js";
import type { Narrator } from "./view/index.js";

export interface TurnWatchPorts {
  readonly parts: Pick<SessionParts, "clock" | "limits" | "turnEnded" | "idle">;
  readonly receipts: Receipts;
  readonly narrator: Narrator;
  /** The turn that runs has used up its time. */
  readonly onDeadline: () => Promise<unknown>;
}

/** What follows from what the driver tells: receipts are settled, people are told, time is watched. */
export class TurnWatch {
  readonly #ports: TurnWatchPorts;
  /** Input of an earlier process that waits to be delivered; people are told when it is. */
  #earlier: readonly QueuedItem[] = [];
  #deadline: AbortController | undefined;
  /** Models of the running turn whose answers have no known cost, as people were told. */
  readonly #unpriced = new Set<string>();

  constructor(ports: TurnWatchPorts) {
    this.#ports = ports;
  }

  /** A driver was started: what waits in it was admitted before. */
  onStarted({ queue }: AgentState): void {
    this.#earlier = queue;
    for (const { submission } of queue) this.#ports.receipts.watch(submission);
    this.#ports.narrator.queue(queue);
  }

  onEvent(event: DriverEvent, driver: Driver): void {
    const { narrator, receipts } = this.#ports;
    if (event.type === "queue-changed") {
      narrator.queue(driver.state().queue);
      return;
    }
    if (event.type === "sealed") {
      this.#deadline?.abort();
      receipts.abandon({ status: "error", reason: "storage", reply: "", error: event.error });
      return;
    }
    if (event.type === "committed") {
      this.#tellEarlier(event.entries);
      this.#settleRecorded(event.entries);
    }
    if (event.type === "turn-ended") {
      this.#settle(event.end);
      // Another one may have begun while the end of this one was written.
      if (driver.state().turn === undefined) this.#ports.parts.idle();
    }
    narrator.tell(event);
    if (event.type === "turn-started") this.#watchLimits();
    if (event.type === "committed") this.#tellUnpriced(event.entries);
  }

  /** Once a turn for each model: a limit that cannot see what is spent must not be relied on. */
  #tellUnpriced(entries: readonly Entry[]): void {
    if (this.#ports.parts.limits().maxCostUsd === undefined) return;
    for (const entry of entries) {
      if (entry.type !== "assistant" || entry.cost !== undefined) continue;
      const model = `${entry.dispatch.provider}/${entry.dispatch.model}`;
      if (this.#unpriced.has(model)) continue;
      this.#unpriced.add(model);
      this.#ports.narrator.emit({ type: "notice", text: unknownCost(model) });
    }
  }

  /** Before anybody is told: whoever waits for a receipt runs after the telling all the same, and a fault there keeps none back. */
  #settle(end: TurnEnd): void {
    this.#deadline?.abort();
    this.#ports.parts.turnEnded(end.work);
    const facts = runEnd(end);
    for (const submission of end.submissions) this.#ports.receipts.settle(submission, facts);
  }

  /** Receipts of work that no turn of this process ends: a turn's own end comes with the same change and says more. */
  #settleRecorded(entries: readonly Entry[]): void {
    const { receipts } = this.#ports;
    const recorded = entries.filter((entry): entry is ReceiptEntry => entry.type === "receipt" && receipts.isExpected(entry.submission));
    if (recorded.length === 0) return;
    queueMicrotask(() => {
      for (const entry of recorded) if (receipts.isExpected(entry.submission)) receipts.settle(entry.submission, receiptEnd(entry));
    });
  }

  #tellEarlier(entries: readonly Entry[]): void {
    if (this.#earlier.length === 0) return;
    const moved = new Map(entries.flatMap((entry) => (entry.type === "queue" ? [[entry.submission, entry.operation] as const] : [])));
    const delivered = this.#earlier.filter(({ submission }) => moved.get(submission) === "deliver");
    this.#earlier = this.#earlier.filter(({ submission }) => !moved.has(submission));
    if (delivered.length > 0) this.#ports.narrator.emit({ type: "notice", text: queuedEarlier(delivered.map((item) => item.text)) });
  }

  #watchLimits(): void {
    this.#unpriced.clear();
    const { parts, onDeadline } = this.#ports;
    const { deadlineMs } = parts.limits();
    if (deadlineMs === undefined) return;
    const deadline = new AbortController();
    this.#deadline = deadline;
    const stop = async (): Promise<void> => {
      await parts.clock.sleep(deadlineMs, deadline.signal);
      if (!deadline.signal.aborted) await onDeadline();
    };
    // A stop that cannot be recorded ends the turn by itself, as failed storage.
    stop().catch(() => undefined);
  }
}
