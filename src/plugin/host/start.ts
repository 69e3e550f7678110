import { fileURLToPath } from "node:url";
import { ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { CellThread } from "../cell/index.js";
import type { PluginIndex } from "../types.js";
import { cellStart, PROVIDER_CELL, type SandboxFiles } from "./cell-start.js";
import { loadPluginIndex } from "./index-file.js";

/** The files of an installed program that plugins need. */
export interface PluginFiles extends SandboxFiles {
  /** Folder of index.json and the guest modules of the bundled plugins. */
  readonly dir: string;
}

/** Where the build puts them, seen from the program's own folder. */
export const pluginFiles = (installDir: URL): PluginFiles => ({
  dir: fileURLToPath(new URL("plugins/", installDir)),
  workerUrl: new URL("plugin-worker.js", installDir),
  wasmPath: fileURLToPath(new URL("quickjs.wasm", installDir)),
  imagePath: fileURLToPath(new URL("quickjs.image", installDir)),
});

/** Installed plugins, and the thread for providers already on its way. */
export interface StartedPlugins {
  readonly index: PluginIndex;
  readonly providers: CellThread;
}

/**
 * Starts the provider thread ahead of everything that would otherwise come first (settings, session, model): a one-shot
 * run waits for that thread, not for them. Runs no plugin code.
 */
export async function startPlugins(files: PluginFiles): Promise<Result<StartedPlugins, Diagnostic>> {
  const providers = new CellThread(files.workerUrl, cellStart(PROVIDER_CELL, files));
  const index = await loadPluginIndex(files.dir);
  if (index.ok) return ok({ index: index.value, providers });
  await providers.terminate(async () => await new Promise(() => undefined));
  return index;
}
