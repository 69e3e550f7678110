/** How a run ended, for callers. */
export type RunStatus = "ok" | "aborted" | "error" | "stalled" | "maxTurns" | "limit";

/** Why, more finely. `policy`: a plugin stopped it; its status is `limit`, as of everything that stops a run before the model is done. */
export type RunReason =
  "done" | "rounds" | "tree" | "tokens" | "cost" | "deadline" | "stall" | "abort" | "provider" | "storage" | "bug" | "policy";

/** What stops a run before the model is done. Absent means no limit. Product page section 7. */
export interface RunLimits {
  readonly maxRounds?: number;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly deadlineMs?: number;
  /** Same tool-call set this many times in a row ends the run as stalled. */
  readonly stallThreshold: number;
}

/** How much a run may do without asking. Product page section 9, "Approval". */
export type AccessMode = "ask-writes" | "auto" | "read-only" | "plan";
