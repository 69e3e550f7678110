import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Quarantine } from "../../../src/plugin/host/quarantine.js";
import { QUARANTINE } from "../../../src/plugin/limits.js";
import { createManualClock } from "../../support/manual-clock.js";
import { toolSource } from "../sandbox.js";
import { openStage, type Stage } from "../stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

describe("counting faults", () => {
  test("the third one within ten minutes is one too many", () => {
    const quarantine = new Quarantine(createManualClock(), QUARANTINE);
    expect([quarantine.fault("a"), quarantine.fault("a"), quarantine.isHeld("a")]).toEqual([false, false, false]);
    expect([quarantine.fault("b"), quarantine.fault("a"), quarantine.isHeld("a"), quarantine.isHeld("b")]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("what is longer ago does not count", async () => {
    const clock = createManualClock();
    const quarantine = new Quarantine(clock, QUARANTINE);
    quarantine.fault("a");
    quarantine.fault("a");
    await clock.advance(QUARANTINE.withinMs);
    expect([quarantine.fault("a"), quarantine.fault("a"), quarantine.fault("a")]).toEqual([false, false, true]);
  });

  test("what went out of use begins anew", () => {
    const quarantine = new Quarantine(createManualClock(), QUARANTINE);
    for (let time = 0; time < 3; time += 1) quarantine.fault("a");
    quarantine.keep(new Set(["b"]));
    expect([quarantine.isHeld("a"), quarantine.fault("a")]).toEqual([false, false]);
  });

  test("without a rule nobody is held", () => {
    const quarantine = new Quarantine(createManualClock(), undefined);
    expect(Array.from({ length: 10 }, () => quarantine.fault("a"))).not.toContain(true);
  });
});

describe("a plugin that always breaks", () => {
  const BROKEN = { "main.js": `throw new Error("broken " + 1);` };

  test("is not called any more, says what to do, and costs nobody else anything", async () => {
    const { run, command, handler, diagnostics } = await stage.host({
      trees: { a: BROKEN, b: { "main.js": toolSource(`return result("fine");`) } },
      tools: { b: [] },
    });
    for (let time = 0; time < 3; time += 1) expect((await run("a")).output.text).toContain("broken 1");
    const { output, end } = await run("a");
    expect([output.isError, end]).toEqual([true, "failed"]);
    expect(output.text).toMatch(/broke its bounds 3 times within 10 minutes[\s\S]*smith plugins enable a/u);
    for (const ended of [await command("a"), await handler("a")]) expect(ended).toMatchObject({ error: { code: "plugin.quarantined" } });
    expect((await run("b")).output.text).toBe("fine");
    expect(diagnostics.map(({ code }) => code)).toEqual([...Array<string>(3).fill("plugin.destroyed"), "plugin.quarantined"]);
  });

  test("is called again as soon as it is another one", async () => {
    const { run, host } = await stage.host({ trees: { a: BROKEN } });
    for (let time = 0; time < 4; time += 1) await run("a");
    host.publish(await stage.input({ trees: { a: { "main.js": toolSource(`return result("corrected");`) } } }));
    expect((await run("a", {}, { lease: host.lease() })).output.text).toBe("corrected");
  });

  test("begins anew after it was out of use", async () => {
    const input = await stage.input({ trees: { a: BROKEN } });
    const { run, host } = await stage.host({ more: { input } });
    for (let time = 0; time < 4; time += 1) await run("a");
    host.publish({ plugins: [], resources: [] });
    host.publish(input);
    expect((await run("a", {}, { lease: host.lease() })).output.text).toContain("broken 1");
  });

  test("is called on when it is bundled: the program cannot do without", async () => {
    const { run } = await stage.host({ modules: { a: `throw new Error("broken");` } });
    for (let time = 0; time < 5; time += 1) expect((await run("a")).output.text).toContain("Error: broken");
  });

  test("as a provider says so instead of answering", async () => {
    const { lease } = await stage.host({ trees: { p: BROKEN }, tools: { p: [] }, providers: { p: ["toy"] } });
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
    for (let time = 0; time < 3; time += 1) await lease.provider("toy")?.plan(request);
    const plan = await lease.provider("toy")?.plan(request);
    expect(plan).toMatchObject({ deltas: [{ error: { message: expect.stringContaining("broke its bounds 3 times") as string } }] });
  });
});
