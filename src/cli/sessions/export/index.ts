/**
 * export: a branch of a session as a document for people: Markdown or one HTML page.
 * Promises: pieces as they are read, bounded by the largest entry; nothing recorded can act in the document or change its structure.
 * Must never know: files, the runtime, where the pieces go. Read first: types.ts, blocks.ts.
 */
export { collectFacts } from "./facts.js";
export { renderHtml } from "./html.js";
export { type MarkdownOptions, renderMarkdown } from "./markdown.js";
export type { ExportDocument, ExportFacts, ExportGap, ExportItem, ExportTotals } from "./types.js";
