import { type EntryId, ok, type Result, type SessionId, type SubmissionId } from "../../src/base/index.js";
import {
  type AgentState,
  createDriver,
  type Driver,
  type DriverEvent,
  type DriverPorts,
  type LifecyclePort,
  emptyState,
  type QueuedItem,
  type RoundCall,
  type RoundEvent,
  type RoundFacts,
} from "../../src/agent/index.js";
import type { AccessMode, AssistantResult, Diagnostic, Entry, Position, RunLimits, ToolCallEntry } from "../../src/schema/index.js";
import { diagnostic } from "../../src/schema/index.js";
import { SessionStorageError } from "../../src/session/index.js";
import type { Dispatcher, DispatchOutcome } from "../../src/tool/index.js";
import { createManualClock } from "../support/manual-clock.js";
import { seqIds } from "../support/seq-ids.js";
import { answer, dispatch, noLimits, routing, sha256 } from "./fixtures.js";

export const facts: RoundFacts = {
  system: "be good",
  tools: [],
  generation: 1,
  dispatch,
  selection: "toy/toy-1",
  plugin: "toy",
  routing,
  facts: {},
};

export const storageFault = (): SessionStorageError =>
  new SessionStorageError(
    diagnostic({ code: "session.storage-full", what: "The disk is full.", why: "No space is left.", next: "Make room." }),
  );

export const partial = (text: string): AssistantResult => ({ ...answer(text), stop: "aborted" });

/** Everything that is ready to run has run: nothing here waits for a clock or a file. */
export const flush = async (): Promise<void> => {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
};

interface Held<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export interface HeldCommit extends Held<void> {
  readonly entries: readonly Entry[];
}

export interface HeldRound {
  readonly call: RoundCall;
  readonly end: (event: RoundEvent) => void;
}

export interface HeldTool extends Held<DispatchOutcome> {
  readonly call: ToolCallEntry;
  readonly signal: AbortSignal;
}

interface BenchOptions {
  readonly limits?: RunLimits;
  readonly queue?: readonly QueuedItem[];
  readonly state?: AgentState;
  readonly lifecycle?: LifecyclePort;
}

/** Nobody listens, and nobody may be asked all the same. */
export const nobody: LifecyclePort = {
  listens: () => false,
  run: async () => await Promise.reject(new Error("nobody listens")),
  adopt: (actions) => {
    if (actions.length > 0) throw new Error("nobody wanted anything");
  },
};

/** A driver whose every outside promise is resolved by the test. Commits go through at once unless they are held or told to fail. */
export class Bench {
  readonly driver: Driver;
  readonly events: DriverEvent[] = [];
  readonly committed: Entry[] = [];
  readonly commits: HeldCommit[] = [];
  readonly rounds: HeldRound[] = [];
  readonly tools: HeldTool[] = [];
  /** Commits wait to be resolved by hand. */
  isHolding = false;
  /** Number of the first commit that fails, counted from 0; all after it fail too. */
  failFrom = Number.POSITIVE_INFINITY;
  facts: (signal: AbortSignal) => Promise<Result<RoundFacts, Diagnostic>> = async () => await Promise.resolve(ok(facts));
  ready: () => Promise<void> = async () => await Promise.resolve();
  /** Called for every event before it is kept. */
  onEvent: (event: DriverEvent) => void = () => undefined;
  #seq = 0;
  /** Changes asked for so far, failed ones included. */
  asked = 0;

  /** Answers of `load`, by leaf. */
  load: DriverPorts["load"] = async () => await Promise.resolve(ok(emptyState));
  /** A bound that refuses a change at once, with nothing queued. */
  refuse: (entries: readonly Entry[]) => SessionStorageError | undefined = () => undefined;
  readonly leaves: (EntryId | null | undefined)[] = [];
  readonly #limits: RunLimits;

  readonly clock = createManualClock();
  readonly lifecycle: LifecyclePort;
  /** Takes the place of tools that are resolved by hand. */
  dispatcher: Dispatcher | undefined;
  approve: DriverPorts["approve"] = async () => await Promise.resolve({ allowed: true });
  mode: AccessMode = "auto";

  constructor(options: BenchOptions = {}) {
    this.lifecycle = options.lifecycle ?? nobody;
    const state: AgentState = { ...(options.state ?? emptyState), queue: options.queue ?? [] };
    this.#limits = options.limits ?? noLimits;
    this.driver = createDriver(state, this.ports());
  }

  /** What the driver has of the world, with some of it replaced. */
  ports(replaced: Partial<DriverPorts> = {}): DriverPorts {
    return { ...this.#ports(this.#limits), ...replaced };
  }

  async submit(text: string, delivery: "steer" | "follow-up" = "steer"): Promise<{ readonly queued: boolean }> {
    return await this.driver.submit({ submission: id(text), text, delivery });
  }

  /** The newest round, which must be there. */
  round(): HeldRound {
    const round = this.rounds.at(-1);
    if (round === undefined) throw new Error("no round was asked for");
    return round;
  }

  done(result: AssistantResult): void {
    this.round().end({ type: "done", result });
  }

  types(): readonly string[] {
    return this.committed.map((entry) => entry.type);
  }

  /** Ends told, as text of the submissions with status and reason. */
  ends(): readonly string[] {
    return this.events.flatMap((event) =>
      event.type === "turn-ended" ? [`${event.end.submissions.join("+")} ${event.end.status}/${event.end.reason}`] : [],
    );
  }

  messages(): readonly string[] {
    return this.committed.flatMap((entry) => (entry.type === "user-message" ? [`${entry.source} ${entry.text}`] : []));
  }

  outcomes(): readonly string[] {
    return this.committed.flatMap((entry) => (entry.type === "effect-done" ? [entry.outcome] : []));
  }

  #ports(limits: RunLimits): DriverPorts {
    return {
      clock: this.clock,
      ids: seqIds(),
      cwd: "/project",
      limits: () => limits,
      mode: () => this.mode,
      sha256,
      load: async (leaf) => await this.load(leaf),
      commit: (entries, leaf) => {
        const refused = this.refuse(entries);
        if (refused !== undefined) throw refused;
        this.leaves.push(leaf);
        return this.#commit(entries);
      },
      facts: async (signal) => await this.facts(signal),
      ready: async () => {
        await this.ready();
      },
      respond: (call) => this.#respond(call),
      dispatcher: () =>
        this.dispatcher ?? {
          dispatch: async ({ call, signal }) =>
            await new Promise<DispatchOutcome>((resolve, reject) => {
              // The driver passes the recorded call on as it is.
              this.tools.push({ call: call as ToolCallEntry, signal, resolve, reject });
            }),
        },
      approve: async (...asked) => await this.approve(...asked),
      diagnose: ({ error }) => ({
        error: diagnostic({ code: "provider.failed", what: error.message, why: "It failed.", next: "Try again." }),
        outcome: error.class === "auth" ? "not-applied" : "unknown",
      }),
      lifecycle: this.lifecycle,
      emit: (event) => {
        this.onEvent(event);
        this.events.push(event);
      },
    };
  }

  async #commit(entries: readonly Entry[]): Promise<Position> {
    const index = this.asked;
    this.asked += 1;
    if (this.isHolding) {
      await new Promise<void>((resolve, reject) => {
        this.commits.push({ entries, resolve, reject });
      });
    }
    if (index >= this.failFrom) throw storageFault();
    this.committed.push(...entries);
    this.#seq += 1;
    return { session: "s" as SessionId, epoch: 0, seq: this.#seq };
  }

  async *#respond(call: RoundCall): AsyncGenerator<RoundEvent> {
    yield await new Promise<RoundEvent>((resolve) => {
      this.rounds.push({ call, end: resolve });
    });
  }
}

export const id = (text: string): SubmissionId => text as SubmissionId;
