import type { ProviderAdapter } from "../provider/index.js";
import { Cell, type CellThread } from "./cell/index.js";
import { cellStart, PROVIDER_CELL, TOOL_CELL } from "./cell-start.js";
import { pluginDestroyed, unhandledRejection } from "./diagnostics.js";
import type { LogLevel } from "./engine/kinds.js";
import { resolveGeneration } from "./generation.js";
import { errorWords, readGuestError } from "./guest-words.js";
import { createProviderAdapter } from "./provider-adapter.js";
import { createToolRunner } from "./tool-runner.js";
import type { Generation, PluginHost, PluginHostDeps } from "./types.js";

export interface PluginHostOptions extends PluginHostDeps {
  /** The bundled worker entry, `src/plugin/cell/worker.ts`. */
  readonly workerUrl: URL;
  /** The engine's wasm binary. */
  readonly wasmPath: string;
  /** Start image of that binary, made by the build. Left out: `quickjs.image` beside `quickjs.wasm`. There need not be one. */
  readonly imagePath?: string;
  /** The provider thread, when it was started ahead by {@link startPlugins} with the same files and index. */
  readonly providers?: CellThread;
  /** What plugins write with `console`. Left out: it goes nowhere. `dropped` lines before this one were over the budget. */
  readonly onLog?: (line: { readonly plugin: string; readonly level: LogLevel; readonly text: string; readonly dropped: number }) => void;
}

/**
 * The plugin side of the program. Making one reads nothing and starts nothing: a worker starts with the first call that needs
 * it, or with `warm`. Tools and providers have a worker each, so that a busy tool never stalls a stream.
 */
export function createPluginHost(options: PluginHostOptions): PluginHost {
  const { generation, diagnostics } = resolveGeneration(1, options.index, options.disabled);
  for (const found of diagnostics) options.onDiagnostic(found);
  const tools = createCell(options, { kind: TOOL_CELL, plugins: generation.plugins });
  const providers = createCell(options, { kind: PROVIDER_CELL, plugins: generation.plugins, ahead: options.providers });
  const { effects, clock } = options;
  let attempts = 0;
  const nextAttempt = (): number => {
    attempts += 1;
    return attempts;
  };
  const adapters = new Map<string, ProviderAdapter>(
    generation.providers.map((provider) => [provider.id, createProviderAdapter({ cell: providers, clock, nextAttempt }, provider)]),
  );
  return {
    generation,
    tools: createToolRunner({ cell: tools, generation, effects, clock }),
    provider: (id) => adapters.get(id),
    warm: (what) => (what === "tools" ? tools : providers).warm(),
    async close() {
      await Promise.all([tools.close(), providers.close()]);
    },
  };
}

interface CellPlan {
  readonly kind: typeof TOOL_CELL;
  readonly plugins: Generation["plugins"];
  readonly ahead?: CellThread | undefined;
}

function createCell(options: PluginHostOptions, { kind, plugins, ahead }: CellPlan): Cell {
  const { dir, workerUrl, wasmPath, imagePath = wasmPath.replace(/\.wasm$/u, ".image"), clock, onDiagnostic, onLog } = options;
  return new Cell({
    workerUrl,
    clock,
    start: cellStart(kind, { dir, workerUrl, wasmPath, imagePath }, plugins),
    ...(ahead === undefined ? {} : { ahead }),
    onLog(plugin, level, line, dropped) {
      if (level === "unhandled") onDiagnostic(unhandledRejection(plugin, errorWords(readGuestError(line))));
      else onLog?.({ plugin, level, text: line, dropped });
    },
    onFault: ({ plugin, reason, detail }) => onDiagnostic(pluginDestroyed(plugin, reason, detail)),
  });
}
