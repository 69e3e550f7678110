import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXAMPLES } from "../examples/packages.js";
import { type Packed, run, unpack } from "./support/packed.js";

/**
 * What an author of a plugin has: the package from a registry, and an example copied out of it. `node_modules` with the package lies above
 * both, as after `npm install`.
 */
let packed: Packed;
beforeAll(async () => {
  packed = await unpack();
});
afterAll(() => {
  packed.remove();
});

/** Complaints about the TypeScript package in `dir` under its own tsconfig, with what `more` changes. */
function complaints(dir: string, more: ts.CompilerOptions = {}): readonly string[] {
  const { config } = ts.readConfigFile(join(dir, "tsconfig.json"), (path) => readFileSync(path, "utf8")) as { readonly config: unknown };
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, dir);
  const program = ts.createProgram(fileNames, { ...options, ...more });
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map(
    ({ file, messageText }) => `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}

/** A plugin of data alone has no module, so nothing to compile. */
const withCode = ({ name }: { readonly name: string }): boolean => existsSync(new URL(`../../docs/examples/${name}/src`, import.meta.url));

describe.each(EXAMPLES.filter(withCode))("the code of the example $name, copied out of the package", ({ name }) => {
  test("is written against the published types: the strictest options find nothing, in them neither", () => {
    const dir = join(packed.home, name);
    cpSync(join(packed.dir, "docs/examples", name), dir, { recursive: true });
    expect(
      complaints(dir, {
        skipLibCheck: false,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        noPropertyAccessFromIndexSignature: true,
        noImplicitOverride: true,
        noImplicitReturns: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
      }),
    ).toEqual([]);
  }, 120_000);
});

describe.each(EXAMPLES)("the example $name, copied out of the package", ({ name }) => {
  test("is a package of its own, marked as a plugin, with all its files", async () => {
    const dir = join(packed.home, name);
    cpSync(join(packed.dir, "docs/examples", name), dir, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as { readonly [key: string]: unknown };
    expect(manifest).toMatchObject({ keywords: ["smith-plugin"], smith: { plugin: "./manifest.kdl" } });
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json"], { cwd: dir });
    const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    const named = files.map(({ path }) => path);
    const text = readFileSync(join(dir, "manifest.kdl"), "utf8");
    const beside = [...text.matchAll(/\sfile="([^"]+)"/gu)].map(([, path]) => path);
    const entry = [...text.matchAll(/\sentry="([^"]+)"/gu)].map(([, path]) => path);
    expect(named).toEqual(expect.arrayContaining(["manifest.kdl", "package.json", "README.md", ...entry, ...beside]));
  });

  test("is checked by the program of the package, packed by npm, and installed from that file", async () => {
    const dir = join(packed.home, name);
    expect((await packed.smith("plugins", "check", dir)).stdout).toContain("sound: ");
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", packed.home], { cwd: dir });
    const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
    await packed.smith("plugins", "install", join(packed.home, filename), "--yes");
    const id = /plugin "([^"]+)"/u.exec(readFileSync(join(dir, "manifest.kdl"), "utf8"))?.[1] ?? "";
    expect((await packed.smith("plugins", "list")).stdout).toMatch(new RegExp(`^${id} .* in use `, "mu"));
  });
});

describe("smith-agent/plugin in Node", () => {
  const evaluate = async (source: string): Promise<string> => {
    const file = join(packed.home, "work/try.mjs");
    writeFileSync(file, source);
    return (await run(process.execPath, [file])).stdout;
  };

  test("has the functions that need no host, so that an author's own tests can call a plugin", async () => {
    const printed = await evaluate(`
import { definePlugin, failure, isHostError, parseJson, result } from "smith-agent/plugin";
const plugin = definePlugin({ tools: { twice: ({ text }) => (text === "" ? failure("nothing") : result(text + text)) } });
console.log(JSON.stringify([plugin.tools.twice({ text: "a" }), plugin.tools.twice({ text: "" }), parseJson("{"), isHostError(new Error())]));`);
    expect(JSON.parse(printed)).toEqual([{ text: "aa", isError: false }, { text: "nothing", isError: true }, null, false]);
  });

  test("declares no test that would never run", async () => {
    const printed = await evaluate(`
import { test } from "smith-agent/plugin";
try { test("adds", () => {}); } catch (error) { console.log(error.message); }`);
    expect(printed).toContain('The test "adds" cannot run here.');
    expect(printed).toContain("smith plugins check");
  });

  test("has the names of the sandbox's module, no more and no fewer", async () => {
    const printed = await evaluate(`console.log(JSON.stringify(Object.keys(await import("smith-agent/plugin")).sort()));`);
    expect(JSON.parse(printed)).toEqual(["definePlugin", "failure", "isHostError", "parseJson", "result", "test"]);
  });
});
