import { describe, expect, test } from "vitest";

import { fittingRows, levelsOf, type ModelRow, modelRows } from "../../../src/tui/models/index.js";
import { connection, entry, fakeView, someModels } from "../../support/fake-models.js";

const selections = (rows: readonly ModelRow[]): readonly string[] => rows.map(({ selection }) => selection);

describe("what can be selected", () => {
  test("is what configuration names, models of servers that are set up, and servers that have to say what they have", () => {
    expect(modelRows(someModels())).toEqual([
      { selection: "main", name: "main", title: "", facts: ["group: fake/sonnet, local"] },
      {
        selection: "fake/sonnet",
        ref: { provider: "fake", model: "sonnet" },
        name: "fake/sonnet",
        title: "Sonnet",
        facts: ["200k", "$3/$15", "off low high"],
        levels: ["off", "low", "high"],
      },
      {
        selection: "fake/haiku",
        ref: { provider: "fake", model: "haiku" },
        name: "fake/haiku",
        title: "Haiku",
        facts: ["200k", "$0.25/$1.25", "none"],
        levels: [],
      },
      { selection: "local", name: "local", title: "Local server", facts: ["the model its server has"] },
    ]);
  });

  test("a model that another server of its provider lists is asked there", () => {
    const view = fakeView({
      entries: () => [entry("p/one", {}, { listedBy: ["second"] }), entry("p/two", {}, { listedBy: ["first", "second"] })],
      connections: () => [connection("p", { connection: "first" }), connection("p", { connection: "second" })],
    });
    expect(selections(modelRows(view))).toEqual(["second/one", "p/two"]);
  });

  test("what is not known is a question mark, what costs nothing is free", () => {
    const view = fakeView({
      entries: () => [entry("p/x"), entry("p/y", { price: { input: 0, output: 0 } })],
      connections: () => [connection("p")],
    });
    expect(modelRows(view).map(({ facts }) => facts)).toEqual([
      ["?", "?", "?"],
      ["?", "free", "?"],
    ]);
  });

  test("words of servers cannot move the cursor, what goes back is as it came", () => {
    const view = fakeView({ entries: () => [entry("p/a\x1b[2Jb")], connections: () => [connection("p")] });
    expect(modelRows(view)).toMatchObject([{ selection: "p/a\x1b[2Jb", name: expect.not.stringContaining("\x1b") as string }]);
  });

  test("levels of a model nobody knows are not known", () => {
    expect(levelsOf(someModels(), { provider: "fake", model: "haiku" })).toEqual([]);
    expect(levelsOf(someModels(), { provider: "fake", model: "else" })).toBeUndefined();
  });
});

describe("a few letters", () => {
  const rows = ["anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-1", "openai/gpt-5", "openai/gpt-5-mini"].map((selection) => ({
    selection,
    name: selection,
    title: "",
    facts: [],
  }));

  test.each([
    ["", ["anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-1", "openai/gpt-5", "openai/gpt-5-mini"]],
    ["gpt", ["openai/gpt-5", "openai/gpt-5-mini"]],
    ["MINI", ["openai/gpt-5-mini"]],
    ["claude 4-1", ["anthropic/claude-opus-4-1"]],
    ["snt45", ["anthropic/claude-sonnet-4-5"]],
    ["gpt opus", []],
  ])("%j find %j", (typed, found) => {
    expect(selections(fittingRows(rows, typed))).toEqual(found);
  });
});
