/** Section 7 of the format document: what a record of a known kind says, as the entry that a JSONL dump shows. */
import { TextDecoder } from "node:util";
import { readCbor } from "./cbor.mjs";

const STOPS = "stop tool-use limit refusal content-filter aborted failed".split(" ");
const SOURCES = "prompt steer follow-up notice".split(" ");
const OUTCOMES = "applied not-applied unknown".split(" ");
const DELIVERIES = "turn steer follow-up".split(" ");
const QUEUE = "enqueue deliver withdraw".split(" ");
const WORK = "created running waiting blocked cancel-requested settled".split(" ");
const STATUSES = "ok aborted error stalled maxTurns limit".split(" ");
const REASONS = "done rounds tree tokens cost deadline stall abort provider storage bug policy".split(" ");
const EDITS = "omit replace restore".split(" ");
const CHANGES = "put delete".split(" ");
const ORIGINS = "fork import".split(" ");
const ROLES = [undefined, "text", "thinking", "args", "output", "image", "value", "key", "diff"];
const SOURCE = 16;

class Misshapen extends Error {}

const need = (value) => {
  if (value === undefined) throw new Misshapen();
  return value;
};
const word = (words, code) => need(words[code - 1]);

/** The entry of a record whose payloads were read. One of a kind or shape that is not known stays as it is stored. */
export function interpret(record) {
  const { id, time } = record;
  const isInherited = (record.flags & SOURCE) !== 0 ? true : undefined;
  try {
    const [type, payloads, read] = need(KINDS[record.kind]);
    const { parent = record.parent, ...fields } = read(record, contentOf(record, payloads));
    return defined({ type, id, parent: parent ?? undefined, time, inherited: isInherited, ...fields });
  } catch (error) {
    if (!(error instanceof Misshapen)) throw error;
    return defined({ type: "unknown", id, parent: record.parent, time, inherited: isInherited, ...rawOf(record) });
  }
}

const defined = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function rawOf({ kind, flags, pairing, owner, sub, aux, payloads }) {
  const stored = payloads.map(({ role, encoding, raw }) => ({ role, encoding, base64: Buffer.from(raw).toString("base64") }));
  return { kind, flags: flags & ~SOURCE, raw: defined({ pairing, owner, sub, aux, payloads: stored }) };
}

/** Payloads by role. `value` is the map, empty when there is none. */
function contentOf(record, allowed) {
  const content = { thinking: [], images: [], value: {} };
  for (const payload of record.payloads) {
    const role = ROLES[payload.role];
    if (!allowed.includes(role)) throw new Misshapen();
    if (role === "image") content.images.push(payload);
    else if (role === "thinking") content.thinking.push(textOf(payload));
    else if (role !== "value") content[role] = textOf(payload);
    else content.value = mapOf(payload);
  }
  return content;
}

const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

function mapOf({ encoding, raw }) {
  if (encoding !== 2) throw new Misshapen();
  const value = shaped(() => readCbor(raw));
  if (!isMap(value)) throw new Misshapen();
  return value;
}

function textOf({ encoding, raw }) {
  if (encoding !== 1) throw new Misshapen();
  // A byte order mark is content like any other.
  return shaped(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw));
}

function shaped(read) {
  try {
    return read();
  } catch {
    throw new Misshapen();
  }
}

/** With their media types; one stored as a text is base64 that does not come back equal from bytes. */
function imagesOf({ images, value }) {
  if (images.length === 0) return undefined;
  return images.map((payload, index) => ({
    mediaType: need(value.media?.[index]),
    base64: payload.encoding === 1 ? textOf(payload) : Buffer.from(payload.raw).toString("base64"),
  }));
}

function idOf(bytes) {
  if (!(bytes instanceof Uint8Array) || bytes.length !== 16) throw new Misshapen();
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
const maybeId = (bytes) => (bytes === undefined ? undefined : idOf(bytes));

const costOf = (cost) => {
  if (cost !== undefined && !(typeof cost === "number" && Number.isFinite(cost) && cost >= 0)) throw new Misshapen();
  return cost;
};

function thoughtOf(text, { signatures, kinds, thoughts, places }, index) {
  const place = places?.[index] ?? undefined;
  return defined({
    text,
    signature: signatures?.[index] ?? undefined,
    kind: kinds?.[index] ?? undefined,
    id: thoughts?.[index] ?? undefined,
    after: place && { text: place[0], calls: place[1] },
  });
}

const stateOf = ({ sub, aux }, { key, value }) => ({
  owner: need(value.owner),
  key: need(key),
  version: value.version ?? aux,
  fork: value.fork === true ? "copy" : "fresh",
  operation: word(CHANGES, sub),
  value: value.value,
});

const KINDS = {
  1: [
    "user-message",
    ["text", "image", "value"],
    ({ sub, pairing, owner }, content) => ({
      submission: pairing,
      work: owner,
      source: word(SOURCES, sub),
      plugin: content.value.plugin,
      text: content.text ?? "",
      images: imagesOf(content),
    }),
  ],
  2: [
    "assistant",
    ["text", "thinking", "value"],
    ({ sub, pairing, owner }, { text, thinking, value }) => ({
      work: need(owner),
      request: need(pairing),
      stop: word(STOPS, sub),
      text: text ?? "",
      thinking: thinking.map((part, index) => thoughtOf(part, value, index)),
      usage: value.usage,
      cost: costOf(value.cost),
      dispatch: need(value.dispatch),
      error: value.error,
    }),
  ],
  3: [
    "tool-call",
    ["args", "value"],
    ({ pairing, owner, aux }, { args, value }) => ({
      work: need(owner),
      call: need(pairing),
      ordinal: value.ordinal ?? aux,
      name: need(value.name),
      providerId: need(value.providerId),
      argsText: need(args),
      args: value.args,
      signature: value.signature,
    }),
  ],
  4: [
    "tool-result",
    ["output", "image", "diff", "value"],
    ({ pairing, owner, sub, aux }, content) => ({
      work: need(owner),
      call: need(pairing),
      name: need(content.value.name),
      text: need(content.output),
      isError: (sub & 0x100) !== 0,
      mutation: word(OUTCOMES, sub & 0xff),
      omittedBytes: content.value.omitted ?? aux,
      durationMs: content.value.duration,
      summary: content.value.summary,
      details: detailsOf(content),
      images: imagesOf(content),
    }),
  ],
  5: [
    "compaction",
    ["text", "value"],
    ({ pairing, aux }, { text, value }) => ({
      firstKept: need(pairing),
      summary: text ?? "",
      tokensBefore: value.tokensBefore ?? aux,
      dispatch: value.dispatch,
      usage: value.usage,
      cost: costOf(value.cost),
    }),
  ],
  6: ["context-edit", ["text"], ({ pairing, sub }, { text }) => ({ target: need(pairing), operation: word(EDITS, sub), text })],
  10: ["session-info", ["value"], (_record, { value: { name, cwd, version } }) => ({ name, cwd, version })],
  12: [
    "prompt",
    ["text", "value"],
    ({ aux }, { text, value }) => ({ system: text ?? "", tools: need(value.tools), generation: value.generation ?? aux }),
  ],
  13: ["leaf", [], ({ parent, pairing }) => ({ parent: null, from: pairing, to: parent })],
  14: [
    "origin",
    ["value"],
    ({ pairing, owner, sub }, { value }) => ({
      how: word(ORIGINS, sub),
      session: need(owner),
      epoch: need(value.epoch),
      seq: need(value.seq),
      entry: pairing,
    }),
  ],
  15: ["lost", [], ({ sub }) => ({ kind: sub })],
  16: [
    "submission",
    ["text", "key", "image", "value"],
    ({ parent, pairing, owner, sub }, content) => ({
      parent: maybeId(content.value.parent) ?? null,
      submission: need(pairing),
      work: need(owner),
      destination: parent,
      delivery: word(DELIVERIES, sub),
      text: content.text ?? "",
      images: imagesOf(content),
      plugin: content.value.plugin,
      key: content.key,
    }),
  ],
  17: ["queue", [], ({ pairing, sub }) => ({ submission: need(pairing), operation: word(QUEUE, sub) })],
  18: [
    "work",
    ["value"],
    ({ pairing, owner, sub }, { value }) => ({
      work: need(owner),
      parentWork: pairing,
      state: word(WORK, sub),
      checkpoint: value.checkpoint,
    }),
  ],
  19: [
    "receipt",
    ["value"],
    ({ pairing, owner, sub, aux }, { value }) => ({
      submission: need(pairing),
      work: need(owner),
      status: word(STATUSES, sub),
      reason: word(REASONS, aux),
      error: value.error,
    }),
  ],
  20: ["state", ["key", "value"], (record, content) => ({ ...stateOf(record, content), work: record.owner })],
  21: ["branch-state", ["key", "value"], stateOf],
  22: [
    "invocation",
    ["args", "value"],
    ({ pairing, owner, sub, aux }, { args, value }) => ({
      invocation: need(pairing),
      work: owner,
      plugin: need(value.plugin),
      generation: value.generation ?? aux,
      trigger:
        word(["event", "command", "tool"], sub) === "event"
          ? { type: "event", event: need(value.name) }
          : { type: word(["event", "command", "tool"], sub), name: need(value.name), args: args ?? "" },
    }),
  ],
  23: [
    "actions",
    ["value"],
    ({ owner, aux }, { value }) => ({
      work: owner,
      trigger: need(value.trigger),
      generation: value.generation ?? aux,
      accepted: need(value.accepted),
      refused: need(value.refused),
    }),
  ],
  24: [
    "effect-intent",
    ["value"],
    ({ pairing, owner, aux }, { value }) => ({
      effect: need(pairing),
      work: owner,
      cause: idOf(value.cause),
      operation: need(value.operation),
      plugin: need(value.plugin),
      generation: value.generation ?? aux,
      input: need(value.input),
    }),
  ],
  25: [
    "effect-done",
    ["output", "value"],
    ({ pairing, owner, sub }, { output, value }) => ({
      effect: need(pairing),
      work: owner,
      outcome: word(OUTCOMES, sub),
      error: value.error,
      output: output ?? need(value.output),
    }),
  ],
  26: [
    "reconciled",
    ["text"],
    ({ pairing, sub }, { text }) => ({ effect: need(pairing), outcome: word(OUTCOMES.slice(0, 2), sub), note: text }),
  ],
  28: [
    "request",
    ["value"],
    ({ pairing, owner, aux }, { value }) => ({
      request: need(pairing),
      work: need(owner),
      first: maybeId(value.first),
      prompt: idOf(value.prompt),
      selection: need(value.selection),
      dispatch: need(value.dispatch),
      attempt: value.attempt ?? aux,
      generation: need(value.generation),
      thinking: value.thinking,
      routing: value.routing,
      facts: value.facts,
      sampling: value.sampling,
      messageCount: need(value.messages),
      transforms: value.transforms,
      digest: value.digest === undefined ? undefined : Buffer.from(value.digest).toString("hex"),
    }),
  ],
};

/** The diff has its own role, so that it is stored as text. */
function detailsOf({ diff, value }) {
  return diff === undefined ? value.details : { diff, ...value.details };
}
