import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import messages from "../../plugins/provider-anthropic/index.js";
import gemini from "../../plugins/provider-google/index.js";
import responses from "../../plugins/provider-openai/index.js";
import chat from "../../plugins/provider-openai-compatible/index.js";
import { type CompiledManifest, compileManifest } from "../../src/plugin/manifest/index.js";
import type { Plugin, ToolDefinition } from "../../src/plugin/sdk.js";

const ROOT = new URL("../../plugins/", import.meta.url);
const FOLDERS = (await readdir(ROOT, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name);

async function compile(folder: string): Promise<CompiledManifest> {
  const read = (name: string): Promise<string> => readFile(new URL(`${folder}/${name}`, ROOT), "utf8");
  const compiled = await compileManifest(await read("manifest.kdl"), read, { bundled: true });
  if (!compiled.ok) throw new Error(`${folder}: ${JSON.stringify(compiled.error)}`);
  return compiled.value;
}

const names = (contributions: { readonly [name: string]: unknown } | undefined): readonly string[] =>
  Object.keys(contributions ?? {}).sort();

describe.each(FOLDERS)("%s", (folder) => {
  test("has a manifest that compiles, and code for exactly what it declares", async () => {
    const manifest = await compile(folder);
    // One of data alone has no module.
    const { default: plugin } =
      manifest.source === ""
        ? { default: {} as Plugin }
        : ((await import(fileURLToPath(new URL(`${folder}/${manifest.source}`, ROOT)))) as { default: Plugin });
    expect(names(plugin.tools)).toEqual(manifest.tools.map((tool) => tool.name).sort());
    expect(names(plugin.providers)).toEqual(manifest.providers.map((provider) => provider.id).sort());
  });

  test("is granted what it shows to people", async () => {
    const { grants } = await compile(folder);
    const sources = (await readdir(new URL(`${folder}/`, ROOT), { recursive: true })).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(sources.map(async (name) => readFile(new URL(`${folder}/${name}`, ROOT), "utf8")));
    const shown = texts.flatMap((text) => [...text.matchAll(/\bui\.([a-z]+)\(/gu)].map(([, name]) => name));
    expect(grants.ui).toEqual(expect.arrayContaining(shown));
  });

  test("tells people and models what it is", async () => {
    for (const name of ["README.md", "description.md"]) {
      expect((await readFile(new URL(`${folder}/${name}`, ROOT), "utf8")).trim(), name).not.toBe("");
    }
  });
});

describe("together", () => {
  let manifests: readonly CompiledManifest[] = [];
  beforeAll(async () => {
    manifests = await Promise.all(FOLDERS.map(compile));
  });

  test("a tool that needs a program of its own says where that comes from", () => {
    const needing = manifests.flatMap((manifest) => manifest.tools).filter(({ program }) => program !== undefined);
    expect(needing.map(({ name, program }) => [name, program])).toEqual([["nu", "nu"]]);
    for (const { programFrom } of needing) expect(programFrom).toMatch(/npm install -g nushell on Node 22 and newer; .* leaves it out/u);
  });

  test("the seven file and process tools are there, and only those that change something are not read-only", () => {
    const tools = manifests.flatMap((manifest) => manifest.tools);
    expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.readOnly]))).toMatchObject({
      read: true,
      list: true,
      find: true,
      grep: true,
      write: false,
      edit: false,
      shell: false,
    });
    expect(tools.find((tool) => tool.name === "shell")?.timeoutMs).toBe(610_000);
  });

  test("a read-only plugin is granted no way to change anything", () => {
    for (const { tools, grants } of manifests.filter((manifest) => manifest.tools.every((tool) => tool.readOnly))) {
      expect({ tools: tools.length, write: grants.fsWrite, process: grants.process }).toEqual({
        tools: tools.length,
        write: [],
        process: [],
      });
    }
  });

  test.each([
    ["openai-compatible", chat],
    ["anthropic", messages],
    ["openai", responses],
    ["google", gemini],
  ])("the first request of %s with the tools it has stays below 8 KB", (id, plugin: Plugin) => {
    // What waits to be found, or is there for some models, files or programs alone, is in no request before.
    const isFirst = ({ offer, resources, program }: ToolDefinition): boolean =>
      (offer === undefined || offer === "finder") && resources === undefined && program === undefined;
    const tools = manifests.flatMap((manifest) => manifest.tools).filter(isFirst);
    const prompts = manifests.flatMap((manifest) => manifest.prompts).toSorted((left, right) => left.order - right.order);
    const planned = plugin.providers?.[id]?.plan({
      provider: id,
      model: "a-model-with-a-long-name",
      endpoint: { baseUrl: "http://127.0.0.1:1/v1" },
      // Everything that makes a request longer: strict schemas, cache points, thinking.
      facts: { tools: true, strictTools: true, cache: "points", thinking: ["low", "high"], outputTokens: 64_000 },
      thinking: "high",
      stream: true,
      cacheKey: "01a22cd6-0000-7000-8000-000000000001",
      system: prompts.map((prompt) => prompt.text).join("\n\n"),
      messages: [{ role: "user", text: "hello" }],
      tools,
      context: { cwd: "/work" },
    });
    const bytes = planned?.type === "http" ? Buffer.byteLength(planned.body ?? "") : 0;
    expect(bytes).toBeGreaterThan(4000);
    expect(bytes).toBeLessThan(8 * 1024);
  });

  test("of the connections, a chosen server comes before the vendor's key, and the offline model last", () => {
    const ranked = manifests
      .flatMap((manifest) => manifest.providers.flatMap((provider) => provider.connections))
      .toSorted((left, right) => left.rank - right.rank);
    const order = ranked.map((connection) => connection.name);
    expect(order.indexOf("openai-url")).toBeLessThan(order.indexOf("openai"));
    expect(order.indexOf("openai")).toBeLessThan(order.indexOf("llama"));
    expect(order.at(-1)).toBe("offline");
  });
});
