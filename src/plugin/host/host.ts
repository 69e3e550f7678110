import type { JsonValue, Result } from "../../base/index.js";
import { ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { Cell, type CellThread, type DestroyReason } from "../cell/index.js";
import type { LogLevel } from "../engine/kinds.js";
import { resolveGeneration } from "../generation/index.js";
import { type EmitListeners, type Emits, errorWords, type Offered, readGuestError } from "../invoke/index.js";
import { QUARANTINE } from "../limits.js";
import type { ActivePlugin, Generation, GenerationInput, PluginHost, PluginHostDeps, ToolSetContribution } from "../types.js";
import { CellPool, type CellPoolOptions } from "./cell-pool.js";
import { type CellKind, cellStart, PROVIDER_CELL, WORK_CELL } from "./cell-start.js";
import { pluginDestroyed, pluginQuarantined, unhandledRejection } from "./diagnostics.js";
import { LiveGeneration } from "./lease.js";
import type { LeaseDeps } from "./lease-deps.js";
import { Quarantine, type QuarantineRule } from "./quarantine.js";

export interface PluginHostOptions extends PluginHostDeps, EmitListeners {
  /** The bundled worker entry, `src/plugin/cell/worker.ts`. */
  readonly workerUrl: URL;
  /** The engine's wasm binary. */
  readonly wasmPath: string;
  /** Start image of that binary, made by the build. Left out: `quickjs.image` beside `quickjs.wasm`. There need not be one. */
  readonly imagePath?: string;
  /** The provider thread, when it was started ahead by {@link startPlugins} with the same files. */
  readonly providers?: CellThread | undefined;
  /** Facilities the user's policy takes from a plugin. */
  readonly denied?: (plugin: string) => readonly string[];
  /** What plugins write with `console`. Left out: it goes nowhere. `dropped` lines before this one were over the budget. */
  readonly onLog?: (line: { readonly plugin: string; readonly level: LogLevel; readonly text: string; readonly dropped: number }) => void;
  /** When a plugin that breaks is not called any more; bundled ones always are. Left out: 3 faults within 10 minutes. */
  readonly quarantine?: QuarantineRule | "never";
  /** How long an unused cell of a plugin keeps its thread, ms. Left out: 60 s. */
  readonly idleMs?: number;
}

/**
 * The plugin side of the program. Making one reads nothing and starts nothing: a worker starts with the first call that needs
 * it, or with `warm`.
 */
export function createPluginHost(options: PluginHostOptions): PluginHost {
  return new Host(options);
}

class Host implements PluginHost {
  readonly #options: PluginHostOptions;
  readonly #pool: CellPool;
  readonly #shared: CellPoolOptions["shared"];
  readonly #quarantine: Quarantine;
  readonly #leaseDeps: LeaseDeps;
  readonly #listeners = new Set<(generation: Generation) => void>();
  /** The current one, and those somebody still has a lease of. */
  readonly #live = new Set<LiveGeneration>();
  #current: LiveGeneration;
  #told: ReadonlySet<string> = new Set();

  constructor(options: PluginHostOptions) {
    this.#options = options;
    const { clock, quarantine = QUARANTINE, idleMs } = options;
    this.#quarantine = new Quarantine(clock, quarantine === "never" ? undefined : quarantine);
    const onFault = options.onDiagnostic;
    this.#shared = {
      work: createCell(options, {
        kind: WORK_CELL,
        onFault: (fault) => onFault(pluginDestroyed(fault.plugin, fault.reason, fault.detail)),
      }),
      providers: createCell(options, {
        kind: PROVIDER_CELL,
        ahead: options.providers,
        onFault: (fault) => onFault(pluginDestroyed(fault.plugin, fault.reason, fault.detail)),
      }),
    };
    this.#pool = new CellPool({
      clock,
      shared: this.#shared,
      create: (purpose, told) => createCell(options, { kind: purpose === "work" ? WORK_CELL : PROVIDER_CELL, onFault: told }),
      onFault: (plugin, reason, detail) => this.#onFault(plugin, reason, detail),
      ...(idleMs === undefined ? {} : { idleMs }),
    });
    let attempts = 0;
    let emits: Emits | undefined;
    this.#leaseDeps = {
      ...options,
      pool: this.#pool,
      emits: (make) => (emits ??= make(options)),
      quarantined: (plugin) => this.#quarantined(plugin),
      nextAttempt: () => (attempts += 1),
    };
    this.#current = this.#make(1, options.input);
    this.#sweep();
  }

  get generation(): Generation {
    return this.#current.generation;
  }

  lease(): ReturnType<PluginHost["lease"]> {
    const live = this.#current;
    return live.lease(() => this.#release(live));
  }

  async offer(set: ToolSetContribution, source: JsonValue): Promise<Result<Offered, Diagnostic>> {
    return await this.#current.offer(set, source);
  }

  publish(input: GenerationInput): Result<Generation, readonly Diagnostic[]> {
    const former = this.#current;
    this.#current = this.#make(former.generation.number + 1, input);
    if (!former.isLeased) this.#live.delete(former);
    this.#sweep();
    const { generation } = this.#current;
    for (const listener of [...this.#listeners]) listener(generation);
    return ok(generation);
  }

  observe(listener: (generation: Generation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  warm(what: "providers" | "tools"): void {
    this.#shared[what === "tools" ? "work" : "providers"].warm();
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#pool.close();
  }

  #make(number: number, input: GenerationInput): LiveGeneration {
    const { generation, diagnostics } = resolveGeneration(number, input);
    // What was wrong in the generation before too was told then.
    for (const found of diagnostics) if (!this.#told.has(found.what)) this.#options.onDiagnostic(found);
    this.#told = new Set(diagnostics.map(({ what }) => what));
    const live = new LiveGeneration(this.#leaseDeps, generation);
    this.#live.add(live);
    return live;
  }

  #release(live: LiveGeneration): void {
    if (live.isLeased || live === this.#current) return;
    this.#live.delete(live);
    this.#sweep();
  }

  /** Lets go of what no generation in use has. */
  #sweep(): void {
    // Bundled ones share their cells and are never quarantined.
    const keysOf = (live: LiveGeneration): readonly string[] =>
      live.generation.plugins.flatMap((plugin) => (plugin.origin === "bundled" ? [] : [this.#pool.keyOf(plugin)]));
    this.#pool.keep(new Set([...this.#live].flatMap(keysOf)));
    this.#quarantine.keep(new Set(keysOf(this.#current)));
  }

  #onFault(plugin: ActivePlugin, reason: DestroyReason, detail: string): void {
    const { onDiagnostic } = this.#options;
    onDiagnostic(pluginDestroyed(plugin.compiled.id, reason, detail));
    if (!this.#quarantine.fault(this.#pool.keyOf(plugin))) return;
    const words = this.#quarantined(plugin);
    if (words !== undefined) onDiagnostic(words);
  }

  #quarantined(plugin: ActivePlugin): Diagnostic | undefined {
    const { quarantine = QUARANTINE } = this.#options;
    if (plugin.origin === "bundled" || quarantine === "never" || !this.#quarantine.isHeld(this.#pool.keyOf(plugin))) return undefined;
    return pluginQuarantined(plugin.compiled.id, quarantine.faults, quarantine.withinMs);
  }
}

interface CellPlan {
  readonly kind: CellKind;
  readonly ahead?: CellThread | undefined;
  readonly onFault: (fault: { readonly plugin: string | undefined; readonly reason: DestroyReason; readonly detail: string }) => void;
}

function createCell(options: PluginHostOptions, { kind, ahead, onFault }: CellPlan): Cell {
  const { workerUrl, wasmPath, imagePath = wasmPath.replace(/\.wasm$/u, ".image"), clock, onDiagnostic, onLog } = options;
  return new Cell({
    workerUrl,
    clock,
    start: cellStart(kind, { workerUrl, wasmPath, imagePath }),
    ...(ahead === undefined ? {} : { ahead }),
    onLog(plugin, level, line, dropped) {
      if (level === "unhandled") onDiagnostic(unhandledRejection(plugin, errorWords(readGuestError(line))));
      else onLog?.({ plugin, level, text: line, dropped });
    },
    onFault,
  });
}
