import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  compiledPathOf,
  compileModule,
  decodeCompiled,
  type GuestModules,
  oneModule,
  ownModuleName,
  POST,
  SDK_MODULE,
} from "../../../src/plugin/engine/index.js";
import { startGuest, type TestGuest, wasmPath } from "../sandbox.js";

const wasm = readFileSync(wasmPath);
const NAME = ownModuleName("acme.tool");

/** The module as bytecode; what is there as its source is only run when the bytecode is not. */
async function compiled(code: string, source = "export default 'the source'"): Promise<GuestModules> {
  const bytecode = decodeCompiled(await compileModule(wasm, { name: NAME, source: code }), wasm.byteLength);
  if (bytecode === undefined) throw new Error("no bytecode");
  return { ...oneModule(NAME, source), compiled: bytecode };
}

const said = (guest: TestGuest) => guest.posts.map(({ kind, json }) => ({ kind, json }));

describe("a module compiled ahead", () => {
  test("is for one engine; anything else is none", async () => {
    const bytes = await compileModule(wasm, { name: NAME, source: "export default {}" });
    expect(decodeCompiled(bytes, wasm.byteLength)?.byteLength).toBe(bytes.byteLength - 8);
    expect(decodeCompiled(bytes, wasm.byteLength + 1)).toBeUndefined();
    expect(decodeCompiled(bytes.subarray(0, 8), wasm.byteLength)).toBeUndefined();
    expect(decodeCompiled(new Uint8Array(100), wasm.byteLength)).toBeUndefined();
  });

  test("says what its source would: values, random numbers and the time at its top level, stack frames", async () => {
    const code = `${SDK_MODULE}
const top = [Math.random(), Date.now(), typeof console, /^(?<year>\\d+)/u.exec("1999 on").groups.year];
const bad = () => {
  throw new TypeError("bad");
};
export default definePlugin({ tools: { run: async () => result("t", { top, inner: [Math.random()] }), fall: () => bad() } });`;
    const [ahead, plain] = [await startGuest(await compiled(code)), await startGuest(oneModule(NAME, code))];
    const ends = [ahead, plain].map((guest) => [guest.call("run"), guest.call("fall")]);
    expect(ends[0]).toEqual(ends[1]);
    expect(ends[0]?.[0]?.value).toMatchObject({ text: "t", top: [expect.any(Number), 1_700_000_000_000, expect.any(String), "1999"] });
    expect(ends[0]?.[1]?.value["stack"]).toMatch(/at bad \(acme\.tool\/index\.js:\d+:13\)/u);
  });

  test("is evaluated once, and its source never", async () => {
    const guest = await startGuest(
      await compiled("globalThis.count = (globalThis.count ?? 0) + 1; export default { tools: { run: () => ({ count }) } };", "throw 1"),
    );
    expect(guest.call("run")?.value).toEqual({ count: 1 });
    expect(said(guest)[0]).toEqual({ kind: POST.loaded, json: "{}" });
  });

  test("that fails at its top level is told once, as its source would be", async () => {
    const code = "export default {}; throw new RangeError('at the top');";
    const [ahead, plain] = [await startGuest(await compiled(code, code)), await startGuest(oneModule(NAME, code))];
    expect(said(ahead)).toEqual(said(plain));
    expect(said(ahead)).toHaveLength(1);
    expect(said(ahead)[0]?.kind).toBe(POST.threw);
    expect(said(ahead)[0]?.json).toContain("at the top");
  });

  test("that cannot be read leaves its source to be compiled", async () => {
    const source = "export default { tools: { run: () => ({ of: 'the source' }) } };";
    for (const bytes of [new Uint8Array(64), (await compiled(source)).compiled?.subarray(0, 40) ?? new Uint8Array()]) {
      const guest = await startGuest({ ...oneModule(NAME, source), compiled: bytes });
      expect(guest.call("run")?.value).toEqual({ of: "the source" });
    }
  });

  test("has the time of a slice like any other", async () => {
    const guest = await startGuest(await compiled("for (;;); export default {};"), { sliceMs: 60 });
    expect(guest.engine.fault?.type).toBe("interrupted");
  });

  test("lies beside its source", () => {
    expect(compiledPathOf("/dist/plugins/acme.js.tool.js")).toBe("/dist/plugins/acme.js.tool.qjs");
  });

  test("that does not parse fails the build", async () => {
    await expect(compileModule(wasm, { name: NAME, source: "export default {" })).rejects.toThrow(/SyntaxError/u);
  });
});
