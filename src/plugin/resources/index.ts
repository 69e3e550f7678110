/**
 * resources: the text files that plugins have the host collect when a session is opened (skills, prompts, instructions).
 * Promises: runs nothing, bounded in files and bytes, the same order everywhere; nothing of a project's behaviour while it is not trusted,
 * and nothing from outside of it; one bad file never hides another. Must never know: what a kind is for. Read first: collect.ts.
 */
export { type CollectDeps, type Collected, collectResources } from "./collect.js";
