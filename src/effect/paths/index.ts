/**
 * effect/paths: names as bytes, real paths, the granted roots, opening what was checked.
 * Promises: a path is compared only after its links are followed, and what is opened is what was compared.
 * Must never know: what is read or written. Read first: names.ts, grants.ts.
 */
export { errnoOf, notFolder, notFound, notRegular, systemFailure } from "./failures.js";
export { authorizePath, confirmPlace, displayPath, locatePath, type PathPolicy, type Place, realDenied, realWorkspace } from "./grants.js";
export { argumentLinks } from "./links.js";
export { type BytePath, bytesOf, fromBytes, fromText, parseName, showName, textOf } from "./names.js";
export { missingAt } from "./near-names.js";
export { type HeldFolder, holdFolder, kindWord, type OpenedFile, openRegular, removeMade } from "./open.js";
export { baseOf, isWithin, joinPath, parentOf, relativeTo, resolveAgainst, resolveReal } from "./resolve.js";
