import type { AnyId } from "../../base/index.js";
import { invariant } from "../../base/index.js";
import type { Entry, HistoryEntry, ImagePart, StateFields, ThinkingPart, UnknownEntry } from "../../schema/index.js";
import { isCost, isHistoryEntry } from "../../schema/index.js";
import type { CborFields, CborValue } from "../bytes/index.js";
import type { KnownType } from "./kinds.js";
import { DELIVERY, EDIT, KINDS, ORIGIN, OUTCOME, QUEUE, REASON, SOURCE, STATE, STATUS, STOP, TRIGGER, WORK } from "./kinds.js";
import type { PayloadDraft, RecordDraft } from "./record.js";
import { ENCODING, FLAG, ROLE } from "./record.js";
import { ID_BYTES, putId } from "./uuid.js";

/** Set in `sub` of a TOOL_RESULT that is an error. */
export const SUB_ERROR = 0x100;
/** Set in `sub` of a TOOL_RESULT that reports what models it asked have used: sums need not read the payloads of all others. */
export const SUB_USAGE = 0x200;

interface Fields {
  readonly parent?: Entry["parent"] | undefined;
  readonly pairing?: AnyId | undefined;
  readonly owner?: AnyId | undefined;
  readonly sub?: number;
  readonly aux?: number;
  readonly payloads?: readonly PayloadDraft[];
}

/**
 * Maps an entry to the record that stores it. `entryFromRecord` is the inverse. Times before `floor` become it, so that
 * time never goes back inside a session. An `unknown` entry without its raw record cannot be written: a bug.
 */
export function draftOf(entry: Entry, floor = 0): RecordDraft {
  const { kind, flags } = entry.type === "unknown" ? entry : KINDS[entry.type satisfies KnownType];
  const fields = entry.type === "unknown" ? rawFields(entry) : fieldsOf(entry);
  return {
    id: entry.id,
    parent: "parent" in fields ? fields.parent : entry.parent,
    pairing: fields.pairing,
    owner: fields.owner,
    time: entry.time > floor ? Math.floor(entry.time) : floor,
    kind,
    flags: entry.inherited === true ? flags | FLAG.source : flags,
    sub: fields.sub ?? 0,
    aux: fields.aux ?? 0,
    payloads: fields.payloads ?? [],
  };
}

function rawFields({ raw }: UnknownEntry): Fields {
  invariant(raw !== undefined, "an unknown entry cannot be committed without its raw record");
  return {
    // Ids as text have no other brand to lose.
    pairing: raw.pairing as AnyId | undefined,
    owner: raw.owner as AnyId | undefined,
    sub: raw.sub,
    aux: raw.aux,
    payloads: raw.payloads.map(({ role, encoding, base64 }) => ({ role, encoding, data: Buffer.from(base64, "base64") })),
  };
}

type Of<Type extends KnownType> = Extract<Entry, { readonly type: Type }>;
type Known = Exclude<Entry, { readonly type: "unknown" }>;

const fieldsOf = (entry: Known): Fields => (isHistoryEntry(entry) ? historyFields(entry) : liveFields(entry));

function historyFields(entry: HistoryEntry): Fields {
  switch (entry.type) {
    case "user-message":
      return {
        pairing: entry.submission,
        owner: entry.work,
        sub: SOURCE.encode(entry.source),
        payloads: payloads(text(entry.text), ...images(entry.images), value({ media: media(entry.images), plugin: entry.plugin })),
      };
    case "assistant":
      return assistantFields(entry);
    case "tool-call":
      return {
        pairing: entry.call,
        owner: entry.work,
        aux: small(entry.ordinal),
        payloads: payloads(
          utf8(ROLE.args, entry.argsText),
          value({
            args: entry.args,
            name: entry.name,
            ordinal: large(entry.ordinal),
            signature: entry.signature,
            providerId: entry.providerId,
          }),
        ),
      };
    case "tool-result":
      return toolResultFields(entry);
    case "prompt":
      return {
        aux: small(entry.generation),
        payloads: payloads(text(entry.system), value({ tools: data(entry.tools), generation: large(entry.generation) })),
      };
    case "session-info":
      return { payloads: payloads(value({ cwd: entry.cwd, name: entry.name, version: entry.version })) };
    case "compaction":
      return {
        pairing: entry.firstKept,
        aux: small(entry.tokensBefore),
        payloads: payloads(
          text(entry.summary),
          value({
            cost: cost(entry.cost),
            usage: data(entry.usage),
            dispatch: data(entry.dispatch),
            tokensBefore: large(entry.tokensBefore),
          }),
        ),
      };
    case "context-edit":
      return { pairing: entry.target, sub: EDIT.encode(entry.operation), payloads: payloads(optionalText(entry.text)) };
    case "branch-state":
      return stateFields(entry);
    case "lost":
      return { sub: entry.kind };
  }
}

const stateFields = (entry: StateFields): Fields => ({
  sub: STATE.encode(entry.operation),
  aux: small(entry.version),
  payloads: payloads(
    utf8(ROLE.key, entry.key),
    value({
      fork: entry.fork === "copy" ? true : undefined,
      owner: entry.owner,
      value: entry.value,
      version: large(entry.version),
    }),
  ),
});

function assistantFields(entry: Of<"assistant">): Fields {
  const { thinking } = entry;
  return {
    pairing: entry.request,
    owner: entry.work,
    sub: STOP.encode(entry.stop),
    payloads: payloads(
      text(entry.text),
      ...thinking.map((part) => utf8(ROLE.thinking, part.text)),
      value({
        cost: cost(entry.cost),
        error: data(entry.error),
        kinds: ofParts(thinking, (part) => part.kind),
        usage: data(entry.usage),
        places: ofParts(thinking, ({ after }) => after && [after.text, after.calls]),
        dispatch: data(entry.dispatch),
        thoughts: ofParts(thinking, (part) => part.id),
        signatures: ofParts(thinking, (part) => part.signature),
      }),
    ),
  };
}

/** What is known of each part, null where nothing is; absent when nothing is known of any. */
function ofParts(parts: readonly ThinkingPart[], field: (part: ThinkingPart) => CborValue | undefined): CborValue | undefined {
  const fields = parts.map((part) => field(part) ?? null);
  return fields.some((one) => one !== null) ? fields : undefined;
}

/** US dollars. What nobody can have spent is a bug of who counted. */
function cost(dollars: number | undefined): number | undefined {
  invariant(dollars === undefined || isCost(dollars), "a cost that is no sum of money cannot be recorded");
  return dollars;
}

function toolResultFields(entry: Of<"tool-result">): Fields {
  const { diff, ...details } = entry.details ?? {};
  const reported = details.usage;
  cost(reported?.cost);
  return {
    pairing: entry.call,
    owner: entry.work,
    sub: OUTCOME.encode(entry.mutation) | (entry.isError ? SUB_ERROR : 0) | (reported === undefined ? 0 : SUB_USAGE),
    aux: small(entry.omittedBytes),
    payloads: payloads(
      utf8(ROLE.output, entry.text),
      ...images(entry.images),
      diff === undefined ? undefined : utf8(ROLE.diff, diff),
      value({
        name: entry.name,
        media: media(entry.images),
        details: entry.details === undefined ? undefined : data(details),
        omitted: large(entry.omittedBytes),
        summary: entry.summary,
        duration: entry.durationMs === undefined ? undefined : Math.max(0, Math.round(entry.durationMs)),
      }),
    ),
  };
}

function liveFields(entry: Exclude<Known, HistoryEntry>): Fields {
  switch (entry.type) {
    case "leaf":
      return { parent: entry.to, pairing: entry.from };
    case "origin":
      return {
        pairing: entry.entry,
        owner: entry.session,
        sub: ORIGIN.encode(entry.how),
        payloads: payloads(value({ seq: entry.seq, epoch: entry.epoch })),
      };
    case "state":
      return { ...stateFields(entry), owner: entry.work };
    case "submission":
      return submissionFields(entry);
    case "queue":
      return { pairing: entry.submission, sub: QUEUE.encode(entry.operation) };
    case "work":
      return {
        pairing: entry.parentWork,
        owner: entry.work,
        sub: WORK.encode(entry.state),
        payloads: payloads(value({ checkpoint: entry.checkpoint })),
      };
    case "receipt":
      return {
        pairing: entry.submission,
        owner: entry.work,
        sub: STATUS.encode(entry.status),
        aux: REASON.encode(entry.reason),
        payloads: payloads(value({ error: data(entry.error) })),
      };
    case "effect-intent":
      return intentFields(entry);
    case "effect-done":
      return {
        pairing: entry.effect,
        owner: entry.work,
        sub: OUTCOME.encode(entry.outcome),
        payloads: payloads(
          typeof entry.output === "string" ? utf8(ROLE.output, entry.output) : undefined,
          value({ error: data(entry.error), output: typeof entry.output === "string" ? undefined : entry.output }),
        ),
      };
    case "invocation":
      return invocationFields(entry);
    case "actions":
      return actionsFields(entry);
    case "reconciled":
      return { pairing: entry.effect, sub: OUTCOME.encode(entry.outcome), payloads: payloads(optionalText(entry.note)) };
    case "request":
      return requestFields(entry);
  }
}

const intentFields = (entry: Of<"effect-intent">): Fields => ({
  pairing: entry.effect,
  owner: entry.work,
  aux: small(entry.generation),
  payloads: payloads(
    value({
      cause: idBytes(entry.cause),
      input: entry.input,
      plugin: entry.plugin,
      operation: entry.operation,
      generation: large(entry.generation),
    }),
  ),
});

function invocationFields({ invocation, work, plugin, generation, trigger }: Of<"invocation">): Fields {
  const { name, args } = trigger.type === "event" ? { name: trigger.event, args: undefined } : trigger;
  return {
    pairing: invocation,
    owner: work,
    sub: TRIGGER.encode(trigger.type),
    aux: small(generation),
    payloads: payloads(args === undefined ? undefined : utf8(ROLE.args, args), value({ name, plugin, generation: large(generation) })),
  };
}

const actionsFields = (entry: Of<"actions">): Fields => ({
  owner: entry.work,
  aux: small(entry.generation),
  payloads: payloads(
    value({
      refused: data(entry.refused),
      trigger: entry.trigger,
      accepted: data(entry.accepted),
      generation: large(entry.generation),
    }),
  ),
});

const requestFields = (entry: Of<"request">): Fields => ({
  pairing: entry.request,
  owner: entry.work,
  aux: small(entry.attempt),
  payloads: payloads(
    value({
      facts: data(entry.facts),
      first: idBytes(entry.first),
      digest: entry.digest === undefined ? undefined : Buffer.from(entry.digest, "hex"),
      prompt: idBytes(entry.prompt),
      attempt: large(entry.attempt),
      routing: data(entry.routing),
      dispatch: data(entry.dispatch),
      messages: entry.messageCount,
      sampling: data(entry.sampling),
      thinking: entry.thinking,
      selection: entry.selection,
      generation: entry.generation,
      transforms: data(entry.transforms),
    }),
  ),
});

/** The destination leaf takes the parent field; a parent that differs from it goes into the value. */
function submissionFields(entry: Of<"submission">): Fields {
  return {
    pairing: entry.submission,
    owner: entry.work,
    parent: entry.destination,
    sub: DELIVERY.encode(entry.delivery),
    payloads: payloads(
      text(entry.text),
      entry.key === undefined ? undefined : utf8(ROLE.key, entry.key),
      ...images(entry.images),
      value({ media: media(entry.images), parent: idBytes(entry.parent), plugin: entry.plugin }),
    ),
  };
}

const payloads = (...drafts: readonly (PayloadDraft | undefined)[]): readonly PayloadDraft[] =>
  drafts.filter((draft) => draft !== undefined);

const utf8 = (role: number, content: string): PayloadDraft => ({ role, encoding: ENCODING.utf8, data: content });
/** Empty text needs no payload: its absence reads as empty. */
const text = (content: string): PayloadDraft | undefined => (content === "" ? undefined : utf8(ROLE.text, content));
/** Where absent and empty differ, an empty payload is written. */
const optionalText = (content: string | undefined): PayloadDraft | undefined =>
  content === undefined ? undefined : utf8(ROLE.text, content);

function value(fields: CborFields): PayloadDraft | undefined {
  for (const key in fields) if (fields[key] !== undefined) return { role: ROLE.value, encoding: ENCODING.cbor, data: fields };
  return undefined;
}

/** Images are stored as bytes; base64 that would not come back equal is kept as the text it is. */
const images = (parts: readonly ImagePart[] | undefined): readonly PayloadDraft[] =>
  (parts ?? []).map((part) => {
    const bytes = Buffer.from(part.base64, "base64");
    return bytes.toString("base64") === part.base64
      ? { role: ROLE.image, encoding: ENCODING.bytes, data: bytes }
      : utf8(ROLE.image, part.base64);
  });

const media = (parts: readonly ImagePart[] | undefined): CborValue | undefined => parts?.map((part) => part.mediaType);

const isSmall = (count: number): boolean => Number.isInteger(count) && count >= 0 && count <= 0xffff_ffff && !Object.is(count, -0);
const small = (count: number): number => (isSmall(count) ? count : 0);
/** What does not fit the `aux` field goes into the value under its own name. */
const large = (count: number): number | undefined => (isSmall(count) ? undefined : count);

function idBytes(id: AnyId | undefined): Uint8Array | undefined {
  if (id === undefined) return undefined;
  const bytes = Buffer.alloc(ID_BYTES);
  putId(bytes, 0, id);
  return bytes;
}

/** Plain data of our own schema is CBOR data already; interfaces only lack the index signature that says so. */
const data = (content: object | undefined): CborValue | undefined => content as CborValue | undefined;
