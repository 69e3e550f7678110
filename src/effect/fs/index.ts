/**
 * effect/fs: reading windows of files, what a path is, replacing files, exact edits.
 * Promises: writes are whole or not at all and keep mode, encoding and line ends; edits never touch a byte they were not
 * asked to; work on one real file is in order. Must never know: who asks or why. Read first: change.ts, replace.ts, read.ts.
 */
export { createFileFacilities } from "./facility.js";
export { createPathLocks, type PathLocks } from "./locks.js";
export { createFileTracker, type FileTracker } from "./tracker.js";
export { imageFacts, type ImageFacts, imagePart, type ImageProblem, imageProblemWords } from "./read/index.js";
