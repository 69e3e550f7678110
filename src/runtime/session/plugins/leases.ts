import type { FoundResource } from "../../../effect/index.js";
import type { CompiledPlugin, Generation, GenerationLease, PluginHost, Resource } from "../../../plugin/index.js";

/** The generation a session works with: one and the same from the facts of a request to the end of its tool batch. */
export class Leases {
  readonly #host: Pick<PluginHost, "generation" | "lease">;
  #held: SharedLease | undefined;

  constructor(host: Pick<PluginHost, "generation" | "lease">) {
    this.#host = host;
  }

  /** Of the round that runs, else the one a next round would get. */
  generation(): Generation {
    return this.#held?.generation ?? this.#host.generation;
  }

  /** A round begins: what is current from now on is what it works with. */
  renew(): GenerationLease {
    const fresh = new SharedLease(this.#host.lease());
    this.#held?.release();
    this.#held = fresh;
    return fresh.lease;
  }

  /** The generation of the round that runs for somebody beside it, who gives it back. */
  share(): GenerationLease {
    return this.#held?.share() ?? this.#host.lease();
  }

  /** No round runs. */
  end(): void {
    this.#held?.release();
    this.#held = undefined;
  }
}

/** One lease and who uses it: given back when the last of them is done. */
class SharedLease {
  readonly lease: GenerationLease;
  #users = 1;

  constructor(lease: GenerationLease) {
    this.lease = lease;
  }

  get generation(): Generation {
    return this.lease.generation;
  }

  share(): GenerationLease {
    this.#users += 1;
    const { lease } = this;
    let isReleased = false;
    return {
      generation: lease.generation,
      tools: lease.tools,
      provider: (id) => lease.provider(id),
      command: async (call) => await lease.command(call),
      handler: async (call) => await lease.handler(call),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.release();
      },
    };
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.lease.release();
  }
}

/** A plugin as the generation at work has it. */
export const compiledIn = (leases: Pick<Leases, "generation">, id: string): CompiledPlugin | undefined =>
  leases.generation().plugins.find(({ compiled }) => compiled.id === id)?.compiled;

/** A collected file by kind and name, for a plugin that declares the kind: its own, else another plugin's. */
export function findResource(
  { resources, plugins }: Pick<Generation, "resources" | "plugins">,
  wanted: Pick<Resource, "plugin" | "kind" | "name">,
): FoundResource | undefined {
  const asker = plugins.find(({ compiled }) => compiled.id === wanted.plugin)?.compiled;
  if (asker?.resources.some(({ kind }) => kind === wanted.kind) !== true) return undefined;
  const named = resources.filter(({ kind, name }) => kind === wanted.kind && name === wanted.name);
  const found = named.find(({ plugin }) => plugin === wanted.plugin) ?? named[0];
  if (found === undefined) return undefined;
  const owner = plugins.find(({ compiled }) => compiled.id === found.plugin)?.compiled;
  const isFolder = owner?.resources.some((declared) => declared.kind === found.kind && declared.named === "folder") === true;
  return { path: found.path, text: found.text, isFolder };
}
