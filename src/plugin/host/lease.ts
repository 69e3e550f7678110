import { dirname } from "node:path";
import { err, type Result } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import type { EffectContext, EffectGateway } from "../../effect/index.js";
import type { ProviderAdapter } from "../../provider/index.js";
import type { Action, Diagnostic, NamedValues } from "../../schema/index.js";
import type { ToolInvocation, ToolSettlement } from "../../tool/index.js";
import { narrowGrants } from "../grants/index.js";
import {
  type ActionPlan,
  commandName,
  createProviderAdapter,
  type Emits,
  handlerName,
  notInGeneration,
  refusedTool,
  runCommand,
  runHandler,
  runTool,
} from "../invoke/index.js";
import type { ActivePlugin, CommandCall, Generation, GenerationLease, HandlerCall, ProviderContribution, Resource } from "../types.js";
import type { CellPool } from "./cell-pool.js";

/** What every generation of one host has in common. */
export interface LeaseDeps {
  readonly effects: EffectGateway;
  readonly clock: Clock;
  readonly config: (plugin: string) => NamedValues;
  readonly dataDir: (plugin: string) => string;
  readonly denied?: (plugin: string) => readonly string[];
  readonly pool: CellPool;
  readonly emits: Emits;
  /** Why the plugin is not called any more, when it is not. */
  readonly quarantined: (plugin: ActivePlugin) => Diagnostic | undefined;
  readonly nextAttempt: () => number;
}

/** One generation while it is current or leased, and the calls into it. */
export class LiveGeneration {
  readonly generation: Generation;
  readonly #deps: LeaseDeps;
  readonly #plugins: ReadonlyMap<string, ActivePlugin>;
  readonly #adapters: ReadonlyMap<string, ProviderAdapter>;
  #leases = 0;

  constructor(deps: LeaseDeps, generation: Generation) {
    this.#deps = deps;
    this.generation = generation;
    this.#plugins = new Map(generation.plugins.map((plugin) => [plugin.compiled.id, plugin]));
    this.#adapters = new Map(generation.providers.flatMap((provider) => this.#adapter(provider)));
  }

  get isLeased(): boolean {
    return this.#leases > 0;
  }

  /** `onRelease` is called once, after the lease was given back. */
  lease(onRelease: () => void): GenerationLease {
    this.#leases += 1;
    let isHeld = true;
    return {
      generation: this.generation,
      tools: { run: (invocation) => this.#runTool(invocation) },
      provider: (id) => this.#adapters.get(id),
      command: (call) => this.#runCommand(call),
      handler: (call) => this.#runHandler(call),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#leases -= 1;
        onRelease();
      },
    };
  }

  #adapter(provider: ProviderContribution): readonly (readonly [string, ProviderAdapter])[] {
    const plugin = this.#plugins.get(provider.plugin);
    if (plugin === undefined) return [];
    const { pool, nextAttempt, quarantined } = this.#deps;
    const refusal = (): string | undefined => {
      const found = quarantined(plugin);
      return found && words(found);
    };
    const net = (): ActionPlan["asker"]["grants"]["net"] => this.#grants(plugin, false).net;
    const adapter = createProviderAdapter({ take: () => pool.take(plugin, "providers"), nextAttempt, refusal, net }, provider);
    return [[provider.id, adapter]];
  }

  async #runTool(invocation: ToolInvocation): Promise<ToolSettlement> {
    const { tool, call, work, cwd, onProgress } = invocation;
    const plugin = this.#plugins.get(tool.plugin);
    if (plugin === undefined) return refusedTool(words(notInGeneration({ plugin: tool.plugin, words: `The tool ${tool.name}` })));
    const refused = this.#deps.quarantined(plugin);
    if (refused !== undefined) return refusedTool(words(refused));
    const asker = this.#asker(plugin, { cause: call, work, cwd }, tool.readOnly);
    const use = this.#deps.pool.take(plugin, "work");
    try {
      const emit = this.#deps.emits.take({ plugin: tool.plugin, cause: call, work }, asker.grants.ui, onProgress);
      return await runTool(this.#deps, invocation, { ...this.#given(plugin), cell: use.cell, module: use.module, asker, emit });
    } finally {
      use.done();
    }
  }

  #runCommand(call: CommandCall): Promise<Result<readonly Action[], Diagnostic>> {
    const plugin = this.#plugins.get(call.plugin);
    if (plugin === undefined) return Promise.resolve(err(notInGeneration(commandName(call))));
    return this.#runActions(plugin, call, (plan) => runCommand(this.#deps, call, plan));
  }

  #runHandler(call: HandlerCall): Promise<Result<readonly Action[], Diagnostic>> {
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
      const emit = this.#deps.emits.take(speaker, asker.grants.ui);
      return await run({ ...this.#given(plugin), cell: use.cell, module: use.module, asker, emit, onProgress: () => undefined });
    } finally {
      use.done();
    }
  }

  #given({ compiled }: ActivePlugin): Pick<ActionPlan, "config" | "states"> {
    return { config: this.#deps.config(compiled.id), states: compiled.states };
  }

  #grants({ compiled }: Pick<ActivePlugin, "compiled">, readOnly: boolean): ActionPlan["asker"]["grants"] {
    return narrowGrants(compiled.grants, { readOnly, denied: this.#deps.denied?.(compiled.id) ?? [] });
  }

  #asker({ compiled }: ActivePlugin, from: Pick<EffectContext, "cause" | "work" | "cwd">, readOnly: boolean): ActionPlan["asker"] {
    const { id } = compiled;
    return {
      plugin: id,
      generation: this.generation.number,
      ...from,
      grants: this.#grants({ compiled }, readOnly),
      dataDir: this.#deps.dataDir(id),
      resources: this.generation.resources.flatMap((resource) => (resource.plugin === id ? [placeOf(compiled, resource)] : [])),
    };
  }
}

/** A resource that is a folder brings everything beside its file. */
function placeOf({ resources }: ActivePlugin["compiled"], { kind, path }: Resource): string {
  const isFolder = resources.some((declared) => declared.kind === kind && declared.named === "folder");
  return isFolder ? dirname(path) : path;
}

const words = ({ what, why, next }: Diagnostic): string => [what, why, next].join("\n");
