import type { CellStart } from "../cell/index.js";
import { SDK_OPERATIONS } from "../../schema/index.js";
import {
  MAX_EMITS_PER_SECOND,
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
} from "../limits.js";

/** The files of an installed program that any sandbox needs. */
export interface SandboxFiles {
  /** The bundled worker entry, `src/plugin/cell/worker.ts`. */
  readonly workerUrl: URL;
  /** The engine's wasm binary. */
  readonly wasmPath: string;
  /** Start image of that binary, made by the build. There need not be one. */
  readonly imagePath: string;
}

/** What the guests of one thread are for. */
export interface CellKind {
  readonly memory: MemoryLimits;
  readonly text: TextLimits;
  readonly operations: readonly string[];
  readonly seed: number;
  readonly hasTests?: boolean;
}

/** Functions with a context: tools, commands, handlers. */
export const WORK_CELL: CellKind = { memory: TOOL_MEMORY, text: TOOL_TEXT, operations: Object.keys(SDK_OPERATIONS), seed: 1 };
/** Pure functions of providers. */
export const PROVIDER_CELL: CellKind = { memory: PROVIDER_MEMORY, text: PROVIDER_TEXT, operations: [], seed: 1_000_001 };
/** A text that is run once, with JSON and nothing else. */
export const EVALUATE_CELL: CellKind = { memory: TOOL_MEMORY, text: TOOL_TEXT, operations: [], seed: 2_000_001 };
/** A package under test: operations are answered by its tests, so none reaches the host. */
export const TEST_CELL: CellKind = { ...WORK_CELL, seed: 3_000_001, hasTests: true };

/** What a thread of one kind is started with. Which plugins it loads is said with each call. */
export const cellStart = (kind: CellKind, { wasmPath, imagePath }: SandboxFiles): Omit<CellStart, "control"> => ({
  wasmPath,
  imagePath,
  memory: kind.memory,
  prelude: {
    operations: kind.operations,
    maxPostUnits: kind.text.fromGuest,
    maxLogUnits: MAX_LOG_UNITS,
    maxErrorUnits: MAX_ERROR_UNITS,
    maxStackUnits: MAX_STACK_UNITS,
    hasTests: kind.hasTests ?? false,
  },
  loadSliceMs: SLICE_MS,
  outstandingCalls: MAX_OUTSTANDING_CALLS,
  outstandingUnits: MAX_OUTSTANDING_UNITS,
  logsPerSecond: MAX_LOGS_PER_SECOND,
  emitsPerSecond: MAX_EMITS_PER_SECOND,
  seed: kind.seed,
});
