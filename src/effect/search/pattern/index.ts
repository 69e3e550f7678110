/**
 * effect/search/pattern: what was asked for, compiled: globs, kinds of files, texts and expressions.
 * Promises: a pattern is data and never an option; what lets files be passed over early never passes over a match.
 * Must never know: files. Read first: line-pattern.ts, file-pattern.ts.
 */
export { compileKind } from "./file-kinds.js";
export { compilePattern, type FilePattern } from "./file-pattern.js";
export { compileLinePattern, type LinePattern } from "./line-pattern.js";
