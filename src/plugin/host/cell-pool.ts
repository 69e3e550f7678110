import type { Clock } from "../../base/index.js";
import type { Cell, CellModule, DestroyReason } from "../cell/index.js";
import { compiledPathOf, ownModuleName } from "../engine/kinds.js";
import { grantsHash } from "../grants/index.js";
import { IDLE_CELL_MS, MAX_STARTED_CELLS } from "../limits.js";
import type { ActivePlugin } from "../types.js";

/** What a cell is for: functions with a context, or the pure ones of providers. Never both, so that a busy tool stalls no stream. */
export type Purpose = "work" | "providers";

/** A cell and who it may load, kept for the one who took it until `done`. */
export interface CellUse {
  readonly cell: Cell;
  readonly module: CellModule;
  /** Once. */
  done(): void;
}

export interface CellPoolOptions {
  readonly clock: Clock;
  /** The cells all bundled plugins share. */
  readonly shared: { readonly [For in Purpose]: Cell };
  /** A cell for one plugin. */
  readonly create: (purpose: Purpose, onFault: CellFault) => Cell;
  readonly onFault: (plugin: ActivePlugin, reason: DestroyReason, detail: string) => void;
  /** How long an unused cell keeps its thread, ms. */
  readonly idleMs?: number;
}

export type CellFault = (fault: { readonly reason: DestroyReason; readonly detail: string }) => void;

interface OwnCell {
  readonly plugin: string;
  readonly cell: Cell;
  users: number;
  /** Runs while nobody uses it. */
  idle: AbortController | undefined;
}

/** Names the code and the rights of a plugin: with another key it is another plugin as far as cells are concerned. */
export const cellKey = ({ compiled, modules }: ActivePlugin): string =>
  [compiled.id, compiled.hash, grantsHash(compiled.grants), modules.type === "none" ? "" : modules.path].join("\n");

/**
 * Which cell a plugin runs in. Bundled plugins share one for each purpose; every other plugin has its own, made with its first call.
 * An unused one lets its thread go after a while, or earlier when many are started, and starts another when needed.
 */
export class CellPool {
  readonly #options: CellPoolOptions;
  /** By purpose and key; in order of their last use, oldest first. */
  readonly #own = new Map<string, OwnCell>();
  #kept: ReadonlySet<string> = new Set();
  #isClosed = false;
  #closing: Promise<unknown> = Promise.resolve();
  /** Hashes are not made anew for each call. */
  readonly #keys = new WeakMap<ActivePlugin, string>();

  constructor(options: CellPoolOptions) {
    this.#options = options;
  }

  keyOf(plugin: ActivePlugin): string {
    const known = this.#keys.get(plugin) ?? cellKey(plugin);
    this.#keys.set(plugin, known);
    return known;
  }

  take(plugin: ActivePlugin, purpose: Purpose): CellUse {
    const module = moduleOf(plugin);
    if (plugin.origin === "bundled") return { cell: this.#options.shared[purpose], module, done: () => undefined };
    const key = this.keyOf(plugin);
    const id = `${purpose}\n${key}`;
    const own = this.#own.get(id) ?? this.#create(plugin, purpose, key);
    // Last in the order from now on.
    this.#own.delete(id);
    this.#own.set(id, own);
    own.users += 1;
    own.idle?.abort("used");
    own.idle = undefined;
    this.#restOldest(own);
    return { cell: own.cell, module, done: () => this.#give(id, own) };
  }

  /** Plugins that may be called from now on, by key. Cells of others end when nobody uses them any more. */
  keep(keys: ReadonlySet<string>): void {
    this.#kept = keys;
    for (const [id, own] of this.#own) if (own.users === 0 && !keys.has(own.plugin)) this.#end(id, own);
  }

  /** Threads that are started for cells of their own. */
  get started(): number {
    return [...this.#own.values()].filter(({ cell }) => cell.isStarted).length;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, own] of this.#own) this.#end(id, own);
    await Promise.all([this.#closing, this.#options.shared.work.close(), this.#options.shared.providers.close()]);
  }

  #create(plugin: ActivePlugin, purpose: Purpose, key: string): OwnCell {
    const cell = this.#options.create(purpose, ({ reason, detail }) => this.#options.onFault(plugin, reason, detail));
    return { plugin: key, cell, users: 0, idle: undefined };
  }

  #give(id: string, own: OwnCell): void {
    own.users -= 1;
    if (own.users > 0) return;
    if (this.#isClosed || !this.#kept.has(own.plugin)) return this.#end(id, own);
    const idle = new AbortController();
    own.idle = idle;
    const { clock, idleMs = IDLE_CELL_MS } = this.#options;
    clock
      .sleep(idleMs, idle.signal)
      .then(() => {
        if (!idle.signal.aborted) own.cell.rest();
      })
      .catch((error: unknown) => {
        queueMicrotask(() => {
          throw error;
        });
      });
  }

  /** The bound is soft: nobody waits for a thread that another call could be waiting for. */
  #restOldest(taken: OwnCell): void {
    let over = this.started + (taken.cell.isStarted ? 0 : 1) - MAX_STARTED_CELLS;
    for (const { users, cell } of this.#own.values()) {
      if (over <= 0) return;
      if (users > 0 || !cell.isStarted) continue;
      cell.rest();
      over -= 1;
    }
  }

  #end(id: string, own: OwnCell): void {
    own.idle?.abort("closed");
    // A later cell of the same key may have taken its place.
    if (this.#own.get(id) === own) this.#own.delete(id);
    this.#closing = Promise.all([this.#closing, own.cell.close()]);
  }
}

function moduleOf({ compiled: { id }, modules, origin }: ActivePlugin): CellModule {
  if (modules.type !== "file") return modules;
  const { path } = modules;
  // The build puts bytecode beside the source; nobody else's is ever looked for.
  const compiledPath = origin === "bundled" ? { compiledPath: compiledPathOf(path) } : {};
  return { type: "file", path, name: ownModuleName(id), ...compiledPath };
}
