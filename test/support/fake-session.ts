import type { CallId, EffectId, EntryId, Result, SessionId, SubmissionId } from "../../src/base/index.js";
import type {
  Attachment,
  ChangeBatch,
  CommandOutcome,
  ContextEdit,
  Receipt,
  RuntimeSession,
  SessionStatus,
  SubmissionStatus,
  UnknownEffect,
} from "../../src/runtime/types.js";
import type {
  AccessMode,
  Diagnostic,
  ModelRef,
  Question,
  QuestionAnswer,
  QueuedInput,
  SmithEvent,
  ThinkingLevel,
} from "../../src/schema/index.js";

type Distribute<T> = T extends unknown ? Omit<T, "session" | "time" | "position"> : never;
/** An event without the stamp that the fake adds. */
export type BareEvent = Distribute<SmithEvent>;

export interface FakeCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

let made = 0;

/** Ids that sort in the order they were made. */
export function fakeId<Id extends string>(): Id {
  made += 1;
  return `01900000-0000-7000-8000-${made.toString(16).padStart(12, "0")}` as Id;
}

/** A session under the test's control: it emits what the test says and remembers what the interface asked. */
export class FakeSession implements RuntimeSession {
  readonly id: SessionId = "01900000-0000-7000-8000-0000abcd7f3a" as SessionId;
  readonly path = "/sessions/fake.smith";
  readonly calls: FakeCall[] = [];
  /** Durable history, oldest first. */
  past: SmithEvent[] = [];
  /** Answers the next submissions; by default they are admitted. */
  onSubmit: ((text: string, delivery: "steer" | "follow-up" | undefined) => Result<Receipt, Diagnostic> | undefined) | undefined;
  onClose: (() => void) | undefined;
  /** Answers the next commands; by default they carry out nothing. */
  onCommand: ((name: string, args: string) => Result<CommandOutcome, Diagnostic>) | undefined;
  /** Runs the tools that are called. */
  onTool: RuntimeSession["callTool"] | undefined;
  /** What `unknownEffects` tells. */
  unknown: readonly UnknownEffect[] = [];
  private readonly listeners = new Set<(event: SmithEvent) => void>();
  private current: SessionStatus = {
    running: false,
    access: "write",
    mode: "ask-writes",
    model: { provider: "fake", model: "sonnet" },
    modelSource: "ANTHROPIC_API_KEY",
    queue: [],
    statusItems: [],
  };

  private note(name: string, ...args: readonly unknown[]): void {
    this.calls.push({ name, args });
  }

  called(name: string): readonly (readonly unknown[])[] {
    return this.calls.filter((call) => call.name === name).map(({ args }) => args);
  }

  emit(...events: readonly BareEvent[]): void {
    for (const event of events) {
      const stamped = { ...event, session: this.id, time: 1_700_000_000_000 } as SmithEvent;
      if (event.type === "run_start") this.set({ running: true });
      if (event.type === "run_end") this.set({ running: false });
      if (event.type === "queue") this.set({ queue: event.items });
      if (event.type === "question") this.set({ question: { id: event.id, plugin: event.plugin, question: event.question } });
      if (event.type === "question_settled") this.clearQuestion();
      if (event.type === "status") this.set({ statusItems: [...this.current.statusItems, event.item] });
      if (event.type === "model") this.set({ model: event.model });
      for (const listener of this.listeners) listener(stamped);
    }
  }

  set(fields: Partial<SessionStatus>): void {
    this.current = { ...this.current, ...fields };
  }

  private clearQuestion(): void {
    const { question: _, ...rest } = this.current;
    this.current = rest;
  }

  status(): SessionStatus {
    return this.current;
  }

  submit(input: {
    readonly text: string;
    readonly key?: string;
    readonly delivery?: "steer" | "follow-up";
  }): Promise<Result<Receipt, Diagnostic>> {
    this.note("submit", input.text, input.delivery);
    const answered = this.onSubmit?.(input.text, input.delivery);
    if (answered !== undefined) return Promise.resolve(answered);
    const submission = fakeId<SubmissionId>();
    if (this.current.running && input.delivery !== undefined) {
      this.emit({ type: "queue", items: [...this.current.queue, { submission, delivery: input.delivery, text: input.text }] });
    } else {
      this.emit(
        { type: "run_start", submission, model: this.current.model, cwd: "/work" },
        { type: "user", entry: fakeId<EntryId>(), text: input.text, source: "prompt" },
      );
    }
    return Promise.resolve({ ok: true, value: { submission, queued: this.current.running, settled: new Promise(() => undefined) } });
  }

  withdraw(submission: SubmissionId): Promise<boolean> {
    this.note("withdraw", submission);
    const had = this.current.queue.some((item) => item.submission === submission);
    this.emit({ type: "queue", items: this.current.queue.filter((item) => item.submission !== submission) });
    return Promise.resolve(had);
  }

  observe(listener: (event: SmithEvent) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  backlog(options: {
    readonly limit: number;
    readonly before?: EntryId;
  }): Promise<{ readonly events: readonly SmithEvent[]; readonly next?: EntryId }> {
    this.note("backlog", options.limit, options.before);
    const end =
      options.before === undefined ? this.past.length : this.past.findIndex((event) => "entry" in event && event.entry === options.before);
    let from = Math.max(0, end - options.limit);
    while (from > 0 && !("entry" in (this.past[from] ?? {}))) from -= 1;
    const first = this.past[from];
    const events = this.past.slice(from, end);
    return Promise.resolve({ events, ...(from > 0 && first !== undefined && "entry" in first ? { next: first.entry } : {}) });
  }

  receipt(submission: SubmissionId): Promise<Result<SubmissionStatus, Diagnostic>> {
    this.note("receipt", submission);
    return Promise.resolve({ ok: true, value: { state: this.current.running ? "running" : "interrupted" } });
  }

  resumeWork(): Promise<Result<Receipt, Diagnostic>> {
    this.note("resumeWork");
    return Promise.resolve({
      ok: true,
      value: { submission: fakeId<SubmissionId>(), queued: false, settled: new Promise(() => undefined) },
    });
  }

  navigate(to: EntryId | undefined): Promise<Result<void, Diagnostic>> {
    this.note("navigate", to);
    return Promise.resolve({ ok: true, value: undefined });
  }

  editContext(edits: readonly ContextEdit[]): Promise<Result<void, Diagnostic>> {
    this.note("editContext", edits);
    return Promise.resolve({ ok: true, value: undefined });
  }

  reconcile(
    effect: string,
    word: { readonly outcome: "applied" | "not-applied"; readonly note?: string },
  ): Promise<Result<EffectId, Diagnostic>> {
    this.note("reconcile", effect, word);
    return Promise.resolve({ ok: true, value: effect as EffectId });
  }

  unknownEffects(): Promise<readonly UnknownEffect[]> {
    return Promise.resolve(this.unknown);
  }

  async attach({ limit }: { readonly limit: number }): Promise<Result<Attachment, Diagnostic>> {
    const page = await this.backlog({ limit });
    return { ok: true, value: { position: { session: this.id, epoch: 0, seq: this.past.length }, ...page } };
  }

  async *changes({ signal }: { readonly signal: AbortSignal }): AsyncIterable<Result<ChangeBatch, Diagnostic>> {
    this.note("changes");
    if (signal.aborted) return;
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true });
    });
    yield* [];
  }

  abort(): Promise<Result<readonly QueuedInput[], Diagnostic>> {
    this.note("abort");
    const returned = this.current.queue;
    this.emit(
      { type: "queue", items: [] },
      { type: "interrupted" },
      { type: "run_end", status: "aborted", reason: "abort", reply: "", receipt: fakeId<SubmissionId>() },
    );
    return Promise.resolve({ ok: true, value: returned });
  }

  async callTool(...call: Parameters<RuntimeSession["callTool"]>): ReturnType<RuntimeSession["callTool"]> {
    this.note("callTool", call[0], call[1]);
    return await (this.onTool?.(...call) ?? Promise.reject(new Error("no tool is called here")));
  }

  runCommand(name: string, args: string): Promise<Result<CommandOutcome, Diagnostic>> {
    this.note("runCommand", name, args);
    return Promise.resolve(this.onCommand?.(name, args) ?? { ok: true, value: { carriedOut: 0 } });
  }

  setModel(selection: string): Promise<Result<ModelRef, Diagnostic>> {
    this.note("setModel", selection);
    return Promise.resolve({ ok: true, value: this.current.model });
  }

  setThinking(level: ThinkingLevel | undefined): Promise<Result<ThinkingLevel | undefined, Diagnostic>> {
    this.note("setThinking", level);
    return Promise.resolve({ ok: true, value: level });
  }

  answerQuestion(id: EffectId, answer: QuestionAnswer): boolean {
    this.note("answerQuestion", answer);
    if (this.current.question?.id !== id) return false;
    this.emit({ type: "question_settled", id, answer });
    return true;
  }

  answer(call: CallId, verdict: "once" | "session" | "project" | "deny", why?: string): void {
    this.note("answer", call, verdict, ...(why === undefined ? [] : [why]));
    this.emit({ type: "approval_settled", id: call, allowed: verdict !== "deny" });
  }

  setMode(mode: AccessMode): void {
    this.note("setMode", mode);
    this.set({ mode });
    this.emit({ type: "notice", text: `mode ${mode}` });
  }

  rename(name: string): Promise<Result<void, Diagnostic>> {
    this.note("rename", name);
    this.set({ name });
    this.emit({ type: "notice", text: `named ${name}` });
    return Promise.resolve({ ok: true, value: undefined });
  }

  close(options?: { readonly clean?: boolean }): Promise<void> {
    this.note("close", options?.clean);
    this.onClose?.();
    return Promise.resolve();
  }
}

/** A prompt and its answer, as history. */
export function exchange(session: FakeSession, prompt: string, answer: string): readonly SmithEvent[] {
  const stamp = { session: session.id, time: 1_700_000_000_000 };
  return [
    { ...stamp, type: "user", entry: fakeId<EntryId>(), text: prompt, source: "prompt" },
    { ...stamp, type: "assistant", entry: fakeId<EntryId>(), text: answer, stop: "stop", model: { provider: "fake", model: "sonnet" } },
  ];
}

const MODEL = { provider: "fake", model: "sonnet" } as const;

export const runStart = (): BareEvent => ({ type: "run_start", submission: fakeId<SubmissionId>(), model: MODEL, cwd: "/work" });
export const runEnd = (): BareEvent => ({
  type: "run_end",
  status: "ok",
  reason: "done",
  reply: "",
  receipt: fakeId<SubmissionId>(),
  cost: 0.02,
});
export const assistantStart = (): BareEvent => ({ type: "assistant_start", request: "r", model: MODEL });
export const answer = (text: string): BareEvent => ({ type: "assistant", entry: fakeId<EntryId>(), text, stop: "stop", model: MODEL });
export const question = (command: string): BareEvent => ({
  type: "approval",
  id: fakeId<CallId>(),
  name: "shell",
  argsSummary: command,
  args: { command },
});

export const asks = (plugin: string, asked: Question): BareEvent => ({ type: "question", id: fakeId<EffectId>(), plugin, question: asked });

/** Lines that Markdown leaves apart. */
export const numberedLines = (count: number): string => Array.from({ length: count }, (_, index) => `row ${String(index)}  `).join("\n");
