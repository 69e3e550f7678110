import { type CallId, type EffectId, type EntryId, err, ok, type Result, type SessionId, type SubmissionId } from "../../base/index.js";
import { type Driver, type EffectWord, findEffect, type QueuedItem, type StopCause } from "../../agent/index.js";
import type { AccessMode, Diagnostic, ModelRef, Position, QuestionAnswer, QueuedInput, ThinkingLevel } from "../../schema/index.js";
import { sessionClosed } from "../../session/index.js";
import { emptyInput, receiptUnknown } from "../diagnostics.js";
import type {
  Attachment,
  ChangeBatch,
  CommandOutcome,
  ContextEdit,
  Receipt,
  RuntimeSession,
  SessionStatus,
  ToolCallEnd,
  SubmissionStatus,
  UnknownEffect,
} from "../types.js";
import { Admission, type Input } from "./admission.js";
import { LivePages } from "./live-pages.js";
import { type Approvals, Attention, createSessionApprovals, createSessionQuestions, type Questions } from "./people/index.js";
import { type CommandEnd, Errands, type SessionPlugins } from "./plugins/index.js";
import { createReceipts, type Receipts, withdrawnEnd } from "./receipts.js";
import { must, recoverable } from "./refusal.js";
import { createScopedState, type ScopedState } from "./scoped-state.js";
import type { SessionParts } from "./session-parts.js";
import { unknownNow } from "../records/unknown-effect.js";
import { submissionStatus } from "./submission-status.js";
import { TurnWatch } from "./turn-watch.js";
import { Turns } from "./turns.js";
import {
  type Backlog,
  type BacklogRequest,
  Broadcast,
  brokenPage,
  type Listener,
  Narrator,
  queuedInput,
  readBatches,
  StatusBoard,
} from "./view/index.js";

/** A session this process writes: submission, observation and abort over one driver. */
export class LiveSession implements RuntimeSession {
  readonly id: SessionId;
  /** Durable state of the core and of plugins in this session. */
  readonly state: ScopedState;
  readonly #parts: SessionParts;
  readonly #status: StatusBoard;
  readonly #broadcast: Broadcast;
  readonly #receipts: Receipts = createReceipts();
  readonly #approvals: Approvals;
  readonly #questions: Questions;
  readonly #plugins: SessionPlugins;
  readonly #unsubscribe: () => void;
  readonly #unsubscribeServers: () => void;
  readonly #errands = new Errands();
  readonly #pages: LivePages;
  readonly #turns: Turns;
  readonly #admission: Admission;
  /** Abort and close wait for them: what has begun can be stopped, what has not cannot begin after. */
  readonly #changes = new Set<Promise<unknown>>();
  /** Words on effects are said one after the other: each is judged by what the ones before it recorded. */
  #lastWord: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    const { id, clock } = parts;
    this.#parts = parts;
    this.id = id;
    this.#status = new StatusBoard(parts.initialStatus, parts.counting.owners);
    this.#broadcast = new Broadcast(parts.onObserverFault);
    const narrator = new Narrator({
      session: id,
      cwd: parts.cwd,
      clock,
      tool: parts.toolDefinition,
      status: this.#status,
      send: (event) => {
        this.#broadcast.send(event);
      },
    });
    this.state = this.newState();
    const people = { interactive: parts.interactive, attention: new Attention(), status: this.#status, narrator };
    this.#approvals = createSessionApprovals({ ...people, state: this.state });
    this.#questions = createSessionQuestions(people);
    this.#plugins = parts.connect({
      status: this.#status,
      narrator,
      ui: this.#questions,
      scoped: () => this.newState(),
      driver: async () => (await this.#turns.seat()).driver,
      approve: async (call, tool, facts) => await this.#approvals.ask(call, tool, facts),
      running: () => this.#turns.running(),
    });
    this.#unsubscribe = parts.onGeneration((changed) => {
      this.#plugins.generationChanged(changed);
    });
    this.#unsubscribeServers = parts.onServer((change) => {
      narrator.emit({ type: "mcp", ...change });
    });
    this.#turns = this.#createTurns(parts, narrator);
    this.#pages = new LivePages({
      parts,
      hasBegun: () => this.#turns.hasBegun(),
      onCounted: narrator.counted,
      onRecovered: (name, queue) => {
        const known = this.#status.value.name ?? name;
        if (known !== undefined) this.#status.update({ name: known });
        if (queue.length > 0) narrator.queue(queue);
      },
    });
    this.#admission = new Admission({
      parts,
      turns: this.#turns,
      receipts: this.#receipts,
      isClosing: () => this.#closing !== undefined,
    });
  }

  /** A set of declarations of its own over the same state. */
  newState(): ScopedState {
    const { clock, ids, file } = this.#parts;
    return createScopedState({
      clock,
      ids,
      hasFile: () => file.revision() !== undefined,
      read: async (use) => await file.read(use),
      commit: (entry) => file.commit({ entries: [entry] }),
      append: async (fields) => {
        must(await (await this.#turns.seat()).driver.putState(fields));
      },
    });
  }

  #createTurns(parts: SessionParts, narrator: Narrator): Turns {
    const watch = new TurnWatch({
      parts,
      receipts: this.#receipts,
      narrator,
      onDeadline: async () => {
        const driver = this.#turns.running();
        if (driver !== undefined) await this.#stop(driver, "deadline");
      },
    });
    return new Turns(parts, {
      mode: () => this.#status.value.mode,
      approve: async (call, tool, facts) => await this.#approvals.ask(call, tool, facts),
      lifecycle: this.#plugins.lifecycle,
      onStarted: (state) => {
        for (const event of this.#pages.untold(state.interrupted)) this.#broadcast.send(event);
        const name = parts.name();
        if (name !== undefined) this.#status.update({ name });
        watch.onStarted(state);
      },
      onEvent: (event, driver) => {
        watch.onEvent(event, driver);
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
    return this.#broadcast.add(listener);
  }

  async submit(input: Input): Promise<Result<Receipt, Diagnostic>> {
    if (input.text.trim() === "") return err(emptyInput());
    return await this.#changing(async () => await this.#admission.admit(input));
  }

  async resumeWork(): Promise<Result<Receipt, Diagnostic>> {
    return await this.#changing(async () => {
      const { driver } = await this.#turns.seat();
      const submission = must(await driver.resume(this.#parts.available()));
      for (const one of driver.state().turn?.submissions ?? []) this.#receipts.watch(one.submission);
      return { submission, queued: false, settled: this.#receipts.expect(submission) };
    });
  }

  async receipt(submission: SubmissionId): Promise<Result<SubmissionStatus, Diagnostic>> {
    const ended = this.#receipts.ended(submission);
    if (ended !== undefined) return ok({ state: "settled", end: ended });
    if (this.#receipts.isExpected(submission)) {
      const isQueued =
        this.#turns
          .running()
          ?.state()
          .queue.some((item) => item.submission === submission) === true;
      return ok({ state: isQueued ? "queued" : "running" });
    }
    return await recoverable(async () => {
      const found = await this.#parts.file.read(async (reader) => await submissionStatus(reader, submission, false));
      return must(found ?? err(receiptUnknown(this.id, submission)));
    });
  }

  async navigate(to: EntryId | undefined): Promise<Result<void, Diagnostic>> {
    return await this.#changing(async () => {
      must(await (await this.#turns.seat()).driver.navigate(to));
    });
  }

  async editContext(edits: readonly ContextEdit[]): Promise<Result<void, Diagnostic>> {
    return await this.#changing(async () => {
      must(await (await this.#turns.seat()).driver.editContext(this.#parts.conceal(edits)));
    });
  }

  async reconcile(effect: string, word: EffectWord): Promise<Result<EffectId, Diagnostic>> {
    return await this.#changing(async () => {
      const said = this.#lastWord.then(async () => await this.#say(effect, word));
      this.#lastWord = said.catch(() => undefined);
      return await said;
    });
  }

  async unknownEffects(): Promise<readonly UnknownEffect[]> {
    const running = this.#turns.running()?.state().turn?.work;
    return (await this.#parts.file.read(async (reader) => await unknownNow(reader, [running, this.#parts.isAtWork]))) ?? [];
  }

  async withdraw(submission: SubmissionId): Promise<boolean> {
    const taken = await this.#changing(async () => (await this.#holding(submission))?.withdraw(submission) ?? false);
    if (!taken.ok || !taken.value) return false;
    this.#receipts.settle(submission, withdrawnEnd);
    return true;
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    const page = await recoverable(async () => await this.#pages.backlog(request));
    return page.ok ? page.value : brokenPage(this.id, page.error);
  }

  async attach(options: { readonly limit: number }): Promise<Result<Attachment, Diagnostic>> {
    return await recoverable(async () => await this.#pages.attach(options));
  }

  changes(options: { readonly from: Position; readonly signal: AbortSignal }): AsyncIterable<Result<ChangeBatch, Diagnostic>> {
    return readBatches(this.#parts.file, options, { session: this.id, tool: this.#parts.toolDefinition });
  }

  async abort(): Promise<Result<readonly QueuedInput[], Diagnostic>> {
    this.#errands.abort();
    await Promise.allSettled(this.#changes);
    const driver = this.#turns.running();
    if (driver === undefined) return ok([]);
    const stopping = this.#stop(driver, "abort");
    // Of the turns as they are now: input that comes meanwhile begins one that is not ours to wait for.
    const ended = driver.idle();
    const taken = await stopping;
    await ended;
    return taken.ok ? ok(taken.value.map(queuedInput)) : taken;
  }

  answer(call: CallId, verdict: "once" | "session" | "project" | "deny", why?: string): void {
    this.#approvals.answer(call, verdict, why === undefined ? undefined : this.#parts.conceal(why));
  }

  answerQuestion(id: EffectId, answer: QuestionAnswer): boolean {
    return this.#questions.answer(id, answer);
  }

  /** Several may run at once; each is ended by its own signal, and all when the session's work is aborted. */
  async callTool(...[name, args, use]: Parameters<RuntimeSession["callTool"]>): Promise<Result<ToolCallEnd, Diagnostic>> {
    if (this.#closing !== undefined) return err(sessionClosed(this.id));
    const { signal: own, onProgress = () => undefined } = use;
    return await this.#errands.run(
      async (signal) => await this.#plugins.callTool({ name, args, signal: AbortSignal.any([own, signal]), onProgress }),
    );
  }

  async runCommand(name: string, args: string): Promise<Result<CommandOutcome, Diagnostic>> {
    if (this.#closing !== undefined) return err(sessionClosed(this.id));
    const concealed = this.#parts.conceal(args);
    return await this.#errands.run(async (signal) =>
      this.#commandOutcome(must(await this.#plugins.runCommand({ name, args: concealed, signal }))),
    );
  }

  #commandOutcome({ carriedOut, submission }: CommandEnd): CommandOutcome {
    if (submission === undefined) return { carriedOut };
    const queued =
      this.#turns
        .running()
        ?.state()
        .queue.some((item) => item.submission === submission) === true;
    return { carriedOut, receipt: { submission, queued, settled: this.#receipts.expect(submission) } };
  }

  async setModel(selection: string): Promise<Result<ModelRef, Diagnostic>> {
    return await this.#plugins.setModel(selection);
  }

  async setThinking(level: ThinkingLevel | undefined): Promise<Result<ThinkingLevel | undefined, Diagnostic>> {
    return await this.#plugins.setThinking(level);
  }

  setMode(mode: AccessMode): void {
    this.#status.update({ mode });
  }

  async rename(wanted: string): Promise<Result<void, Diagnostic>> {
    const name = this.#parts.conceal(wanted);
    return await this.#changing(async () => {
      await this.#turns.usable();
      const before = this.#parts.name();
      try {
        if (this.#turns.hasBegun()) await (await this.#turns.seat()).driver.rename(name);
        this.#parts.setName(name);
        // A session without a file gets its name with its first input; the prelude of a resumed one records it.
        if (this.#parts.file.revision() !== undefined) await this.#turns.seat();
      } catch (error) {
        // What was refused must not be recorded by a later prelude.
        this.#parts.setName(before);
        throw error;
      }
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
    this.#errands.abort();
    await Promise.allSettled(this.#changes);
    // Also when only the last change of a turn is still written: what waits would begin the next.
    if (this.#turns.running()?.isIdle() === false) await this.abort();
    try {
      await this.#errands.settled();
      const driver = this.#turns.running();
      await driver?.handled();
      await driver?.closing();
      await Promise.all([this.#plugins.settled(), this.#pages.close()]);
      await this.#parts.close(clean);
    } finally {
      this.#unsubscribe();
      this.#unsubscribeServers();
      this.#receipts.abandon({ status: "aborted", reason: "abort", reply: "", error: sessionClosed(this.id) });
      this.#broadcast.close();
      this.#parts.onClosed();
    }
  }

  /** What changes the session: refused once it is closing; what is refused on the way is a result. */
  async #changing<Value>(work: () => Promise<Value>): Promise<Result<Value, Diagnostic>> {
    if (this.#closing !== undefined) return err(sessionClosed(this.id));
    const change = recoverable(work);
    this.#changes.add(change);
    try {
      return await change;
    } finally {
      this.#changes.delete(change);
    }
  }

  async #say(effect: string, word: EffectWord): Promise<EffectId> {
    const { driver } = await this.#turns.seat();
    const found = await this.#parts.file.read(async (reader) => await findEffect(reader, effect));
    return must(await driver.reconcile(must(found ?? err(sessionClosed(this.id))), word));
  }

  /** Stops the running turn; what waited is taken back and its receipts say so. Begins at once. */
  async #stop(driver: Driver, cause: StopCause): Promise<Result<readonly QueuedItem[], Diagnostic>> {
    const stopped = await recoverable(async () => await driver.stop(cause));
    if (stopped.ok) for (const { submission } of stopped.value) this.#receipts.settle(submission, withdrawnEnd);
    return stopped;
  }

  /** Whose queue the input is in. One of an earlier process waits in the file until a driver is started for it. */
  async #holding(submission: SubmissionId): Promise<Driver | undefined> {
    await this.#turns.usable();
    if (this.#turns.hasBegun()) return (await this.#turns.seat()).driver;
    if (this.#parts.file.revision() === undefined) return undefined;
    const { queue } = await this.#parts.recovered();
    return queue.some((waiting) => waiting.submission === submission) ? (await this.#turns.seat()).driver : undefined;
  }
}
