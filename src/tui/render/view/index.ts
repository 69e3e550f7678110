/**
 * render/view: what plugins show by meaning, as rows.
 * Promises: pure but for colours that come later; nothing of it can move the cursor or exceed the width. Must never know: which tool it is of.
 * Read first: view.ts, rows.ts.
 */
export { viewRows } from "./rows.js";
export { roleStyle, safeView, type View } from "./view.js";
