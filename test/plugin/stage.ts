import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { CallId, Clock, EffectId, InvocationId, JsonObject, Result, WorkId } from "../../src/base/index.js";
import { ok } from "../../src/base/index.js";
import type { EffectContext, EffectGateway, EffectReply } from "../../src/effect/index.js";
import {
  type ActivePlugin,
  type CompiledPlugin,
  createPluginHost,
  type GenerationInput,
  type GenerationLease,
  type PluginHost,
  type PluginHostOptions,
  type SandboxFiles,
} from "../../src/plugin/index.js";
import type { Action, Diagnostic, LifecycleEvent, NamedValues, SdkOperation, ToolDefinition } from "../../src/schema/index.js";
import type { ToolInvocation, ToolSettlement } from "../../src/tool/index.js";
import { imageBytes, wasmPath } from "./sandbox.js";

/** A folder with the built worker and guest modules; removed by `close`. */
export interface Stage {
  readonly dir: string;
  readonly files: SandboxFiles;
  host(options: HostOptions): Promise<TestHost>;
  /** Plugins as {@link PluginHost.publish} takes them. */
  input(options: PluginSources): Promise<GenerationInput>;
  close(): Promise<void>;
}

export interface PluginSources {
  /** Guest module source by id of a bundled plugin. */
  readonly modules?: { readonly [plugin: string]: string };
  /** Sources by name, by id of a user's plugin; the entry is `main.js`. */
  readonly trees?: { readonly [plugin: string]: ModuleSources };
  /** Tool names by plugin id; `run` each when left out. */
  readonly tools?: { readonly [plugin: string]: readonly string[] };
  readonly providers?: { readonly [plugin: string]: readonly string[] };
  /** More of a plugin's manifest. */
  readonly manifests?: { readonly [plugin: string]: Partial<CompiledPlugin> };
}

/** Relative imports among them are resolved by name. */
export type ModuleSources = { readonly [name: string]: string };

export interface HostOptions extends PluginSources {
  readonly gateway?: GatewayAnswer;
  /** Another file than the built worker. */
  readonly workerFile?: string;
  /** Another file than the start image. */
  readonly imageFile?: string;
  readonly more?: Partial<PluginHostOptions>;
}

export type GatewayAnswer = (
  operation: SdkOperation,
  input: unknown,
  context: EffectContext,
) => Promise<EffectReply<never>> | EffectReply<never>;

export interface EffectCall {
  readonly operation: SdkOperation;
  readonly input: unknown;
  readonly context: EffectContext;
}

export interface CallOptions {
  readonly lease?: GenerationLease;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly record?: () => Promise<void>;
  readonly state?: NamedValues;
}

export interface TestHost {
  readonly host: PluginHost;
  readonly lease: GenerationLease;
  readonly diagnostics: Diagnostic[];
  readonly effects: EffectCall[];
  readonly logs: { readonly plugin: string; readonly level: string; readonly text: string; readonly dropped: number }[];
  run(
    plugin: string,
    args?: JsonObject,
    more?: Partial<ToolInvocation> & { readonly timeoutMs?: number; readonly lease?: GenerationLease },
  ): Promise<ToolSettlement>;
  /** Runs the command `run`. */
  command(plugin: string, args?: string, more?: CallOptions): Promise<Result<readonly Action[], Diagnostic>>;
  /** Runs the handler of `idle`, or of the given event. */
  handler(plugin: string, event?: LifecycleEvent, more?: CallOptions): Promise<Result<readonly Action[], Diagnostic>>;
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
};

export const effectIdOf = (number: number): EffectId => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}` as EffectId;

/** Answers as a test wants them; the operations' own output types are not what is tested here. */
export const applied = (value: unknown): EffectReply<never> => ({ outcome: "applied", result: ok(value as never) });
export const read = (value: unknown): EffectReply<never> => ({ outcome: "not-applied", result: ok(value as never) });

export async function openStage(): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), "smith-plugin-"));
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/plugin/cell/worker.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    minify: true,
    outfile: join(dir, "plugin-worker.mjs"),
    logLevel: "error",
  });
  await writeFile(join(dir, "quickjs.image"), imageBytes);
  const hosts: PluginHost[] = [];
  let files = 0;
  const write = async (text: string): Promise<string> => {
    files += 1;
    const path = join(dir, `module-${files}.js`);
    await writeFile(path, text);
    return path;
  };
  const input = async (options: PluginSources): Promise<GenerationInput> => {
    const plugins: ActivePlugin[] = [];
    for (const [id, source] of Object.entries(options.modules ?? {})) {
      const path = await write(source);
      plugins.push({ compiled: compiled(id, options), origin: "bundled", modules: { type: "file", path } });
    }
    for (const [id, modules] of Object.entries(options.trees ?? {})) {
      const table = moduleTable(modules);
      const path = await write(JSON.stringify(table));
      const hash = createHash("sha256").update(JSON.stringify(table)).digest("hex");
      plugins.push({
        compiled: { ...compiled(id, options), hash },
        origin: "user",
        modules: { type: "tree", path, entry: "main.js" },
        dir,
      });
    }
    return { plugins, resources: [] };
  };
  return {
    dir,
    files: { workerUrl: pathToFileURL(join(dir, "plugin-worker.mjs")), wasmPath, imagePath: join(dir, "quickjs.image") },
    input,
    async host(options) {
      const made = createTestHost(dir, await input(options), options);
      hosts.push(made.host);
      return made;
    },
    async close() {
      await Promise.all(hosts.map((host) => host.close()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** As a package is prepared: every relative import is known before anything runs. */
export function moduleTable(modules: ModuleSources): object {
  const imports = Object.entries(modules).map(([name, source]) => {
    const specifiers = [...source.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/gu)].map(([, specifier = ""]) => specifier);
    return [name, Object.fromEntries(specifiers.map((specifier) => [specifier, join(dirname(name), specifier)]))];
  });
  return { entry: "main.js", modules, imports: Object.fromEntries(imports) as object };
}

function createTestHost(dir: string, input: GenerationInput, options: HostOptions): TestHost {
  const diagnostics: Diagnostic[] = [];
  const effects: EffectCall[] = [];
  const logs: TestHost["logs"] = [];
  const gateway = options.gateway ?? (() => read({}));
  const host = createPluginHost({
    input,
    effects: {
      async call(operation, given, context) {
        effects.push({ operation, input: given, context });
        context.onIntent?.(effectIdOf(effects.length));
        return gateway(operation, given, context);
      },
    } satisfies EffectGateway,
    clock: realClock,
    config: () => ({}),
    dataDir: (plugin) => join(dir, "data", plugin),
    onDiagnostic: (found) => diagnostics.push(found),
    onLog: (line) => logs.push(line),
    workerUrl: pathToFileURL(join(dir, options.workerFile ?? "plugin-worker.mjs")),
    wasmPath,
    imagePath: join(dir, options.imageFile ?? "quickjs.image"),
    ...options.more,
  });
  const lease = host.lease();
  const invocation = (plugin: string, { signal = new AbortController().signal, record = () => Promise.resolve() }: CallOptions) => ({
    invocation: "invocation" as InvocationId,
    plugin,
    cwd: "/project",
    signal,
    record,
  });
  return {
    host,
    lease,
    diagnostics,
    effects,
    logs,
    run(plugin, args = {}, { timeoutMs = 5_000, lease: given = lease, ...more } = {}) {
      const tool = given.generation.tools.find((definition) => definition.plugin === plugin) ?? toolOf(plugin, "run");
      return given.tools.run({
        call: "call" as CallId,
        work: "work" as WorkId,
        tool: { ...tool, timeoutMs },
        args,
        cwd: "/project",
        signal: new AbortController().signal,
        onProgress: () => undefined,
        ...more,
      });
    },
    command(plugin, args = "", more = {}) {
      const { timeoutMs = 5_000, lease: given = lease } = more;
      const command = { name: "run", plugin, aliases: [], description: "", timeoutMs };
      return given.command({ ...invocation(plugin, more), command, args });
    },
    handler(plugin, event = { type: "idle" }, more = {}) {
      const { timeoutMs = 5_000, lease: given = lease, state = {} } = more;
      const handler = { event: event.type, plugin, order: 0, timeoutMs, required: false, state: [] };
      return given.handler({ ...invocation(plugin, more), handler, event, state });
    },
  };
}

export const toolOf = (plugin: string, name: string): ToolDefinition => ({
  name,
  plugin,
  description: "A tool of a test.",
  parameters: { type: "object" },
  readOnly: false,
  timeoutMs: 5_000,
  summaryKeys: [],
});

function compiled(id: string, { tools, providers, manifests }: PluginSources): CompiledPlugin {
  return {
    id,
    version: "1.0.0",
    sdk: 1,
    description: id,
    hash: "0".repeat(64),
    entry: "main.js",
    grants: {
      fsRead: ["workspace"],
      fsWrite: ["workspace"],
      search: [],
      process: [],
      processEnv: [],
      net: providers?.[id] === undefined ? [] : [{ origin: "*", methods: ["GET", "POST"], private: true }],
      evaluate: false,
      vcs: false,
      state: [],
      ui: [],
      secrets: [],
      mcp: [],
      agent: false,
    },
    tools: (tools?.[id] ?? ["run"]).map((name) => toolOf(id, name)),
    commands: [],
    providers: (providers?.[id] ?? []).map((provider) => ({ id: provider, plugin: id, title: provider, connections: [] })),
    prompts: [],
    resources: [],
    themes: [],
    keys: [],
    options: [],
    handlers: [],
    states: [],
    toolSets: [],
    ...manifests?.[id],
  };
}
