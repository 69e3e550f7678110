import { type CallId, type Clock, type EffectId, err, type Result, type SessionId, type SubmissionId } from "../../base/index.js";
import { unknownEffects } from "../../agent/index.js";
import {
  addSpend,
  type Diagnostic,
  type ModelRef,
  NO_SPEND,
  type OwnerInfo,
  type Position,
  type QueuedInput,
  type SmithEvent,
  type Spend,
  type ThinkingLevel,
  type ToolCallEntry,
  type ToolDefinition,
} from "../../schema/index.js";
import type { CommittedChange, SessionReader } from "../../session/index.js";
import { historyRepaired, historyReplaced, readOnlySession, receiptUnknown, sessionNamed } from "../diagnostics.js";
import type {
  Attachment,
  ChangeBatch,
  CommandOutcome,
  Receipt,
  RuntimeSession,
  SessionStatus,
  ToolCallEnd,
  SubmissionStatus,
  UnknownEffect,
} from "../types.js";
import { ObservedFile } from "./file/index.js";
import { first, must, recoverable } from "./refusal.js";
import { unknownEffectOf } from "../records/unknown-effect.js";
import { submissionStatus } from "./submission-status.js";
import {
  type Backlog,
  type BacklogRequest,
  Broadcast,
  brokenPage,
  createDamageNews,
  type DamageNews,
  type EventContext,
  followChanges,
  isBeside,
  type Listener,
  pastEvents,
  readBacklog,
  readBatches,
  type ViewFacts,
  type CatchUp,
  type Counting,
  countingFrom,
  createCatchUp,
  usedOf,
  withAnswers,
} from "./view/index.js";

export interface ObserverParts {
  readonly reader: SessionReader;
  readonly status: SessionStatus;
  /** Goes on from what that counts. */
  readonly counting: Counting;
  readonly toolDefinition: (name: string) => ToolDefinition | undefined;
  readonly clock: Clock;
  /** What the person has to know before anything else; told at the end of each newest page. */
  readonly notices?: readonly Diagnostic[];
  /** Who writes it at this moment, as far as this host can tell. */
  readonly owner: () => Promise<OwnerInfo | undefined>;
  /** The session's file as it is now, for reading. */
  readonly reopen: () => Promise<Result<SessionReader, Diagnostic>>;
  readonly onObserverFault: (error: unknown) => void;
  /** Told once, when nothing of it is left open. */
  readonly onClosed: () => void;
}

/** A writer that ended without a word is noticed within this. */
const OWNER_CHECK_MS = 1000;

/** Entries of the page that is told when the history that was shown is not the history any more. */
const FRESH_PAGE = 120;

/**
 * A session another process writes: it can be read and followed, nothing else. Never becomes a writer by itself, also
 * not when the writer ends (specification, "Access ownership").
 */
export class ObserverSession implements RuntimeSession {
  readonly id: SessionId;
  readonly path: string;
  readonly #parts: ObserverParts;
  readonly #file: ObservedFile;
  readonly #broadcast: Broadcast;
  readonly #stop = new AbortController();
  readonly #facts: ViewFacts;
  readonly #news: DamageNews;
  #following: Promise<unknown> | undefined;
  #status: SessionStatus;
  /** Newest change that is in the sums of the status, or is being counted. */
  #counted: number;
  #counting: Counting;
  #catchUp: CatchUp | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
    this.#status = parts.status;
    this.#counted = parts.counting.seq;
    this.#counting = parts.counting;
    this.id = parts.reader.id;
    this.path = parts.reader.path;
    this.#facts = { session: this.id, tool: parts.toolDefinition };
    this.#news = createDamageNews(this.id);
    this.#broadcast = new Broadcast(parts.onObserverFault);
    this.#file = new ObservedFile({
      reader: parts.reader,
      open: parts.reopen,
      onReplaced: ({ before, after }) => {
        if (before.epoch === after.epoch) this.#tell(historyReplaced());
        else this.#tellError(historyRepaired(this.id));
      },
    });
  }

  status(): SessionStatus {
    return this.#status;
  }

  observe(listener: Listener): () => void {
    const remove = this.#broadcast.add(listener);
    this.#following ??= Promise.all([this.#follow(), this.#watchOwner()]);
    return remove;
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    const page = await recoverable(async () => await this.#backlog(request));
    return page.ok ? page.value : brokenPage(this.id, page.error);
  }

  async attach({ limit }: { readonly limit: number }): Promise<Result<Attachment, Diagnostic>> {
    return await recoverable(async () => await this.#page(limit));
  }

  changes(options: { readonly from: Position; readonly signal: AbortSignal }): AsyncIterable<Result<ChangeBatch, Diagnostic>> {
    return readBatches(this.#file, options, this.#facts);
  }

  async receipt(submission: SubmissionId): Promise<Result<SubmissionStatus, Diagnostic>> {
    return await recoverable(async () => {
      const isRun = this.#status.owner !== undefined;
      const found = await this.#file.read(async (reader) => await submissionStatus(reader, submission, isRun));
      return must(found ?? err(receiptUnknown(this.id, submission)));
    });
  }

  async unknownEffects(): Promise<readonly UnknownEffect[]> {
    const found = await this.#file.read(async (reader) => await unknownEffects(reader));
    // While it is written, what has no end yet may be running.
    const isRun = this.#status.owner !== undefined;
    return (found ?? []).flatMap((facts) => (facts.done === undefined && isRun ? [] : [unknownEffectOf(facts)]));
  }

  async submit(): Promise<Result<Receipt, Diagnostic>> {
    return await this.#refuse();
  }

  async resumeWork(): Promise<Result<Receipt, Diagnostic>> {
    return await this.#refuse();
  }

  async navigate(): Promise<Result<void, Diagnostic>> {
    return await this.#refuse();
  }

  async editContext(): Promise<Result<void, Diagnostic>> {
    return await this.#refuse();
  }

  async reconcile(): Promise<Result<EffectId, Diagnostic>> {
    return await this.#refuse();
  }

  async rename(): Promise<Result<void, Diagnostic>> {
    return await this.#refuse();
  }

  async abort(): Promise<Result<readonly QueuedInput[], Diagnostic>> {
    return await this.#refuse();
  }

  async callTool(): Promise<Result<ToolCallEnd, Diagnostic>> {
    return await this.#refuse();
  }

  async runCommand(): Promise<Result<CommandOutcome, Diagnostic>> {
    return await this.#refuse();
  }

  async setModel(): Promise<Result<ModelRef, Diagnostic>> {
    return await this.#refuse();
  }

  async setThinking(): Promise<Result<ThinkingLevel | undefined, Diagnostic>> {
    return await this.#refuse();
  }

  answerQuestion(): boolean {
    return false;
  }

  async withdraw(): Promise<boolean> {
    return await Promise.resolve(false);
  }

  answer(): void {
    // Only the writer's frontend is ever asked.
  }

  setMode(): void {
    // An observer runs nothing that a mode could bound.
  }

  killNow(): void {
    // An observer starts nothing.
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    try {
      await Promise.all([this.#following, this.#catchUp?.stop()]);
    } finally {
      this.#broadcast.close();
      await this.#file.close();
      this.#parts.onClosed();
    }
  }

  async #backlog(request: BacklogRequest): Promise<Backlog> {
    if (request.before === undefined) {
      const { events, next } = await this.#page(request.limit);
      return { events, ...(next === undefined ? {} : { next }) };
    }
    return (await this.#file.read(async (reader) => await readBacklog(reader, request, this.#facts))) ?? { events: [] };
  }

  async #refuse(): Promise<{ readonly ok: false; readonly error: Diagnostic }> {
    return await Promise.resolve(err(readOnlySession(this.id, this.#status.owner)));
  }

  /** The boundary is fixed first; the page is of the branch that was selected as of it, whatever is written meanwhile. */
  async #page(limit: number): Promise<Attachment> {
    const page = await this.#file.read(async (reader) => {
      await lookAgain(reader);
      const position = reader.position();
      const leaf = reader.leaf();
      await this.#learn(reader);
      const read = leaf === undefined ? { events: [] } : await readBacklog(reader, { limit, leaf }, this.#facts);
      const time = this.#parts.clock.now();
      const lost = this.#news.spans(reader.damage(), time);
      const given = (this.#parts.notices ?? []).map((notice) => ({ type: "error", session: this.id, time, diagnostic: notice }) as const);
      return { ...read, position, events: [...read.events, ...lost, ...given] };
    });
    this.#count();
    return page ?? { position: this.#file.reader().position(), events: [] };
  }

  async #learn(reader: SessionReader): Promise<void> {
    const live = await reader.live();
    const { name, spend = NO_SPEND } = live;
    if (live.spend !== undefined) {
      this.#counting = countingFrom(live);
      this.#counted = live.seq;
    }
    const before = this.#status;
    // Of the name, what was told meanwhile is newer.
    const after = { ...(name === undefined ? {} : { name }), ...before, ...usedOf(spend) };
    if (after.name !== before.name || !isSameUse(after, before)) this.#status = after;
  }

  /** Beside everything else, once what is there is shown. What is written meanwhile is counted as it is told. */
  #count(): void {
    const counting = this.#counting;
    if (counting.isCounted || this.#catchUp !== undefined) return;
    this.#catchUp = createCatchUp({
      until: counting.seq,
      read: async (use) => await this.#file.read(use),
      onCounted: (spend) => {
        // The file may have been replaced by one that says it.
        if (this.#counting !== counting) return;
        this.#status = { ...this.#status, ...usedOf(addSpend(spend, usedOf(this.#status))) };
        this.#broadcast.send({ type: "run_metrics", session: this.id, time: this.#parts.clock.now(), running: false, elapsed: 0 });
      },
    });
    this.#catchUp.begin();
  }

  /** Tells what is committed for as long as somebody may listen, through replacements of the file. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const followed = await recoverable(async () => {
      let from: Position | undefined = this.#file.reader().position();
      while (from !== undefined && !signal.aborted) from = await this.#followFrom(from, signal);
    });
    if (!followed.ok) this.#tellError(followed.error);
  }

  /** Ends with the position of a fresh page when the history that was followed is not the history any more. */
  async #followFrom(from: Position, signal: AbortSignal): Promise<Position | undefined> {
    const context: EventContext = { ...this.#facts, calls: new Map<CallId, ToolCallEntry>() };
    for await (const item of followChanges(this.#file, { from, signal }, this.id)) {
      if (item.ok) this.#tellChange(item.value.change, item.value.lost, context);
      else if (this.#file.reader().epoch === from.epoch) {
        this.#tellError(item.error);
        return undefined;
      } else {
        const { position, events } = await this.#page(FRESH_PAGE);
        for (const event of events) this.#broadcast.send(event);
        return position;
      }
    }
    return undefined;
  }

  #tellChange(change: CommittedChange, lost: readonly SmithEvent[], context: EventContext): void {
    const { entries, position } = change;
    for (const event of lost) this.#broadcast.send(event);
    if (position.seq > this.#counted) {
      this.#counted = position.seq;
      this.#status = withAnswers(this.#status, entries, this.#counting.owners);
    }
    if (isBeside(change)) return;
    for (const entry of entries) {
      if (entry.type === "session-info" && entry.name !== undefined && entry.name !== this.#status.name) {
        this.#status = { ...this.#status, name: entry.name };
        this.#tell(sessionNamed(entry.name));
      }
      for (const event of pastEvents(entry, context, position)) this.#broadcast.send(event);
    }
  }

  #tellError(diagnostic: Diagnostic): void {
    this.#broadcast.send({ type: "error", session: this.id, time: this.#parts.clock.now(), diagnostic });
  }

  #tell(text: string): void {
    this.#broadcast.send({ type: "notice", session: this.id, time: this.#parts.clock.now(), text });
  }

  async #watchOwner(): Promise<void> {
    const { clock, owner } = this.#parts;
    const { signal } = this.#stop;
    for (await clock.sleep(OWNER_CHECK_MS, signal); !signal.aborted; await clock.sleep(OWNER_CHECK_MS, signal)) this.#owned(await owner());
  }

  #owned(owner: OwnerInfo | undefined): void {
    const { owner: before, ...rest } = this.#status;
    // One that could not leave its name cannot be looked for by it either.
    if (before?.pid === owner?.pid || (before?.pid === 0 && owner === undefined)) return;
    this.#status = owner === undefined ? rest : { ...rest, owner };
    this.#tell(
      owner === undefined
        ? `The process that wrote this session (pid ${String(before?.pid)}) has ended.`
        : `Process ${String(owner.pid)} writes this session now.`,
    );
  }
}

/** Brings the reader to the newest change: it moves on when it reads. */
async function lookAgain(reader: SessionReader): Promise<void> {
  await first(reader.changes({ from: reader.position() }));
}

const isSameUse = (one: Spend, other: Spend): boolean => JSON.stringify(usedOf(one)) === JSON.stringify(usedOf(other));
