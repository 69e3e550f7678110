/** Bounds of the sandbox. One table for both sides of the boundary, so that neither guesses the other's. */
const KIB = 1024;
const MIB = 1024 * KIB;

/** Memory of one guest: `heapBytes` is counted by the engine, `maxPages` (64 KiB each) is the backstop in the wasm itself. */
export interface MemoryLimits {
  readonly heapBytes: number;
  readonly stackBytes: number;
  readonly maxPages: number;
}

export const TOOL_MEMORY: MemoryLimits = { heapBytes: 64 * MIB, stackBytes: 256 * KIB, maxPages: 1280 };

/** A request holds the whole conversation, images included, several times while it is turned into a body. */
export const PROVIDER_MEMORY: MemoryLimits = { heapBytes: 128 * MIB, stackBytes: 256 * KIB, maxPages: 2304 };

/** JSON text across the boundary, in UTF-16 units. */
export interface TextLimits {
  /** One message of the guest. */
  readonly fromGuest: number;
  /** One message to the guest. */
  readonly toGuest: number;
}

/** A view may hold a MiB of image, which is a third more as base64. */
export const TOOL_TEXT: TextLimits = { fromGuest: 2 * MIB, toGuest: 4 * MIB };
export const PROVIDER_TEXT: TextLimits = { fromGuest: 16 * MIB, toGuest: 16 * MIB };

/** Host calls one guest may have in the air: count and UTF-16 units of their inputs. */
export const MAX_OUTSTANDING_CALLS = 64;
export const MAX_OUTSTANDING_UNITS = 4 * MIB;

/** Host calls of one invocation over its life. */
export const MAX_CALLS_PER_INVOCATION = 10_000;
/** Changed files of one tool call that handlers are told of. */
export const MAX_TOUCHED = 1_000;

/** Images one invocation may be given: how many, and UTF-16 units of their base64 together. */
export const MAX_SHELF_IMAGES = 16;
export const MAX_SHELF_UNITS = 8 * MIB;
/** Images one result may hand on. */
export const MAX_RESULT_IMAGES = 8;

/** Questions to a person of one invocation over its life: somebody has to answer or dismiss each. */
export const MAX_QUESTIONS_PER_INVOCATION = 50;

/** Log lines of one guest: within any second, and the length of each. */
export const MAX_LOGS_PER_SECOND = 100;
export const MAX_LOG_UNITS = 2 * KIB;

/** Notices, status items and progress of one guest within any second. */
export const MAX_EMITS_PER_SECOND = 100;
/** UTF-16 units of one of them. */
export const MAX_EMIT_UNITS = 4 * KIB;

/** Error words that leave the guest. */
export const MAX_ERROR_UNITS = 4 * KIB;
export const MAX_STACK_UNITS = 8 * KIB;

/** Time a guest may run without yielding: a delivery and the jobs it starts. Entry evaluation counts as one. */
export const SLICE_MS = 1_000;
/** The same for a handler, which everybody else waits for. */
export const HANDLER_SLICE_MS = 250;
/** The same for turning a whole conversation into a request, which grows with it. */
export const PLAN_SLICE_MS = 5_000;
/** The same for offering a set of tools, which grows with all that servers list (3 Mi characters). */
export const OFFER_SLICE_MS = 3_000;

/** Cancelling: signal at 0, then the flag the running guest polls, then the thread. */
export const FLAG_AFTER_MS = 100;
export const TERMINATE_AFTER_MS = 200;

/** How often the main side looks at a running slice, and how far over its time a slice may be before the thread goes. */
export const WATCH_MS = 100;
export const WATCH_GRACE_MS = 100;

/** Wait for the thread to end before it is left to itself. */
export const TERMINATE_WATCHDOG_MS = 1_000;

/** Wait for effects that a returned invocation left behind. They are aborted when it returns. */
export const LEFTOVER_MS = 1_000;

/** V8 limits of a worker thread, MiB. The stack is large because the guest's own guard must trip first. */
export const WORKER_RESOURCES = { stackSizeMb: 16, maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 } as const;

/** A cell of one plugin that nobody uses keeps its thread for so long; above so many threads the oldest unused ones go at once. */
export const IDLE_CELL_MS = 60_000;
export const MAX_STARTED_CELLS = 8;

/** Faults of a plugin, and within what time, before it is not called any more. */
export const QUARANTINE = { faults: 3, withinMs: 600_000 } as const;
