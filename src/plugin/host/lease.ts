import type { JsonValue, Result } from "../../base/index.js";
import type { Grants } from "../../effect/index.js";
import type { ProviderAdapter } from "../../provider/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { createProviderAdapter, type Offered } from "../invoke/index.js";
import type { ActivePlugin, Generation, GenerationLease, ProviderContribution, ToolSetContribution } from "../types.js";
import { grantsOf, type LeaseDeps, words } from "./lease-deps.js";
import type { Work } from "./work.js";

/** One generation while it is current or leased, and the calls into it. */
export class LiveGeneration {
  readonly generation: Generation;
  readonly #deps: LeaseDeps;
  readonly #plugins: ReadonlyMap<string, ActivePlugin>;
  readonly #adapters: ReadonlyMap<string, ProviderAdapter>;
  #leases = 0;
  #work: Promise<Work> | undefined;

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
      tools: { run: async (invocation) => await (await this.#working()).tool(invocation) },
      provider: (id) => this.#adapters.get(id),
      command: async (call) => await (await this.#working()).command(call),
      handler: async (call) => await (await this.#working()).handler(call),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#leases -= 1;
        onRelease();
      },
    };
  }

  async offer(set: ToolSetContribution, source: JsonValue): Promise<Result<Offered, Diagnostic>> {
    return await (await this.#working()).offer(set, source);
  }

  #adapter(provider: ProviderContribution): readonly (readonly [string, ProviderAdapter])[] {
    const plugin = this.#plugins.get(provider.plugin);
    if (plugin === undefined) return [];
    const { pool, nextAttempt, quarantined } = this.#deps;
    const refusal = (): string | undefined => {
      const found = quarantined(plugin);
      return found && words(found);
    };
    const net = (): Grants["net"] => grantsOf(this.#deps, plugin, false).net;
    const adapter = createProviderAdapter({ take: () => pool.take(plugin, "providers"), nextAttempt, refusal, net }, provider);
    return [[provider.id, adapter]];
  }

  /** What runs tools, commands and handlers is loaded with the first of them. */
  #working(): Promise<Work> {
    return (this.#work ??= import("./work.js").then(({ Work: Runner }) => new Runner(this.#deps, this.generation, this.#plugins)));
  }
}
