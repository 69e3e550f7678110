import { type CallId, err, type Result, type SessionId } from "../../base/index.js";
import type { Diagnostic, QueuedInput, SmithEvent, ToolCallEntry, ToolDefinition } from "../../schema/index.js";
import type { SessionReader } from "../../session/index.js";
import { type Backlog, type BacklogRequest, readBacklog } from "./backlog.js";
import { readOnlySession } from "../diagnostics.js";
import { type EventContext, entryEvents } from "./events.js";
import type { Receipt, RuntimeSession, SessionStatus } from "../types.js";

export interface ObserverParts {
  readonly reader: SessionReader;
  readonly status: SessionStatus;
  readonly toolDefinition: (name: string) => ToolDefinition | undefined;
}

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
  #following: Promise<void> | undefined;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
    this.id = parts.reader.id;
    this.path = parts.reader.path;
    this.#events = { session: this.id, tool: parts.toolDefinition, calls: new Map<CallId, ToolCallEntry>() };
  }

  status(): SessionStatus {
    return this.#parts.status;
  }

  observe(listener: (event: SmithEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#following ??= this.#follow();
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    return await readBacklog(this.#parts.reader, request, { session: this.id, tool: this.#parts.toolDefinition });
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
        for (const event of entryEvents(entry, this.#events, change.position)) {
          for (const listener of [...this.#listeners]) listener(event);
        }
      }
    }
  }
}
