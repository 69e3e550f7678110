/**
 * live: what is open in a session, folded from its entries, held in checkpoints and checked before every commit.
 * Promises: bounded; the same from any checkpoint as from the first entry. Must never know: what work, effects and state are for.
 * Read first: types.ts, fold.ts, checkpoint-log.ts.
 */
export { admit } from "./admit.js";
export { type CheckpointFrame, CheckpointLog, keyHash, type LoggedCommit, type LogStart } from "./checkpoint-log.js";
export { decodeFold } from "./fold-decode.js";
export { encodeFold } from "./fold-encode.js";
export { type Foldable, LiveFold } from "./fold.js";
export { foldableOf, foldingOf, isTransition } from "./foldable.js";
export {
  type FileOrigin,
  type LiveEffect,
  type LiveState,
  type LiveStateItem,
  type LiveSubmission,
  type LiveWork,
  SESSION_LIMITS,
  stateName,
} from "./types.js";
