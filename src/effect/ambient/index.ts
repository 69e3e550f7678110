/**
 * effect/ambient: time and chance for plugins, which have none of their own.
 * Promises: what a plugin saw is on record; a sleep ends at once when its call does. Must never know: what for.
 * Read first: facility.ts.
 */
export { createAmbientFacilities, type AmbientDeps } from "./facility.js";
