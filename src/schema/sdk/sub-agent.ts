import type { Usage } from "../model/index.js";

/** Work for another agent on a branch of its own in the same session. */
export interface SubAgentInput {
  readonly prompt: string;
  /** Its system prompt. Absent: the session's. */
  readonly system?: string;
  /** A few words for people. */
  readonly title?: string;
  /** Only these tools of the asker's; absent: all of them but the one that asks. */
  readonly tools?: readonly string[];
  /** None of them that changes things. */
  readonly readOnly?: boolean;
  /** A selection; absent: the session's model. */
  readonly model?: string;
  readonly maxRounds?: number;
}

/** What another agent came to. */
export interface SubAgentOutput {
  /** Its last answer; empty where it gave none. */
  readonly reply: string;
  readonly status: "ok" | "limit" | "stalled" | "aborted" | "error";
  /** Why it ended, where that is not `ok`. */
  readonly why?: string;
  readonly rounds: number;
  readonly toolCalls: number;
  readonly usage?: Usage;
  readonly cost?: number;
}
