import type { EffectId, SubmissionId, WorkId } from "../../base/index.js";
import type {
  Entry,
  EffectDoneEntry,
  MutationState,
  QueueEntry,
  Spend,
  StateEntry,
  ToolResultEntry,
  Usage,
  UserMessageEntry,
  WorkEntry,
} from "../../schema/index.js";
import { addSpend, addUsage, NO_SPEND } from "../../schema/index.js";
import { noteAnswer, spentBy } from "../cost/index.js";
import type { LiveEffect, LiveState, LiveStateItem, LiveSubmission, LiveWork } from "./types.js";
import { stateName } from "./types.js";
import { valueBytes } from "./value-bytes.js";

/** An entry, or as much of one as folding looks at: inputs and tool results are folded without their payloads. */
export type Foldable =
  Entry | Pick<UserMessageEntry, "type" | "source" | "inherited"> | Pick<ToolResultEntry, "type" | "call" | "inherited">;

/** Outcomes of ended effects that nothing in the history tells yet. */
export interface Ended {
  readonly work: WorkId | undefined;
  readonly outcomes: readonly MutationState[];
}

/** Everything a fold holds. What is written to a checkpoint and read back. */
export interface FoldParts {
  seq: number;
  readonly works: Map<WorkId, LiveWork>;
  readonly submissions: Map<SubmissionId, LiveSubmission>;
  readonly effects: Map<EffectId, LiveEffect>;
  readonly ended: Map<LiveEffect["cause"], Ended>;
  readonly states: Map<string, LiveStateItem>;
  readonly origins: LiveState["origins"][number][];
  name: string | undefined;
  cwd: string | undefined;
  turns: number;
  usage: Usage | undefined;
  /** Undefined: what the checkpoint this goes on from does not say, nobody has counted. */
  spend: Spend | undefined;
  /** Works some of whose open calls' usage is on record as that of works they own. */
  readonly recorded: Set<WorkId>;
}

const emptyParts = (): FoldParts => ({
  seq: 0,
  works: new Map(),
  submissions: new Map(),
  effects: new Map(),
  ended: new Map(),
  states: new Map(),
  origins: [],
  name: undefined,
  cwd: undefined,
  turns: 0,
  usage: undefined,
  spend: NO_SPEND,
  recorded: new Set(),
});

/**
 * What is open in a session, entry by entry in committed order. The same whether it starts at the first entry or at a
 * checkpoint. Inherited entries name the session, count its prompts and usage, say where it came from and copy state; their
 * work, queue, effects and keys are another session's and never become live.
 */
export class LiveFold {
  readonly #parts: FoldParts;
  #stateBytes = 0;
  #snapshot: LiveState | undefined;

  constructor(parts: FoldParts = emptyParts()) {
    this.#parts = parts;
    for (const item of parts.states.values()) this.#stateBytes += item.bytes;
  }

  /** What it holds right now, not a copy: for encoding and for checks that end before the next `apply`. */
  get parts(): Readonly<FoldParts> {
    return this.#parts;
  }

  /** Bytes of all state values. */
  get stateBytes(): number {
    return this.#stateBytes;
  }

  get seq(): number {
    return this.#parts.seq;
  }

  /** A view that later entries do not change. Its reference is the same until one does. */
  state(): LiveState {
    const { seq, works, submissions, effects, ended, states, origins, name, cwd, turns, usage, spend, recorded } = this.#parts;
    this.#snapshot ??= {
      seq,
      works: new Map(works),
      recorded: new Set(recorded),
      submissions: new Map(submissions),
      effects: new Map(effects),
      ended: new Map([...ended].map(([cause, { outcomes }]) => [cause, outcomes])),
      states: new Map(states),
      ...(name === undefined ? {} : { name }),
      ...(cwd === undefined ? {} : { cwd }),
      turns,
      ...(usage === undefined ? {} : { usage }),
      ...(spend === undefined ? {} : { spend }),
      origins: [...origins],
    };
    return this.#snapshot;
  }

  /** Goes on to commit `seq`, whose entries follow. */
  advance(seq: number): void {
    this.#parts.seq = seq;
    this.#snapshot = undefined;
  }

  apply(entry: Foldable): void {
    this.#snapshot = undefined;
    this.#describe(entry);
    if (entry.inherited === true) {
      if (entry.type === "state") this.#state(entry);
      return;
    }
    this.#spent(entry);
    this.#open(entry);
  }

  /** Before what is over is forgotten. */
  #spent(entry: Foldable): void {
    const { spend, works, recorded } = this.#parts;
    if (entry.type === "assistant") noteAnswer(entry.work, works, recorded);
    if (spend === undefined || entry.type === "user-message") return;
    // Of a tool result without usage only the record is known.
    const spent = "id" in entry ? spentBy(entry) : undefined;
    const isCounted = spent?.by === "tool" && spent.work !== undefined && recorded.has(spent.work);
    if (spent !== undefined && !isCounted) this.#parts.spend = addSpend(spend, spent.spend);
  }

  /** What every entry says of the session, whoever made it. */
  #describe(entry: Foldable): void {
    const parts = this.#parts;
    if (entry.type === "user-message") {
      if (entry.source === "prompt") parts.turns += 1;
    } else if (entry.type === "assistant") {
      parts.usage = addUsage(parts.usage, entry.usage);
    } else if (entry.type === "session-info") {
      parts.name = entry.name ?? parts.name;
      parts.cwd = entry.cwd ?? parts.cwd;
    } else if (entry.type === "origin") {
      const { how, session, epoch, seq } = entry;
      parts.origins.push({ how, session, epoch, seq });
    }
  }

  #open(entry: Foldable): void {
    const { submissions, effects, ended } = this.#parts;
    switch (entry.type) {
      case "work":
        this.#work(entry);
        return;
      case "submission": {
        const { submission, work, delivery, id } = entry;
        submissions.set(submission, { submission, work, delivery, entry: id, isQueued: false });
        return;
      }
      case "queue":
        this.#queue(entry);
        return;
      case "receipt":
        submissions.delete(entry.submission);
        return;
      case "effect-intent": {
        const { effect, cause, work, operation, id } = entry;
        effects.set(effect, { effect, cause, ...(work === undefined ? {} : { work }), operation, entry: id });
        return;
      }
      case "effect-done":
        this.#effectDone(entry);
        return;
      case "reconciled":
        effects.delete(entry.effect);
        return;
      case "tool-result":
        ended.delete(entry.call);
        return;
      case "assistant":
        ended.delete(entry.request);
        return;
      case "state":
        this.#state(entry);
        return;
      case "user-message":
      case "tool-call":
      case "prompt":
      case "session-info":
      case "compaction":
      case "context-edit":
      case "branch-state":
      case "leaf":
      case "origin":
      case "invocation":
      case "actions":
      case "request":
      case "lost":
      case "unknown":
        return;
    }
  }

  #work({ work, parentWork, state, checkpoint }: WorkEntry): void {
    const { works } = this.#parts;
    if (state === "settled") {
      works.delete(work);
      this.#endOf(work);
      return;
    }
    const known = works.get(work);
    const parent = parentWork ?? known?.parent;
    const newest = checkpoint === undefined ? known?.checkpoint : checkpoint;
    works.set(work, {
      work,
      ...(parent === undefined ? {} : { parent }),
      state,
      ...(newest === undefined ? {} : { checkpoint: newest }),
    });
  }

  /** What lasts no longer than a work. */
  #endOf(work: WorkId): void {
    const { ended, states, recorded } = this.#parts;
    recorded.delete(work);
    for (const [cause, item] of ended) if (item.work === work) ended.delete(cause);
    for (const [name, item] of states) if (item.work === work) this.#drop(name);
  }

  #queue({ submission, operation }: QueueEntry): void {
    const { submissions } = this.#parts;
    const known = submissions.get(submission);
    if (known !== undefined) submissions.set(submission, { ...known, isQueued: operation === "enqueue" });
  }

  #effectDone({ effect, outcome }: EffectDoneEntry): void {
    const { effects, ended } = this.#parts;
    const known = effects.get(effect);
    if (known === undefined) return;
    effects.delete(effect);
    // What asks for an effect outside of any work has no result that would tell of it, and no end either.
    if (known.work === undefined) return;
    ended.set(known.cause, { work: known.work, outcomes: [...(ended.get(known.cause)?.outcomes ?? []), outcome] });
  }

  #state(entry: StateEntry): void {
    const { owner, key, version, fork, id, work } = entry;
    const name = stateName(owner, key);
    this.#drop(name);
    const isOurs = entry.inherited !== true || (fork === "copy" && work === undefined);
    if (entry.operation === "delete" || !isOurs) return;
    const bytes = valueBytes(entry.value);
    this.#stateBytes += bytes;
    this.#parts.states.set(name, { owner, key, version, fork, entry: id, bytes, ...(work === undefined ? {} : { work }) });
  }

  #drop(name: string): void {
    const known = this.#parts.states.get(name);
    if (known === undefined) return;
    this.#stateBytes -= known.bytes;
    this.#parts.states.delete(name);
  }
}
