/**
 * chrome: header, editor frame, status line, dialogs, laid out by Ink into memory.
 * Promises: draws only what a view says, synchronously; never touches the real terminal. Must never know: sessions, bytes, the transcript.
 * Read first: chrome.tsx, surface.tsx. The only folder that imports Ink or React; load it with `import()`.
 */
export { createInkChrome } from "./ink-chrome.js";
