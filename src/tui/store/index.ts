/**
 * store: the interface's state as a value, and the pure function that makes the next one from an event.
 * Promises: no I/O, no time of its own. Must never know: Ink, bytes. Read first: ui.ts, reduce.ts.
 */
export { FRESH_KEYS_MS } from "./input.js";
export { type Menu, menuOf } from "./menu.js";
export { markShown, reduce } from "./reduce.js";
export { SLASH_COMMANDS, slashMatches } from "./slash.js";
export {
  type Approval,
  type Command,
  editorWidth,
  initialUi,
  isObserver,
  type Outgoing,
  type Reduced,
  type Toast,
  type Ui,
  type UiEvent,
} from "./ui.js";
