import type { AnyId, EntryId, JsonObject, SessionId, SubmissionId, WorkId } from "../../base/index.js";
import type {
  Diagnostic,
  Entry,
  EntryType,
  ImagePart,
  ModelRef,
  StateFields,
  ThinkingPart,
  ToolDefinition,
  ToolDetails,
  UnknownEntry,
  Usage,
} from "../../schema/index.js";
import type { Decoded, DecodedMap } from "../bytes/index.js";
import { MalformedError, asJson, decodeCbor, isDecodedMap } from "../bytes/index.js";
import { SUB_ERROR } from "./entry-encode.js";
import { DELIVERY, EDIT, ORIGIN, OUTCOME, QUEUE, REASON, SOURCE, STATE, STATUS, STOP, typeOfKind, WORK } from "./kinds.js";
import type { KnownType } from "./kinds.js";
import type { PayloadView, RecordView } from "./record.js";
import { ENCODING, FLAG, ROLE } from "./record.js";
import { getId, ID_BYTES } from "./uuid.js";

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

const inherited = (record: RecordView): { readonly inherited?: true } => ((record.flags & FLAG.source) === 0 ? {} : { inherited: true });

type Of<Type extends EntryType> = Extract<Entry, { readonly type: Type }>;

const DECODERS: { readonly [Type in KnownType]: (content: Content) => Of<Type> } = {
  "user-message": (content) => ({
    ...content.base("user-message"),
    ...optional("submission", content.pairing<SubmissionId>()),
    ...optional("work", content.owner<WorkId>()),
    source: known(SOURCE.decode(content.record.sub)),
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
  }),
  "tool-result": (content) => ({
    ...content.base("tool-result"),
    work: known(content.owner()),
    call: known(content.pairing()),
    name: content.word("name"),
    text: content.text(ROLE.output) ?? "",
    isError: (content.record.sub & SUB_ERROR) !== 0,
    mutation: known(OUTCOME.decode(content.record.sub & ~SUB_ERROR)),
    omittedBytes: content.count("omitted"),
    ...optional("summary", content.optionalWord("summary")),
    ...optional("durationMs", content.optionalNumber("duration")),
    ...optional("details", content.details()),
    ...content.images(),
  }),
  prompt: (content) => ({
    ...content.base("prompt"),
    system: content.text(ROLE.text) ?? "",
    tools: content.tools(),
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
    messageCount: content.number("messages"),
    ...optional("digest", content.bytes("digest")?.toString("hex")),
  }),
};

function known<Value>(content: Value | undefined): Value {
  if (content === undefined) throw new MalformedError("a field is missing or has no meaning here");
  return content;
}

function decided(outcome: "applied" | "not-applied" | "unknown" | undefined): "applied" | "not-applied" {
  if (outcome === undefined || outcome === "unknown") throw new MalformedError("not an outcome a person can state");
  return outcome;
}

type Optional<Key extends string, Value> = { readonly [K in Key]?: Value };

/** `{ [key]: content }`, or nothing when it is absent. */
const optional = <Key extends string, Value>(key: Key, content: Value | undefined): Optional<Key, Value> =>
  // One computed key is typed as an index signature; the mapped type says which key it is.
  (content === undefined ? {} : { [key]: content }) as Optional<Key, Value>;

/** One record's fields and payloads, by what they mean. Getters throw MalformedError on a wrong shape. */
class Content {
  readonly record: RecordView;
  readonly #payloads: readonly PayloadView[];
  #fields: DecodedMap | undefined;

  constructor(record: RecordView, payloads: readonly PayloadView[]) {
    this.record = record;
    this.#payloads = payloads;
  }

  base<Type extends KnownType>(
    type: Type,
    parent?: EntryId,
  ): { readonly type: Type; readonly id: EntryId; readonly parent?: EntryId; readonly time: number; readonly inherited?: true } {
    // These use the parent field for something else.
    const named = type === "submission" || type === "leaf" ? parent : this.record.parent;
    return {
      type,
      id: this.record.id,
      ...(named === undefined ? {} : { parent: named }),
      time: this.record.time,
      ...inherited(this.record),
    };
  }

  state(): StateFields {
    const fork = this.#field("fork");
    if (fork !== undefined && fork !== true) throw new MalformedError("fork is not true");
    return {
      owner: this.word("owner"),
      key: known(this.text(ROLE.key)),
      version: this.count("version"),
      fork: fork === true ? "copy" : "fresh",
      operation: known(STATE.decode(this.record.sub)),
      ...optional("value", this.json("value")),
    };
  }

  bytes(key: string): Buffer | undefined {
    const stored = this.#field(key);
    if (stored !== undefined && !Buffer.isBuffer(stored)) throw new MalformedError(`${key} is not bytes`);
    return stored;
  }

  /** The field's brand is given by the kind (format document, "Record kinds"). */
  pairing<Id extends AnyId>(): Id | undefined {
    return this.record.pairing as Id | undefined;
  }

  owner<Id extends AnyId>(): Id | undefined {
    return this.record.owner as Id | undefined;
  }

  text(role: number): string | undefined {
    return this.#payloads.find((payload) => payload.role === role && payload.encoding === ENCODING.utf8)?.bytes.toString("utf8");
  }

  thinking(): readonly ThinkingPart[] {
    const signatures = this.#field("signatures");
    const parts = this.#payloads.filter((payload) => payload.role === ROLE.thinking);
    return parts.map((payload, index) => {
      const signature = Array.isArray(signatures) ? (signatures as readonly Decoded[])[index] : undefined;
      return { text: payload.bytes.toString("utf8"), ...(typeof signature === "string" ? { signature } : {}) };
    });
  }

  images(): { readonly images?: readonly ImagePart[] } {
    const media = this.#field("media");
    if (!Array.isArray(media)) return {};
    const parts = this.#payloads.filter((payload) => payload.role === ROLE.image);
    if (parts.length !== media.length) throw new MalformedError("images and media types differ in number");
    return {
      images: parts.map((payload, index) => ({
        mediaType: mediaType((media as readonly Decoded[])[index]),
        base64: payload.bytes.toString(payload.encoding === ENCODING.utf8 ? "utf8" : "base64"),
      })),
    };
  }

  /** A count in `aux`, or under its own name when it did not fit there. */
  count(key: string): number {
    const stored = this.#field(key);
    return typeof stored === "number" ? stored : this.record.aux;
  }

  optionalNumber(key: string): number | undefined {
    const stored = this.#field(key);
    if (stored !== undefined && typeof stored !== "number") throw new MalformedError(`${key} is not a number`);
    return stored;
  }

  number(key: string): number {
    return known(this.optionalNumber(key));
  }

  optionalWord(key: string): string | undefined {
    const stored = this.#field(key);
    if (stored !== undefined && typeof stored !== "string") throw new MalformedError(`${key} is not text`);
    return stored;
  }

  word(key: string): string {
    return known(this.optionalWord(key));
  }

  id<Id extends AnyId>(key: string): Id | undefined {
    const stored = this.#field(key);
    if (stored === undefined) return undefined;
    if (!Buffer.isBuffer(stored) || stored.length !== ID_BYTES) throw new MalformedError(`${key} is not an id`);
    return getId<Id>(stored, 0);
  }

  json(key: string): ReturnType<typeof asJson> | undefined {
    const stored = this.#field(key);
    return stored === undefined ? undefined : asJson(stored);
  }

  /** Plain data written from a value of this very type and guarded by checksums; only "an object" is checked again. */
  structure<Value extends object>(key: string): Value | undefined {
    const stored = this.#field(key);
    if (stored === undefined) return undefined;
    if (!isDecodedMap(stored)) throw new MalformedError(`${key} is not an object`);
    return asJson(stored) as unknown as Value;
  }

  model(): ModelRef {
    const { provider, model } = known(this.structure<Partial<ModelRef>>("dispatch"));
    if (typeof provider !== "string" || typeof model !== "string") throw new MalformedError("dispatch names no model");
    return { provider, model };
  }

  tools(): readonly ToolDefinition[] {
    const stored = this.#field("tools");
    if (!Array.isArray(stored)) throw new MalformedError("tools is not a list");
    return (stored as readonly Decoded[]).map((tool) => {
      if (!isDecodedMap(tool)) throw new MalformedError("a tool is not an object");
      return asJson(tool) as unknown as ToolDefinition;
    });
  }

  details(): ToolDetails | undefined {
    const stored = this.structure<ToolDetails>("details");
    const diff = this.text(ROLE.diff);
    return stored === undefined || diff === undefined ? stored : { diff, ...stored };
  }

  #field(key: string): Decoded | undefined {
    this.#fields ??= this.#decodeFields();
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  #decodeFields(): DecodedMap {
    const payload = this.#payloads.find((candidate) => candidate.role === ROLE.value);
    if (payload === undefined) return {};
    const fields = decodeCbor(payload.bytes);
    if (!isDecodedMap(fields)) throw new MalformedError("value payload is not a map");
    return fields;
  }
}

function mediaType(stored: Decoded | undefined): ImagePart["mediaType"] {
  if (stored === "image/png" || stored === "image/jpeg" || stored === "image/gif" || stored === "image/webp") return stored;
  throw new MalformedError("not an image type");
}
