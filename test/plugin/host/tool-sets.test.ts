import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OfferedSet, ToolSetContribution } from "../../../src/plugin/index.js";
import { openStage, type Stage } from "../stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const SET: ToolSetContribution = { name: "servers", plugin: "a", source: "mcp", prefix: "mcp__", max: 3, timeoutMs: 5_000 };

const hostOf = (functions: string) =>
  stage.host({
    trees: { a: { "main.js": `export default { toolSets: { servers: { ${functions} } } };` } },
    tools: { a: [] },
    manifests: { a: { toolSets: [SET] } },
  });

const tool = (name: string, more = ""): string =>
  `{ name: "${name}", description: "d", parameters: { type: "object" }, target: { of: "${name}" }${more} }`;

describe("a tool set", () => {
  test("offers tools made from its source; what cannot be offered is left out with a note, one by one", async () => {
    const { host } = await hostOf(
      `offer: (source) => ({ tools: [...source.names.map((name) => ({ name, description: "d", parameters: { type: "object" }, target: name })), ${tool("mcp__x", ", parameters: { type: 'array' }")}], notes: ["said"] }), run: () => null`,
    );
    const offered = await host.offer(SET, { names: ["mcp__a", "other", "mcp__a", "mcp__b b", "mcp__c", "mcp__d", "mcp__e"] });
    expect(offered).toMatchObject({ ok: true, value: { offered: { plugin: "a", set: "servers" } } });
    if (!offered.ok) return;
    expect(offered.value.offered.tools.map(({ name }) => name)).toEqual(["mcp__a", "mcp__c", "mcp__d"]);
    expect(offered.value.offered.tools[0]).toEqual({
      name: "mcp__a",
      plugin: "a",
      description: "d",
      parameters: { type: "object" },
      readOnly: false,
      timeoutMs: 5_000,
      summaryKeys: [],
      set: { name: "servers", target: "mcp__a" },
    });
    expect(offered.value.notes).toEqual([
      "said",
      'The tool "other" was left out: its name does not begin with mcp__.',
      'The tool "mcp__a" was left out: another one has the same name.',
      'The tool "mcp__b b" was left out: a name is 1 to 64 letters, digits, _ and -.',
      'The tool "mcp__x" was left out: its arguments are no object.',
      "1 tool left out: there are at most 3.",
    ]);
  });

  test("is published with a generation, runs with the target it gave, and goes with its plugin", async () => {
    const made = await hostOf(
      `offer: () => ({ tools: [${tool("mcp__a")}], commands: [{ name: "mcp__p", description: "ask", target: 7 }] }),
       run: ({ name, target, args }, ctx) => ({ text: JSON.stringify({ name, target, args, cwd: ctx.cwd }), isError: false }),
       command: ({ target, args }) => [{ type: "notify", text: target + args }]`,
    );
    const { host } = made;
    const offered = await host.offer(SET, {});
    if (!offered.ok) throw new Error(offered.error.what);
    const { plugins, resources } = host.generation;
    expect(host.publish({ plugins, resources, sets: [offered.value.offered] })).toMatchObject({ ok: true });
    expect(host.generation.tools.map(({ name }) => name)).toEqual(["mcp__a"]);
    expect(host.generation.commands.map(({ name }) => name)).toEqual(["mcp__p"]);
    const lease = host.lease();
    const ran = await made.run("a", { x: 1 }, { lease });
    expect(JSON.parse(ran.output.text)).toEqual({ name: "mcp__a", target: { of: "mcp__a" }, args: { x: 1 }, cwd: "/project" });
    lease.release();
    const stranger: OfferedSet = { ...offered.value.offered, set: "unknown" };
    host.publish({ plugins, resources, sets: [stranger] });
    expect(host.generation.tools).toEqual([]);
  });

  test.each([
    ["throws", `offer: () => null.x, run: () => null`, "plugin.invocation-failed"],
    ["is no function", `run: () => null`, "plugin.invocation-failed"],
    ["returns a promise", `offer: async () => ({ tools: [] }), run: () => null`, "plugin.invocation-failed"],
    ["returns no offer", `offer: () => ({ tools: 3 }), run: () => null`, "plugin.bad-offer"],
  ])("whose offer %s is a diagnostic", async (_, functions, code) => {
    const { host } = await hostOf(functions);
    expect(await host.offer(SET, {})).toMatchObject({ ok: false, error: { code, source: { type: "plugin", id: "a" } } });
  });
});
