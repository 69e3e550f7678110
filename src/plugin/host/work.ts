import { dirname } from "node:path";
import { err, type InvocationId, type JsonValue, type Result } from "../../base/index.js";
import type { EffectContext, Grants } from "../../effect/index.js";
import type { Action, Diagnostic } from "../../schema/index.js";
import type { ToolInvocation, ToolSettlement } from "../../tool/index.js";
import {
  type ActionPlan,
  commandName,
  createEmits,
  type Emits,
  handlerName,
  notInGeneration,
  type Offered,
  refusedTool,
  runCommand,
  runHandler,
  runOffer,
  runTool,
  setName,
} from "../invoke/index.js";
import type { ActivePlugin, CommandCall, Generation, HandlerCall, Resource, ToolSetContribution } from "../types.js";
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

  /** Asked without a grant and in nobody's name: an effect would have no session to be recorded in. */
  async offer(set: ToolSetContribution, source: JsonValue): Promise<Result<Offered, Diagnostic>> {
    const plugin = this.#plugins.get(set.plugin);
    if (plugin === undefined) return err(notInGeneration(setName(set)));
    const refused = this.#deps.quarantined(plugin);
    if (refused !== undefined) return err(refused);
    const use = this.#deps.pool.take(plugin, "work");
    try {
      const asker = { ...this.#asker(plugin, { cause: NOBODY, cwd: "/" }, true), grants: NO_GRANTS };
      const emit = (): void => undefined;
      return await runOffer(this.#deps, { set, source }, { cell: use.cell, module: use.module, asker, emit });
    } finally {
      use.done();
    }
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

/** No effect is asked for in its name: whoever offers has no grant. */
const NOBODY = "offer" as InvocationId;

const NO_GRANTS: Grants = {
  ...{ fsRead: [], fsWrite: [], search: [], process: [], processEnv: [], net: [] },
  ...{ evaluate: false, vcs: false, state: [], ui: [], secrets: [], mcp: [], agent: false },
};

/** A resource that is a folder brings everything beside its file. */
function placeOf({ resources }: ActivePlugin["compiled"], { kind, path }: Resource): string {
  const isFolder = resources.some((declared) => declared.kind === kind && declared.named === "folder");
  return isFolder ? dirname(path) : path;
}
