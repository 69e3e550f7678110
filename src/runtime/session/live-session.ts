import { type CallId, err, ok, type Result, type SessionId, type SubmissionId } from "../../base/index.js";
import { createDriver, type Driver, type DriverEvent, type QueuedItem, type StopCause, type TurnEnd } from "../../agent/index.js";
import type { AccessMode, Diagnostic, Entry, QueuedInput, SmithEvent } from "../../schema/index.js";
import { sessionClosed, SessionStorageError } from "../../session/index.js";
import { summarizeArguments } from "../../tool/index.js";
import { type Approvals, createApprovals } from "./approvals.js";
import { type Backlog, type BacklogRequest, readBacklog } from "./backlog.js";
import { emptyInput, keyConflict, queuedEarlier, unknownCost } from "../diagnostics.js";
import { Narrator, queuedInput } from "./narrator.js";
import { createReceipts, runEnd, withdrawnEnd } from "./receipts.js";
import { type Prepared, type SessionParts, unknownEffectEvents } from "./session-parts.js";
import { StatusBoard } from "./status-board.js";
import type { Receipt, RuntimeSession, SessionStatus } from "../types.js";

type Listener = (event: SmithEvent) => void;

interface Input {
  readonly text: string;
  readonly key?: string;
  readonly delivery?: "steer" | "follow-up";
}

/** Input that is not admitted, for a reason its sender can act on. */
class Refusal extends Error {
  override readonly name = "Refusal";
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.what);
    this.diagnostic = diagnostic;
  }
}

/** A session this process writes: submission, observation and abort over one driver. */
export class LiveSession implements RuntimeSession {
  readonly id: SessionId;
  readonly #parts: SessionParts;
  readonly #status: StatusBoard;
  readonly #listeners = new Set<Listener>();
  readonly #receipts = createReceipts();
  readonly #approvals: Approvals;
  readonly #narrator: Narrator;
  /** Admissions under way. Abort and close wait for them: what is admitted can be stopped, what is not cannot begin after. */
  readonly #admitting = new Set<Promise<Receipt>>();
  /** Set before anything is awaited, so that the same key at the same time is the same submission. */
  readonly #keyed = new Map<string, { readonly text: string; readonly receipt: Promise<Receipt> }>();
  /** Input of an earlier process that waits to be delivered; people are told when it is. */
  #earlier: readonly QueuedItem[] = [];
  #driver: Promise<Driver> | undefined;
  #running: Driver | undefined;
  #deadline: AbortController | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.#status = new StatusBoard(parts.initialStatus);
    this.#narrator = new Narrator({
      session: parts.id,
      cwd: parts.cwd,
      clock: parts.clock,
      tool: parts.toolDefinition,
      status: this.#status,
      send: (event) => {
        this.#send(event);
      },
    });
    this.#approvals = createApprovals({
      interactive: parts.interactive,
      onAsk: ({ call, tool }) => {
        const argsSummary = summarizeArguments(tool, call.args);
        this.#status.update({ pendingApproval: { id: call.call, name: call.name, argsSummary } });
        this.#narrator.emit({ type: "approval", id: call.call, name: call.name, argsSummary, args: call.args ?? {} });
      },
      onSettled: ({ call }, allowed) => {
        this.#status.clearApproval();
        this.#narrator.emit({ type: "approval_settled", id: call.call, allowed });
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

  async submit(input: Input): Promise<Result<Receipt, Diagnostic>> {
    if (this.#closing !== undefined) return err(sessionClosed(this.id));
    if (input.text.trim() === "") return err(emptyInput());
    const { key } = input;
    const known = key === undefined ? undefined : this.#keyed.get(key);
    if (key !== undefined && known !== undefined && known.text !== input.text) return err(keyConflict(key));
    return await recoverable(async () => await (known?.receipt ?? this.#admission(input)));
  }

  async withdraw(submission: SubmissionId): Promise<boolean> {
    const taken = await recoverable(async () => (await this.#holding(submission))?.withdraw(submission) ?? false);
    if (!taken.ok || !taken.value) return false;
    this.#receipts.settle(submission, withdrawnEnd);
    return true;
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    const notices =
      request.before === undefined
        ? this.#parts.notices.map((notice) => this.#narrator.stamped({ type: "error", diagnostic: notice }))
        : [];
    const reader = this.#parts.reader();
    if (reader === undefined) return { events: notices };
    const page = await readBacklog(reader, request, { session: this.id, tool: this.#parts.toolDefinition });
    if (request.before !== undefined || this.#driver !== undefined) return page;
    const recovered = await this.#parts.recovered();
    const name = this.#status.value.name ?? recovered.name;
    if (name !== undefined) this.#status.update({ name });
    if (recovered.queue.length > 0) this.#narrator.queue(recovered.queue);
    return { ...page, events: [...page.events, ...unknownEffectEvents(this.id, recovered), ...notices] };
  }

  async abort(): Promise<readonly QueuedInput[]> {
    await Promise.allSettled(this.#admitting);
    const driver = this.#running;
    if (driver === undefined) return [];
    const stopping = this.#stop(driver, "abort");
    // Of the turns as they are now: input that comes meanwhile begins one that is not ours to wait for.
    const ended = driver.idle();
    const taken = await stopping;
    await ended;
    return taken.map(queuedInput);
  }

  answer(call: CallId, verdict: "once" | "session" | "deny"): void {
    this.#approvals.answer(call, verdict);
  }

  setMode(mode: AccessMode): void {
    this.#status.update({ mode });
  }

  async rename(name: string): Promise<Result<void, Diagnostic>> {
    return await recoverable(async () => {
      this.#parts.setName(name);
      // A session without a file gets its name with its first input; the prelude of a resumed one records it.
      if (this.#driver !== undefined) await (await this.#driver).rename(name);
      else if (!this.#parts.isNew) await this.#ensureDriver(await this.#parts.prepare(), name);
      this.#status.update({ name });
    });
  }

  async close(options: { readonly clean?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(options.clean ?? true);
    await this.#closing;
  }

  killNow(): void {
    this.#parts.killNow();
  }

  async #close(clean: boolean): Promise<void> {
    await Promise.allSettled(this.#admitting);
    // Also when only the last change of a turn is still written: what waits would begin the next.
    if (this.#running?.isIdle() === false) await this.abort();
    await this.#parts.close(clean);
    this.#listeners.clear();
  }

  /** Stops the running turn; what waited is taken back and its receipts say so. Begins at once. */
  async #stop(driver: Driver, cause: StopCause): Promise<readonly QueuedItem[]> {
    const stopped = await recoverable(async () => await driver.stop(cause));
    const taken = stopped.ok ? stopped.value : [];
    for (const { submission } of taken) this.#receipts.settle(submission, withdrawnEnd);
    return taken;
  }

  /** Whose queue the input is in. One of an earlier process waits in the file until a driver is started for it. */
  async #holding(submission: SubmissionId): Promise<Driver | undefined> {
    if (this.#driver !== undefined) return await this.#driver;
    if (this.#closing !== undefined || this.#parts.isNew) return undefined;
    const { queue } = await this.#parts.recovered();
    const item = queue.find((waiting) => waiting.submission === submission);
    return item === undefined ? undefined : await this.#ensureDriver(await this.#parts.prepare(), item.text);
  }

  async #admission(input: Input): Promise<Receipt> {
    const admission = this.#admit(input);
    const { key, text } = input;
    if (key !== undefined) this.#keyed.set(key, { text, receipt: admission });
    this.#admitting.add(admission);
    try {
      return await admission;
    } catch (error) {
      if (key !== undefined) this.#keyed.delete(key);
      throw error;
    } finally {
      this.#admitting.delete(admission);
    }
  }

  async #admit(input: Input): Promise<Receipt> {
    const { text, key } = input;
    const prepared = await this.#parts.prepare();
    const earlier = key === undefined ? undefined : prepared.keys.get(key);
    if (key !== undefined && earlier !== undefined && earlier.text !== text) throw new Refusal(keyConflict(key));
    const driver = await this.#ensureDriver(prepared, text);
    if (earlier !== undefined) return this.#earlierReceipt(prepared, driver, earlier.submission);
    if (this.#closing !== undefined) throw new Refusal(sessionClosed(this.id));
    const submission = this.#parts.ids.next<SubmissionId>();
    const settled = this.#receipts.expect(submission);
    const { queued } = await driver.submit({
      submission,
      text,
      delivery: input.delivery ?? "steer",
      ...(key === undefined ? {} : { key }),
    });
    return { submission, queued, settled };
  }

  /** Of a submission that an earlier process admitted. One that still waits is delivered now: that is what it was sent again for. */
  #earlierReceipt(prepared: Prepared, driver: Driver, submission: SubmissionId): Receipt {
    const queued = driver.state().queue.some((item) => item.submission === submission);
    if (!queued) return { submission, queued, settled: prepared.recordedEnd(submission) };
    const settled = this.#receipts.expect(submission);
    if (this.#closing === undefined) driver.resumeQueue();
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

  /** Before the first input of this process: ends what an earlier one left open, names the session, starts the driver. */
  async #start(prepared: Prepared, firstText: string): Promise<Driver> {
    const { state, events } = await prepared.prelude(firstText);
    for (const event of events) this.#send(event);
    const name = this.#parts.name();
    if (name !== undefined) this.#status.update({ name });
    if (state.queue.length > 0) {
      this.#earlier = state.queue;
      this.#narrator.queue(state.queue);
    }
    const driver = createDriver(state, {
      ...this.#parts.driverPorts,
      mode: () => this.#status.value.mode,
      approve: async (call, tool, signal) => await this.#approvals.ask(call, tool, signal),
      emit: (event) => {
        this.#onDriver(event);
      },
    });
    this.#running = driver;
    return driver;
  }

  #onDriver(event: DriverEvent): void {
    if (event.type === "queue-changed") {
      this.#narrator.queue(this.#running?.state().queue ?? []);
      return;
    }
    if (event.type === "sealed") {
      this.#receipts.settleAll({ status: "error", reason: "storage", reply: "", error: event.error });
      return;
    }
    if (event.type === "committed") this.#tellEarlier(event.entries);
    if (event.type === "turn-ended") this.#settle(event.end);
    this.#narrator.tell(event);
    if (event.type === "turn-started") this.#watchLimits();
  }

  /** Before anybody is told: whoever waits for a receipt runs after the telling all the same, and a fault there keeps none back. */
  #settle(end: TurnEnd): void {
    this.#deadline?.abort();
    this.#parts.turnEnded(end.work);
    const facts = runEnd(end);
    for (const submission of end.submissions) this.#receipts.settle(submission, facts);
  }

  #tellEarlier(entries: readonly Entry[]): void {
    if (this.#earlier.length === 0) return;
    const moved = new Map(entries.flatMap((entry) => (entry.type === "queue" ? [[entry.submission, entry.operation] as const] : [])));
    const delivered = this.#earlier.filter(({ submission }) => moved.get(submission) === "deliver");
    this.#earlier = this.#earlier.filter(({ submission }) => !moved.has(submission));
    if (delivered.length > 0) this.#narrator.emit({ type: "notice", text: queuedEarlier(delivered.map((item) => item.text)) });
  }

  #watchLimits(): void {
    const { deadlineMs, maxCostUsd } = this.#parts.limits();
    if (maxCostUsd !== undefined) this.#narrator.emit({ type: "notice", text: unknownCost() });
    if (deadlineMs === undefined) return;
    const deadline = new AbortController();
    this.#deadline = deadline;
    const stop = async (): Promise<void> => {
      await this.#parts.clock.sleep(deadlineMs, deadline.signal);
      if (!deadline.signal.aborted && this.#running !== undefined) await this.#stop(this.#running, "deadline");
    };
    // A stop that cannot be recorded ends the turn by itself, as failed storage.
    stop().catch(() => undefined);
  }

  /** One observer that throws keeps nothing from the others, and nothing from the turn. */
  #send(event: SmithEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#parts.onObserverFault(error);
      }
    }
  }
}

/** What storage refused, or we refuse, is a result; everything else is a bug and goes on. */
async function recoverable<T>(work: () => Promise<T>): Promise<Result<T, Diagnostic>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof SessionStorageError || error instanceof Refusal) return err(error.diagnostic);
    throw error;
  }
}
