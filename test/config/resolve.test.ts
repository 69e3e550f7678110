import { describe, expect, test } from "vitest";
import { type Assignment, type Layer, LAYERS, OPTIONS, resolve, SETTING_NAMES } from "../../src/config/index.js";

const model = (layer: Layer, value: string): Assignment => ({ setting: "model", value, layer, source: { type: "flag", name: value } });

describe("merging layers", () => {
  test("without any assignment every setting has the default of the table", () => {
    const settings = resolve([]);
    expect(settings).toEqual(Object.fromEntries(SETTING_NAMES.map((name) => [name, { value: OPTIONS[name].default, layer: "default" }])));
  });

  test("the seven layers are in the order of the specification", () => {
    expect(LAYERS).toEqual(["default", "built-in-plugin", "plugin", "user", "project", "env", "flag"]);
  });

  const pairs = LAYERS.slice(1).flatMap((stronger, index) =>
    LAYERS.slice(1, index + 1).map((weaker): [Layer, Layer] => [stronger, weaker]),
  );
  test.each(pairs)("%s wins over %s in either order, and says so", (stronger, weaker) => {
    const [strong, weak] = [model(stronger, "strong"), model(weaker, "weak")];
    const expected = { value: "strong", layer: stronger, source: { type: "flag", name: "strong" } };
    expect(resolve([strong, weak]).model).toEqual(expected);
    expect(resolve([weak, strong]).model).toEqual(expected);
  });

  test("within one layer the later assignment wins", () => {
    expect(resolve([model("flag", "first"), model("flag", "second")]).model.value).toBe("second");
  });
});
