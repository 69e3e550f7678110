import type { CallId, JsonObject, WorkId } from "../base/index.js";
import type { ImagePart, MutationState, ToolDefinition, ToolOutput } from "../schema/index.js";

/** One call about to run: arguments are already validated against the definition's schema. */
export interface ToolInvocation {
  readonly call: CallId;
  readonly work: WorkId;
  readonly tool: ToolDefinition;
  readonly args: JsonObject;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** How a call ended. `mutation` is the union of its effects' outcomes: unknown > applied > not-applied. */
export interface ToolSettlement {
  readonly output: ToolOutput;
  /** The images its output names. */
  readonly images?: readonly ImagePart[];
  readonly mutation: MutationState;
  readonly end: "returned" | "failed" | "timed-out" | "aborted" | "destroyed";
  /** Real paths of the files that its writes and edits changed or may have; what a process did is not among them. Absent: none. */
  readonly touched?: readonly string[];
  /** Set by whoever ran it; absent when it was refused. */
  readonly durationMs?: number;
}

/** Implemented by the plugin host. Never rejects for anything a plugin does. */
export interface ToolRunner {
  run(invocation: ToolInvocation): Promise<ToolSettlement>;
}
