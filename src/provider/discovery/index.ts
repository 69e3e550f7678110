/**
 * provider/discovery: what servers say of their models, asked for and kept: lists, the snapshot of all, which of this machine answer.
 * Promises: every exchange is bounded and can be aborted; what is kept is whole, its owner's alone and holds no secret; the newest
 * counts. Must never know: vendors, sessions. Read first: list.ts, refresh.ts, snapshot-store.ts.
 */
export { type AnsweringInput, type AnsweringPorts, findAnswering } from "./answering.js";
export { completeDispatch, type CompleteInput } from "./complete.js";
export { type ListDeps, type ListInput, listModels } from "./list.js";
export { type RefreshInput, refreshModels, type RefreshOutcome, type RefreshReport, type RefreshTarget } from "./refresh.js";
export { createSnapshotStore, type SnapshotStore, type SnapshotStoreDeps } from "./snapshot-store.js";
