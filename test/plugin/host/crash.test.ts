import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStage, type Stage, type TestHost } from "../stage.js";
import { toolSource } from "../sandbox.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const MIB = 1024 * 1024;
const HOG = `const a = []; for (;;) a.push(new ArrayBuffer(40 << 20));`;
const LONG_MS = 120_000;

/** Threads of this process, as Node itself counts them. */
function workers(): number {
  // The report's type is an object of anything; this part of it is documented.
  const { workers: list } = process.report.getReport() as unknown as { readonly workers: readonly unknown[] };
  return list.length;
}

async function crash({ run }: TestHost, plugin: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) expect((await run(plugin, {}, { timeoutMs: 20_000 })).output.isError).toBe(true);
}

describe("a plugin that crashes", () => {
  test(
    "a thousand times takes no memory with it and leaves no thread",
    async () => {
      const made = await stage.host({
        trees: {
          hog: { "main.js": toolSource(`if (args.ok) return result("alive"); ${HOG}`) },
          broken: { "main.js": `throw new Error("no");` },
        },
        more: { quarantine: "never" },
      });
      // What starts once is not counted.
      await crash(made, "hog", 30);
      await crash(made, "broken", 70);
      const threads = workers();
      const before = process.memoryUsage.rss();
      await crash(made, "hog", 170);
      await crash(made, "broken", 730);
      expect(process.memoryUsage.rss() - before).toBeLessThan(150 * MIB);
      expect([threads, workers()]).toEqual([2, 2]);
      expect(made.diagnostics.filter(({ code }) => code === "plugin.destroyed")).toHaveLength(1_000);
      expect((await made.run("hog", { ok: true })).output.text).toBe("alive");
    },
    LONG_MS,
  );

  test(
    "with its thread, or loses it again and again, leaves nothing behind",
    async () => {
      const made = await stage.host({ trees: { a: { "main.js": toolSource(`return result("x");`) } }, more: { idleMs: 0 } });
      const cycle = async (times: number): Promise<void> => {
        for (let time = 0; time < times; time += 1) expect((await made.run("a")).output.text).toBe("x");
      };
      const others = workers();
      await cycle(10);
      const before = process.memoryUsage.rss();
      await cycle(90);
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB);
      await made.host.close();
      expect(workers()).toBe(others);
    },
    LONG_MS,
  );
});
