import { join } from "node:path";
import type { ProviderAdapter } from "../provider/index.js";
import { SDK_OPERATIONS } from "../schema/index.js";
import { Cell } from "./cell/index.js";
import { pluginDestroyed, unhandledRejection } from "./diagnostics.js";
import type { LogLevel } from "./engine/kinds.js";
import { resolveGeneration } from "./generation.js";
import { errorWords, readGuestError } from "./guest-words.js";
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
  const tools = createCell(options, generation, { memory: TOOL_MEMORY, text: TOOL_TEXT, operations: Object.keys(SDK_OPERATIONS), seed: 1 });
  const providers = createCell(options, generation, { memory: PROVIDER_MEMORY, text: PROVIDER_TEXT, operations: [], seed: 1_000_001 });
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

interface CellKind {
  readonly memory: MemoryLimits;
  readonly text: TextLimits;
  readonly operations: readonly string[];
  readonly seed: number;
}

function createCell(options: PluginHostOptions, generation: Generation, { memory, text, operations, seed }: CellKind): Cell {
  const { workerUrl, wasmPath, imagePath = wasmPath.replace(/\.wasm$/u, ".image"), clock, dir, onDiagnostic, onLog } = options;
  return new Cell({
    workerUrl,
    clock,
    start: {
      wasmPath,
      imagePath,
      modules: Object.fromEntries(generation.plugins.map(({ id, entry }) => [id, join(dir, entry)])),
      memory,
      prelude: {
        operations,
        maxPostUnits: text.fromGuest,
        maxLogUnits: MAX_LOG_UNITS,
        maxErrorUnits: MAX_ERROR_UNITS,
        maxStackUnits: MAX_STACK_UNITS,
      },
      loadSliceMs: SLICE_MS,
      outstandingCalls: MAX_OUTSTANDING_CALLS,
      outstandingUnits: MAX_OUTSTANDING_UNITS,
      logsPerSecond: MAX_LOGS_PER_SECOND,
      seed,
    },
    onLog(plugin, level, line, dropped) {
      if (level === "unhandled") onDiagnostic(unhandledRejection(plugin, errorWords(readGuestError(line))));
      else onLog?.({ plugin, level, text: line, dropped });
    },
    onFault: ({ plugin, reason, detail }) => onDiagnostic(pluginDestroyed(plugin, reason, detail)),
  });
}
