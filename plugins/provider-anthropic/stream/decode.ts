import type { AttemptState, BodyOutcome, FramedEvent, JsonObject, ProviderDelta, ProviderError, ResponseHead } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asCount, asObject, asText, bounded } from "../json.js";
import { dropBlocks, NO_BLOCKS, settleBlocks, startBlock, stopBlock, takePiece } from "./blocks.js";
import type { Blocks, BlocksStep } from "./blocks.js";
import { streamError } from "./errors.js";
import { laterCounts, usageOf } from "./usage.js";
import type { Counts } from "./usage.js";

type Stop = Extract<ProviderDelta, { type: "end" }>["stop"];

/** What one attempt remembers between batches. No text of the answer is kept. */
type DecodeState = {
  readonly contentType: string;
  readonly blocks: Blocks;
  readonly counts: Counts;
  /** Why the answer stopped, as far as it was told. */
  readonly stop: Stop | null;
  /** A message began. */
  readonly isAnswered: boolean;
  /** The last message that began is over. */
  readonly isWhole: boolean;
  /** A terminal delta was given; nothing may follow. */
  readonly isEnded: boolean;
  /** The first data that is not JSON. */
  readonly noise: string;
};

interface Step {
  readonly state: DecodeState;
  readonly deltas: readonly ProviderDelta[];
}

const STOPS: ReadonlyMap<string, Stop> = new Map([
  ["tool_use", "tool-use"],
  ["max_tokens", "limit"],
  ["model_context_window_exceeded", "limit"],
  ["refusal", "refusal"],
]);

export const open = (head: ResponseHead): AttemptState => {
  const type = Object.entries(head.headers).find(([name]) => name.toLowerCase() === "content-type");
  const state: DecodeState = {
    contentType: type?.[1] ?? "",
    blocks: NO_BLOCKS,
    counts: {},
    stop: null,
    isAnswered: false,
    isWhole: false,
    isEnded: false,
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
    if (state.isEnded) break;
    const step = take(state, event);
    state = step.state;
    for (const delta of step.deltas) deltas.push(delta);
  }
  return { deltas, state };
}

/** What is left when the body is over. Only `message_stop` makes an answer whole. */
export function close(outcome: BodyOutcome, attempt: AttemptState): readonly ProviderDelta[] {
  const state = restore(attempt);
  if (state.isEnded) return [];
  if (state.isWhole) return ended(state).deltas;
  return outcome === "cancelled" ? [] : [{ type: "error", error: cutError(state) }];
}

/** The host hands back what `events` and `open` gave it. */
const restore = (attempt: AttemptState): DecodeState => attempt as DecodeState;

function take(state: DecodeState, event: FramedEvent): Step {
  const data = event.data.trim();
  // Some proxies end the stream as another API does.
  if (data === "" || data === "[DONE]") return data !== "" && state.isWhole ? ended(state) : { state, deltas: [] };
  const value = parseJson(data);
  if (value === undefined) return notJson(state, event, data);
  const object = asObject(asArray(value)[0] ?? value);
  if (object !== undefined) return takeObject(state, event, object);
  return event.event === "error" ? failed(state, streamError(value)) : { state, deltas: [] };
}

function takeObject(state: DecodeState, event: FramedEvent, object: JsonObject): Step {
  const index = String(asCount(object["index"]) ?? 0);
  const type = asText(object["type"]);
  switch (type === "" ? (event.event ?? "") : type) {
    case "message_start":
      return messageStart(state, asObject(object["message"]) ?? {});
    case "content_block_start":
      return withBlocks(state, startBlock(state.blocks, index, asObject(object["content_block"]) ?? {}));
    case "content_block_delta":
      return withBlocks(state, takePiece(state.blocks, index, asObject(object["delta"]) ?? {}));
    case "content_block_stop":
      return withBlocks(state, stopBlock(state.blocks, index));
    case "message_delta":
      return messageDelta(state, asObject(object["delta"]) ?? {}, object);
    case "message_stop":
      return messageStop(state);
    case "message":
      return wholeMessage(state, object);
    case "error":
      return failed(state, streamError(object));
    default:
      return isError(object) ? failed(state, streamError(object)) : { state, deltas: [] };
  }
}

const isError = (object: JsonObject): boolean => {
  const error = object["error"];
  return error !== undefined && error !== null && error !== "";
};

const withBlocks = (state: DecodeState, { blocks, deltas }: BlocksStep): Step => ({
  state: blocks === state.blocks ? state : { ...state, blocks },
  deltas,
});

/**
 * A message begins. A second start in the middle of one replaces what was unfinished; one after the end of another goes on with the answer.
 * Calls may be there from the start, when code the server ran made them.
 */
function messageStart(before: DecodeState, message: JsonObject): Step {
  const state: DecodeState = { ...before, blocks: dropBlocks(before.blocks), isAnswered: true, isWhole: false };
  const content = asArray(message["content"]).map(asObject);
  const known = content.filter((block) => block?.["type"] !== "tool_use" || !before.blocks.ids.includes(asText(block["id"])));
  const filled = wholeBlocks(state, known);
  const counted = count(filled.state, message["usage"]);
  const stop = asText(message["stop_reason"]);
  return {
    state: stop === "" ? counted.state : { ...counted.state, stop: stopOf(stop) },
    deltas: [...filled.deltas, ...counted.deltas],
  };
}

/** Blocks that come whole, as if they had been streamed. */
function wholeBlocks(before: DecodeState, content: readonly (JsonObject | undefined)[]): Step {
  let blocks = before.blocks;
  const deltas: ProviderDelta[] = [];
  for (const [at, block] of content.entries()) {
    const started = startBlock(blocks, `whole ${at}`, block ?? {});
    const stopped = stopBlock(started.blocks, `whole ${at}`);
    blocks = stopped.blocks;
    deltas.push(...started.deltas, ...stopped.deltas);
  }
  return { state: { ...before, blocks }, deltas };
}

function count(state: DecodeState, usage: JsonObject[string] | undefined): Step {
  const counts = laterCounts(state.counts, usage);
  const isNews = JSON.stringify(counts) !== JSON.stringify(state.counts);
  return isNews ? { state: { ...state, counts }, deltas: [{ type: "usage", usage: usageOf(counts) }] } : { state, deltas: [] };
}

function messageDelta(before: DecodeState, delta: JsonObject, event: JsonObject): Step {
  const counted = count(before, event["usage"]);
  const reason = asText(delta["stop_reason"]);
  if (reason === "") return counted;
  const stop = stopOf(reason);
  const settled = settleBlocks(counted.state.blocks, stop === "limit" ? "cut" : "end");
  return { state: { ...counted.state, blocks: settled.blocks, stop }, deltas: [...settled.deltas, ...counted.deltas] };
}

/** What is not known means that the model was done: a pause of the server's own tools, which nobody asked for, as well. */
const stopOf = (reason: string): Stop => STOPS.get(reason) ?? "stop";

/**
 * The message is over, and with it the answer; only after calls another message may follow in the same body, in which the server goes on
 * by itself. There the end of the body is the end of the answer, or silence.
 */
function messageStop(before: DecodeState): Step {
  const settled = settleBlocks(before.blocks, before.stop === "limit" ? "cut" : "end");
  const state: DecodeState = { ...before, blocks: settled.blocks, isAnswered: true, isWhole: true };
  if (state.stop === "tool-use") return { state, deltas: [...settled.deltas, { type: "whole" }] };
  const end = ended(state);
  return { state: end.state, deltas: [...settled.deltas, ...end.deltas] };
}

/** The answer to a request that wanted no stream, or was not understood to want one. */
function wholeMessage(before: DecodeState, message: JsonObject): Step {
  const filled = wholeBlocks({ ...before, isAnswered: true, isWhole: true }, asArray(message["content"]).map(asObject));
  const told = messageDelta(filled.state, message, message);
  const settled = settleBlocks(told.state.blocks, "end");
  const end = ended({ ...told.state, blocks: settled.blocks });
  return { state: end.state, deltas: [...filled.deltas, ...told.deltas, ...settled.deltas, ...end.deltas] };
}

const ended = (state: DecodeState): Step => ({ state: { ...state, isEnded: true }, deltas: [{ type: "end", stop: state.stop ?? "stop" }] });

const failed = (state: DecodeState, error: ProviderError): Step => ({
  state: { ...state, isEnded: true },
  deltas: [{ type: "error", error }],
});

/** Text that only looks like data is passed over as noise; broken JSON is a lost piece of the answer and ends it. */
function notJson(state: DecodeState, event: FramedEvent, data: string): Step {
  if (event.event === "error") return failed(state, streamError(data));
  if (data.startsWith("{"))
    return failed(state, { class: "protocol", message: `The server sent an event that is not valid JSON: ${bounded(data, 300)}` });
  return { state: state.noise === "" ? { ...state, noise: bounded(data, 300) } : state, deltas: [] };
}

function cutError({ isAnswered, noise, contentType }: DecodeState): ProviderError {
  if (isAnswered) return { class: "transport", message: "The stream ended before the answer was complete: its message_stop is missing." };
  if (noise !== "") return { class: "transport", message: `The stream ended without an answer. It began with: ${noise}` };
  const told = contentType === "" || /event-stream/iu.test(contentType) ? "" : ` It was sent as ${contentType}, not as an event stream.`;
  return { class: "transport", message: `The stream ended without an answer.${told}` };
}
