import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolSource } from "../sandbox.js";
import { openStage, read, type Stage } from "../stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const says = (text: string) => ({
  "main.js": toolSource(`globalThis.n = (globalThis.n ?? 0) + 1; return result("${text} " + globalThis.n);`),
});

describe("publishing", () => {
  test("makes a new generation current, tells observers, and keeps the instance of a plugin that did not change", async () => {
    const input = await stage.input({ trees: { a: says("a"), b: says("b") }, tools: { b: ["other"] } });
    const made = await stage.host({ more: { input } });
    const seen: number[] = [];
    const stop = made.host.observe(({ number }) => seen.push(number));
    expect((await made.run("a")).output.text).toBe("a 1");
    const published = made.host.publish({ plugins: input.plugins.filter(({ compiled }) => compiled.id === "a"), resources: [] });
    expect(published).toMatchObject({ ok: true, value: { number: 2, tools: [{ name: "run" }] } });
    expect((await made.run("a", {}, { lease: made.host.lease() })).output.text).toBe("a 2");
    stop();
    made.host.publish(input);
    expect([seen, made.host.generation.number]).toEqual([[2], 3]);
  });

  test("a changed plugin runs as the new one for new leases and as the old one for those who hold it", async () => {
    const made = await stage.host({ trees: { a: says("old") } });
    expect((await made.run("a")).output.text).toBe("old 1");
    made.host.publish(await stage.input({ trees: { a: says("new") } }));
    const lease = made.host.lease();
    expect([(await made.run("a", {}, { lease })).output.text, (await made.run("a")).output.text]).toEqual(["new 1", "old 2"]);
    expect([made.lease.generation.number, lease.generation.number]).toEqual([1, 2]);
  });

  test("a call in flight keeps its plugin, though its lease was given back and the plugin is gone", async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let finish = (): void => undefined;
    const made = await stage.host({
      trees: { a: { "main.js": toolSource(`await ctx.fs.read({ path: "x" }); return result("whole");`) } },
      gateway: () =>
        new Promise((resolve) => {
          finish = () => resolve(read({}));
          answer();
        }),
    });
    const running = made.run("a");
    await asked;
    made.host.publish({ plugins: [], resources: [] });
    made.lease.release();
    finish();
    expect((await running).output.text).toBe("whole");
    expect(made.host.generation.tools).toEqual([]);
  });

  test("a plugin that is not in a generation cannot be called in it", async () => {
    const made = await stage.host({ trees: { a: says("a") } });
    made.host.publish({ plugins: [], resources: [] });
    const settled = await made.run("a", {}, { lease: made.host.lease() });
    expect(settled).toMatchObject({
      end: "failed",
      output: { isError: true, text: expect.stringContaining("its plugin a is not in use") as string },
    });
  });

  test("effects name the generation of the lease they came through", async () => {
    const made = await stage.host({ trees: { a: { "main.js": toolSource(`await ctx.fs.read({ path: "x" }); return result("");`) } } });
    const input = { plugins: made.host.generation.plugins, resources: [] };
    made.host.publish(input);
    await made.run("a", {}, { lease: made.host.lease() });
    await made.run("a");
    expect(made.effects.map(({ context }) => context.generation)).toEqual([2, 1]);
  });

  test("what was wrong before is not said again, what is new is", async () => {
    const two = await stage.input({ trees: { a: says("a"), b: says("b") } });
    const made = await stage.host({ more: { input: two } });
    made.host.publish(two);
    expect(made.diagnostics.map(({ code }) => code)).toEqual(["plugin.duplicate-tool"]);
    made.host.publish({ plugins: [], resources: [] });
    made.host.publish(two);
    expect(made.diagnostics).toHaveLength(2);
  });

  test("without any plugin there is no tool, and nothing is started", async () => {
    const made = await stage.host({});
    expect([made.host.generation.tools, made.host.generation.commands, made.lease.provider("toy")]).toEqual([[], [], undefined]);
    await made.host.close();
  });
});

describe("plugins of users", () => {
  const LOOP = { "main.js": toolSource(`const big = "a".repeat(16 << 20); for (;;) big.indexOf("b");`) };

  test("do not wait for each other, nor for bundled ones", async () => {
    const made = await stage.host({
      trees: { stuck: LOOP, b: says("b") },
      modules: { c: says("c")["main.js"] },
      tools: { b: ["b"], c: ["c"] },
      manifests: {},
    });
    const byName = (plugin: string) => ({ tool: { ...toolNamed(plugin), timeoutMs: 20_000 } });
    const toolNamed = (plugin: string) => {
      const tool = made.lease.generation.tools.find((definition) => definition.plugin === plugin);
      if (tool === undefined) throw new Error("no tool");
      return { ...tool, name: "run" };
    };
    let isOver = false;
    const stuck = made.run("stuck", {}, { timeoutMs: 20_000 }).finally(() => (isOver = true));
    const [b, c] = await Promise.all([made.run("b", {}, byName("b")), made.run("c", {}, byName("c"))]);
    expect([b.output.text, c.output.text, isOver]).toEqual(["b 1", "c 1", false]);
    expect((await stuck).end).toBe("destroyed");
    // Its thread went with nobody else in it.
    expect((await made.run("b", {}, byName("b"))).output.text).toBe("b 2");
  });

  test("have providers in a thread of their own", async () => {
    const source = `const big = "a".repeat(16 << 20);
export default { tools: { run: () => { for (;;) big.indexOf("b"); } }, providers: { toy: { plan: () => ({ type: "local", deltas: [] }) } } };`;
    const made = await stage.host({ trees: { a: { "main.js": source } }, providers: { a: ["toy"] } });
    const stuck = made.run("a", {}, { timeoutMs: 20_000 });
    const request = {
      provider: "toy",
      facts: {},
      stream: true,
      model: "m",
      endpoint: { baseUrl: "" },
      system: "",
      messages: [],
      tools: [],
      context: { cwd: "/" },
    };
    expect(await made.lease.provider("toy")?.plan(request)).toEqual({ type: "local", deltas: [] });
    expect((await stuck).end).toBe("destroyed");
  });
});
