import type { DeliveryKind, EmitType, LogLevel, PreludeConfig } from "../engine/index.js";
import type { MemoryLimits } from "../limits.js";

/** What a worker thread is started with. */
export interface CellStart {
  readonly wasmPath: string;
  /** Start image of that binary. When there is none that fits, guests start without, only later. */
  readonly imagePath: string;
  readonly memory: MemoryLimits;
  readonly prelude: PreludeConfig;
  readonly loadSliceMs: number;
  /** UTF-16 units of inputs one guest may have in the air, and how many calls. */
  readonly outstandingUnits: number;
  readonly outstandingCalls: number;
  readonly logsPerSecond: number;
  readonly emitsPerSecond: number;
  readonly seed: number;
  /** Shared words, see {@link CONTROL}. */
  readonly control: SharedArrayBuffer;
}

/** Where the code of a guest is. `tree`: a JSON file with all of its modules. `none`: it gets its code with the call. */
export type CellModule =
  | {
      readonly type: "file";
      readonly path: string;
      readonly name: string;
      /** The same as bytecode, of the program's own build. When there is none that fits, the source is compiled. */
      readonly compiledPath?: string;
    }
  | { readonly type: "tree"; readonly path: string; readonly entry: string }
  | { readonly type: "none" };

/**
 * Words of the shared control buffer. The main side reads `running` and `invocation` without any message, so that it can tell
 * what a stuck thread is stuck in and how long (`limit`, ms) it may be, and writes `kill` with the number of the slice it means: a slice that ended meanwhile is not hit.
 */
export const CONTROL = { kill: 0, running: 1, invocation: 2, finished: 3, limit: 4, words: 5 } as const;

export type ToCell =
  | {
      readonly type: "call";
      readonly plugin: string;
      /** Read when the plugin has no instance yet. */
      readonly module: CellModule;
      /** Unique in the cell; names the invocation everywhere. */
      readonly id: number;
      readonly kind: DeliveryKind;
      readonly attempt: number;
      readonly json: string;
      readonly now: number;
      readonly sliceMs: number;
    }
  | {
      readonly type: "answer";
      readonly plugin: string;
      /** Which instance of the plugin asked; an answer for one that is gone is dropped. */
      readonly instance: number;
      readonly call: number;
      readonly isAnswer: boolean;
      readonly json: string;
      readonly now: number;
    }
  | { readonly type: "cancel"; readonly plugin: string; readonly id: number; readonly now: number }
  | { readonly type: "drop"; readonly plugin: string; readonly attempt: number; readonly now: number }
  /** Forgets the instance. */
  | { readonly type: "close"; readonly plugin: string };

/** `load`: the module did not evaluate. `busy`: a slice over its time. `killed`: the main side raised the flag. */
export type FaultType = "load" | "busy" | "killed" | "memory" | "trap";

export type FromCell =
  | { readonly type: "returned"; readonly id: number; readonly text: string; readonly json: string }
  | { readonly type: "threw"; readonly id: number; readonly json: string }
  /** It waits for nothing that could still happen. */
  | { readonly type: "stalled"; readonly id: number }
  | {
      readonly type: "host";
      readonly plugin: string;
      readonly instance: number;
      readonly id: number;
      readonly call: number;
      readonly operation: string;
      readonly json: string;
    }
  /** Said to people by a live call. `dropped` before it were over the budget. */
  | {
      readonly type: "emit";
      readonly plugin: string;
      readonly id: number;
      readonly what: EmitType;
      readonly json: string;
      readonly dropped: number;
    }
  | { readonly type: "log"; readonly plugin: string; readonly level: LogLevel; readonly text: string; readonly dropped: number }
  | {
      readonly type: "fault";
      readonly plugin: string;
      readonly fault: FaultType;
      /** The invocation whose slice it was. */
      readonly culprit: number;
      /** Every invocation the instance held, the culprit included. */
      readonly invocations: readonly number[];
      readonly detail: string;
    };
