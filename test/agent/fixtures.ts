import { createHash } from "node:crypto";
import type { CallId, EntryId, IdSource, SubmissionId } from "../../src/base/index.js";
import {
  type AgentInput,
  type AgentState,
  decide,
  type Decision,
  emptyState,
  prepareRound,
  type RoundEnd,
  type RoundFacts,
} from "../../src/agent/index.js";
import type {
  AssistantResult,
  ContextTransform,
  Entry,
  HistoryEntry,
  Message,
  RunLimits,
  ToolCall,
  ToolCallEntry,
} from "../../src/schema/index.js";
import type { DispatchOutcome } from "../../src/tool/index.js";
import { seqIds } from "../support/seq-ids.js";

export const dispatch = { provider: "toy", model: "toy-1" } as const;
export const routing = { connection: "toy" } as const;
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const noLimits: RunLimits = { stallThreshold: 3 };

export const toolCall = (name: string, args: Record<string, string> = {}, id = name): ToolCall => ({
  call: `call-${id}` as CallId,
  providerId: `p-${id}`,
  name,
  argsText: JSON.stringify(args),
  args,
});

export const answer = (text: string, toolCalls: readonly ToolCall[] = []): AssistantResult => ({
  text,
  thinking: [],
  toolCalls,
  stop: toolCalls.length > 0 ? "tool-use" : "stop",
  usage: { inputTokens: 10, outputTokens: 5 },
});

export const outcome = (text: string, extra: Partial<DispatchOutcome> = {}): DispatchOutcome => ({
  settlement: { output: { text, isError: false }, mutation: "not-applied", end: "returned", durationMs: 12 },
  output: { text, isError: false },
  omittedBytes: 0,
  refused: false,
  ...extra,
});

/** Where a walk begins and what it writes to. */
export interface WalkOptions {
  readonly limits?: RunLimits;
  readonly state?: AgentState;
  readonly ids?: IdSource;
  /** Called with every change, as the driver commits it. */
  readonly commit?: (entries: readonly Entry[], leaf: AgentState["leaf"]) => void;
}

/** Walks decisions as the driver would, collecting what is committed. */
export class Walk {
  state: AgentState;
  readonly entries: Entry[] = [];
  requests: Decision["requests"] = [];
  refused: Decision["refused"];
  /** Messages of the newest request. */
  sent: readonly Message[] = [];
  readonly ids: IdSource;
  limits: RunLimits;
  readonly #commit: NonNullable<WalkOptions["commit"]>;
  #time = 1000;

  constructor(limits: RunLimits = noLimits, options: WalkOptions = {}) {
    this.limits = options.limits ?? limits;
    this.state = options.state ?? emptyState;
    this.ids = options.ids ?? seqIds();
    this.#commit = options.commit ?? (() => undefined);
  }

  /** What the next decision is made with. */
  mint(): { readonly ids: IdSource; readonly time: number } {
    this.#time += 1;
    return { ids: this.ids, time: this.#time };
  }

  take(decision: Pick<Decision, "state" | "entries"> & Partial<Decision>): this {
    this.state = decision.state;
    this.entries.push(...decision.entries);
    this.requests = decision.requests ?? [];
    this.refused = decision.refused;
    this.#commit(decision.entries, decision.state.leaf);
    return this;
  }

  input(input: AgentInput): this {
    return this.take(decide(this.state, input, this.limits, this.mint()));
  }

  submit(text: string, delivery: "steer" | "follow-up" = "steer", submission = `s-${text}` as SubmissionId): this {
    return this.input({ type: "submitted", submission, text, delivery });
  }

  round(end: RoundEnd | AssistantResult, facts: Partial<RoundFacts> = {}): this {
    const prepared = this.prepare(facts);
    const full: RoundEnd = "type" in end ? end : { type: "done", result: end };
    return this.input({
      type: "round-ended",
      request: prepared.request,
      effect: prepared.effect,
      attempt: { dispatch, facts: facts.facts ?? {} },
      end: full,
    });
  }

  /** A request is made, and nothing came of it yet. */
  prepare(facts: Partial<RoundFacts> = {}, transforms: readonly ContextTransform[] = []): ReturnType<typeof prepareRound> {
    const whole = {
      system: "be good",
      tools: [],
      generation: 1,
      dispatch,
      selection: "toy/toy-1",
      plugin: "toy",
      routing,
      facts: {},
      ...facts,
    };
    const prepared = prepareRound(this.state, whole, this.mint(), { sha256, transforms });
    this.take(prepared);
    this.sent = prepared.messages;
    return prepared;
  }

  settle(name: string, given: DispatchOutcome = outcome(`${name} ok`)): this {
    const call = this.state.turn?.batch?.calls.find((one: ToolCallEntry) => one.name === name);
    if (call === undefined) throw new Error(`no open call ${name}`);
    return this.input({ type: "tool-settled", call, outcome: given });
  }

  types(): readonly string[] {
    return this.entries.map((entry) => entry.type);
  }

  /** The one history entry of a type that has this text or name. */
  entry(type: HistoryEntry["type"], words?: string): EntryId {
    const found = this.entries.filter(
      (entry) =>
        entry.type === type &&
        (words === undefined || ("text" in entry && entry.text === words) || ("name" in entry && entry.name === words)),
    );
    const [one] = found;
    if (one === undefined || found.length > 1) throw new Error(`${String(found.length)} entries ${type} ${words ?? ""}`);
    return one.id;
  }
}
