import { type CallId, type Clock, err, type Result, type SessionId } from "../../base/index.js";
import { recover } from "../../agent/index.js";
import type { Diagnostic, OwnerInfo, QueuedInput, SmithEvent, ToolCallEntry, ToolDefinition } from "../../schema/index.js";
import type { SessionReader } from "../../session/index.js";
import { type Backlog, type BacklogRequest, readBacklog } from "./backlog.js";
import { readOnlySession } from "../diagnostics.js";
import { type EventContext, pastEvents } from "./events.js";
import type { Receipt, RuntimeSession, SessionStatus } from "../types.js";

export interface ObserverParts {
  readonly reader: SessionReader;
  readonly status: SessionStatus;
  readonly toolDefinition: (name: string) => ToolDefinition | undefined;
  readonly clock: Clock;
  /** Who writes it at this moment, as far as this host can tell. */
  readonly owner: () => Promise<OwnerInfo | undefined>;
}

/** A writer that ended without a word is noticed within this. */
const OWNER_CHECK_MS = 1000;

/**
 * A session another process writes: it can be read and followed, nothing else. Never becomes a writer by itself, also
 * not when the writer ends (specification, "Access ownership").
 */
export class ObserverSession implements RuntimeSession {
  readonly id: SessionId;
  readonly path: string;
  readonly #parts: ObserverParts;
  readonly #listeners = new Set<(event: SmithEvent) => void>();
  readonly #stop = new AbortController();
  readonly #events: EventContext;
  #following: Promise<unknown> | undefined;
  #status: SessionStatus;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
    this.#status = parts.status;
    this.id = parts.reader.id;
    this.path = parts.reader.path;
    this.#events = { session: this.id, tool: parts.toolDefinition, calls: new Map<CallId, ToolCallEntry>() };
  }

  status(): SessionStatus {
    return this.#status;
  }

  observe(listener: (event: SmithEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#following ??= Promise.all([this.#follow(), this.#watchOwner()]);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    const page = await readBacklog(this.#parts.reader, request, { session: this.id, tool: this.#parts.toolDefinition });
    if (request.before !== undefined || this.#status.name !== undefined) return page;
    const { name } = await recover(this.#parts.reader);
    // What was told meanwhile is newer.
    if (name !== undefined) this.#status = { name, ...this.#status };
    return page;
  }

  async submit(): Promise<Result<Receipt, Diagnostic>> {
    return await Promise.resolve(this.#refuse());
  }

  async rename(): Promise<Result<void, Diagnostic>> {
    return await Promise.resolve(this.#refuse());
  }

  async withdraw(): Promise<boolean> {
    return await Promise.resolve(false);
  }

  async abort(): Promise<readonly QueuedInput[]> {
    return await Promise.resolve([]);
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
    this.#stop.abort();
    await this.#following;
    this.#listeners.clear();
    await this.#parts.reader.close();
  }

  #refuse(): { readonly ok: false; readonly error: Diagnostic } {
    return err(readOnlySession(this.#parts.reader.owner));
  }

  async #follow(): Promise<void> {
    const { reader } = this.#parts;
    for await (const change of reader.changes({ from: reader.position(), follow: true, signal: this.#stop.signal })) {
      for (const entry of change.entries) {
        if (entry.type === "session-info" && entry.name !== undefined) this.#status = { ...this.#status, name: entry.name };
        for (const event of pastEvents(entry, this.#events, change.position)) this.#send(event);
      }
    }
  }

  #send(event: SmithEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
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
    const text =
      owner === undefined
        ? `The process that wrote this session (pid ${String(before?.pid)}) has ended.`
        : `Process ${String(owner.pid)} writes this session now.`;
    this.#send({ type: "notice", session: this.id, time: this.#parts.clock.now(), text });
  }
}
