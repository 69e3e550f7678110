import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallId, JsonObject, WorkId } from "../../../src/base/index.js";
import { compileManifest, type CompiledManifest } from "../../../src/plugin/manifest/index.js";
import type { OfferedSet, ToolSetContribution } from "../../../src/plugin/types.js";
import type { McpCallOutput, McpServerView } from "../../../src/schema/index.js";
import { openStage, read, type Stage, type TestHost } from "../../plugin/stage.js";
import { heavyTool, promptOf, serverOf, toolOf } from "./servers.js";

const ROOT = fileURLToPath(new URL("../../../plugins/", import.meta.url));

async function manifestOf(folder: string): Promise<CompiledManifest> {
  const readBeside = (name: string): Promise<string> => readFile(join(ROOT, folder, name), "utf8");
  const compiled = await compileManifest(await readBeside("manifest.kdl"), readBeside, { bundled: true });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value;
}

/** The module as it is built for the sandbox. */
async function bundle(folder: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, folder, "index.ts")],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    write: false,
    outfile: "guest.js",
    logLevel: "error",
    plugins: [
      {
        name: "sandbox-sdk",
        setup: ({ onResolve }) => onResolve({ filter: /^smith-agent\/plugin$/ }, () => ({ path: "smith:sdk", external: true })),
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

const SERVER = serverOf({ tools: [toolOf("a.b"), toolOf("x")], prompts: [promptOf("hello")], resources: true, instructions: "Use x." });
const SEARCHABLE = [{ name: "mcp__demo__x", description: "Does x", args: ["path"], offered: false }];

let stage: Stage;
let made: TestHost;
let set: ToolSetContribution;
/** What a server answers; its input, where it is left out. */
let answer: McpCallOutput | undefined;

beforeAll(async () => {
  stage = await openStage();
  const all = await Promise.all(
    ["tool-mcp", "tool-search"].map(async (folder) => ({ manifest: await manifestOf(folder), source: await bundle(folder) })),
  );
  const [declared] = all.flatMap(({ manifest }) => manifest.toolSets);
  if (declared === undefined) throw new Error("tool-mcp declares a tool set");
  set = declared;
  made = await stage.host({
    modules: Object.fromEntries(all.map(({ manifest, source }) => [manifest.id, source])),
    manifests: Object.fromEntries(all.map(({ manifest: { source: _source, files: _files, ...manifest } }) => [manifest.id, manifest])),
    gateway: (operation, input) => {
      if (operation === "mcp.call" && answer !== undefined) return read(answer);
      if (operation === "mcp.call") return read({ content: [{ type: "text", text: JSON.stringify(input) }], isError: false, omitted: 0 });
      if (operation === "mcp.servers") return read({ servers: [SERVER] });
      if (operation === "mcp.prompt") return read({ messages: [{ role: "user", content: { type: "text", text: "Hello." } }] });
      if (operation === "tools.searchable") return read({ tools: SEARCHABLE });
      throw new Error(operation);
    },
  });
}, 60_000);

afterAll(async () => {
  await stage.close();
});

async function offerOf(servers: readonly McpServerView[]): Promise<{ readonly offered: OfferedSet; readonly notes: readonly string[] }> {
  const offered = await made.host.offer(set, JSON.parse(JSON.stringify({ servers })) as never);
  if (!offered.ok) throw new Error(JSON.stringify(offered.error));
  return offered.value;
}

/** Publishes what is offered, and calls the tool `a.b` of it. */
async function called(offered: OfferedSet, args: JsonObject) {
  const { plugins, resources } = made.host.generation;
  expect(made.host.publish({ plugins, resources, sets: [offered] })).toMatchObject({ ok: true });
  const lease = made.host.lease();
  const tool = lease.generation.tools.find(({ set: from }) => JSON.stringify(from?.target) === '{"server":"demo","tool":"a.b"}');
  if (tool === undefined) throw new Error("the tool is offered");
  const ran = await lease.tools.run({
    tool,
    args,
    call: "call" as CallId,
    work: "work" as WorkId,
    cwd: "/project",
    signal: new AbortController().signal,
    record: async () => undefined,
  } as never);
  lease.release();
  return ran;
}

describe("in the sandbox", () => {
  test("the host takes every tool, command and note as it is offered", async () => {
    const { offered, notes } = await offerOf([SERVER]);
    expect(notes).toEqual([]);
    expect(offered.tools.map(({ name, readOnly, timeoutMs, set: from }) => ({ name, readOnly, timeoutMs, from }))).toEqual([
      {
        name: expect.stringMatching(/^mcp__demo__a_b_x/u) as string,
        readOnly: false,
        timeoutMs: 600_000,
        from: { name: "mcp", target: { server: "demo", tool: "a.b" } },
      },
      {
        name: "mcp__demo__read_resource",
        readOnly: false,
        timeoutMs: 600_000,
        from: { name: "mcp", target: { server: "demo", reads: "resources" } },
      },
      { name: "mcp__demo__x", readOnly: false, timeoutMs: 600_000, from: { name: "mcp", target: { server: "demo", tool: "x" } } },
    ]);
    expect(offered.commands).toMatchObject([{ name: "mcp__demo__hello" }]);
    expect(offered.prompt).toContain("demo:\n> Use x.");
  });

  test("a call of an offered tool reaches its server", async () => {
    answer = undefined;
    const { offered } = await offerOf([SERVER]);
    const ran = await called(offered, { path: "p" });
    expect(ran.output).toMatchObject({ isError: false, text: '{"server":"demo","tool":"a.b","args":{"path":"p"}}' });
  });

  test("as many tools as can be, with schemas as large as they come, are offered within the time of one slice", async () => {
    const servers = Array.from({ length: 8 }, (_, index) =>
      serverOf({ name: `s${index}`, tools: Array.from({ length: 64 }, (__, at) => toolOf(`t${at}`, { inputSchema: wide(at) })) }),
    );
    const { offered, notes } = await offerOf(servers);
    expect(offered.tools.length).toBeGreaterThan(100);
    expect(notes.join()).toContain("all servers together have too many");
    const large = await offerOf([serverOf({ tools: Array.from({ length: 60 }, (_, index) => heavyTool(`t${index}`, 60_000)) })]);
    expect(large.offered.tools.length).toBeGreaterThan(5);
  });

  test("a hostile server costs its own tools alone", async () => {
    let deep: object = {};
    for (let level = 0; level < 1_500; level += 1) deep = { properties: { x: deep } };
    const many = Array.from({ length: 200 }, () => ({ $ref: "#/$defs/x" }));
    const alternatives = { $defs: { x: { anyOf: many } }, anyOf: many };
    const bad = serverOf({
      name: "bad",
      tools: [toolOf("deep", { inputSchema: deep as never }), toolOf("many", { inputSchema: alternatives as never })],
    });
    const { offered, notes } = await offerOf([SERVER, bad]);
    expect(offered.tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__bad"))).toEqual([]);
    expect(offered.tools).toHaveLength(3);
    expect(notes).toHaveLength(2);
  });

  test.each([
    ["nests", [1, 8, 15, 16, 24, 31, 32, 33, 47, 48, 49, 64].map(nested)],
    ["nests in choices", [1, 7, 8, 10, 12, 15, 16, 20, 24].map((depth) => ({ anyOf: [nested(depth), { anyOf: [nested(depth)] }] }))],
    ["has a property __proto__", [JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')]],
    ["has a key __proto__ somewhere", [JSON.parse('{"type":"object","properties":{"x":{"default":{"__proto__":1}}}}')]],
  ])("a schema that %s is taken by the host or left out with the reason, and takes no other along", async (_case, schemas) => {
    const tools = [toolOf("ok"), ...schemas.map((inputSchema, index) => toolOf(`t${index}`, { inputSchema: inputSchema as never }))];
    const { offered, notes } = await offerOf([serverOf({ name: "odd", tools })]);
    expect(offered.tools.map(({ name }) => name)).toContain("mcp__odd__ok");
    expect(offered.tools.length + notes.length).toBe(tools.length);
  });

  test.each([
    ["nests deep", `{"v":${"[".repeat(60)}${"]".repeat(60)}}`],
    ["nests as deep as can be kept", `{"v":${"[".repeat(29)}${"]".repeat(29)}}`],
    ["nests one deeper than that", `{"v":${"[".repeat(30)}${"]".repeat(30)}}`],
    ["has a key __proto__", '{"n":1,"__proto__":{"a":1}}'],
  ])("an answer whose data %s comes to the model whole", async (_case, json) => {
    answer = { content: [], isError: false, omitted: 0, structured: JSON.parse(json) as JsonObject };
    const { offered } = await offerOf([SERVER]);
    const ran = await called(offered, { path: "p" });
    expect(ran.output).toMatchObject({ isError: false, text: json });
  });

  test("schemas made to be put together for ever take no longer than others", async () => {
    const big = (name: string) => ({ properties: { x: { description: name.repeat(200) } } });
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`d${index}`, { allOf: [big("a"), big(`b${index}`)], anyOf: refs(index + 1, 40) }]),
    );
    const inputSchema = { $defs, anyOf: refs(0, 40) } as never;
    const { offered } = await offerOf([
      SERVER,
      serverOf({ name: "bad", tools: [1, 2, 3].map((index) => toolOf(`t${index}`, { inputSchema })) }),
    ]);
    expect(offered.tools.length).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ["many short lines", "é\n".repeat(500_000)],
    ["one long line", "😀".repeat(500_000)],
    ["the same JSON again", JSON.stringify(Array.from({ length: 60_000 }, (_, index) => ({ index })))],
  ])("an answer of a million characters is presented within the time of one slice: %s", async (_case, text) => {
    answer = {
      content: [{ type: "text", text }],
      isError: false,
      omitted: 0,
      structured: { list: Array.from({ length: 60_000 }, (_, index) => ({ index })) },
    };
    const { offered } = await offerOf([SERVER]);
    const ran = await called(offered, { path: "p" });
    expect(ran.output.isError).toBe(false);
    expect(ran.output.text).toContain("characters left out here");
  });

  test("the search finds, and its handler has the tools offered", async () => {
    const found = await made.run("smith.tool-search", { query: "x" });
    expect(found.output.text).toBe("Yours to call from your next turn on: mcp__demo__x.\n- mcp__demo__x(path): Does x");
    const actions = await made.handler("smith.tool-search", {
      type: "tool-settled",
      work: "work" as WorkId,
      call: "call" as CallId,
      tool: "tool_search",
      args: { query: "x" },
      isError: false,
      mutation: "not-applied",
      text: found.output.text,
      touched: [],
    });
    expect(actions).toEqual({ ok: true, value: [{ type: "set-tools", enable: ["mcp__demo__x"] }] });
  });
});

/** A schema of some 3 KB that has to be looked through. */
function wide(seed: number): never {
  const properties = Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [
      `p${seed}_${index}`,
      { type: "string", description: `property ${index}`, items: { $ref: "#/$defs/d" }, enum: ["a", "b"] },
    ]),
  );
  return { type: "object", properties, $defs: { d: { type: "array" } } } as never;
}

function nested(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = { type: "object", properties: { x: schema } };
  return schema;
}

const refs = (from: number, to: number): readonly JsonObject[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => ({ $ref: `#/$defs/d${from + index}` }));
