import { z } from "zod";
import type { CallId, EffectId, EntryId, InvocationId, RequestId, SessionId, SubmissionId, WorkId } from "../../base/index.js";
import type { Entry, EntryType, ToolDefinition } from "../../schema/index.js";
import { accepted, details, refused, transforms, trigger, TRIGGERS } from "./action-schemas.js";
import { facts, routing, sampling, thinkingPart } from "./request-schemas.js";
import { base64, cost, count, error, id, images, json, jsonObject, model, mutation, optional, usage, uuid } from "./parts.js";

const base = <Type extends EntryType>(type: Type) => ({
  type: z.literal(type),
  id: id<EntryId>(),
  parent: optional(id<EntryId>()),
  time: count,
  inherited: optional(z.literal(true)),
});

const tool = z.strictObject({
  name: z.string(),
  plugin: z.string(),
  description: z.string(),
  parameters: jsonObject,
  readOnly: z.boolean(),
  timeoutMs: z.number(),
  summaryKeys: z.array(z.string()).readonly(),
  resultSummary: optional(z.string()),
  offer: optional(z.enum(["search", "trained", "finder"])),
  program: optional(z.string()),
  programFrom: optional(z.string()),
  resources: optional(z.array(z.string()).readonly()),
  set: optional(z.strictObject({ name: z.string(), target: json })),
} satisfies Record<keyof ToolDefinition, z.ZodType>);

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
    plugin: optional(z.string()),
    text: z.string(),
    images,
  }),
  assistant: z.strictObject({
    ...base("assistant"),
    work: id<WorkId>(),
    request: id<RequestId>(),
    stop: z.enum(["stop", "tool-use", "limit", "refusal", "content-filter", "aborted", "failed"]),
    text: z.string(),
    thinking: z.array(thinkingPart).readonly(),
    usage: optional(usage),
    cost: optional(cost),
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
    signature: optional(z.string()),
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
  compaction: z.strictObject({
    ...base("compaction"),
    firstKept: id<EntryId>(),
    summary: z.string(),
    tokensBefore: z.number(),
    dispatch: optional(model),
    usage: optional(usage),
    cost: optional(cost),
  }),
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
    plugin: optional(z.string()),
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
    reason: z.enum(["done", "rounds", "tree", "tokens", "cost", "deadline", "stall", "abort", "provider", "storage", "bug", "policy"]),
    error: optional(error),
  }),
  "effect-intent": z.strictObject({
    ...base("effect-intent"),
    effect: id<EffectId>(),
    work: optional(id<WorkId>()),
    cause: id<CallId | RequestId | InvocationId>(),
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
  invocation: z.strictObject({
    ...base("invocation"),
    invocation: id<InvocationId>(),
    work: optional(id<WorkId>()),
    plugin: z.string(),
    generation: z.number(),
    trigger,
  }),
  actions: z.strictObject({
    ...base("actions"),
    work: optional(id<WorkId>()),
    trigger: z.enum([...TRIGGERS, "command"]),
    generation: z.number(),
    accepted,
    refused,
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
    routing: optional(routing),
    facts: optional(facts),
    sampling: optional(sampling),
    messageCount: z.number(),
    transforms: optional(transforms),
    digest: optional(z.string().regex(/^(?:[0-9a-f]{2})*$/u, "is not hex digits in lower case")),
  }),
  lost: z.strictObject({ ...base("lost"), kind: count.max(0xffff), unrepaired: optional(z.literal(true)) }),
  unknown: z.strictObject({ ...base("unknown"), kind: count.max(0xffff), flags: count.max(0xffff), raw: optional(raw) }),
} as const satisfies { readonly [Type in EntryType]: z.ZodType };

type Parsed = { readonly [Type in EntryType]: z.output<(typeof ENTRIES)[Type]> };
type Declared = { readonly [Type in EntryType]: Extract<Entry, { readonly type: Type }> };
type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? SameNames<Left, Right> : false) : false;
/** A field that may be absent counts as well: a schema that does not know one refuses every dump that has it. */
type SameNames<Left, Right> = [keyof Left] extends [keyof Right] ? ([keyof Right] extends [keyof Left] ? true : false) : false;
type Assert<Fact extends true> = Fact;
/** Does not compile when an entry type and its schema part ways, in either direction. */
export type CheckedEntry =
  Assert<{ readonly [Type in EntryType]: Same<Parsed[Type], Declared[Type]> }[EntryType]> extends true ? Entry : never;
