/**
 * composer: the draft as a value: motions, edits, undo, kill ring, folded pastes, soft wrap, prompt history.
 * Promises: pure. Must never know: keys, screens, sessions. Read first: model.ts.
 */
export { browse, EMPTY_HISTORY, type PromptHistory, remember } from "./history.js";
export { type DraftLayout, type DraftRow, layoutDraft } from "./layout.js";
export { cleared, type Draft, edit, type EditAction, EMPTY_DRAFT, expand, insert, paste, sent, withText } from "./model.js";
