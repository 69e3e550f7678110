/**
 * runtime/session/view: committed entries as events: pages of a branch, committed changes after a position, live narration.
 * Promises: the same entry gives the same events wherever it is read; nothing is read before it is asked for.
 * Must never know: who runs turns. Read first: events.ts, backlog.ts, attachment.ts.
 */
export { type ChangeSource, followChanges, isBeside, isReplaced, readBatches } from "./attachment.js";
export { type Backlog, type BacklogRequest, brokenPage, readBacklog, type ViewFacts } from "./backlog.js";
export { Broadcast, type Listener } from "./broadcast.js";
export { type CatchUp, createCatchUp } from "./catch-up.js";
export { createDamageNews, type DamageNews } from "./damage-news.js";
export { type EventContext, pastEvents } from "./events.js";
export { Narrator, queuedInput } from "./narrator.js";
export { type Counting, countingAnew, countingFrom, recordedStatus } from "./recorded.js";
export { selectionOf, StatusBoard, usedOf, withAnswers } from "./status-board.js";
