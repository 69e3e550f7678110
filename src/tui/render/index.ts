/**
 * render: Markdown, code, diffs and tool cards to styled rows.
 * Promises: pure but for the highlighter's cache; a settled text and the same text streamed give the same rows. Must never know: sessions, Ink, the terminal.
 * Read first: blocks.ts, markdown.ts.
 */
export { BlockSplitter, splitBlocks } from "./blocks.js";
export { diffCounts, diffFiles, diffRows } from "./diff.js";
export { failoverWords, retryWords } from "./failure.js";
export { clockTime, duration, elapsed, money, spinner, tokens } from "./format.js";
export { type CodeColors, Highlighter } from "./highlight.js";
export { type BlockContext, codeRows, markdownRows } from "./markdown.js";
export { type CardView, type ToolCard, toolCardRows } from "./tool-card.js";
export { roleStyle, safeView, type View } from "./view/index.js";
