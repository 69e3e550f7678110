import type { Grants } from "../../../src/effect/index.js";
import type { ActivePlugin, CompiledPlugin, Generation, GenerationLease, Resource } from "../../../src/plugin/types.js";

export const noGrants: Grants = {
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

export const compiled = (id: string, extra: Partial<CompiledPlugin> = {}): CompiledPlugin => ({
  id,
  version: "1.0.0",
  sdk: 1,
  description: "",
  hash: `hash-${id}`,
  entry: "main.js",
  grants: noGrants,
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
  ...extra,
});

export const active = (id: string, extra: Partial<CompiledPlugin> = {}): ActivePlugin => ({
  compiled: compiled(id, extra),
  origin: "user",
  modules: { type: "tree", path: `/cache/${id}.json`, entry: "main.js" },
  dir: `/plugins/${id}`,
});

export const generation = (number: number, plugins: readonly ActivePlugin[], resources: readonly Resource[] = []): Generation => ({
  number,
  plugins,
  tools: plugins.flatMap(({ compiled: { tools } }) => tools),
  commands: plugins.flatMap(({ compiled: { commands } }) => commands),
  providers: plugins.flatMap(({ compiled: { providers } }) => providers),
  prompts: plugins.flatMap(({ compiled: { prompts } }) => prompts),
  resources,
  themes: plugins.flatMap(({ compiled: { themes } }) => themes),
  keys: plugins.flatMap(({ compiled: { keys } }) => keys),
  handlers: plugins.flatMap(({ compiled: { handlers } }) => handlers),
});

export const resource = (plugin: string, name: string, extra: Partial<Resource> = {}): Resource => ({
  kind: "skill",
  plugin,
  name,
  description: `about ${name}`,
  from: "user",
  path: `/skills/${name}.md`,
  text: `text of ${name}`,
  attributes: {},
  ...extra,
});

/** A lease that runs nothing unless told how. */
export const lease = (of: Generation, extra: Partial<GenerationLease> = {}): GenerationLease => ({
  generation: of,
  tools: { run: async () => await Promise.reject(new Error("no tool runs here")) },
  provider: () => undefined,
  command: async () => await Promise.resolve({ ok: true, value: [] }),
  handler: async () => await Promise.resolve({ ok: true, value: [] }),
  release: () => undefined,
  ...extra,
});
