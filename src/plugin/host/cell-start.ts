import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { ok, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { type CellStart, CellThread } from "./cell/index.js";
import { loadPluginIndex } from "./index-file.js";
import {
  MAX_ERROR_UNITS,
  MAX_LOG_UNITS,
  MAX_LOGS_PER_SECOND,
  MAX_OUTSTANDING_CALLS,
  MAX_OUTSTANDING_UNITS,
  MAX_STACK_UNITS,
  type MemoryLimits,
  PROVIDER_MEMORY,
  PROVIDER_TEXT,
  SLICE_MS,
  type TextLimits,
  TOOL_MEMORY,
  TOOL_TEXT,
} from "./limits.js";
import type { PluginIndex } from "./types.js";
import { SDK_OPERATIONS } from "../schema/index.js";

/** The files of an installed program that plugins need. */
export interface PluginFiles {
  /** Folder of index.json and the guest modules. */
  readonly dir: string;
  readonly workerUrl: URL;
  readonly wasmPath: string;
  readonly imagePath: string;
}

/** Where the build puts them, seen from the program's own folder. */
export const pluginFiles = (installDir: URL): PluginFiles => ({
  dir: fileURLToPath(new URL("plugins/", installDir)),
  workerUrl: new URL("plugin-worker.js", installDir),
  wasmPath: fileURLToPath(new URL("quickjs.wasm", installDir)),
  imagePath: fileURLToPath(new URL("quickjs.image", installDir)),
});

interface CellKind {
  readonly memory: MemoryLimits;
  readonly text: TextLimits;
  readonly operations: readonly string[];
  readonly seed: number;
}

export const TOOL_CELL: CellKind = { memory: TOOL_MEMORY, text: TOOL_TEXT, operations: Object.keys(SDK_OPERATIONS), seed: 1 };
export const PROVIDER_CELL: CellKind = { memory: PROVIDER_MEMORY, text: PROVIDER_TEXT, operations: [], seed: 1_000_001 };

/** What a thread of one kind is started with: it can load the modules of these plugins and no others. */
export function cellStart(kind: CellKind, files: PluginFiles, plugins: PluginIndex["plugins"]): Omit<CellStart, "control"> {
  return {
    wasmPath: files.wasmPath,
    imagePath: files.imagePath,
    modules: Object.fromEntries(plugins.map(({ id, entry }) => [id, join(files.dir, entry)])),
    memory: kind.memory,
    prelude: {
      operations: kind.operations,
      maxPostUnits: kind.text.fromGuest,
      maxLogUnits: MAX_LOG_UNITS,
      maxErrorUnits: MAX_ERROR_UNITS,
      maxStackUnits: MAX_STACK_UNITS,
    },
    loadSliceMs: SLICE_MS,
    outstandingCalls: MAX_OUTSTANDING_CALLS,
    outstandingUnits: MAX_OUTSTANDING_UNITS,
    logsPerSecond: MAX_LOGS_PER_SECOND,
    seed: kind.seed,
  };
}

/** Installed plugins, and the thread for providers already on its way. */
export interface StartedPlugins {
  readonly index: PluginIndex;
  readonly providers: CellThread;
}

/**
 * Starts the provider thread ahead of everything that would otherwise come first (settings, session, model): a one-shot
 * run waits for that thread, not for them. Runs no plugin code. It can load every installed provider, as settings are not
 * known yet; one that is disabled has no adapter, so nobody can call it.
 */
export async function startPlugins(files: PluginFiles): Promise<Result<StartedPlugins, Diagnostic>> {
  const index = await loadPluginIndex(files.dir);
  if (!index.ok) return index;
  return ok({ index: index.value, providers: new CellThread(files.workerUrl, cellStart(PROVIDER_CELL, files, index.value.plugins)) });
}
