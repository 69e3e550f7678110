/**
 * store/people: what a person is asked: approvals of calls, questions of plugins.
 * Promises: pure; one answer for each question. Must never know: sessions, rows. Read first: approval.ts, question.ts.
 */
export { beginReason, denyBecause, dropReason, giveVerdict } from "./approval.js";
export { answerAsked, ask, chooseDigit, settled } from "./question.js";
