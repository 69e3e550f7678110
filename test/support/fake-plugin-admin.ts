import type { Contributions } from "../../src/runtime/types.js";
import type { PluginAdmin } from "../../src/runtime/index.js";
import type { AdminPort, PluginDiscovery, PluginRuntime, ProjectState } from "../../src/tui/plugins/types.js";
import type { Diagnostic } from "../../src/schema/index.js";
import type { Result } from "../../src/base/index.js";
import type { FakeCall } from "./fake-session.js";

type Record = PluginDiscovery["records"][number];
type Compiled = NonNullable<Record["compiled"]>;

const NO_GRANTS: Compiled["grants"] = {
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

/** A plugin as its manifest compiles; nothing in it unless said. */
export const compiledPlugin = (id: string, fields: Partial<Compiled> = {}): Compiled => ({
  id,
  version: "0.3.1",
  sdk: 1,
  description: `What ${id} does`,
  hash: "ab".repeat(32),
  entry: "index.ts",
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
  ...fields,
});

export const pluginRecord = (id: string, fields: Partial<Record> = {}): Record => ({
  id,
  origin: "user",
  compiled: compiledPlugin(id),
  problems: [],
  ...fields,
});

/** Plugins under the test's control; remembers what it was asked for. */
export class FakePluginAdmin {
  readonly calls: FakeCall[] = [];
  records: readonly Record[] = [];
  diagnostics: readonly Diagnostic[] = [];
  project: ProjectState = { state: "nothing-to-trust" };
  /** What the next changes come to. */
  outcome: Result<void, Diagnostic> = { ok: true, value: undefined };

  called(name: string): readonly (readonly unknown[])[] {
    return this.calls.filter((call) => call.name === name).map(({ args }) => args);
  }

  readonly port = (): Promise<AdminPort> =>
    Promise.resolve({
      // Only what the interface uses of it is there.
      admin: this.admin() as unknown as PluginAdmin,
      grantsOf: () => [{ facility: "process", words: "run npx", isStrong: true }],
    });

  private change(name: string, ...args: readonly unknown[]): Promise<Result<void, Diagnostic>> {
    this.calls.push({ name, args });
    return Promise.resolve(this.outcome);
  }

  private admin(): object {
    return {
      discover: () => Promise.resolve({ records: this.records, active: [], diagnostics: this.diagnostics }),
      setEnabled: async (id: string, enabled: boolean) => await this.change("setEnabled", id, enabled),
      remove: async (id: string) => await this.change("remove", id),
      approve: async (id: string) => {
        const done = await this.change("approve", id);
        return done.ok ? done : { ok: false, error: [done.error] };
      },
      approval: (id: string) =>
        Promise.resolve({
          ok: true,
          value: {
            id,
            version: "0.4.0",
            description: `What ${id} does`,
            grants: [
              { facility: "process", words: "run npx", isStrong: true },
              { facility: "fs-read", words: "read files of the workspace", isStrong: false },
            ],
            added: [{ facility: "process", words: "run npx", isStrong: true }],
            tools: ["lint"],
            commands: ["lint"],
            handlers: ["tool-settled"],
            replaces: { version: "0.3.1" },
          },
        }),
      trust: {
        state: () => Promise.resolve(this.project),
        trust: async (behaviour: unknown) => await this.change("trust", behaviour),
      },
      close: () => Promise.resolve(),
    };
  }
}

/** The part of a runtime that plugins bring things by. */
export class FakePluginRuntime implements PluginRuntime {
  private readonly listeners = new Set<() => void>();
  private current: Contributions = { generation: 1, commands: [], themes: [], keys: [], tools: [], resources: [], plugins: [] };
  reloads = 0;

  contributions(): Contributions {
    return this.current;
  }

  observeContributions(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  get observers(): number {
    return this.listeners.size;
  }

  set(fields: Partial<Contributions>): void {
    this.current = { ...this.current, ...fields, generation: this.current.generation + 1 };
    for (const listener of this.listeners) listener();
  }

  reload(): Promise<Result<readonly string[], readonly Diagnostic[]>> {
    this.reloads += 1;
    return Promise.resolve({ ok: true, value: [] });
  }
}
