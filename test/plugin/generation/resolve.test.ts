import { describe, expect, test } from "vitest";
import { resolveGeneration } from "../../../src/plugin/generation/index.js";
import type { ActivePlugin, CompiledPlugin, PluginOrigin, Resource } from "../../../src/plugin/index.js";
import { active, commandOf, pluginOf, resourceOf, toolOf } from "./plugins.js";

const resolve = (plugins: readonly ActivePlugin[], resources: readonly Resource[] = []) => resolveGeneration(4, { plugins, resources });

const words = ({ diagnostics }: ReturnType<typeof resolve>): readonly string[] => diagnostics.map(({ code, what }) => `${code} ${what}`);

describe("a generation", () => {
  test("holds the contributions of every plugin, in order of ids", () => {
    const { generation, diagnostics } = resolve([
      active(pluginOf("b.b", { tools: [toolOf("b.b", "two")] }), "user"),
      active(pluginOf("c.c", { tools: [toolOf("c.c", "three")] })),
      active(pluginOf("a.a", { tools: [toolOf("a.a", "one"), toolOf("a.a", "another")] }), "run"),
    ]);
    expect([generation.number, generation.plugins.map(({ compiled }) => compiled.id), generation.tools.map(({ name }) => name)]).toEqual([
      4,
      ["a.a", "b.b", "c.c"],
      ["one", "another", "two", "three"],
    ]);
    expect(diagnostics).toEqual([]);
  });

  test("of no plugins has nothing in it", () => {
    expect(resolve([], [resourceOf("a.a", "skill", "x")])).toEqual({
      generation: {
        ...{ number: 4, plugins: [], tools: [], commands: [], providers: [], prompts: [] },
        ...{ resources: [], themes: [], keys: [], handlers: [] },
      },
      diagnostics: [],
    });
  });

  test("is frozen with everything in it", () => {
    const { generation } = resolve([active(pluginOf("a.a", { tools: [toolOf("a.a", "one")] }))], [resourceOf("a.a", "skill", "x")]);
    const loose: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Object.isFrozen(value)) loose.push(path);
      for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`);
    };
    visit(generation, "generation");
    expect(loose).toEqual([]);
    expect(Object.isFrozen(generation.tools[0]?.parameters["properties"])).toBe(true);
  });

  test("does not depend on the order plugins were found in", () => {
    const origins: readonly PluginOrigin[] = ["bundled", "user", "project", "run"];
    const plugins = ["c.c", "a.a", "b.b", "d.d"].map((id, index) =>
      active(pluginOf(id, { tools: [toolOf(id, "same"), toolOf(id, id.slice(0, 1))] }), origins[index % 2]),
    );
    const first = JSON.stringify(resolve(plugins));
    expect(JSON.stringify(resolve(plugins.toReversed()))).toBe(first);
    expect(JSON.stringify(resolve([...plugins.slice(2), ...plugins.slice(0, 2)]))).toBe(first);
  });

  test("has its prompts by order, then by name, then by plugin", () => {
    const prompt = (plugin: string, name: string, order: number) => ({ name, plugin, order, text: name });
    const { generation } = resolve([
      active(pluginOf("a.a", { prompts: [prompt("a.a", "z", 1), prompt("a.a", "late", 9)] })),
      active(pluginOf("b.b", { prompts: [prompt("b.b", "y", 1), prompt("b.b", "late", 9)] })),
    ]);
    expect(generation.prompts.map(({ name, plugin }) => `${plugin} ${name}`)).toEqual(["b.b y", "a.a z", "a.a late", "b.b late"]);
  });

  test("has its handlers by order, then by id", () => {
    const handler = (plugin: string, order: number) => ({
      event: "idle" as const,
      plugin,
      order,
      timeoutMs: 1,
      required: false,
      state: [],
    });
    const { generation } = resolve([
      active(pluginOf("a.a", { handlers: [handler("a.a", 100)] }), "run"),
      active(pluginOf("b.b", { handlers: [handler("b.b", -1)] })),
      active(pluginOf("c.c", { handlers: [handler("c.c", 100)] })),
    ]);
    expect(generation.handlers.map(({ plugin }) => plugin)).toEqual(["b.b", "a.a", "c.c"]);
  });

  test("has the resources of its plugins alone", () => {
    const { generation } = resolve([active(pluginOf("a.a"))], [resourceOf("a.a", "skill", "x"), resourceOf("b.b", "skill", "y")]);
    expect(generation.resources.map(({ name }) => name)).toEqual(["x"]);
  });
});

describe("of one id", () => {
  const of = (version: string, tool: string): CompiledPlugin => pluginOf("a.a", { version, tools: [toolOf("a.a", tool)] });

  test("the later origin is used, whole and without a word", () => {
    const all = [
      active(of("3", "run"), "run"),
      active(of("1", "user"), "user"),
      active(of("0", "old")),
      active(of("2", "project"), "project"),
    ];
    for (let left = all.length; left > 0; left -= 1) {
      const given = all.toSorted((a, b) => b.compiled.version.localeCompare(a.compiled.version)).slice(all.length - left);
      const { generation, diagnostics } = resolve(given);
      expect([generation.tools.map(({ name }) => name), generation.plugins.length, diagnostics]).toEqual([
        [given[0]?.compiled.tools[0]?.name],
        1,
        [],
      ]);
    }
  });

  test("two of the same origin: the first folder, and both are named", () => {
    const pair = [active(of("2", "two"), "user", "/u/z"), active(of("1", "one"), "user", "/u/b")];
    for (const plugins of [pair, pair.toReversed()]) {
      const found = resolve(plugins);
      expect(found.generation.tools.map(({ name }) => name)).toEqual(["one"]);
      expect(words(found)).toEqual(["plugin.duplicate-id Two user plugins have the id a.a: /u/b (1) and /u/z (2). The first is used."]);
    }
  });
});

describe("of one name", () => {
  type Kind = readonly [
    code: string,
    what: string,
    contribution: (plugin: string) => Partial<CompiledPlugin>,
    list: "tools" | "providers" | "themes" | "keys" | "commands",
  ];
  const kinds: readonly Kind[] = [
    ["plugin.duplicate-tool", `both contribute the tool "x"; the one of`, (plugin) => ({ tools: [toolOf(plugin, "x")] }), "tools"],
    [
      "plugin.duplicate-provider",
      `both contribute the provider "x"; the one of`,
      (plugin) => ({ providers: [{ id: "x", plugin, title: "X", connections: [] }] }),
      "providers",
    ],
    [
      "plugin.duplicate-theme",
      `both contribute the theme "x"; the one of`,
      (plugin) => ({ themes: [{ name: "x", plugin, base: "dark", styles: {} }] }),
      "themes",
    ],
    [
      "plugin.duplicate-key",
      "both bind the key f5; the binding of",
      (plugin) => ({ keys: [{ key: "f5", plugin, command: plugin }] }),
      "keys",
    ],
  ];

  test.each(kinds)("%s: of the same origin the first id has it", (code, what, contribution, list) => {
    const both = [active(pluginOf("b.b", contribution("b.b"))), active(pluginOf("a.a", contribution("a.a")))];
    for (const plugins of [both, both.toReversed()]) {
      const found = resolve(plugins);
      expect(found.generation[list].map(({ plugin }) => plugin)).toEqual(["a.a"]);
      expect(words(found)).toEqual([`${code} The plugins a.a and b.b ${what} a.a is used.`]);
      expect(found.diagnostics[0]).toMatchObject({ severity: "warning", source: { type: "plugin", id: "b.b" } });
    }
  });

  test.each(kinds)("%s: the later origin has it", (code, what, contribution, list) => {
    const found = resolve([active(pluginOf("a.a", contribution("a.a"))), active(pluginOf("b.b", contribution("b.b")), "user")]);
    expect(found.generation[list].map(({ plugin }) => plugin)).toEqual(["b.b"]);
    expect(words(found)).toEqual([`${code} The plugins b.b and a.a ${what} b.b is used.`]);
    expect(found.diagnostics[0]?.why).toContain("the later one has it");
  });

  test("prompts of two plugins may share one", () => {
    const prompt = (plugin: string) => ({ name: "p", plugin, order: 1, text: plugin });
    const found = resolve(["a.a", "b.b"].map((id) => active(pluginOf(id, { prompts: [prompt(id)] }))));
    expect([found.generation.prompts.length, found.diagnostics]).toEqual([2, []]);
  });

  test("names of Object are names like others", () => {
    const found = resolve([
      active(
        pluginOf("a.a", { tools: [toolOf("a.a", "__proto__"), toolOf("a.a", "constructor")], commands: [commandOf("a.a", "toString")] }),
      ),
    ]);
    expect([found.generation.tools.map(({ name }) => name), found.generation.commands.length, found.diagnostics]).toEqual([
      ["__proto__", "constructor"],
      1,
      [],
    ]);
  });
});

describe("a plugin of another SDK", () => {
  test.each([
    [2, "It needs a smith whose plugin SDK is 2 or the one after."],
    [0, "This smith takes plugins of its own SDK and of the one before."],
  ])("%d is left out alone, and says why", (sdk, why) => {
    const found = resolve([
      active(pluginOf("a.a", { sdk, tools: [toolOf("a.a", "one")] })),
      active(pluginOf("b.b", { tools: [toolOf("b.b", "two")] })),
    ]);
    expect(found.generation.tools.map(({ name }) => name)).toEqual(["two"]);
    expect(found.diagnostics).toMatchObject([{ code: "plugin.sdk-mismatch", why, source: { type: "plugin", id: "a.a" } }]);
  });
});

describe("cost", () => {
  test("grows with what there is, not with its square", () => {
    const many = (count: number): readonly ActivePlugin[] =>
      Array.from({ length: count }, (_, index) => {
        const id = `p.n${String(index).padStart(5, "0")}`;
        return active(pluginOf(id, { tools: [toolOf(id, `t${String(index)}`)], commands: [commandOf(id, `c${String(index)}`)] }));
      });
    expect(resolve(many(5_000)).generation.tools).toHaveLength(5_000);
  });
});
