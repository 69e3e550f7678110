import { dirname } from "node:path";
import { err, type Result } from "../../base/index.js";
import type { EffectContext } from "../../effect/index.js";
import type { Action, Diagnostic } from "../../schema/index.js";
import type { ToolInvocation, ToolSettlement } from "../../tool/index.js";
import {
  type ActionPlan,
  commandName,
  createEmits,
  type Emits,
  handlerName,
  notInGeneration,
  refusedTool,
  runCommand,
  runHandler,
  runTool,
} from "../invoke/index.js";
import type { ActivePlugin, CommandCall, Generation, HandlerCall, Resource } from "../types.js";
import { grantsOf, type LeaseDeps, words } from "./lease-deps.js";

/** Tools, commands and handlers of one generation as they are run. */
export class Work {
  readonly #deps: LeaseDeps;
  readonly #generation: Generation;
  readonly #plugins: ReadonlyMap<string, ActivePlugin>;
  readonly #emits: Emits;

  constructor(deps: LeaseDeps, generation: Generation, plugins: ReadonlyMap<string, ActivePlugin>) {
    this.#deps = deps;
    this.#generation = generation;
    this.#plugins = plugins;
    this.#emits = deps.emits(createEmits);
  }

  async tool(invocation: ToolInvocation): Promise<ToolSettlement> {
    const { tool, call, work, cwd, onProgress } = invocation;
    const plugin = this.#plugins.get(tool.plugin);
    if (plugin === undefined) return refusedTool(words(notInGeneration({ plugin: tool.plugin, words: `The tool ${tool.name}` })));
    const refused = this.#deps.quarantined(plugin);
    if (refused !== undefined) return refusedTool(words(refused));
    const asker = this.#asker(plugin, { cause: call, work, cwd }, tool.readOnly);
    const use = this.#deps.pool.take(plugin, "work");
    try {
      const emit = this.#emits.take({ plugin: tool.plugin, cause: call, work }, asker.grants.ui, onProgress);
      return await runTool(this.#deps, invocation, { ...this.#given(plugin), cell: use.cell, module: use.module, asker, emit });
    } finally {
      use.done();
    }
  }

  command(call: CommandCall): Promise<Result<readonly Action[], Diagnostic>> {
    const plugin = this.#plugins.get(call.plugin);
    if (plugin === undefined) return Promise.resolve(err(notInGeneration(commandName(call))));
    return this.#runActions(plugin, call, (plan) => runCommand(this.#deps, call, plan));
  }

  handler(call: HandlerCall): Promise<Result<readonly Action[], Diagnostic>> {
    const plugin = this.#plugins.get(call.plugin);
    if (plugin === undefined) return Promise.resolve(err(notInGeneration(handlerName(call))));
    return this.#runActions(plugin, call, (plan) => runHandler(this.#deps, call, plan));
  }

  async #runActions(
    plugin: ActivePlugin,
    { invocation, work, cwd, readOnly = false }: CommandCall | HandlerCall,
    run: (plan: ActionPlan) => Promise<Result<readonly Action[], Diagnostic>>,
  ): Promise<Result<readonly Action[], Diagnostic>> {
    const refused = this.#deps.quarantined(plugin);
    if (refused !== undefined) return err(refused);
    const asker = this.#asker(plugin, { cause: invocation, cwd, ...(work === undefined ? {} : { work }) }, readOnly);
    const speaker = { plugin: plugin.compiled.id, cause: invocation, ...(work === undefined ? {} : { work }) };
    const use = this.#deps.pool.take(plugin, "work");
    try {
      const emit = this.#emits.take(speaker, asker.grants.ui);
      return await run({ ...this.#given(plugin), cell: use.cell, module: use.module, asker, emit, onProgress: () => undefined });
    } finally {
      use.done();
    }
  }

  #given({ compiled }: ActivePlugin): Pick<ActionPlan, "config" | "states"> {
    return { config: this.#deps.config(compiled.id), states: compiled.states };
  }

  #asker(plugin: ActivePlugin, from: Pick<EffectContext, "cause" | "work" | "cwd">, readOnly: boolean): ActionPlan["asker"] {
    const { compiled } = plugin;
    const { id } = compiled;
    return {
      plugin: id,
      generation: this.#generation.number,
      ...from,
      grants: grantsOf(this.#deps, plugin, readOnly),
      dataDir: this.#deps.dataDir(id),
      resources: this.#generation.resources.flatMap((resource) => (resource.plugin === id ? [placeOf(compiled, resource)] : [])),
    };
  }
}

/** A resource that is a folder brings everything beside its file. */
function placeOf({ resources }: ActivePlugin["compiled"], { kind, path }: Resource): string {
  const isFolder = resources.some((declared) => declared.kind === kind && declared.named === "folder");
  return isFolder ? dirname(path) : path;
}
