/**
 * grants: what a plugin may do, as words for people, compared, hashed and narrowed.
 * Promises: pure and total over compiled grants; a wider pattern covers a narrower one, exactly. Must never know: how a grant is
 * enforced, manifests, sessions. Read first: covers.ts, words.ts, reach.ts.
 */
export { addedGrants } from "./added.js";
export { methodsOf, originCovers } from "./covers.js";
export { grantsHash } from "./hash.js";
export { deniedFacilities, narrowGrants, type Narrowing } from "./narrow.js";
export { describeBrought, describeReach } from "./reach.js";
export { describeGrants } from "./words.js";
