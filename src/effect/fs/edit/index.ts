/**
 * effect/fs/edit: exact replacements in the text of one file.
 * Promises: all or none, in order; nothing but the named text changes, line ends stay the file's; what cannot be placed is answered
 * with the nearest places. Must never know: where the text is from. Read first: replace.ts.
 */
export { whyMissing } from "./missing.js";
export { type Replaced, replaceAll } from "./replace.js";
