/**
 * runtime/session/people: what waits for a person in one session: approvals of tool calls, questions of plugins.
 * Promises: one thing is shown at a time and in order; whoever stops waiting is taken back; nobody is asked where nobody is.
 * Must never know: which frontend asks, what a plugin's rule means. Read first: attention.ts.
 */
export { type Approvals, type ApprovalAnswer, type AskFacts, createApprovals, createSessionApprovals } from "./approvals.js";
export { Attention, type Waiting } from "./attention.js";
export { createSessionQuestions, type Questions } from "./questions.js";
