import { z } from "zod";
import type {
  AnyId,
  CallId,
  EffectId,
  EntryId,
  JsonObject,
  JsonValue,
  RequestId,
  SessionId,
  SubmissionId,
  WorkId,
} from "../../base/index.js";
import { isJsonObject, isUuid } from "../../base/index.js";
import type { Diagnostic, Entry, EntryType } from "../../schema/index.js";

/**
 * Lines of a dump as zod sees them. Unknown fields are errors everywhere but inside of JSON values. Nothing is transformed:
 * what was parsed is taken itself, so that the order of its keys stays.
 */
const NIL = "00000000-0000-0000-0000-000000000000";

export const id = <Id extends AnyId>() =>
  z.custom<Id>((value) => typeof value === "string" && isUuid(value) && value !== NIL, "is not an id, a UUID in lower case with hyphens");

/** JSON.parse made it, so it is JSON. */
const json = z.custom<JsonValue>((value) => value !== undefined, "is missing");
const jsonObject = z.custom<JsonObject>(isJsonObject, "is not an object");
export const count = z.int().min(0);
export const optional = z.exactOptional;
export const base64 = z.string().refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/u.test(text), "is not base64");
const uuid = z.string().refine(isUuid, "is not a UUID in lower case with hyphens");

const base = <Type extends EntryType>(type: Type) => ({
  type: z.literal(type),
  id: id<EntryId>(),
  parent: optional(id<EntryId>()),
  time: count,
  inherited: optional(z.literal(true)),
});

const image = z.strictObject({ mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]), base64: z.string() });
const images = optional(z.array(image).readonly());
const model = z.strictObject({ provider: z.string(), model: z.string() });
const mutation = z.enum(["applied", "not-applied", "unknown"]);

const usage = z.strictObject({
  inputTokens: optional(z.number()),
  outputTokens: optional(z.number()),
  cacheReadTokens: optional(z.number()),
  cacheWriteTokens: optional(z.number()),
  reasoningTokens: optional(z.number()),
});

const source = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("file"),
    path: z.string(),
    line: optional(z.number()),
    column: optional(z.number()),
    key: optional(z.string()),
  }),
  z.strictObject({ type: z.literal("flag"), name: z.string() }),
  z.strictObject({ type: z.literal("env"), name: z.string() }),
  z.strictObject({ type: z.literal("plugin"), id: z.string(), file: optional(z.string()), line: optional(z.number()) }),
  z.strictObject({ type: z.literal("provider"), id: z.string(), url: optional(z.string()), status: optional(z.number()) }),
  z.strictObject({ type: z.literal("session"), id: z.string(), offset: optional(z.number()) }),
]);

const error: z.ZodType<Diagnostic> = z.strictObject({
  code: z.string(),
  what: z.string(),
  why: z.string(),
  next: z.string(),
  source: optional(source),
  severity: z.enum(["error", "warning"]),
  retry: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("never") }),
    z.strictObject({ type: z.literal("now") }),
    z.strictObject({ type: z.literal("after"), delayMs: z.number() }),
  ]),
  get causes() {
    return optional(z.array(error).readonly());
  },
  exit: optional(z.literal([0, 1, 2, 3, 4, 70, 124, 129, 130, 143])),
});

const tool = z.strictObject({
  name: z.string(),
  plugin: z.string(),
  description: z.string(),
  parameters: jsonObject,
  readOnly: z.boolean(),
  timeoutMs: z.number(),
  summaryKeys: z.array(z.string()).readonly(),
});

const details = z.strictObject({
  diff: optional(z.string()),
  data: optional(json),
  done: optional(z.strictObject({ finalMessage: z.string() })),
});

const state = {
  owner: z.string(),
  key: z.string(),
  version: z.number(),
  fork: z.enum(["copy", "fresh"]),
  operation: z.enum(["put", "delete"]),
  value: optional(json),
};

const raw = z.strictObject({
  pairing: optional(uuid),
  owner: optional(uuid),
  sub: count.max(0xffff),
  aux: count.max(0xffff_ffff),
  payloads: z.array(z.strictObject({ role: count.max(0xffff), encoding: count.max(0xff), base64 })).readonly(),
});

export const ENTRIES = {
  "user-message": z.strictObject({
    ...base("user-message"),
    submission: optional(id<SubmissionId>()),
    work: optional(id<WorkId>()),
    source: z.enum(["prompt", "steer", "follow-up", "notice"]),
    text: z.string(),
    images,
  }),
  assistant: z.strictObject({
    ...base("assistant"),
    work: id<WorkId>(),
    request: id<RequestId>(),
    stop: z.enum(["stop", "tool-use", "limit", "refusal", "content-filter", "aborted", "failed"]),
    text: z.string(),
    thinking: z.array(z.strictObject({ text: z.string(), signature: optional(z.string()) })).readonly(),
    usage: optional(usage),
    dispatch: model,
    error: optional(error),
  }),
  "tool-call": z.strictObject({
    ...base("tool-call"),
    work: id<WorkId>(),
    call: id<CallId>(),
    ordinal: z.number(),
    name: z.string(),
    providerId: z.string(),
    argsText: z.string(),
    args: optional(jsonObject),
  }),
  "tool-result": z.strictObject({
    ...base("tool-result"),
    work: id<WorkId>(),
    call: id<CallId>(),
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
    mutation,
    omittedBytes: z.number(),
    durationMs: optional(z.number()),
    summary: optional(z.string()),
    details: optional(details),
    images,
  }),
  prompt: z.strictObject({ ...base("prompt"), system: z.string(), tools: z.array(tool).readonly(), generation: z.number() }),
  "session-info": z.strictObject({
    ...base("session-info"),
    name: optional(z.string()),
    cwd: optional(z.string()),
    version: optional(z.string()),
  }),
  compaction: z.strictObject({ ...base("compaction"), firstKept: id<EntryId>(), summary: z.string(), tokensBefore: z.number() }),
  "context-edit": z.strictObject({
    ...base("context-edit"),
    target: id<EntryId>(),
    operation: z.enum(["omit", "replace", "restore"]),
    text: optional(z.string()),
  }),
  "branch-state": z.strictObject({ ...base("branch-state"), ...state }),
  state: z.strictObject({ ...base("state"), ...state, work: optional(id<WorkId>()) }),
  leaf: z.strictObject({ ...base("leaf"), from: optional(id<EntryId>()), to: optional(id<EntryId>()) }),
  origin: z.strictObject({
    ...base("origin"),
    how: z.enum(["fork", "import"]),
    session: id<SessionId>(),
    epoch: z.number(),
    seq: z.number(),
    entry: optional(id<EntryId>()),
  }),
  submission: z.strictObject({
    ...base("submission"),
    submission: id<SubmissionId>(),
    work: id<WorkId>(),
    destination: optional(id<EntryId>()),
    delivery: z.enum(["turn", "steer", "follow-up"]),
    text: z.string(),
    images,
    key: optional(z.string()),
  }),
  queue: z.strictObject({ ...base("queue"), submission: id<SubmissionId>(), operation: z.enum(["enqueue", "deliver", "withdraw"]) }),
  work: z.strictObject({
    ...base("work"),
    work: id<WorkId>(),
    parentWork: optional(id<WorkId>()),
    state: z.enum(["created", "running", "waiting", "blocked", "cancel-requested", "settled"]),
    checkpoint: optional(json),
  }),
  receipt: z.strictObject({
    ...base("receipt"),
    submission: id<SubmissionId>(),
    work: id<WorkId>(),
    status: z.enum(["ok", "aborted", "error", "stalled", "maxTurns", "limit"]),
    reason: z.enum(["done", "rounds", "tree", "tokens", "cost", "deadline", "stall", "abort", "provider", "storage", "bug"]),
    error: optional(error),
  }),
  "effect-intent": z.strictObject({
    ...base("effect-intent"),
    effect: id<EffectId>(),
    work: optional(id<WorkId>()),
    cause: id<CallId | RequestId>(),
    operation: z.string(),
    plugin: z.string(),
    generation: z.number(),
    input: json,
  }),
  "effect-done": z.strictObject({
    ...base("effect-done"),
    effect: id<EffectId>(),
    work: optional(id<WorkId>()),
    outcome: mutation,
    error: optional(error),
    output: json,
  }),
  reconciled: z.strictObject({
    ...base("reconciled"),
    effect: id<EffectId>(),
    outcome: z.enum(["applied", "not-applied"]),
    note: optional(z.string()),
  }),
  request: z.strictObject({
    ...base("request"),
    request: id<RequestId>(),
    work: id<WorkId>(),
    first: optional(id<EntryId>()),
    prompt: id<EntryId>(),
    selection: z.string(),
    dispatch: model,
    attempt: z.number(),
    generation: z.number(),
    thinking: optional(z.string()),
    messageCount: z.number(),
    digest: optional(z.string().regex(/^(?:[0-9a-f]{2})*$/u, "is not hex digits in lower case")),
  }),
  lost: z.strictObject({ ...base("lost"), kind: count.max(0xffff), unrepaired: optional(z.literal(true)) }),
  unknown: z.strictObject({ ...base("unknown"), kind: count.max(0xffff), flags: count.max(0xffff), raw: optional(raw) }),
} as const satisfies { readonly [Type in EntryType]: z.ZodType };

type Parsed = { readonly [Type in EntryType]: z.output<(typeof ENTRIES)[Type]> };
type Declared = { readonly [Type in EntryType]: Extract<Entry, { readonly type: Type }> };
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : false) : false;
type Assert<Fact extends true> = Fact;
/** Does not compile when an entry type and its schema part ways, in either direction. */
export type CheckedEntry =
  Assert<{ readonly [Type in EntryType]: Same<Parsed[Type], Declared[Type]> }[EntryType]> extends true ? Entry : never;
