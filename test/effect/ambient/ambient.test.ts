import { describe, expect, test } from "vitest";
import { createBench, errorOf, NOTHING, realClock } from "../support.js";

const nothing = { grants: NOTHING };

describe("time and chance need no grant", () => {
  test("now is the clock's", async () => {
    const bench = createBench("/", { clock: { ...realClock, now: () => 42 } });
    expect(await bench.value("clock.now", {}, nothing)).toEqual({ now: 42 });
    await bench.close();
  });

  test("a sleep lasts as long as it should and says when it is", async () => {
    const slept: number[] = [];
    const bench = createBench("/", {
      clock: {
        ...realClock,
        now: () => 7,
        sleep: async (ms) => {
          slept.push(ms);
        },
      },
    });
    expect(await bench.value("clock.sleep", { ms: 3_600_000 }, nothing)).toEqual({ now: 7 });
    expect(slept).toEqual([3_600_000]);
    await bench.close();
  });

  test("a sleep ends at once when it is aborted", async () => {
    const bench = createBench("/");
    const stop = new AbortController();
    const sleeping = bench.call("clock.sleep", { ms: 60_000 }, { ...nothing, signal: stop.signal });
    stop.abort();
    expect(errorOf((await sleeping).result).code).toBe("clock.aborted");
    await bench.close();
  });

  test("bytes come from the source, as many as asked for", async () => {
    const bench = createBench("/", {
      random: (into) => {
        into.fill(7);
      },
    });
    expect(await bench.value("entropy.bytes", { count: 3 }, nothing)).toEqual({ base64: "BwcH" });
    await bench.close();
    const system = createBench("/");
    const { base64 } = await system.value("entropy.bytes", { count: 1024 }, nothing);
    expect(new Set(Buffer.from(base64, "base64")).size).toBeGreaterThan(200);
    await system.close();
  });

  test.each([
    ["clock.sleep", { ms: 3_600_001 }, "clock.bad-sleep"],
    ["clock.sleep", { ms: -1 }, "clock.bad-sleep"],
    ["clock.sleep", { ms: Number.NaN }, "clock.bad-sleep"],
    ["entropy.bytes", { count: 0 }, "entropy.bad-count"],
    ["entropy.bytes", { count: 1025 }, "entropy.bad-count"],
    ["entropy.bytes", { count: 1.5 }, "entropy.bad-count"],
  ] as const)("%s of %o is refused", async (op, input, code) => {
    const bench = createBench("/");
    expect((await bench.error(op, input, nothing)).code).toBe(code);
    await bench.close();
  });
});

describe("text.diff", () => {
  test("compares as an edit does, without a grant", async () => {
    const bench = createBench("/");
    expect(await bench.value("text.diff", { before: "a\nb\n", after: "a\nc\nd\n", path: "x\ny" }, nothing)).toEqual({
      diff: "--- a/x\\ny\n+++ b/x\\ny\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n",
      addedLines: 2,
      removedLines: 1,
    });
    expect(await bench.value("text.diff", { before: "a", after: "a" }, nothing)).toEqual({ diff: "", addedLines: 0, removedLines: 0 });
    expect((await bench.error("text.diff", { before: "x".repeat(2 ** 22), after: "y" }, nothing)).code).toBe("text.too-large");
    await bench.close();
  });
});
