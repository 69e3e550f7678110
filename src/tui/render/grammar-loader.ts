import type { LanguageFn } from "highlight.js";

/** Loads one grammar of highlight.js. */
export type GrammarLoader = () => Promise<{ readonly default: LanguageFn }>;
