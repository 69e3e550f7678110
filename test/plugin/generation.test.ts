import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CompiledPlugin, resolveGeneration } from "../../src/plugin/index.js";
import { toolSource } from "./sandbox.js";
import { openStage, type Stage, toolOf } from "./stage.js";

const pluginOf = (id: string, more: Partial<CompiledPlugin> = {}): CompiledPlugin => ({
  id,
  version: "1.0.0",
  description: id,
  hash: "0",
  entry: `${id}.js`,
  grants: { fsRead: [], fsWrite: [], search: [], process: [], net: [] },
  tools: [],
  providers: [],
  prompts: [],
  ...more,
});

const NONE = new Set<string>();

describe("a generation", () => {
  test("holds the contributions of every enabled plugin, in order of ids", () => {
    const plugins = [
      pluginOf("b", { tools: [toolOf("b", "two")] }),
      pluginOf("a", { tools: [toolOf("a", "one")] }),
      pluginOf("c", { tools: [toolOf("c", "three")] }),
    ];
    const { generation, diagnostics } = resolveGeneration(4, { sdk: 1, plugins }, new Set(["c"]));
    expect([generation.number, generation.plugins.map(({ id }) => id), generation.tools.map(({ name }) => name), diagnostics]).toEqual([
      4,
      ["a", "b"],
      ["one", "two"],
      [],
    ]);
    expect(Object.isFrozen(generation) && Object.isFrozen(generation.tools)).toBe(true);
  });

  test("gives a name to the first plugin by id whatever the order of the index, and names both", () => {
    const both = [pluginOf("b", { tools: [toolOf("b", "read")] }), pluginOf("a", { tools: [toolOf("a", "read")] })];
    for (const plugins of [both, both.toReversed()]) {
      const { generation, diagnostics } = resolveGeneration(1, { sdk: 1, plugins }, NONE);
      expect(generation.tools.map(({ plugin }) => plugin)).toEqual(["a"]);
      expect(diagnostics.map(({ code, what }) => [code, what])).toEqual([
        ["plugin.duplicate-tool", `The plugins a and b both contribute the tool "read"; the one of a is used.`],
      ]);
    }
  });

  test("gives a provider's id once as well", () => {
    const providers = (plugin: string) => [{ id: "x", plugin, title: "X", connections: [] }];
    const { generation, diagnostics } = resolveGeneration(
      1,
      { sdk: 1, plugins: [pluginOf("a", { providers: providers("a") }), pluginOf("b", { providers: providers("b") })] },
      NONE,
    );
    expect([generation.providers.map(({ plugin }) => plugin), diagnostics.map(({ code }) => code)]).toEqual([
      ["a"],
      ["plugin.duplicate-provider"],
    ]);
  });

  test("has its prompts by order, then by name", () => {
    const prompt = (name: string, order: number) => ({ name, order, text: name });
    const plugins = [pluginOf("a", { prompts: [prompt("z", 1), prompt("late", 9)] }), pluginOf("b", { prompts: [prompt("y", 1)] })];
    expect(resolveGeneration(1, { sdk: 1, plugins }, NONE).generation.prompts.map(({ name }) => name)).toEqual(["y", "z", "late"]);
  });

  test("takes nothing from an index of another SDK and says so", () => {
    const { generation, diagnostics } = resolveGeneration(1, { sdk: 2, plugins: [pluginOf("a", { tools: [toolOf("a", "one")] })] }, NONE);
    expect([generation.tools, diagnostics.map(({ code }) => code)]).toEqual([[], ["plugin.sdk-mismatch"]]);
  });
});

describe("with every plugin disabled", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => {
    await stage.close();
  });

  test("there is no tool, no provider, no prompt; a call to one has no grant at all", async () => {
    const { host, run, effects } = await stage.host({
      modules: { a: toolSource(`await ctx.fs.read({ path: "x" }); return result("");`) },
      providers: { a: ["toy"] },
      disabled: ["a"],
    });
    expect([host.generation.tools, host.generation.providers, host.generation.prompts, host.provider("toy")]).toEqual([
      [],
      [],
      [],
      undefined,
    ]);
    expect(await run("a")).toMatchObject({ end: "failed", mutation: "not-applied" });
    expect(effects).toEqual([]);
  });
});
