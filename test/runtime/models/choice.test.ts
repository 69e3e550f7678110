import { describe, expect, test } from "vitest";
import {
  encodeChoice,
  type ModelChoice,
  parseChoice,
  runChoice,
  type Wish,
  withChoice,
  wishOf,
} from "../../../src/runtime/models/index.js";

describe("what a session goes on with", () => {
  const defaults: Wish = { selection: "d", thinking: "low" };
  const both: ModelChoice = { model: "a", thinking: "high" };
  test.each<readonly [string, { readonly recorded: ModelChoice; readonly run: ModelChoice; readonly from: Wish; readonly wish: Wish }]>([
    ["nothing was chosen: the defaults", { recorded: {}, run: {}, from: defaults, wish: defaults }],
    ["what was chosen, over the defaults", { recorded: both, run: {}, from: defaults, wish: { selection: "a", thinking: "high" } }],
    ["a model alone leaves the level", { recorded: { model: "a" }, run: {}, from: defaults, wish: { selection: "a", thinking: "low" } }],
    [
      "the model's own level, where that was chosen",
      { recorded: { thinking: null }, run: {}, from: defaults, wish: { selection: "d", thinking: undefined } },
    ],
    ["this run says another model", { recorded: both, run: { model: "b" }, from: defaults, wish: { selection: "b", thinking: "high" } }],
    [
      "this run's level wins over one in the selection",
      { recorded: { model: "a:max" }, run: { thinking: "off" }, from: defaults, wish: { selection: "a", thinking: "off" } },
    ],
    [
      "a chosen level wins over one in a default",
      {
        recorded: { thinking: "high" },
        run: {},
        from: { selection: "d:low", thinking: undefined },
        wish: { selection: "d", thinking: "high" },
      },
    ],
    [
      "without any default there may be a level alone",
      {
        recorded: { thinking: "high" },
        run: {},
        from: { selection: undefined, thinking: undefined },
        wish: { selection: undefined, thinking: "high" },
      },
    ],
  ])("%s", (_, { recorded, run, from, wish }) => {
    expect(wishOf(from, recorded, run)).toEqual(wish);
  });

  test("only flags and variables are this run's word", () => {
    const setting = (layer: "flag" | "env" | "user" | "default", value: string) => ({ layer, value });
    const level = (layer: "flag" | "env" | "user" | "default") => ({ layer, value: "high" as const });
    expect(runChoice({ model: setting("flag", "a"), thinking: level("user") })).toEqual({ model: "a" });
    expect(runChoice({ model: setting("env", "a"), thinking: level("flag") })).toEqual({ model: "a", thinking: "high" });
    expect(runChoice({ model: setting("user", "a"), thinking: level("default") })).toEqual({});
  });

  test("a later choice keeps what it says nothing of, and a level that is chosen now wins over one in the selection", () => {
    expect(withChoice({ model: "a", thinking: "high" }, { model: "b:low" })).toEqual({ model: "b:low", thinking: "high" });
    expect(withChoice({ model: "b:low" }, { thinking: null })).toEqual({ model: "b", thinking: null });
    expect(withChoice({ model: "qwen3:8b" }, { thinking: "max" })).toEqual({ model: "qwen3:8b", thinking: "max" });
  });

  test.each<readonly [ModelChoice]>([[{}], [{ model: "a/b:high" }], [{ thinking: null }], [{ model: "a", thinking: "off" }]])(
    "%j comes back as it was recorded",
    (choice) => {
      expect(parseChoice(encodeChoice(choice))).toEqual(choice);
    },
  );

  test.each([["text"], [null], [["a"]], [{ model: 1, thinking: "very" }], [{ model: " " }], [undefined]])(
    "of %j nothing is understood",
    (value) => {
      expect(parseChoice(value)).toEqual({});
    },
  );
});
