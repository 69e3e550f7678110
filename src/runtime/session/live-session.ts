import { type CallId, err, ok, type Result, type SessionId, type SubmissionId } from "../../base/index.js";
import { createDriver, type Driver, type DriverEvent, type QueuedItem, type TurnEnd } from "../../agent/index.js";
import type { AccessMode, Diagnostic, Entry, Position, QueuedInput, SmithEvent, ToolCallEntry } from "../../schema/index.js";
import { sessionClosed, SessionStorageError } from "../../session/index.js";
import { summarizeArguments } from "../../tool/index.js";
import { type Approvals, createApprovals } from "./approvals.js";
import { type Backlog, type BacklogRequest, readBacklog } from "./backlog.js";
import { emptyInput, keyConflict, unknownCost } from "../diagnostics.js";
import { type EventContext, entryEvents } from "./events.js";
import { createReceipts, runEnd, withdrawnEnd } from "./receipts.js";
import type { Prepared, SessionParts } from "./session-parts.js";
import { StatusBoard } from "./status-board.js";
import type { Receipt, RuntimeSession, SessionStatus } from "../types.js";

type Listener = (event: SmithEvent) => void;
/** An event without what every event has. */
type Body = SmithEvent extends infer Event ? (Event extends SmithEvent ? Omit<Event, "session" | "time"> : never) : never;

/** A session this process writes: submission, observation and abort over one driver. */
export class LiveSession implements RuntimeSession {
  readonly id: SessionId;
  readonly #parts: SessionParts;
  readonly #status: StatusBoard;
  readonly #listeners = new Set<Listener>();
  readonly #receipts = createReceipts();
  readonly #approvals: Approvals;
  readonly #events: EventContext;
  #driver: Promise<Driver> | undefined;
  #prepared: Promise<Prepared> | undefined;
  #deadline: AbortController | undefined;
  /** Of the newest change of the driver. */
  #position: Position | undefined;
  #closed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.#events = { session: parts.id, tool: parts.toolDefinition, calls: new Map<CallId, ToolCallEntry>() };
    this.#status = new StatusBoard(parts.initialStatus);
    this.#approvals = createApprovals({
      interactive: parts.interactive,
      onAsk: ({ call, tool }) => {
        const argsSummary = summarizeArguments(tool, call.args);
        this.#status.update({ pendingApproval: { id: call.call, name: call.name, argsSummary } });
        this.#emit({ type: "approval", id: call.call, name: call.name, argsSummary, args: call.args ?? {} });
      },
      onSettled: ({ call }, allowed) => {
        this.#status.clearApproval();
        this.#emit({ type: "approval_settled", id: call.call, allowed });
      },
    });
  }

  get path(): string {
    return this.#parts.path;
  }

  status(): SessionStatus {
    return this.#status.value;
  }

  observe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async submit(input: {
    readonly text: string;
    readonly key?: string;
    readonly delivery?: "steer" | "follow-up";
  }): Promise<Result<Receipt, Diagnostic>> {
    if (this.#closed) return err(sessionClosed(this.id));
    if (input.text.trim() === "") return err(emptyInput());
    try {
      const prepared = await this.#prepare();
      const known = input.key === undefined ? undefined : prepared.keys.get(input.key);
      if (known !== undefined && input.key !== undefined) {
        return known.text === input.text ? ok(this.#original(prepared, known.submission)) : err(keyConflict(input.key));
      }
      return ok(await this.#admit(prepared, input));
    } catch (error) {
      if (error instanceof SessionStorageError) return err(error.diagnostic);
      throw error;
    }
  }

  async withdraw(submission: SubmissionId): Promise<boolean> {
    const driver = await this.#driver;
    const taken = (await driver?.withdraw(submission)) ?? false;
    if (taken) this.#receipts.settle(submission, withdrawnEnd);
    return taken;
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    const reader = this.#parts.reader();
    if (reader === undefined) return { events: [] };
    const page = await readBacklog(reader, request, { session: this.id, tool: this.#parts.toolDefinition });
    if (request.before !== undefined) return page;
    const pending = await this.#parts.unknownEffects();
    return { ...page, events: [...page.events, ...pending] };
  }

  async abort(): Promise<readonly QueuedInput[]> {
    const driver = await this.#driver;
    if (driver === undefined) return [];
    const taken: QueuedInput[] = [];
    for (const item of driver.state().queue) {
      if (await this.withdraw(item.submission)) taken.push(queuedInput(item));
    }
    await driver.stop("abort");
    await driver.idle();
    return taken;
  }

  answer(call: CallId, verdict: "once" | "session" | "deny"): void {
    this.#approvals.answer(call, verdict);
  }

  setMode(mode: AccessMode): void {
    this.#status.update({ mode });
  }

  async rename(name: string): Promise<Result<void, Diagnostic>> {
    try {
      this.#parts.setName(name);
      await (await this.#driver)?.rename(name);
      this.#status.update({ name });
      return ok(undefined);
    } catch (error) {
      if (error instanceof SessionStorageError) return err(error.diagnostic);
      throw error;
    }
  }

  async close(options: { readonly clean?: boolean } = {}): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#status.value.running) await this.abort();
    await this.#parts.close(options.clean ?? true);
    this.#listeners.clear();
  }

  /** The receipt of an earlier submission with the same key: of this process, or read back from the file. */
  #original(prepared: Prepared, submission: SubmissionId): Receipt {
    return { submission, queued: false, settled: this.#receipts.known(submission) ?? prepared.recordedEnd(submission) };
  }

  async #prepare(): Promise<Prepared> {
    this.#prepared ??= this.#parts.prepare();
    return await this.#prepared;
  }

  async #admit(
    prepared: Prepared,
    input: { readonly text: string; readonly key?: string; readonly delivery?: "steer" | "follow-up" },
  ): Promise<Receipt> {
    const driver = await this.#ensureDriver(prepared, input.text);
    const submission = this.#parts.ids.next<SubmissionId>();
    const settled = this.#receipts.expect(submission);
    const { key } = input;
    const { queued } = await driver.submit({
      submission,
      text: input.text,
      delivery: input.delivery ?? "steer",
      ...(key === undefined ? {} : { key }),
    });
    if (key !== undefined) prepared.remember(key, { submission, text: input.text });
    return { submission, queued, settled };
  }

  async #ensureDriver(prepared: Prepared, firstText: string): Promise<Driver> {
    this.#driver ??= this.#start(prepared, firstText);
    try {
      return await this.#driver;
    } catch (error) {
      this.#driver = undefined;
      throw error;
    }
  }

  /** The first submission of this process: ends what an earlier one left open, names the session, starts the driver. */
  async #start(prepared: Prepared, firstText: string): Promise<Driver> {
    const prelude = await prepared.prelude(firstText);
    for (const event of prelude.events) this.#send(event);
    const name = this.#parts.name();
    if (name !== undefined) this.#status.update({ name });
    return createDriver(prelude.state, {
      ...this.#parts.driverPorts,
      mode: () => this.#status.value.mode,
      approve: async (call, tool, signal) => await this.#approvals.ask(call, tool, signal),
      emit: (event) => {
        this.#onDriver(event);
      },
    });
  }

  /** Admission of a turn comes first in a run: its event precedes those of the same change. */
  #runStarted(entries: readonly Entry[], position: Position): void {
    const submission = entries.find((entry) => entry.type === "submission" && entry.delivery === "turn");
    if (submission?.type !== "submission") return;
    const { model, name } = this.#status.value;
    this.#status.update({ running: true });
    this.#emit({
      type: "run_start",
      position,
      submission: submission.submission,
      model,
      cwd: this.#parts.cwd,
      ...(name === undefined ? {} : { name }),
    });
    if (this.#parts.limits().maxCostUsd !== undefined) this.#emit({ type: "notice", text: unknownCost() });
    const { deadlineMs } = this.#parts.limits();
    if (deadlineMs === undefined) return;
    const deadline = new AbortController();
    this.#deadline = deadline;
    this.#parts.clock.sleep(deadlineMs, deadline.signal).then(
      async () => {
        if (!deadline.signal.aborted) await (await this.#driver)?.stop("deadline");
      },
      () => undefined,
    );
  }

  #onDriver(event: DriverEvent): void {
    switch (event.type) {
      case "committed":
        this.#position = event.position;
        this.#runStarted(event.entries, event.position);
        for (const entry of event.entries) for (const one of entryEvents(entry, this.#events, event.position)) this.#send(one);
        this.#status.observe(event.entries);
        break;
      case "response-started":
        this.#status.update({ model: event.model });
        this.#emit({ type: "assistant_start", request: event.request, model: event.model });
        break;
      case "progress":
        this.#progress(event.event);
        break;
      case "tool-progress":
        this.#emit({ type: "tool_progress", id: event.call, text: event.text });
        break;
      case "queue-changed":
        this.#queueChanged();
        break;
      case "turn-ended":
        this.#turnEnded(event.end);
        break;
    }
  }

  #progress(event: Extract<DriverEvent, { type: "progress" }>["event"]): void {
    if (event.type === "text") this.#emit({ type: "assistant_delta", text: event.text });
    else if (event.type === "thinking") this.#emit({ type: "thinking_delta", text: event.text });
    else this.#emit({ type: "retry", attempt: event.attempt, max: event.max, reason: event.reason, delayMs: event.delayMs });
  }

  #queueChanged(): void {
    const driver = this.#driver;
    if (driver === undefined) return;
    driver.then(
      (running) => {
        const items = running.state().queue.map(queuedInput);
        this.#status.update({ queue: items });
        this.#emit({ type: "queue", items });
      },
      () => undefined,
    );
  }

  #turnEnded(end: TurnEnd): void {
    this.#deadline?.abort();
    this.#deadline = undefined;
    const facts = runEnd(end);
    this.#status.update({ running: false });
    if (end.reason === "abort") this.#emit({ type: "interrupted" });
    if (end.error !== undefined) this.#emit({ type: "error", diagnostic: end.error });
    const [receipt] = end.submissions;
    // The change that ended the turn was the last one; without storage there is none.
    const position = end.reason === "storage" ? undefined : this.#position;
    if (receipt !== undefined) this.#emit({ type: "run_end", receipt, ...facts, ...(position === undefined ? {} : { position }) });
    for (const submission of end.submissions) this.#receipts.settle(submission, facts);
  }

  #emit(body: Body): void {
    this.#send({ session: this.id, time: this.#parts.clock.now(), ...body });
  }

  #send(event: SmithEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

const queuedInput = ({ submission, delivery, text }: QueuedItem): QueuedInput => ({ submission, delivery, text });
