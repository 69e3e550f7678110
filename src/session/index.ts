/**
 * session: the durable authority: one append-only file per session, its writer, its readers, the store of a directory.
 * Promises: a change is there whole or not at all; acknowledged means durable; one writer per session; bounded reads.
 * Must never know: what entries mean to an agent, models, tools, frontends, configuration.
 * Read first: types.ts, then docs/reference/session-format.md, codec/, log/, reader/, writer/.
 */
export { branchTargetUnknown, sessionBusy, sessionClosed } from "./diagnostics.js";
export { typeOfKind as entryTypeOfKind } from "./codec/index.js";
export { type BranchCost, type CostReport, CostSum, type MessageCost, type ModelCost, Owners, type TurnCost } from "./cost/index.js";
export { type DumpHeader, dumpLines, readDump } from "./interchange/index.js";
export {
  type FileOrigin,
  type LiveEffect,
  type LiveState,
  type LiveStateItem,
  type LiveSubmission,
  type LiveWork,
  SESSION_LIMITS,
} from "./live/index.js";
export { createLocker, type Locker } from "./lock.js";
export { createSessionStore } from "./store.js";
export {
  type Change,
  type CommitTicket,
  type CommittedChange,
  type Finding,
  type GrepMatch,
  type GrepOptions,
  type ImportedChange,
  type ChangeSpan,
  type ImportItem,
  type ListOptions,
  type NewSession,
  type RepairReport,
  type SessionReader,
  SessionStorageError,
  type SessionStore,
  type SessionStoreDeps,
  type SessionWriter,
  type UnknownFrame,
  type VerifyReport,
} from "./types.js";
