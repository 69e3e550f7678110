import type { Clock } from "../../base/index.js";
import type { ResolvedSettings } from "../../config/index.js";
import type { PluginHost } from "../../plugin/index.js";
import { findAnswering, type HttpEngine } from "../../provider/index.js";
import { modelsDir } from "./keys.js";

export interface AnsweringDeps {
  readonly settings: Pick<ResolvedSettings, "discovery">;
  readonly paths: { readonly cache: string };
  readonly clock: Clock;
  readonly host: Pick<PluginHost, "generation" | "lease">;
  readonly engine: HttpEngine;
  readonly closing: AbortSignal;
}

/** Which servers of this machine answer. */
export interface Answering {
  /** Names of connections, as far as they are known. */
  readonly known: () => ReadonlySet<string>;
  /** Looks for them, 150 ms at most; what was found lately is not looked for again. Nothing when that is turned off. */
  look(): void;
  /** Resolves when nobody looks (any more). */
  readonly settled: () => Promise<void>;
}

export function createAnswering({ settings, paths, clock, host, engine, closing }: AnsweringDeps): Answering {
  let names: ReadonlySet<string> = new Set();
  let looking: Promise<void> = Promise.resolve();
  return {
    known: () => names,
    look() {
      if (!settings.discovery.value) return;
      const lease = host.lease();
      looking = findAnswering(
        { engine, clock, dir: modelsDir(paths) },
        { offers: lease.generation.providers, adapter: (provider) => lease.provider(provider), signal: closing },
      )
        .then((found) => {
          names = found;
        })
        .finally(() => {
          lease.release();
        });
    },
    settled: async () => {
      await looking;
    },
  };
}
