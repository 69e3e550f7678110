import { describe, expect, test } from "vitest";
import { declaredOptions } from "../../../src/plugin/generation/index.js";
import type { ActivePlugin, PluginOrigin } from "../../../src/plugin/index.js";
import { active, pluginOf } from "./plugins.js";

const withOption = (id: string, name: string, origin: PluginOrigin): ActivePlugin =>
  active(pluginOf(id, { options: [{ name, plugin: id, type: "string", help: "h", secret: false }] }), origin);

describe("options of plugins", () => {
  test("a key belongs to the weaker origin: nobody takes over what a bundled plugin is told", () => {
    const found = declaredOptions([
      withOption("a.run", "rules.allow", "run"),
      withOption("b.project", "rules.allow", "project"),
      withOption("c.user", "rules.allow", "user"),
      withOption("smith.rules", "rules.allow", "bundled"),
      withOption("a.run2", "other.x", "run"),
    ]);
    expect(found.options.map(({ plugin, name }) => `${plugin} ${name}`)).toEqual(["smith.rules rules.allow", "a.run2 other.x"]);
    expect(found.diagnostics.map(({ code, what }) => `${code} ${what}`)).toEqual(
      ["c.user", "b.project", "a.run"].map(
        (id) =>
          `plugin.duplicate-option The plugins smith.rules and ${id} both declare the setting rules.allow; it is the one of smith.rules.`,
      ),
    );
  });

  test("of one origin it belongs to the first id, in whatever order they come", () => {
    const both = [withOption("b.b", "x.y", "user"), withOption("a.a", "x.y", "user")];
    for (const plugins of [both, both.toReversed()]) expect(declaredOptions(plugins).options.map(({ plugin }) => plugin)).toEqual(["a.a"]);
  });
});
