import type { EntryId, JsonObject, SessionId, SubmissionId, WorkId } from "../../base/index.js";
import type {
  AttributedAction,
  ContextTransform,
  Diagnostic,
  Entry,
  EntryType,
  InvocationEntry,
  LifecycleEventType,
  ModelFacts,
  RefusedBatch,
  Routing,
  Sampling,
  ToolDefinition,
  UnknownEntry,
  Usage,
} from "../../schema/index.js";
import { MalformedError } from "../bytes/index.js";
import { Content, inherited, known, optional } from "./content.js";
import { SUB_ERROR, SUB_USAGE } from "./entry-encode.js";
import { DELIVERY, EDIT, ORIGIN, OUTCOME, QUEUE, REASON, SOURCE, STATUS, STOP, TRIGGER, typeOfKind, WORK } from "./kinds.js";
import type { KnownType } from "./kinds.js";
import type { PayloadView, RecordView } from "./record.js";
import { FLAG, ROLE } from "./record.js";

/**
 * The entry a record stores. Kinds of later versions, and known kinds whose content does not have the shape this version
 * writes, become `unknown` entries: kept, never interpreted.
 */
export function entryFromRecord(record: RecordView, payloads: readonly PayloadView[]): Entry {
  const type = typeOfKind(record.kind);
  if (type === "unknown") return unknownEntry(record, payloads);
  try {
    return DECODERS[type](new Content(record, payloads));
  } catch (error) {
    if (error instanceof MalformedError) return unknownEntry(record, payloads);
    throw error;
  }
}

const unknownEntry = (record: RecordView, payloads: readonly PayloadView[]): UnknownEntry => ({
  type: "unknown",
  id: record.id,
  ...(record.parent === undefined ? {} : { parent: record.parent }),
  time: record.time,
  ...inherited(record),
  kind: record.kind,
  flags: record.flags & ~FLAG.source,
  raw: {
    ...optional("pairing", record.pairing),
    ...optional("owner", record.owner),
    sub: record.sub,
    aux: record.aux,
    payloads: payloads.map(({ role, encoding, bytes }) => ({ role, encoding, base64: bytes.toString("base64") })),
  },
});

type Of<Type extends EntryType> = Extract<Entry, { readonly type: Type }>;

const DECODERS: { readonly [Type in KnownType]: (content: Content) => Of<Type> } = {
  "user-message": (content) => ({
    ...content.base("user-message"),
    ...optional("submission", content.pairing<SubmissionId>()),
    ...optional("work", content.owner<WorkId>()),
    source: known(SOURCE.decode(content.record.sub)),
    ...optional("plugin", content.optionalWord("plugin")),
    text: content.text(ROLE.text) ?? "",
    ...content.images(),
  }),
  assistant: (content) => ({
    ...content.base("assistant"),
    work: known(content.owner()),
    request: known(content.pairing()),
    stop: known(STOP.decode(content.record.sub)),
    text: content.text(ROLE.text) ?? "",
    thinking: content.thinking(),
    ...optional("usage", content.structure<Usage>("usage")),
    ...optional("cost", content.cost()),
    dispatch: content.model(),
    ...optional("error", content.structure<Diagnostic>("error")),
  }),
  "tool-call": (content) => ({
    ...content.base("tool-call"),
    work: known(content.owner()),
    call: known(content.pairing()),
    ordinal: content.count("ordinal"),
    name: content.word("name"),
    providerId: content.word("providerId"),
    argsText: content.text(ROLE.args) ?? "",
    ...optional("args", content.structure<JsonObject>("args")),
    ...optional("signature", content.optionalWord("signature")),
  }),
  "tool-result": (content) => ({
    ...content.base("tool-result"),
    work: known(content.owner()),
    call: known(content.pairing()),
    name: content.word("name"),
    text: content.text(ROLE.output) ?? "",
    isError: (content.record.sub & SUB_ERROR) !== 0,
    mutation: known(OUTCOME.decode(content.record.sub & ~(SUB_ERROR | SUB_USAGE))),
    omittedBytes: content.count("omitted"),
    ...optional("summary", content.optionalWord("summary")),
    ...optional("durationMs", content.optionalNumber("duration")),
    ...optional("details", content.details()),
    ...content.images(),
  }),
  prompt: (content) => ({
    ...content.base("prompt"),
    system: content.text(ROLE.text) ?? "",
    tools: known(content.structures<ToolDefinition>("tools")),
    generation: content.count("generation"),
  }),
  "session-info": (content) => ({
    ...content.base("session-info"),
    ...optional("name", content.optionalWord("name")),
    ...optional("cwd", content.optionalWord("cwd")),
    ...optional("version", content.optionalWord("version")),
  }),
  compaction: (content) => ({
    ...content.base("compaction"),
    firstKept: known(content.pairing()),
    summary: content.text(ROLE.text) ?? "",
    tokensBefore: content.count("tokensBefore"),
    ...optional("dispatch", content.optionalModel()),
    ...optional("usage", content.structure<Usage>("usage")),
    ...optional("cost", content.cost()),
  }),
  "context-edit": (content) => ({
    ...content.base("context-edit"),
    target: known(content.pairing()),
    operation: known(EDIT.decode(content.record.sub)),
    ...optional("text", content.text(ROLE.text)),
  }),
  "branch-state": (content) => ({ ...content.base("branch-state"), ...content.state() }),
  lost: (content) => ({ ...content.base("lost"), kind: content.record.sub }),
  state: (content) => ({ ...content.base("state"), ...content.state(), ...optional("work", content.owner<WorkId>()) }),
  leaf: (content) => ({
    ...content.base("leaf", undefined),
    ...optional("from", content.pairing<EntryId>()),
    ...optional("to", content.record.parent),
  }),
  origin: (content) => ({
    ...content.base("origin"),
    how: known(ORIGIN.decode(content.record.sub)),
    session: known(content.owner<SessionId>()),
    epoch: content.number("epoch"),
    seq: content.number("seq"),
    ...optional("entry", content.pairing<EntryId>()),
  }),
  submission: (content) => ({
    ...content.base("submission", content.id("parent")),
    submission: known(content.pairing()),
    work: known(content.owner()),
    ...optional("destination", content.record.parent),
    delivery: known(DELIVERY.decode(content.record.sub)),
    text: content.text(ROLE.text) ?? "",
    ...content.images(),
    ...optional("plugin", content.optionalWord("plugin")),
    ...optional("key", content.text(ROLE.key)),
  }),
  queue: (content) => ({
    ...content.base("queue"),
    submission: known(content.pairing()),
    operation: known(QUEUE.decode(content.record.sub)),
  }),
  work: (content) => ({
    ...content.base("work"),
    work: known(content.owner()),
    ...optional("parentWork", content.pairing<WorkId>()),
    state: known(WORK.decode(content.record.sub)),
    ...optional("checkpoint", content.json("checkpoint")),
  }),
  receipt: (content) => ({
    ...content.base("receipt"),
    submission: known(content.pairing()),
    work: known(content.owner()),
    status: known(STATUS.decode(content.record.sub)),
    reason: known(REASON.decode(content.record.aux)),
    ...optional("error", content.structure<Diagnostic>("error")),
  }),
  "effect-intent": (content) => ({
    ...content.base("effect-intent"),
    effect: known(content.pairing()),
    ...optional("work", content.owner<WorkId>()),
    cause: known(content.id("cause")),
    operation: content.word("operation"),
    plugin: content.word("plugin"),
    generation: content.count("generation"),
    input: known(content.json("input")),
  }),
  "effect-done": (content) => ({
    ...content.base("effect-done"),
    effect: known(content.pairing()),
    ...optional("work", content.owner<WorkId>()),
    outcome: known(OUTCOME.decode(content.record.sub)),
    ...optional("error", content.structure<Diagnostic>("error")),
    output: known(content.text(ROLE.output) ?? content.json("output")),
  }),
  invocation: (content) => ({
    ...content.base("invocation"),
    invocation: known(content.pairing()),
    ...optional("work", content.owner<WorkId>()),
    plugin: content.word("plugin"),
    generation: content.count("generation"),
    trigger: triggerOf(content),
  }),
  actions: (content) => ({
    ...content.base("actions"),
    ...optional("work", content.owner<WorkId>()),
    trigger: content.word("trigger") as LifecycleEventType | "command",
    generation: content.count("generation"),
    accepted: known(content.structures<AttributedAction>("accepted")),
    refused: known(content.structures<RefusedBatch>("refused")),
  }),
  reconciled: (content) => ({
    ...content.base("reconciled"),
    effect: known(content.pairing()),
    outcome: decided(OUTCOME.decode(content.record.sub)),
    ...optional("note", content.text(ROLE.text)),
  }),
  request: (content) => ({
    ...content.base("request"),
    request: known(content.pairing()),
    work: known(content.owner()),
    ...optional("first", content.id<EntryId>("first")),
    prompt: known(content.id<EntryId>("prompt")),
    selection: content.word("selection"),
    dispatch: content.model(),
    attempt: content.count("attempt"),
    generation: content.number("generation"),
    ...optional("thinking", content.optionalWord("thinking")),
    ...optional("routing", content.structure<Routing>("routing")),
    ...optional("facts", content.structure<ModelFacts>("facts")),
    ...optional("sampling", content.structure<Sampling>("sampling")),
    messageCount: content.number("messages"),
    ...optional("transforms", content.structures<ContextTransform>("transforms")),
    ...optional("digest", content.bytes("digest")?.toString("hex")),
  }),
};

/** Names of events are passed on as they are stored: one of a later version is a name like any other. */
function triggerOf(content: Content): InvocationEntry["trigger"] {
  const name = content.word("name");
  const type = known(TRIGGER.decode(content.record.sub));
  return type === "event" ? { type, event: name as LifecycleEventType } : { type, name, args: content.text(ROLE.args) ?? "" };
}

function decided(outcome: "applied" | "not-applied" | "unknown" | undefined): "applied" | "not-applied" {
  if (outcome === undefined || outcome === "unknown") throw new MalformedError("not an outcome a person can state");
  return outcome;
}
