/**
 * runtime: joins every floor into one facade: open, submit, observe, inspect, abort, close.
 * Promises: frontends need nothing below it; a session file appears with its first input; closing leaves no process.
 * Must never know: React, terminals, command lines. Read first: types.ts, compose.ts, live-session.ts.
 */
export { createRuntime } from "./compose.js";
export type { RuntimeDeps } from "./deps.js";
export type { AuthAccount, AuthAdmin, AuthCheck, AuthOverview, AuthPlace, DevicePrompt, ModelAdmin } from "./model-admin/types.js";
export type { McpCheck, ServerAdmin, ServerPlace } from "./mcp/index.js";
export type { KnownSecret, SecretAdmin, SecretList } from "./secrets/index.js";
export type { PluginAdmin, PluginKind } from "./plugin-admin/types.js";
export type {
  Attachment,
  ChangeBatch,
  ContextEdit,
  EffectiveRequest,
  EntriesOptions,
  Inspection,
  Maintenance,
  ModelView,
  OpenOptions,
  Receipt,
  RunEnd,
  Runtime,
  RuntimeSession,
  SessionCost,
  SessionStatus,
  SubmissionStatus,
  UnknownEffect,
} from "./types.js";
export type { ConnectionState, FactRow, ModelEntry, RefreshReport, Route } from "../provider/index.js";
export { imagePart, imageProblemWords } from "../effect/index.js";
export type { Machine, MachineFolder } from "../effect/index.js";
export { entryTypeOfKind } from "../session/index.js";
export type { Finding, GrepMatch, GrepOptions, ListOptions, NewSession, RepairReport, VerifyReport } from "../session/index.js";
