/**
 * store: the interface's state as a value, and the pure function that makes the next one from an event.
 * Promises: no I/O, no time of its own. Must never know: Ink, bytes. Read first: ui.ts, reduce.ts.
 */
export { FRESH_KEYS_MS } from "./input.js";
export { matchesOf, type Menu, menuOf } from "./menu.js";
export { type AdminDeed, type AdminNews, chosenRow, type PluginsPage, pluginsPage, type SurePage, surePage } from "./plugins/index.js";
export { chosenModel, isCurrent, type ModelDeed, type ModelNews, type ModelsPage, modelsPage, shownModels } from "./models/index.js";
export { markShown, reduce } from "./reduce.js";
export { shadowed, SLASH_COMMANDS, type SlashCommand } from "./slash.js";
export {
  type Approval,
  type Asked,
  type Binding,
  type Command,
  editorWidth,
  initialUi,
  isAsked,
  isObserver,
  type Outgoing,
  type Reduced,
  textAt,
  type ThemeWanted,
  type Toast,
  type Ui,
  type UiEvent,
  waitLeft,
} from "./ui.js";
