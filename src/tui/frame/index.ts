/**
 * frame: from the state to one screen: the chrome's view, the parts put together, when to paint.
 * Promises: pure but for the scheduler. Must never know: Ink, sessions. Read first: chrome-view.ts, compositor.ts.
 */
export {
  type ChromeLines,
  type ChromeSurface,
  type ChromeView,
  type EditorView,
  findSlots,
  type PageView,
  type Piece,
  type Slot,
  type SlotName,
} from "./chrome-view.js";
export { bodyHeight, compose, type Composed, type FrameParts } from "./compositor.js";
export { activityText, markerRow, welcomeRows } from "./details.js";
export { type Dialog, dialogOf } from "./dialog.js";
export type { Page } from "./page.js";
export { pageOf, pageView } from "./pages.js";
export { FrameScheduler, nodeTimers, type Timers } from "./scheduler.js";
export { createStarterChrome } from "./starter.js";
export { chromeView, type ViewFacts } from "./view.js";
