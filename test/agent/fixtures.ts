import type { CallId, SubmissionId } from "../../src/base/index.js";
import { type AgentInput, type AgentState, decide, type Decision, emptyState, prepareRound, type RoundEnd } from "../../src/agent/index.js";
import type { AssistantResult, Entry, RunLimits, ToolCall, ToolCallEntry } from "../../src/schema/index.js";
import type { DispatchOutcome } from "../../src/tool/index.js";
import { seqIds } from "../support/seq-ids.js";

export const dispatch = { provider: "toy", model: "toy-1" } as const;
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

/** Walks decisions as the driver would, collecting what is committed. */
export class Walk {
  state: AgentState = emptyState;
  readonly entries: Entry[] = [];
  requests: Decision["requests"] = [];
  readonly #ids = seqIds();
  readonly #limits: RunLimits;
  #time = 1000;

  constructor(limits: RunLimits = noLimits) {
    this.#limits = limits;
  }

  input(input: AgentInput): this {
    this.#time += 1;
    const decision = decide(this.state, input, this.#limits, { ids: this.#ids, time: this.#time });
    this.state = decision.state;
    this.entries.push(...decision.entries);
    this.requests = decision.requests;
    return this;
  }

  submit(text: string, delivery: "steer" | "follow-up" = "steer"): this {
    return this.input({ type: "submitted", submission: `s-${text}` as SubmissionId, text, delivery });
  }

  round(end: RoundEnd | AssistantResult): this {
    const prepared = prepareRound(
      this.state,
      { system: "be good", tools: [], generation: 1, dispatch, selection: "toy/toy-1", plugin: "toy" },
      { ids: this.#ids, time: this.#time },
    );
    this.state = prepared.state;
    this.entries.push(...prepared.entries);
    const full: RoundEnd = "type" in end ? end : { type: "done", result: end };
    return this.input({
      type: "round-ended",
      request: prepared.request,
      effect: prepared.effect,
      dispatch,
      end: full,
    });
  }

  settle(name: string, given: DispatchOutcome = outcome(`${name} ok`)): this {
    const call = this.state.turn?.batch?.calls.find((one: ToolCallEntry) => one.name === name);
    if (call === undefined) throw new Error(`no open call ${name}`);
    return this.input({ type: "tool-settled", call, outcome: given });
  }

  types(): readonly string[] {
    return this.entries.map((entry) => entry.type);
  }
}
