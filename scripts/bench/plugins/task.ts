import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CallId, type Clock, type InvocationId, type JsonObject, ok, type WorkId } from "../../../src/base/index.js";
import type { EffectGateway } from "../../../src/effect/index.js";
import {
  type ActivePlugin,
  type CompiledPlugin,
  createPluginHost,
  type GenerationLease,
  type PluginHost,
} from "../../../src/plugin/index.js";
import type { ProviderAdapter } from "../../../src/provider/index.js";
import type { ToolSettlement } from "../../../src/tool/index.js";
import { bundledPlugins, measureVendors } from "./vendors.js";

/** One measurement, in a process of its own. `dist` is the built program, `dir` a folder to write in. */
export interface Task {
  readonly type: "first" | "calls" | "stream" | "vendors" | "memory";
  readonly dist: string;
  readonly dir: string;
}

const FURTHER = 8;
const WARM = 50;
const CALLS = 400;
const OPERATIONS = 200;
const BYTES = 1024 * 1024;
const DELTAS = 20_000;
const BATCH = 50;

const TOOL = `import { definePlugin, result } from "smith-agent/plugin";
export default definePlugin({
  tools: { run: async (args, ctx) => {
    for (let i = 0; i < (args.operations ?? 0); i++) await ctx.fs.read({ path: "x" });
    return result(args.echo ? args.text : "x".repeat(args.units ?? 0));
  } },
  handlers: { idle: () => [] },
});`;

const PROVIDER = `export default { providers: { toy: {
  plan: () => ({ type: "local", deltas: [] }),
  open: () => null,
  events: (batch) => ({ deltas: batch.map(({ data }) => ({ type: "text", text: JSON.parse(data).delta.text })), state: null }),
} } };`;

const clock: Clock = {
  now: () => 0,
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** Answers at once: what is measured is the way there and back. */
const effects: EffectGateway = {
  call: (operation) => Promise.resolve({ outcome: "not-applied", result: ok({ operation } as never) }),
};

const grants: CompiledPlugin["grants"] = {
  fsRead: ["workspace"],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  ui: [],
  secrets: [],
  mcp: [],
  agent: false,
};

function compiled(id: string, more: Partial<CompiledPlugin> = {}): CompiledPlugin {
  const none = { commands: [], prompts: [], resources: [], themes: [], keys: [], options: [], handlers: [], states: [], toolSets: [] };
  const about = { id, version: "1.0.0", sdk: 1, description: id, hash: id.padEnd(64, "0"), entry: "main.js", grants };
  const tool = { name: id, plugin: id, description: "", parameters: {}, readOnly: true, timeoutMs: 60_000, summaryKeys: [] };
  return { ...about, ...none, tools: [tool], providers: [], ...more };
}

function bundled(dir: string, id: string, source: string, more: Partial<CompiledPlugin> = {}): ActivePlugin {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `${id}.js`);
  writeFileSync(path, source.replace("smith-agent/plugin", "smith:sdk"));
  return { compiled: compiled(id, more), origin: "bundled", modules: { type: "file", path } };
}

function ofUser(dir: string, id: string, source: string): ActivePlugin {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `${id}.json`);
  writeFileSync(path, JSON.stringify({ entry: "main.js", modules: { "main.js": source }, imports: {} }));
  return { compiled: compiled(id), origin: "user", modules: { type: "tree", path, entry: "main.js" }, dir };
}

function open(dist: string, plugins: readonly ActivePlugin[]): { readonly host: PluginHost; readonly lease: GenerationLease } {
  const host = createPluginHost({
    input: { plugins, resources: [] },
    effects,
    clock,
    config: () => ({}),
    dataDir: (plugin) => `/nowhere/${plugin}`,
    onDiagnostic: (found) => {
      throw new Error(found.what);
    },
    workerUrl: pathToFileURL(join(dist, "plugin-worker.js")),
    wasmPath: join(dist, "quickjs.wasm"),
    imagePath: join(dist, "quickjs.image"),
  });
  return { host, lease: host.lease() };
}

async function call(lease: GenerationLease, plugin: string, args: JsonObject = {}): Promise<ToolSettlement> {
  const tool = lease.generation.tools.find((definition) => definition.plugin === plugin);
  if (tool === undefined) throw new Error(`no tool of ${plugin}`);
  const settled = await lease.tools.run({
    // Ids only have to be texts here.
    call: "call" as CallId,
    work: "work" as WorkId,
    tool: { ...tool, name: "run" },
    args,
    cwd: "/",
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  if (settled.output.isError) throw new Error(settled.output.text);
  return settled;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const middle = (values: readonly number[]): number => [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0;

async function repeat(times: number, work: () => Promise<unknown>): Promise<number> {
  const values: number[] = [];
  for (let time = 0; time < times; time += 1) values.push(await timed(work));
  return middle(values);
}

/** From the start of this process to the first result, and then each further plugin. */
async function first({ dist, dir }: Task): Promise<object> {
  const ids = Array.from({ length: FURTHER }, (_, index) => `b${index}`);
  const plugins = [bundled(dir, "a", TOOL), ...ids.map((id) => bundled(dir, id, TOOL)), ofUser(dir, "u", TOOL), ofUser(dir, "v", TOOL)];
  const begun = performance.now();
  const { host, lease } = open(dist, plugins);
  const firstMs = await timed(() => call(lease, "a"));
  const sinceStartMs = performance.now();
  const further: number[] = [];
  for (const id of ids) further.push(await timed(() => call(lease, id)));
  const ofOwn = [await timed(() => call(lease, "u")), await timed(() => call(lease, "v"))];
  await host.close();
  return { firstMs, sinceStartMs, setUpMs: begun, furtherMs: middle(further), ownCellMs: middle(ofOwn) };
}

async function calls({ dist, dir }: Task): Promise<object> {
  const { host, lease } = open(dist, [bundled(dir, "a", TOOL)]);
  await repeat(WARM, () => call(lease, "a"));
  const callMs = await repeat(CALLS, () => call(lease, "a"));
  const handler = { event: "idle" as const, plugin: "a", order: 0, timeoutMs: 2_000, required: false, state: [] };
  const about = {
    invocation: "i" as InvocationId,
    plugin: "a",
    cwd: "/",
    signal: new AbortController().signal,
    record: () => Promise.resolve(),
  };
  const handlerMs = await repeat(CALLS, () => lease.handler({ ...about, handler, event: { type: "idle" }, state: {} }));
  const operationMs = ((await repeat(20, () => call(lease, "a", { operations: OPERATIONS }))) - callMs) / OPERATIONS;
  const text = "x".repeat(BYTES);
  const outMs = await repeat(20, () => call(lease, "a", { units: BYTES }));
  const thereAndBackMs = await repeat(20, () => call(lease, "a", { echo: true, text }));
  await host.close();
  return { callMs, handlerMs, operationMs, outMs, thereAndBackMs };
}

async function stream({ dist, dir }: Task): Promise<object> {
  const provider = { id: "toy", plugin: "p", title: "toy", connections: [] };
  const { host, lease } = open(dist, [bundled(dir, "p", PROVIDER, { tools: [], providers: [provider] })]);
  const adapter: ProviderAdapter | undefined = lease.provider("toy");
  if (adapter === undefined) throw new Error("no provider");
  const batch = Array.from({ length: BATCH }, (_, index) => ({
    event: "content_block_delta",
    data: JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `word ${index} ` } }),
  }));
  const decoder = adapter.open({ status: 200, headers: {} });
  for (let sent = 0; sent < DELTAS / 4; sent += BATCH) await decoder.push(batch);
  const ms = await timed(async () => {
    for (let sent = 0; sent < DELTAS; sent += BATCH) await decoder.push(batch);
  });
  decoder.release();
  await host.close();
  return { deltasPerS: (DELTAS / ms) * 1_000 };
}

/** The decoders of the bundled providers, on streams in their languages. */
async function vendors({ dist }: Task): Promise<object> {
  const { host, lease } = open(dist, bundledPlugins(dist));
  const figures = await measureVendors((provider) => lease.provider(provider));
  await host.close();
  return figures;
}

/** MB of this process, all threads. */
function residentMb(): number {
  const found = /VmRSS:\s+(\d+)/u.exec(readFileSync("/proc/self/status", "utf8"));
  return found === null ? process.memoryUsage.rss() / 1e6 : Number(found[1]) / 1_024;
}

async function memory({ dist, dir }: Task): Promise<object> {
  const ids = Array.from({ length: FURTHER }, (_, index) => `b${index}`);
  const own = ["u", "v", "w", "x"];
  const plugins = [bundled(dir, "a", TOOL), ...ids.map((id) => bundled(dir, id, TOOL)), ...own.map((id) => ofUser(dir, id, TOOL))];
  const { host, lease } = open(dist, plugins);
  await call(lease, "a");
  const before = residentMb();
  for (const id of ids) await call(lease, id);
  const shared = residentMb();
  for (const id of own) await call(lease, id);
  const after = residentMb();
  await host.close();
  return { instanceMb: (shared - before) / ids.length, ownCellMb: (after - shared) / own.length };
}

const TASKS = { first, calls, stream, vendors, memory };

export const runTask = (task: Task): Promise<object> => TASKS[task.type](task);
