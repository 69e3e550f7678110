/**
 * runtime/session/agents: agents that an agent of the session has work for it, each a driver over a branch of its own in the same file.
 * Promises: the selected branch stays what it is; no work of them outlives the one that asked; what they use is counted once.
 * Must never know: any tool by name, what a person sees. Read first: sub-agents.ts, run.ts, branch.ts.
 */
export { createSessionAgents } from "./compose.js";
export { type SubAgents } from "./sub-agents.js";
