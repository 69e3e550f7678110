import type { WorkId } from "../../base/index.js";
import type { EndFacts } from "../decide/index.js";
import type { Mint } from "../draft.js";
import type { AgentInput, AgentState, Decision, Turn } from "../state.js";
import type { Handlers } from "./handlers.js";
import type { DriverPorts } from "./types.js";

/** What a turn's steps need of its driver. */
export interface StepPorts {
  readonly ports: DriverPorts;
  readonly handlers: Handlers;
  readonly state: () => AgentState;
  /** Of the turn that runs. */
  readonly signal: () => AbortSignal;
  readonly mint: () => Mint;
  readonly apply: (input: AgentInput) => Promise<Decision>;
  readonly applyFact: (input: Extract<AgentInput, { readonly type: "round-ended" | "tool-settled" }>) => Promise<Decision>;
  /** Records what was prepared, and goes on with its state. */
  readonly record: (prepared: Pick<Decision, "entries" | "state">) => Promise<void>;
  readonly endTurn: (facts: EndFacts) => Promise<void>;
  /** What handlers are to be told of a turn before its first request, once. */
  readonly beginning: (turn: Turn) => Promise<void>;
}

/** The turn as long as it is that one: what comes after it ended belongs to nobody. */
export const current = ({ state }: StepPorts, work: WorkId): Turn | undefined => {
  const { turn } = state();
  return turn?.work === work ? turn : undefined;
};
