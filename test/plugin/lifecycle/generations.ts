import type { InvocationId, Result } from "../../../src/base/index.js";
import { ok } from "../../../src/base/index.js";
import type {
  CompiledPlugin,
  Generation,
  GenerationLease,
  HandlerCall,
  HandlerContribution,
  LifecycleDeps,
} from "../../../src/plugin/types.js";
import type { Action, Diagnostic, ToolDefinition } from "../../../src/schema/index.js";

const NO_GRANTS: CompiledPlugin["grants"] = {
  fsRead: [],
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

const tool = (name: string): ToolDefinition => ({
  name,
  plugin: "a.tools",
  description: name,
  parameters: { type: "object" },
  readOnly: false,
  timeoutMs: 1_000,
  summaryKeys: [],
});

export const pluginOf = (id: string, over: Partial<CompiledPlugin> = {}): CompiledPlugin => ({
  id,
  version: "1.0.0",
  sdk: 1,
  description: id,
  hash: "0".repeat(64),
  entry: "index.js",
  grants: NO_GRANTS,
  tools: [],
  commands: [],
  providers: [],
  prompts: [],
  resources: [],
  themes: [],
  keys: [],
  options: [],
  handlers: [],
  states: [],
  toolSets: [],
  ...over,
});

/** May do everything an action can ask for. */
export const generous = (id: string): CompiledPlugin =>
  pluginOf(id, {
    grants: { ...NO_GRANTS, ui: ["notify", "status"] },
    states: ["one", "two"].map((key) => ({ key, plugin: id, scope: "session", version: 1, maxBytes: 100, fork: "copy" })),
    options: [{ name: `${id}.level`, plugin: id, type: "integer", min: 0, max: 9, help: "Level", secret: false }],
  });

export const handlerOf = (plugin: string, over: Partial<HandlerContribution> = {}): HandlerContribution => ({
  event: "tool-proposed",
  plugin,
  order: 0,
  timeoutMs: 1_000,
  required: false,
  state: [],
  ...over,
});

export const generationOf = (plugins: readonly CompiledPlugin[], handlers: readonly HandlerContribution[] = []): Generation => ({
  number: 3,
  plugins: plugins.map((compiled) => ({ compiled, origin: "user", modules: { type: "file", path: "/index.js" } })),
  tools: ["alpha", "beta"].map(tool),
  commands: [],
  providers: [],
  prompts: [],
  resources: [],
  themes: [],
  keys: [],
  handlers,
});

export type Answer = (call: HandlerCall) => Promise<Result<readonly Action[], Diagnostic>> | Result<readonly Action[], Diagnostic>;

/** A lease whose handlers answer as given, by plugin. Nothing else of it is used here. */
export function leaseOf(generation: Generation, answers: { readonly [plugin: string]: Answer }): GenerationLease {
  const unused = (): never => {
    throw new Error("a lease's part that the test did not expect to be used");
  };
  return {
    generation,
    get tools() {
      return unused();
    },
    provider: unused,
    command: unused,
    handler: async (call) => answers[call.plugin]?.(call) ?? ok([]),
    release: unused,
  };
}

export interface Told {
  readonly deps: LifecycleDeps;
  readonly diagnostics: Diagnostic[];
  readonly records: Parameters<LifecycleDeps["record"]>[0][];
}

/** Dependencies that keep what they are told. State of a plugin is `<plugin>/<key>`. */
export function depsOf(): Told {
  const diagnostics: Diagnostic[] = [];
  const records: Told["records"] = [];
  let invocations = 0;
  return {
    diagnostics,
    records,
    deps: {
      clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
      nextInvocation: () => {
        invocations += 1;
        return `invocation-${invocations}` as InvocationId;
      },
      cwd: "/work",
      readState: async (plugin, states) => Object.fromEntries(states.map(({ key }) => [key, `${plugin}/${key}`])),
      record: async (invocation) => {
        records.push(invocation);
      },
      onDiagnostic: (found) => diagnostics.push(found),
    },
  };
}
