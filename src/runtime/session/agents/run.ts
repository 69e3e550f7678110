import { ok, type SubmissionId, type WorkId } from "../../../base/index.js";
import { createDriver, type Driver, type DriverEvent, type DriverPorts, emptyState, type TurnEnd } from "../../../agent/index.js";
import type { EffectReply } from "../../../effect/index.js";
import { type Entry, type MutationState, NO_SPEND, type Spend, type SubAgentOutput } from "../../../schema/index.js";
import { sessionClosed, SessionStorageError } from "../../../session/index.js";
import type { Overlay } from "../plugins/index.js";
import type { Rounds } from "../round-ports.js";
import type { ModelBinding } from "../../models/index.js";
import { type Asker, onOwnBranch } from "./branch.js";
import { treeSpent } from "./diagnostics.js";
import { TREE_ROUNDS } from "./limits.js";

/** All agents below one call of the session's own, however deep. */
export interface Tree {
  rounds: number;
}

export interface RunParts {
  readonly asker: Asker;
  /** 1 for an agent that the session's own asks. */
  readonly depth: number;
  readonly maxRounds: number;
  readonly tree: Tree;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly rounds: Rounds;
}

export interface RunPorts extends Omit<DriverPorts, "commit" | "load" | "emit" | "facts" | "respond" | "diagnose" | "dispatcher"> {
  readonly session: Parameters<typeof sessionClosed>[0];
  /** Queues a change that selects nothing; as {@link DriverPorts.commit}. */
  readonly commit: (entries: readonly Entry[]) => ReturnType<DriverPorts["commit"]>;
  readonly onEvent: (event: DriverEvent) => void;
}

/** How long an agent that is to stop has to end by itself, ms: an abort is felt within 250. */
const STOP_MS = 150;

const STOPPED = "It was stopped before it was done.";

/** One sub-agent at work: a driver over a branch of its own, from its task to its answer. */
export class Run {
  readonly parts: RunParts;
  readonly #ports: RunPorts;
  readonly #driver: Driver;
  /** Its works that have not settled. */
  readonly #open = new Set<WorkId>();
  readonly #works = new Set<WorkId>();
  readonly #mutations = new Set<MutationState>();
  #toolCalls = 0;
  #isClosed = false;
  #end: TurnEnd | undefined;
  #ended: (() => void) | undefined;

  constructor(parts: RunParts, ports: RunPorts) {
    this.parts = parts;
    this.#ports = ports;
    const { facts, respond, diagnose, dispatcher } = parts.rounds;
    let counted = -1;
    this.#driver = createDriver(emptyState, {
      ...ports,
      ...{ respond, diagnose, dispatcher },
      // Not async: a refusal has to be thrown at once, before anything is built on the change.
      commit: (entries) => this.#commit(onOwnBranch(entries, parts.asker)),
      load: async () => await Promise.reject(new TypeError("a sub-agent stays on its branch")),
      facts: async (signal) => {
        const round = this.#driver.state().turn?.rounds ?? 0;
        if (round > counted) {
          if (parts.tree.rounds >= TREE_ROUNDS) return { ok: false, error: treeSpent(TREE_ROUNDS) };
          parts.tree.rounds += 1;
          counted = round;
        }
        return await facts(signal);
      },
      emit: (event) => {
        this.#hear(event);
      },
    });
  }

  works(): Iterable<WorkId> {
    return this.#works;
  }

  owns(work: WorkId | undefined): boolean {
    return work !== undefined && this.#works.has(work);
  }

  isOpen(work: WorkId): boolean {
    return this.#open.has(work);
  }

  /** What it has used so far, and what it was told others did for it. */
  spend(): Spend {
    return this.#end?.spend ?? this.#driver.state().turn?.spend ?? NO_SPEND;
  }

  /** Name of the tool of a call that it has open. */
  toolOf(call: string): string | undefined {
    return this.#driver.state().turn?.batch?.calls.find((open) => open.call === call)?.name;
  }

  /** Has it do the task. Rejects when nothing of it could be recorded. */
  async toEnd(text: string, signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    const onAbort = (): void => {
      this.#stopSoon().catch(() => undefined);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const submission = this.#ports.ids.next<SubmissionId>();
      const admitted = this.#driver.submit({ submission, text, delivery: "follow-up" });
      if (signal.aborted) onAbort();
      await admitted;
      await ended;
      if (!signal.aborted && this.#driver.isIdle()) await this.#driver.handled();
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** It is over now, whatever it does: its works settle, nothing of it is recorded after that. */
  close(): void {
    if (this.#isClosed) return;
    // What a plugin enqueued would begin another turn.
    if (!this.#driver.isIdle()) this.#cutShort();
    this.#isClosed = true;
    this.#settleOpen();
    this.#ended?.();
  }

  reply(): EffectReply<SubAgentOutput> {
    const outcome = this.#mutations.has("unknown") ? "unknown" : this.#mutations.has("applied") ? "applied" : "not-applied";
    const { usage, cost } = this.spend();
    const value: SubAgentOutput = {
      ...this.#ending(),
      toolCalls: this.#toolCalls,
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
    };
    return { outcome, result: ok(value) };
  }

  #ending(): Pick<SubAgentOutput, "reply" | "status" | "why" | "rounds"> {
    const end = this.#end;
    if (end === undefined) {
      const { reply = "", rounds = 0 } = this.#driver.state().turn ?? {};
      return { reply, status: "aborted", why: STOPPED, rounds };
    }
    const { reply, rounds, error, status } = end;
    const said = status === "maxTurns" || error?.code === treeSpent(TREE_ROUNDS).code ? "limit" : status;
    const why = error?.what ?? (status === "aborted" ? STOPPED : undefined);
    return { reply, status: said, ...(why === undefined ? {} : { why }), rounds };
  }

  #cutShort(): void {
    const batch = this.#driver.state().turn?.batch;
    this.#driver.stop("abort").catch(() => undefined);
    // What its open calls did is not seen any more; their effects are on record by themselves.
    if (batch !== undefined && batch.calls.length > batch.settled.size) this.#mutations.add("unknown");
  }

  #settleOpen(): void {
    const { clock, ids, commit } = this.#ports;
    const settled = [...this.#open]
      .reverse()
      .map((work): Entry => ({ id: ids.next(), time: clock.now(), type: "work", work, state: "settled" }));
    this.#open.clear();
    if (settled.length === 0) return;
    try {
      // Without storage there is nothing that could be kept in order.
      commit(settled).catch(() => undefined);
    } catch (error) {
      if (!(error instanceof SessionStorageError)) throw error;
    }
  }

  async #stopSoon(): Promise<void> {
    this.#driver.stop("abort").catch(() => undefined);
    await this.#ports.clock.sleep(STOP_MS);
    if (this.#end === undefined) this.close();
  }

  #commit(entries: readonly Entry[]): ReturnType<DriverPorts["commit"]> {
    if (this.#isClosed) throw new SessionStorageError(sessionClosed(this.#ports.session));
    const committed = this.#ports.commit(entries);
    for (const entry of entries) {
      if (entry.type === "tool-call") this.#toolCalls += 1;
      if (entry.type === "tool-result") this.#mutations.add(entry.mutation);
      if (entry.type !== "work") continue;
      this.#works.add(entry.work);
      if (entry.state === "settled") this.#open.delete(entry.work);
      else this.#open.add(entry.work);
    }
    return committed;
  }

  #hear(event: DriverEvent): void {
    if (event.type === "turn-ended") {
      this.#end ??= event.end;
      this.#ended?.();
    }
    this.#ports.onEvent(event.type === "committed" ? { ...event, entries: onOwnBranch(event.entries, this.parts.asker) } : event);
  }
}
