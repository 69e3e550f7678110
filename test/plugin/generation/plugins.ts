import type { ActivePlugin, CommandContribution, CompiledPlugin, PluginOrigin, Resource } from "../../../src/plugin/index.js";
import type { ToolDefinition } from "../../../src/schema/index.js";

export const pluginOf = (id: string, more: Partial<CompiledPlugin> = {}): CompiledPlugin => ({
  id,
  version: "1.0.0",
  sdk: 1,
  description: id,
  hash: "0",
  entry: `${id}.js`,
  grants: {
    ...{ fsRead: [], fsWrite: [], search: [], process: [], processEnv: [], net: [] },
    ...{ evaluate: false, vcs: false, state: [], ui: [], secrets: [], mcp: [], agent: false },
  },
  ...{
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
  },
  ...more,
});

export const active = (compiled: CompiledPlugin, origin: PluginOrigin = "bundled", dir?: string): ActivePlugin => ({
  compiled,
  origin,
  modules: { type: "file", path: `/plugins/${compiled.entry}` },
  ...(dir === undefined ? {} : { dir }),
});

export const toolOf = (plugin: string, name: string): ToolDefinition => ({
  name,
  plugin,
  description: name,
  parameters: { type: "object", properties: { path: { type: "string" } } },
  readOnly: true,
  timeoutMs: 1_000,
  summaryKeys: [],
});

export const commandOf = (plugin: string, name: string, more: Partial<CommandContribution> = {}): CommandContribution => ({
  name,
  plugin,
  aliases: [],
  description: name,
  timeoutMs: 1_000,
  ...more,
});

export const resourceOf = (plugin: string, kind: string, name: string): Resource => ({
  kind,
  plugin,
  name,
  description: `about ${name}`,
  from: "project",
  path: `/work/${kind}/${name}.md`,
  text: name,
  attributes: {},
});
