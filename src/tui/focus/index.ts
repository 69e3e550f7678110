/**
 * focus: which key does what where, as data.
 * Promises: pure; every binding in one table. Must never know: how actions are carried out. Read first: keymap.ts.
 */
export {
  type Action,
  type Binding,
  type CommandAction,
  type DialogAction,
  freeAction,
  freeActionNames,
  helpLines,
  isDialogAction,
  isModelAction,
  isPageAction,
  isViewAction,
  type KeyContext,
  type ModelAction,
  type PageAction,
  resolveChord,
  type ViewAction,
} from "./keymap.js";
