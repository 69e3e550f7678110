import { describe, expect, test } from "vitest";
import { decodeImage } from "../../../src/plugin/engine/index.js";
import { imageBytes, startGuest, toolSource, wasmPath } from "../sandbox.js";
import { readFileSync } from "node:fs";

const wasmBytes = readFileSync(wasmPath).byteLength;

describe("a start image", () => {
  test("is for one binary and one prelude; anything else is no image", () => {
    expect(decodeImage(imageBytes, wasmBytes)).toBeDefined();
    expect(decodeImage(imageBytes, wasmBytes + 1)).toBeUndefined();
    expect(decodeImage(imageBytes.subarray(0, imageBytes.length - 1), wasmBytes)).toBeUndefined();
    expect(decodeImage(new Uint8Array(), wasmBytes)).toBeUndefined();
    const changed = imageBytes.slice();
    changed[0] = 0;
    expect(decodeImage(changed, wasmBytes)).toBeUndefined();
  });

  test.each([true, false])("makes no difference to a guest (started without: %s)", async (isAnew) => {
    const guest = await startGuest(
      toolSource(`const names = Object.getOwnPropertyNames(globalThis).sort().join();
        return { names, random: [Math.random(), Math.random()], now: Date.now(), nan: 0 / 0, sorted: [3, 1, 2].sort(), text: new TextDecoder().decode(new TextEncoder().encode("ä")) };`),
      { isAnew, seed: 5 },
    );
    const other = await startGuest(toolSource(`return { random: [Math.random(), Math.random()] };`), { isAnew: true, seed: 5 });
    const value = guest.call("run")?.value;
    expect(value).toMatchObject({ now: 1_700_000_000_000, nan: null, sorted: [1, 2, 3], text: "ä" });
    expect(value?.["random"]).toEqual(other.call("run")?.value["random"]);
    expect(value?.["names"]).not.toMatch(/SharedArrayBuffer/u);
  });

  test("is not changed by the guests that start from it", async () => {
    const before = imageBytes.slice();
    const first = await startGuest(toolSource(`globalThis.mark = 1; Object.prototype.mark = 1; return {};`));
    first.call("run");
    const second = await startGuest(toolSource(`return { mark: typeof mark + typeof ({}).mark };`));
    expect(second.call("run")?.value).toEqual({ mark: "undefinedundefined" });
    expect(Buffer.compare(before, imageBytes)).toBe(0);
  });

  test("keeps every bound: time, memory, stack", async () => {
    for (const isAnew of [true, false]) {
      const loop = await startGuest(toolSource(`for (;;);`), { isAnew, sliceMs: 60 });
      loop.call("run");
      const hog = await startGuest(toolSource(`const a = []; for (;;) a.push(new ArrayBuffer(1 << 20));`), { isAnew, sliceMs: 5_000 });
      hog.call("run");
      const deep = await startGuest(toolSource(`const f = () => f() + 1; try { f(); } catch (error) { return { name: error.name }; }`), {
        isAnew,
      });
      expect([loop.engine.fault?.type, hog.engine.fault?.type, deep.call("run")?.value]).toEqual([
        "interrupted",
        "memory",
        { name: "RangeError" },
      ]);
    }
  });
});
