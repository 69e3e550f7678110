/**
 * shell: what of a command line rules can speak of.
 * Promises: pure; what is not understood counts as anything for rules that deny and as nothing for those that allow.
 * Must never know: which tool runs it, where rules are kept. Read first: command-line.ts, commands.ts, reach.ts.
 */
export { readCommandLine, type Word } from "./command-line.js";
export { allowedCommand, commandMatcher, commandsIn, commandsToAllow, wordsWith } from "./commands.js";
export { reachesBeyond } from "./reach.js";
