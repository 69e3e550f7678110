import type {
  AttemptState,
  BodyOutcome,
  FramedEvent,
  JsonObject,
  JsonValue,
  ProviderDelta,
  ProviderError,
  ResponseHead,
  Usage,
} from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { streamError } from "./errors.js";
import { asArray, asObject, asText, bounded } from "./json.js";
import {
  type Calls,
  callsOf,
  closeCalls,
  flushInline,
  type Inline,
  laterUsage,
  MAY_BE_INLINE,
  NO_INLINE,
  spoken,
  takeFragments,
  takeInline,
  usageOf,
} from "./stream/index.js";

type Stop = Extract<ProviderDelta, { type: "end" }>["stop"];

/** {@link Usage} as plain JSON. */
type Counts = { readonly [Name in keyof Usage]: Usage[Name] };

/** What one attempt remembers between batches. No text of the answer is kept. */
type DecodeState = {
  readonly contentType: string;
  readonly calls: Calls;
  readonly inline: Inline;
  /** Entries of `reasoning_details` so far. */
  readonly details: number;
  readonly usage: Counts | null;
  /** Why the answer stopped, as far as it was told. */
  readonly stop: Stop | null;
  /** A finish reason that is a failure, or `""`. */
  readonly gaveUp: string;
  readonly refused: boolean;
  /** A choice came, even an empty one. */
  readonly answered: boolean;
  /** A terminal delta was given; nothing may follow. */
  readonly ended: boolean;
  /** The first data that is not JSON. */
  readonly noise: string;
};

interface Step {
  readonly state: DecodeState;
  readonly deltas: readonly ProviderDelta[];
}

const STOPS: ReadonlyMap<string, Stop> = new Map([
  ["length", "limit"],
  ["max_tokens", "limit"],
  ["model_length", "limit"],
  ["content_filter", "content-filter"],
  ["refusal", "refusal"],
  ["tool_calls", "tool-use"],
  ["function_call", "tool-use"],
]);
/** Reasons by which a server says that it gave up; an error object may tell more. */
const GIVEN_UP: ReadonlySet<string> = new Set(["error", "abort", "insufficient_system_resource"]);

/** `inlines`: the text may begin with thinking between tags. */
export const open = (head: ResponseHead, inlines = true): AttemptState => {
  const type = Object.entries(head.headers).find(([name]) => name.toLowerCase() === "content-type");
  const state: DecodeState = {
    contentType: type?.[1] ?? "",
    calls: [],
    inline: inlines ? MAY_BE_INLINE : NO_INLINE,
    details: 0,
    usage: null,
    stop: null,
    gaveUp: "",
    refused: false,
    answered: false,
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
  return { deltas, state };
}

/**
 * What is left when the body is over. A finish reason makes an answer whole, with or without `[DONE]` (which has ended it
 * already); without both it was cut, and is never taken for a success.
 */
export function close(outcome: BodyOutcome, attempt: AttemptState): readonly ProviderDelta[] {
  const state = restore(attempt);
  if (state.ended) return [];
  if (outcome === "cancelled") return [...flushInline(state.inline), ...usageDelta(state)];
  if (state.stop !== null) return finish(state).deltas;
  return failed(state, cutError(state)).deltas;
}

/** The host hands back what `events` and `open` gave it. */
const restore = (attempt: AttemptState): DecodeState => attempt as DecodeState;

function take(state: DecodeState, event: FramedEvent): Step {
  const data = event.data.trim();
  if (data === "" || data === "null") return { state, deltas: [] };
  if (data === "[DONE]") return done(state);
  const value = parseJson(data);
  if (value === undefined) return notJson(state, event, data);
  const object = asObject(asArray(value)[0] ?? value);
  if (object !== undefined) return takeObject(state, event, object);
  return event.event === "error" ? failed(state, streamError(value)) : { state, deltas: [] };
}

function takeObject(before: DecodeState, event: FramedEvent, object: JsonObject): Step {
  const usage = usageOf(object);
  let state: DecodeState = usage === undefined ? before : { ...before, usage: laterUsage(before.usage, usage) };
  const deltas: ProviderDelta[] = [];
  for (const item of asArray(object["choices"])) {
    const choice = asObject(item);
    if (choice === undefined || (typeof choice["index"] === "number" && choice["index"] > 0)) continue;
    const step = takeChoice(state, choice);
    state = step.state;
    deltas.push(...step.deltas);
    if (state.ended) return { state, deltas };
  }
  const error = errorIn(object, event);
  // Counts may follow a finish reason, and words of servers that are slow to notice.
  if (error === undefined) return { state, deltas: state.stop === null ? deltas : [...deltas, { type: "whole" }] };
  const end = failed(state, streamError(error));
  return { state: end.state, deltas: [...deltas, ...end.deltas] };
}

function takeChoice(before: DecodeState, choice: JsonObject): Step {
  const delta = asObject(choice["delta"]) ?? asObject(choice["message"]) ?? {};
  const words = speak(before, delta);
  const fragments = callsOf(delta);
  const reason = asText(choice["finish_reason"]);
  const refused = before.refused || asText(delta["refusal"]) !== "";
  if (fragments.length === 0 && reason === "" && before.answered && refused === before.refused) return words;
  const step = takeFragments(before.calls, fragments);
  // A call is no thinking: what was held in case it were a tag was text.
  const flushed = fragments.length === 0 || words.state.inline.phase !== "start" ? [] : flushInline(words.state.inline);
  const state: DecodeState = {
    ...words.state,
    ...(flushed.length === 0 ? {} : { inline: NO_INLINE }),
    calls: step.calls,
    answered: true,
    refused,
    stop: laterStop(before.stop, reason),
    gaveUp: GIVEN_UP.has(reason) ? reason : before.gaveUp,
  };
  return { state, deltas: [...words.deltas, ...flushed, ...step.deltas] };
}

/** Text and thinking; the text is looked through for thinking at its start, unless that is told apart already. */
function speak(before: DecodeState, delta: JsonObject): Step {
  const words = spoken(delta, before.details);
  const details = before.details + asArray(delta["reasoning_details"]).length;
  let state: DecodeState = details === before.details ? before : { ...before, details };
  if (state.inline.phase === "text") return { state, deltas: words };
  const deltas: ProviderDelta[] = [];
  for (const word of words) {
    const step = word.type === "text" ? takeInline(state.inline, word.text) : { inline: state.inline, deltas: [word] };
    const isToldApart = word.type === "thinking" && step.inline.phase === "start";
    if (isToldApart) deltas.push(...flushInline(step.inline));
    deltas.push(...step.deltas);
    state = { ...state, inline: isToldApart ? NO_INLINE : step.inline };
  }
  return { state, deltas };
}

/** A reason given twice counts once; a plain stop never hides that the answer was cut or filtered. Unknown words mean stop. */
function laterStop(earlier: Stop | null, reason: string): Stop | null {
  if (reason === "" || GIVEN_UP.has(reason)) return earlier;
  const stop = STOPS.get(reason) ?? "stop";
  return earlier !== null && (stop === "stop" || stop === "tool-use") ? earlier : stop;
}

function errorIn(object: JsonObject, event: FramedEvent): JsonValue | undefined {
  const choice = asObject(asArray(object["choices"])[0]);
  const found = [object["error"], asObject(object["x_groq"])?.["error"], choice?.["error"]].find(
    (value) => value !== undefined && value !== null && value !== "",
  );
  if (found !== undefined) return found === object["error"] ? object : found;
  return event.event === "error" || object["object"] === "error" ? object : undefined;
}

/** Text that only looks like data is passed over as noise; broken JSON is a lost piece of the answer and ends it. */
function notJson(state: DecodeState, event: FramedEvent, data: string): Step {
  if (event.event === "error") return failed(state, streamError(data));
  if (data.startsWith("{")) {
    return failed(state, { class: "protocol", message: `The server sent an event that is not valid JSON: ${bounded(data, 300)}` });
  }
  return { state: state.noise === "" ? { ...state, noise: bounded(data, 300) } : state, deltas: [] };
}

function done(state: DecodeState): Step {
  if (state.gaveUp !== "" && state.stop === null) return failed(state, cutError(state));
  return state.stop !== null || state.answered ? finish(state) : failed(state, cutError(state));
}

function finish(state: DecodeState): Step {
  const hasCalls = state.calls.length > 0;
  const given = state.stop ?? "stop";
  const plain: Stop = hasCalls ? "tool-use" : state.refused ? "refusal" : "stop";
  const stop = given === "stop" || given === "tool-use" ? plain : given;
  const deltas: readonly ProviderDelta[] = [
    ...flushInline(state.inline),
    ...closeCalls(state.calls),
    ...usageDelta(state),
    { type: "end", stop },
  ];
  return { state: { ...state, ended: true }, deltas };
}

const failed = (state: DecodeState, error: ProviderError): Step => ({
  state: { ...state, ended: true },
  deltas: [...flushInline(state.inline), ...usageDelta(state), { type: "error", error }],
});

const usageDelta = (state: DecodeState): readonly ProviderDelta[] => (state.usage === null ? [] : [{ type: "usage", usage: state.usage }]);

function cutError(state: DecodeState): ProviderError {
  const seen = state.noise === "" ? "" : ` It also sent: ${state.noise}`;
  if (state.gaveUp !== "") {
    const overloaded = state.gaveUp === "insufficient_system_resource";
    return {
      class: overloaded ? "overloaded" : "transport",
      message: `The server gave up on the answer (finish reason ${state.gaveUp}).${seen}`,
    };
  }
  if (state.answered) return { class: "transport", message: `The stream ended before the answer was complete.${seen}` };
  const kind =
    state.contentType === "" || state.contentType.includes("event-stream")
      ? ""
      : ` It was sent as ${bounded(state.contentType, 100)}, not as an event stream.`;
  return { class: "transport", message: `The stream ended without an answer.${kind}${seen}` };
}
