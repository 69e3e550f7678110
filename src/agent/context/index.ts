/**
 * context: what the model sees of a branch: compaction boundary, edits, pairing; which edits are allowed.
 * Promises: pure; every call is followed by its result, whatever was stored; an edit batch counts whole or not at all.
 * Must never know: how entries are stored or sent. Read first: projection.ts, edit-ledger.ts.
 */
export { type ContextEditDraft, validateEdits } from "./edits.js";
export { endsBatch } from "./lost.js";
export { emptyProjection, extendProjection, MISSING_RESULT, project, type Projection } from "./projection.js";
export { newestCompaction } from "./retained.js";
export { keepProblem, projectTransformed, transformProblem, validateWhole } from "./transforms.js";
