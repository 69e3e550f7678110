import { expect, test } from "vitest";
import { effectiveThinking } from "../../../src/provider/index.js";
import type { ThinkingLevel } from "../../../src/schema/index.js";

const REF = { provider: "p", model: "m" };

test.each<readonly [ThinkingLevel | undefined, readonly ThinkingLevel[] | undefined, ThinkingLevel | undefined, string | undefined]>([
  [undefined, ["off", "high"], undefined, undefined],
  ["high", ["off", "low", "high"], "high", undefined],
  ["medium", ["off", "low", "high"], "low", "route.thinking-degraded"],
  ["medium", ["high", "low", "off"], "low", "route.thinking-degraded"],
  ["max", ["low", "high"], "high", "route.thinking-degraded"],
  ["minimal", ["medium", "high"], "medium", "route.thinking-degraded"],
  ["minimal", ["off", "high"], "off", "route.thinking-degraded"],
  ["off", ["off", "high"], "off", undefined],
  ["off", ["low", "high"], "low", "route.thinking-degraded"],
  ["off", [], undefined, undefined],
  ["off", undefined, undefined, undefined],
  ["high", [], undefined, "route.thinking-unavailable"],
  ["high", undefined, undefined, "route.thinking-unavailable"],
])("%s of %j is %s", (wished, thinking, level, code) => {
  const found = effectiveThinking(wished, thinking === undefined ? {} : { thinking }, REF);
  expect([found.level, found.note?.code]).toEqual([level, code]);
});

test("why nothing is asked is told apart", () => {
  expect(effectiveThinking("high", { thinking: [] }, REF).note?.why).toBe("It is a model that does not think before it answers.");
  expect(effectiveThinking("high", {}, REF).note?.why).toBe("It is not known whether it can be asked for that.");
});
