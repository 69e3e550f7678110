/**
 * effect/process/output: what commands print, on its way to whoever reads it: text, without secrets, bounded in memory, whole in a file.
 * Promises: the same bytes give the same text however they come in pieces; a reader that is slower than the writer holds it up.
 * Must never know: what is run, or why. Read first: capture.ts, screen.ts, output-folder.ts.
 */
export { type Captured, createCapture, createKeeper, type Keeper, type OutputCapture, type OutputStream } from "./capture.js";
export { createOutputFile, type OutputFile, type Room } from "./output-file.js";
export { createOutputFolder, type OutputFolder, type OutputName } from "./output-folder.js";
export { TERMINAL_SIZE } from "./screen.js";
