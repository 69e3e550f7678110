/**
 * `smith-agent/plugin` where it is imported by Node, in an author's own tests: the functions that are the same everywhere. In the sandbox
 * these names come from `smith:sdk`, and nothing of this file is there.
 */
import type { TestFunction } from "./sdk.js";

export { definePlugin, failure, isHostError, parseJson, result } from "./sdk.js";

/** Declares nothing here, and says so: a test that never runs would look like one that passes. */
export const test: TestFunction = (name) => {
  throw new Error(
    `The test ${JSON.stringify(name)} cannot run here. "test" of smith-agent/plugin declares tests for the sandbox. ` +
      "Run them with: smith plugins check. In other tests use the functions of your test runner.",
  );
};
