import { describe, expect, test } from "vitest";
import { listCommands, resolveGeneration } from "../../../src/plugin/generation/index.js";
import type { ActivePlugin, Resource } from "../../../src/plugin/index.js";
import { active, commandOf, pluginOf, resourceOf } from "./plugins.js";

const resolve = (plugins: readonly ActivePlugin[], resources: readonly Resource[] = []) => {
  const { generation, diagnostics } = resolveGeneration(1, { plugins, resources });
  return {
    commands: listCommands(generation).map(({ name, aliases, command, resource }) => [
      [name, ...aliases].join(" "),
      command.plugin,
      ...(resource === undefined ? [] : [resource.path]),
    ]),
    said: diagnostics.map(({ code, what }) => `${code} ${what}`),
    generation,
  };
};

const withCommands = (id: string, ...commands: readonly ReturnType<typeof commandOf>[]): ActivePlugin => active(pluginOf(id, { commands }));

describe("commands", () => {
  test("of one name: the first id's, and both are named", () => {
    const found = resolve([withCommands("b.b", commandOf("b.b", "go")), withCommands("a.a", commandOf("a.a", "go"))]);
    expect(found.commands).toEqual([["go", "a.a"]]);
    expect(found.said).toEqual(["plugin.duplicate-command The command /go of b.b is not used: a.a has a command of that name."]);
  });

  test("a name comes before an alias, whosever it is", () => {
    const found = resolve([
      withCommands("a.a", commandOf("a.a", "check", { aliases: ["go", "c"] })),
      withCommands("b.b", commandOf("b.b", "go", { aliases: ["c", "g"] })),
    ]);
    expect(found.commands).toEqual([
      ["check c", "a.a"],
      ["go g", "b.b"],
    ]);
    expect(found.said).toEqual([
      "plugin.duplicate-command The alias /go of a.a is not used: b.b has a command of that name.",
      "plugin.duplicate-command The alias /c of b.b is not used: a.a has a command of that name.",
    ]);
    expect(found.generation.commands.map(({ aliases }) => aliases)).toEqual([["c"], ["g"]]);
  });

  test("one for each resource of its kind, whoever brings it, in their order", () => {
    const skill = commandOf("a.a", "skill:", { each: "skill", description: "Use it" });
    const found = resolve(
      [withCommands("a.a", skill), withCommands("b.b", commandOf("b.b", "go"))],
      [
        resourceOf("a.a", "skill", "two"),
        resourceOf("a.a", "skill", "one"),
        resourceOf("a.a", "note", "three"),
        resourceOf("b.b", "skill", "four"),
      ],
    );
    expect(found.commands).toEqual([
      ["go", "b.b"],
      ["skill:two", "a.a", "/work/skill/two.md"],
      ["skill:one", "a.a", "/work/skill/one.md"],
      ["skill:four", "a.a", "/work/skill/four.md"],
    ]);
    expect(found.generation.commands[0]).toMatchObject({ name: "skill:", each: "skill" });
    expect(found.said).toEqual([]);
  });

  test("is described by its resource, else by itself", () => {
    const plugins = [withCommands("a.a", commandOf("a.a", "", { each: "r", description: "Run it" }))];
    const resources = [resourceOf("a.a", "r", "x"), { ...resourceOf("a.a", "r", "y"), description: "" }];
    const { generation } = resolve(plugins, resources);
    expect(listCommands(generation).map(({ name, description }) => `${name}: ${description}`)).toEqual(["x: about x", "y: Run it"]);
  });

  test("a file makes no command whose name or alias is taken, and is told", () => {
    const found = resolve(
      [
        withCommands("a.a", commandOf("a.a", "", { each: "template" })),
        withCommands("b.b", commandOf("b.b", "help", { aliases: ["h"] })),
        withCommands("c.c", commandOf("c.c", "", { each: "template" })),
      ],
      ["help", "h", "mine"].map((name) => resourceOf("a.a", "template", name)).concat(resourceOf("c.c", "template", "mine")),
    );
    expect(found.commands.map(([name, plugin]) => `${String(name)} ${String(plugin)}`)).toEqual(["help h b.b", "mine a.a"]);
    expect(found.said).toEqual([
      "plugin.shadowed-resource /work/template/help.md makes no command /help: b.b has one of that name.",
      "plugin.shadowed-resource /work/template/h.md makes no command /h: b.b has one of that name.",
      "plugin.shadowed-resource /work/template/mine.md makes no command /mine: a.a has one of that name.",
    ]);
  });
});
