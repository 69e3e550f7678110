/**
 * effect/search/ignore: which paths git leaves out.
 * Promises: git's own answer for nested, parent and personal rules, negation, work trees and tracked files; `.ignore` files besides.
 * Must never know: what is searched. Read first: rules.ts; repository.ts for where rules lie.
 */
export { gitPlaces, type GitPlaces, NO_PLACES } from "./git-config.js";
export { enterFolder, type IgnoreRules, NO_RULES, rulesAbove, rulesFor, standingOf } from "./rules.js";
