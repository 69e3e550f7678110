/**
 * cell: a worker thread that holds guests, and its main side.
 * Promises: a call ends within bounds whatever its guest does; the main loop never runs or waits for guest code. Must never
 * know: tools, providers, grants. The worker itself is `worker.ts`, a bundle of its own. Read first: cell.ts, protocol.ts.
 */
export { Cell, type CellOptions, type DestroyReason, type GuestCall, type GuestEnd, type GuestRun, type HostAnswer } from "./cell.js";
export type { CellModule, CellStart } from "./protocol.js";
export { CellThread } from "./thread.js";
