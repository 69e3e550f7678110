import type { AttemptState, BodyOutcome, FramedEvent, JsonObject, JsonValue, ProviderDelta, ProviderError } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { closeCall, NO_CALLS } from "./calls.js";
import { streamError } from "../errors.js";
import { asArray, asObject, asText, bounded } from "../json.js";
import { type Parts, takePart } from "./parts.js";
import { failureOf, type Stop, stopOf } from "./stops.js";
import { laterMetadata, usageOf } from "./usage.js";

/** What one attempt remembers between batches. */
type DecodeState = {
  readonly parts: Parts;
  readonly metadata: JsonObject | null;
  /** The usage that was told, as JSON. */
  readonly told: string;
  /** The last finish reason, and what the server says of it. */
  readonly reason: string;
  readonly reasonWords: string;
  /** The prompt was refused. */
  readonly blocked: boolean;
  /** A terminal delta was given; nothing may follow. */
  readonly ended: boolean;
  /** The first data that is not JSON. */
  readonly noise: string;
};

interface Step {
  readonly state: DecodeState;
  readonly deltas: readonly ProviderDelta[];
}

export const open = (): AttemptState => {
  const state: DecodeState = {
    parts: { calls: NO_CALLS, thoughts: 0, isThinking: false, hasContent: false },
    metadata: null,
    told: "",
    reason: "",
    reasonWords: "",
    blocked: false,
    ended: false,
    noise: "",
  };
  return state;
};

/** Decodes a batch. The result does not depend on how the events are batched. */
export function events(
  batch: readonly FramedEvent[],
  attempt: AttemptState,
): { readonly deltas: readonly ProviderDelta[]; readonly state: AttemptState } {
  let state = restore(attempt);
  const deltas: ProviderDelta[] = [];
  for (const event of batch) {
    if (state.ended) break;
    const step = take(state, event);
    state = step.state;
    for (const delta of step.deltas) deltas.push(delta);
  }
  return withUsage(deltas, state);
}

/** Counts come with every chunk; one telling of them is enough for a batch. It stands before an end. */
function withUsage(deltas: readonly ProviderDelta[], state: DecodeState): Step {
  const usage = state.metadata === null ? undefined : usageOf(state.metadata);
  const told = usage === undefined ? "" : JSON.stringify(usage);
  if (usage === undefined || told === state.told) return { deltas, state };
  const at = state.ended ? deltas.length - 1 : deltas.length;
  return { deltas: [...deltas.slice(0, at), { type: "usage", usage }, ...deltas.slice(at)], state: { ...state, told } };
}

/** The API has no terminator: an answer is whole when it has a finish reason, and only then. */
export function close(outcome: BodyOutcome, attempt: AttemptState): readonly ProviderDelta[] {
  const state = restore(attempt);
  if (state.ended || outcome === "cancelled") return [];
  return (isFinished(state) ? finish(state) : failed(state, cutError(state))).deltas;
}

/** The host hands back what `events` and `open` gave it. */
const restore = (attempt: AttemptState): DecodeState => attempt as DecodeState;

const isFinished = (state: DecodeState): boolean => state.reason !== "" || state.blocked;

function take(state: DecodeState, event: FramedEvent): Step {
  const data = event.data.trim();
  if (data === "" || data === "null") return { state, deltas: [] };
  // Servers that translate to this API keep the terminator of another.
  if (data === "[DONE]") return isFinished(state) ? finish(state) : { state, deltas: [] };
  const value = parseJson(data);
  if (value === undefined) return notJson(state, data);
  return takeAll(state, Array.isArray(value) ? asArray(value) : [value]);
}

/** Without `alt=sse` a server sends the chunks as one list. */
function takeAll(before: DecodeState, values: readonly JsonValue[]): Step {
  let state = before;
  const deltas: ProviderDelta[] = [];
  for (const value of values) {
    const object = asObject(value);
    if (object === undefined || state.ended) continue;
    const step = takeChunk(state, object);
    state = step.state;
    deltas.push(...step.deltas);
  }
  return { state, deltas };
}

function takeChunk(before: DecodeState, chunk: JsonObject): Step {
  const candidate = candidateOf(chunk);
  const metadata = asObject(chunk["usageMetadata"]);
  const deltas: ProviderDelta[] = [];
  let { parts } = before;
  for (const item of asArray(asObject(candidate?.["content"])?.["parts"])) {
    const part = asObject(item);
    if (part === undefined) continue;
    const step = takePart(parts, part);
    parts = step.parts;
    for (const delta of step.deltas) deltas.push(delta);
  }
  const counted = { ...before, parts, ...(metadata === undefined ? {} : { metadata: laterMetadata(before.metadata, metadata) }) };
  const state = withReason(counted, candidate, asObject(chunk["promptFeedback"]));
  const error = chunk["error"];
  if (error === undefined || error === null) return { state, deltas: isFinished(state) ? [...deltas, { type: "whole" }] : deltas };
  const end = failed(state, streamError(chunk));
  return { state: end.state, deltas: [...deltas, ...end.deltas] };
}

/** The first candidate; others are never asked for. */
const candidateOf = (chunk: JsonObject): JsonObject | undefined =>
  asArray(chunk["candidates"])
    .map(asObject)
    .find((candidate) => candidate !== undefined && (candidate["index"] === undefined || candidate["index"] === 0));

/** A plain stop never hides that the answer was cut, filtered or given up. */
function withReason(state: DecodeState, candidate: JsonObject | undefined, feedback: JsonObject | undefined): DecodeState {
  const blocked = state.blocked || asText(feedback?.["blockReason"]) !== "";
  const reason = asText(candidate?.["finishReason"]);
  if (reason === "" || (reason === "STOP" && state.reason !== "")) return blocked === state.blocked ? state : { ...state, blocked };
  return { ...state, blocked, reason, reasonWords: bounded(asText(candidate?.["finishMessage"]), 1000) };
}

/** Text that only looks like data is passed over as noise; broken JSON is a lost piece of the answer and ends it. */
function notJson(state: DecodeState, data: string): Step {
  if (data.startsWith("{") || data.startsWith("[")) {
    return failed(state, { class: "protocol", message: `The server sent an event that is not valid JSON: ${bounded(data, 300)}` });
  }
  return { state: state.noise === "" ? { ...state, noise: bounded(data, 300) } : state, deltas: [] };
}

function finish(state: DecodeState): Step {
  const { reason, reasonWords, parts, blocked } = state;
  const failure = blocked ? undefined : failureOf(reason, reasonWords, parts.hasContent);
  if (failure !== undefined) return failed(state, failure);
  const stop = blocked ? "content-filter" : stopOf(reason);
  const closed = closeCall(parts.calls, stop === "stop");
  return {
    state: { ...state, parts: { ...parts, calls: closed.calls }, ended: true },
    deltas: [...closed.deltas, { type: "end", stop: withCalls(stop, closed.calls.count) }],
  };
}

/** The API calls it a stop also when functions were called. */
const withCalls = (stop: Stop, calls: number): Stop => (stop === "stop" && calls > 0 ? "tool-use" : stop);

const failed = (state: DecodeState, error: ProviderError): Step => ({
  state: { ...state, ended: true },
  deltas: [{ type: "error", error }],
});

function cutError(state: DecodeState): ProviderError {
  if (state.noise !== "") return { class: "protocol", message: `The server sent what is no answer of this API: ${state.noise}` };
  return { class: "transport", message: "The stream ended before the answer was complete: no finish reason came." };
}
