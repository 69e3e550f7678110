/**
 * focus: which key does what where, as data.
 * Promises: pure; every binding in one table. Must never know: how actions are carried out. Read first: keymap.ts.
 */
export { type Action, type ActionType, type Binding, helpLines, type KeyContext, KEYMAP, resolveChord } from "./keymap.js";
