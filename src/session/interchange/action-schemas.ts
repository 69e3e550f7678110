import { z } from "zod";
import type { CallId, EntryId, InvocationId, SubmissionId } from "../../base/index.js";
import { ACTIONS_OF_EVENT, type LifecycleEventType, type RenderNode } from "../../schema/index.js";
import { cost, error, id, json, jsonObject, model, optional, usage } from "./parts.js";

/** What plugins wanted and showed, as lines of a dump have it. */

/** Every event there is: one that is added has actions that answer it. */
export const TRIGGERS = Object.keys(ACTIONS_OF_EVENT).filter((name): name is LifecycleEventType => name !== "command");

export const trigger = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("event"), event: z.enum(TRIGGERS) }),
  z.strictObject({ type: z.literal("command"), name: z.string(), args: z.string() }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), args: z.string() }),
]);

const role = optional(z.enum(["plain", "muted", "strong", "emphasis", "accent", "success", "warning", "error", "code"]));
const span = z.strictObject({ text: z.string(), role, href: optional(z.string()) });

const view: z.ZodType<RenderNode> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), spans: z.array(span).readonly() }),
  z.strictObject({ type: z.literal("code"), text: z.string(), language: optional(z.string()) }),
  z.strictObject({ type: z.literal("diff"), text: z.string() }),
  z.strictObject({
    type: z.literal("table"),
    columns: z.array(z.string()).readonly(),
    rows: z.array(z.array(z.string()).readonly()).readonly(),
  }),
  z.strictObject({
    type: z.literal("list"),
    get items() {
      return z.array(view).readonly();
    },
    ordered: optional(z.boolean()),
  }),
  z.strictObject({ type: z.literal("image"), mediaType: z.string(), base64: z.string(), alt: z.string() }),
  z.strictObject({ type: z.literal("progress"), label: z.string(), done: z.number(), total: optional(z.number()) }),
  z.strictObject({
    type: z.literal("group"),
    title: optional(z.string()),
    get children() {
      return z.array(view).readonly();
    },
  }),
]);

export const details = z.strictObject({
  diff: optional(z.string()),
  data: optional(json),
  view: optional(view),
  usage: optional(z.strictObject({ usage, cost: optional(cost), model: optional(model) })),
  done: optional(z.strictObject({ finalMessage: z.string() })),
});

const target = id<EntryId>();
const call = id<CallId>();
const submission = id<SubmissionId>();

export const transforms = z
  .array(
    z.discriminatedUnion("operation", [
      z.strictObject({ operation: z.literal("omit"), target }),
      z.strictObject({ operation: z.literal("replace"), target, text: z.string() }),
      z.strictObject({ operation: z.literal("append"), text: z.string() }),
    ]),
  )
  .readonly();

const names = optional(z.array(z.string()).readonly());

const action = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("add-message"), text: z.string() }),
  z.strictObject({ type: z.literal("transform-context"), transforms }),
  z.strictObject({
    type: z.literal("edit-context"),
    target,
    operation: z.enum(["omit", "replace", "restore"]),
    text: optional(z.string()),
  }),
  z.strictObject({ type: z.literal("allow-tool"), call }),
  z.strictObject({ type: z.literal("ask-tool"), call, why: optional(z.string()), rule: optional(z.string()) }),
  z.strictObject({ type: z.literal("deny-tool"), call, why: z.string() }),
  z.strictObject({ type: z.literal("rewrite-tool"), call, args: jsonObject }),
  z.strictObject({ type: z.literal("replace-result"), call, text: z.string(), isError: optional(z.boolean()) }),
  z.strictObject({ type: z.literal("append-result"), call, text: z.string() }),
  z.strictObject({ type: z.literal("set-model"), model: z.string() }),
  z.strictObject({ type: z.literal("set-thinking"), level: z.string() }),
  z.strictObject({ type: z.literal("set-tools"), enable: names, disable: names }),
  z.strictObject({ type: z.literal("set-prompt"), section: z.string(), text: z.string(), order: optional(z.number()) }),
  z.strictObject({ type: z.literal("enqueue"), text: z.string(), delivery: optional(z.enum(["steer", "follow-up"])) }),
  z.strictObject({ type: z.literal("withdraw"), submission }),
  z.strictObject({ type: z.literal("deliver"), submissions: z.array(submission).readonly() }),
  z.strictObject({ type: z.literal("compact"), firstKept: target, summary: z.string() }),
  z.strictObject({ type: z.literal("keep-context"), why: z.string() }),
  z.strictObject({
    type: z.literal("set-state"),
    scope: z.enum(["session", "branch", "project", "user"]),
    key: z.string(),
    value: json,
  }),
  z.strictObject({ type: z.literal("set-config"), option: z.string(), value: json }),
  z.strictObject({ type: z.literal("notify"), text: z.string(), role }),
  z.strictObject({ type: z.literal("set-status"), key: z.string(), text: z.string(), role }),
  z.strictObject({ type: z.literal("stop-turn"), why: z.string() }),
]);

const author = { plugin: z.string(), invocation: id<InvocationId>() };

export const accepted = z.array(z.strictObject({ ...author, action })).readonly();
export const refused = z.array(z.strictObject({ ...author, error })).readonly();
