import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { CallId, Clock, EffectId, JsonObject, WorkId } from "../../src/base/index.js";
import { ok } from "../../src/base/index.js";
import type { EffectContext, EffectGateway, EffectReply } from "../../src/effect/index.js";
import { createPluginHost, type CompiledPlugin, type PluginHost } from "../../src/plugin/index.js";
import type { Diagnostic, SdkOperation, ToolDefinition } from "../../src/schema/index.js";
import type { ToolInvocation, ToolSettlement } from "../../src/tool/index.js";
import { imageBytes, wasmPath } from "./sandbox.js";

/** A folder with the built worker and guest modules; removed by `close`. */
export interface Stage {
  readonly dir: string;
  host(options: HostOptions): Promise<TestHost>;
  close(): Promise<void>;
}

export interface HostOptions {
  /** Guest module source by plugin id. */
  readonly modules: { readonly [plugin: string]: string };
  /** Tool names by plugin id; `run` each when left out. */
  readonly tools?: { readonly [plugin: string]: readonly string[] };
  readonly providers?: { readonly [plugin: string]: readonly string[] };
  readonly disabled?: readonly string[];
  readonly gateway?: GatewayAnswer;
  /** Another file than the built worker. */
  readonly workerFile?: string;
  /** Another file than the start image. */
  readonly imageFile?: string;
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

export interface TestHost {
  readonly host: PluginHost;
  readonly diagnostics: Diagnostic[];
  readonly effects: EffectCall[];
  readonly logs: { readonly plugin: string; readonly level: string; readonly text: string; readonly dropped: number }[];
  run(plugin: string, args?: JsonObject, more?: Partial<ToolInvocation> & { readonly timeoutMs?: number }): Promise<ToolSettlement>;
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
  let modules = 0;
  return {
    dir,
    async host(options) {
      const plugins: CompiledPlugin[] = [];
      for (const [id, source] of Object.entries(options.modules)) {
        modules += 1;
        const entry = `module-${modules}.js`;
        await writeFile(join(dir, entry), source);
        plugins.push(compiled(id, entry, options.tools?.[id] ?? ["run"], options.providers?.[id] ?? []));
      }
      const made = createTestHost(dir, plugins, options);
      hosts.push(made.host);
      return made;
    },
    async close() {
      await Promise.all(hosts.map((host) => host.close()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function createTestHost(dir: string, plugins: readonly CompiledPlugin[], options: HostOptions): TestHost {
  const diagnostics: Diagnostic[] = [];
  const effects: EffectCall[] = [];
  const logs: TestHost["logs"] = [];
  const gateway = options.gateway ?? (() => read({}));
  const host = createPluginHost({
    dir,
    index: { sdk: 1, plugins },
    disabled: new Set(options.disabled ?? []),
    effects: {
      async call(operation, input, context) {
        effects.push({ operation, input, context });
        context.onIntent?.(effectIdOf(effects.length));
        return gateway(operation, input, context);
      },
    } satisfies EffectGateway,
    clock: realClock,
    onDiagnostic: (found) => diagnostics.push(found),
    onLog: (line) => logs.push(line),
    workerUrl: pathToFileURL(join(dir, options.workerFile ?? "plugin-worker.mjs")),
    wasmPath,
    imagePath: join(dir, options.imageFile ?? "quickjs.image"),
  });
  return {
    host,
    diagnostics,
    effects,
    logs,
    run(plugin, args = {}, { timeoutMs = 5_000, ...more } = {}) {
      const tool = host.generation.tools.find((definition) => definition.plugin === plugin) ?? toolOf(plugin, "run");
      return host.tools.run({
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

const compiled = (id: string, entry: string, tools: readonly string[], providers: readonly string[]): CompiledPlugin => ({
  id,
  version: "1.0.0",
  description: id,
  hash: "0".repeat(64),
  entry,
  grants: { fsRead: ["workspace"], fsWrite: ["workspace"], search: [], process: [], net: [] },
  tools: tools.map((name) => toolOf(id, name)),
  providers: providers.map((provider) => ({ id: provider, plugin: id, title: provider, connections: [] })),
  prompts: [],
});
