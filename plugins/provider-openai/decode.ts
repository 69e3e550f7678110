import type {
  AttemptState,
  BodyOutcome,
  FramedEvent,
  JsonObject,
  ProviderDelta,
  ProviderError,
  ResponseHead,
  Usage,
} from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { streamError } from "./errors.js";
import { addItem, closeCalls, closeItem, sayArguments, sayText, sayThinking, takeOutput } from "./items.js";
import type { Draft, Item } from "./items.js";
import { asArray, asIndex, asObject, asText, bounded } from "./json.js";
import { usageOf } from "./usage.js";

type Stop = Extract<ProviderDelta, { type: "end" }>["stop"];

/** {@link Usage} as plain JSON. */
type Counts = { readonly [Name in keyof Usage]: Usage[Name] };

/** What one attempt remembers between batches. No text of the answer is kept. */
type DecodeState = {
  contentType: string;
  items: Item[];
  earlier: number;
  hasCalls: boolean;
  usage: Counts | null;
  /** How the response ended, once it said so. */
  stop: Stop | null;
  refused: boolean;
  broken: boolean;
  lost: boolean;
  /** A terminal delta was given; nothing may follow. */
  ended: boolean;
  /** The first data that could not be read. */
  noise: string;
};

type Run = DecodeState & Draft;

export const open = (head: ResponseHead): AttemptState => {
  const type = Object.entries(head.headers).find(([name]) => name.toLowerCase() === "content-type");
  const state: DecodeState = {
    contentType: type?.[1] ?? "",
    items: [],
    earlier: 0,
    hasCalls: false,
    usage: null,
    stop: null,
    refused: false,
    broken: false,
    lost: false,
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
  const run = begin(attempt);
  for (const event of batch) {
    if (run.ended) break;
    take(run, event);
    if (run.lost && !run.ended) fail(run, lostError(run));
  }
  const { deltas, ...state } = run;
  return { deltas, state };
}

/**
 * What is left when the body is over. The response's own end makes an answer whole; without it the answer was cut, and is never taken for
 * a success. The end waits for the body's, because a body may hold one response after another.
 */
export function close(outcome: BodyOutcome, attempt: AttemptState): readonly ProviderDelta[] {
  const run = begin(attempt);
  if (run.ended) return [];
  if (outcome === "cancelled") tellUsage(run);
  else if (run.stop === null) fail(run, cutError(run));
  else finish(run);
  return run.deltas;
}

/** The state the host hands back, as a copy that may be written to. */
function begin(attempt: AttemptState): Run {
  const state = attempt as DecodeState;
  return { ...state, items: state.items.map((item) => ({ ...item, told: { ...item.told } })), deltas: [] };
}

function take(run: Run, event: FramedEvent): void {
  const data = event.data.trim();
  if (data === "" || data === "null") return;
  if (data === "[DONE]") return takeDone(run);
  const value = parseJson(data);
  const object = asObject(value);
  if (object !== undefined) return takeObject(run, event, object);
  if (value === undefined) return notJson(run, event, data);
  if (event.event === "error") fail(run, streamError(value));
}

function takeObject(run: Run, event: FramedEvent, object: JsonObject): void {
  const type = asText(object["type"]) || (event.event ?? "");
  const handler = HANDLERS.get(type);
  if (handler !== undefined) handler(run, object);
  else if (!type.startsWith("response.")) takeUntyped(run, type, object);
}

/** A whole answer has no type: it is the response itself, or an error. Other things that may come between (pings) have nothing to say. */
function takeUntyped(run: Run, type: string, object: JsonObject): void {
  const isResponse = object["object"] === "response" || Array.isArray(object["output"]);
  const hasError = !isResponse && object["error"] !== undefined && object["error"] !== null;
  if (type === "error" || hasError) fail(run, streamError(object));
  else if (isResponse) takeResponse(run, object, "");
  else if (type === "" && run.noise === "") run.noise = bounded(JSON.stringify(object), 300);
}

type Handler = (run: Run, event: JsonObject) => void;

const wholeText = (event: JsonObject, field: string): string => asText(event[field]);
const partAt = (event: JsonObject, field: string): string => String(asIndex(event[field]) ?? 0);

const sayWords = (kind: "text" | "refusal", field: string, isWhole: boolean): Handler => {
  return (run, event) => {
    if (kind === "refusal") run.refused = true;
    sayText(run, event, { part: `${kind}${partAt(event, "content_index")}`, text: wholeText(event, field), isWhole });
  };
};

const sayThought = (voice: "summary" | "raw", field: string, isWhole: boolean): Handler => {
  const place = voice === "summary" ? "summary_index" : "content_index";
  return (run, event) => {
    sayThinking(run, event, voice, { part: partAt(event, place), text: wholeText(event, field), isWhole });
  };
};

/** The end of a part repeats it whole, whatever kind it is of. */
function takePartDone(run: Run, event: JsonObject): void {
  const part = asObject(event["part"]);
  const type = asText(part?.["type"]);
  const field = type === "refusal" ? "refusal" : "text";
  const whole = { ...event, [field]: asText(part?.[field]) };
  if (type === "output_text") sayWords("text", field, true)(run, whole);
  else if (type === "refusal") sayWords("refusal", field, true)(run, whole);
  else if (type === "summary_text") sayThought("summary", field, true)(run, whole);
  else if (type === "reasoning_text") sayThought("raw", field, true)(run, whole);
}

/** A response that begins after another has ended is told on: its items are counted anew. */
function takeBegin(run: Run): void {
  if (run.stop === null) return;
  closeCalls(run);
  run.stop = null;
  run.hasCalls = anyCalls(run);
  run.earlier += run.items.length;
  run.items = [];
}

const takeEnd =
  (type: string): Handler =>
  (run, event) => {
    takeResponse(run, asObject(event["response"]) ?? {}, type);
  };

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["response.created", takeBegin],
  ["response.queued", takeBegin],
  ["response.in_progress", takeBegin],
  ["response.output_item.added", addItem],
  ["response.output_item.done", closeItem],
  ["response.output_text.delta", sayWords("text", "delta", false)],
  ["response.output_text.done", sayWords("text", "text", true)],
  ["response.refusal.delta", sayWords("refusal", "delta", false)],
  ["response.refusal.done", sayWords("refusal", "refusal", true)],
  ["response.content_part.done", takePartDone],
  ["response.reasoning_summary_text.delta", sayThought("summary", "delta", false)],
  ["response.reasoning_summary_text.done", sayThought("summary", "text", true)],
  ["response.reasoning_summary_part.done", takePartDone],
  ["response.reasoning_text.delta", sayThought("raw", "delta", false)],
  ["response.reasoning_text.done", sayThought("raw", "text", true)],
  [
    "response.function_call_arguments.delta",
    (run, event) => {
      sayArguments(run, event, asText(event["delta"]), false);
    },
  ],
  [
    "response.function_call_arguments.done",
    (run, event) => {
      const args = event["arguments"];
      sayArguments(run, event, typeof args === "object" && args !== null ? JSON.stringify(args) : asText(args), true);
    },
  ],
  ...["response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done"].map(
    (type): [string, Handler] => [type, takeEnd(type)],
  ),
  [
    "response.error",
    (run, event) => {
      fail(run, streamError(event));
    },
  ],
]);

/** A response that is over, as the last event has it or as the whole answer. */
function takeResponse(run: Run, response: JsonObject, type: string): void {
  run.usage = usageOf(response) ?? run.usage;
  takeOutput(
    run,
    asArray(response["output"])
      .map(asObject)
      .filter((item) => item !== undefined),
  );
  const ending = ENDINGS.get(type) ?? asText(response["status"]);
  const error = failureOf(ending, response);
  if (error !== undefined) return fail(run, error);
  // A lost piece of an item that nothing repeated.
  if (run.broken && run.items.some((item) => !item.isClosed && item.type !== "other")) run.lost = true;
  endWith(run, ending === "incomplete" ? cutShort(response) : "stop");
}

/** The response is over; another one may still follow in its body. */
function endWith(run: Run, stop: Stop): void {
  run.stop = stop;
  run.deltas.push({ type: "whole" });
}

/** Events that say by their own name how the response ended; of the others its status does. */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["response.failed", "failed"],
  ["response.cancelled", "cancelled"],
  ["response.incomplete", "incomplete"],
]);

function failureOf(ending: string, response: JsonObject): ProviderError | undefined {
  switch (ending) {
    case "failed":
      return streamError(response["error"] ?? response);
    case "cancelled":
      return { class: "transport", message: "The server cancelled the response." };
    case "in_progress":
    case "queued":
      return { class: "protocol", message: `The server answered with a response that is not finished (${ending}).` };
    default:
      return undefined;
  }
}

/** An answer is cut at its limit, or by a filter; other reasons are limits of the server. */
const cutShort = (response: JsonObject): Stop =>
  asText(asObject(response["incomplete_details"])?.["reason"]).includes("content_filter") ? "content-filter" : "limit";

/** `[DONE]` ends the stream. It also stands for the end of a response whose items are all over. */
function takeDone(run: Run): void {
  if (run.stop === null && isWhole(run)) run.stop = "stop";
  if (run.stop !== null) finish(run);
}

const isWhole = (run: Run): boolean => run.items.length > 0 && run.items.every((item) => item.isClosed);

/**
 * A lost event is made up for by those that repeat it, and by nothing where the response ends: then the answer is whole when all of its
 * items are. Text that only looks like data is passed over as noise.
 */
function notJson(run: Run, event: FramedEvent, data: string): void {
  if (event.event === "error") return fail(run, streamError(data));
  if (run.noise === "") run.noise = bounded(data, 300);
  if (!data.startsWith("{")) return;
  if (!/"type"\s*:\s*"response\.completed"/u.test(data.slice(0, 200)) && event.event !== "response.completed") run.broken = true;
  else if (isWhole(run)) endWith(run, "stop");
}

function finish(run: Run): void {
  // Of an answer that was cut, a call without arguments may have lost them.
  if (run.stop === "stop") closeCalls(run);
  tellUsage(run);
  const plain: Stop = anyCalls(run) ? "tool-use" : run.refused ? "refusal" : "stop";
  run.deltas.push({ type: "end", stop: run.stop === "stop" || run.stop === null ? plain : run.stop });
  run.ended = true;
}

const anyCalls = (run: Run): boolean => run.hasCalls || run.items.some((item) => item.type === "call");

function fail(run: Run, error: ProviderError): void {
  if (run.ended) return;
  tellUsage(run);
  run.deltas.push({ type: "error", error });
  run.ended = true;
}

function tellUsage(run: Run): void {
  if (run.usage !== null) run.deltas.push({ type: "usage", usage: run.usage });
}

const lostError = (run: Run): ProviderError => ({
  class: "protocol",
  message: `The server sent an event that is not valid JSON, and a piece of the answer is lost with it: ${run.noise}`,
});

function cutError(run: Run): ProviderError {
  const seen = run.noise === "" ? "" : ` It also sent: ${run.noise}`;
  if (run.items.length > 0) return { class: "transport", message: `The stream ended before the answer was complete.${seen}` };
  const isStream = run.contentType === "" || /event-stream|json/iu.test(run.contentType);
  const kind = isStream ? "" : ` It was sent as ${bounded(run.contentType, 100)}, not as an event stream.`;
  return { class: "transport", message: `The answer of the server holds no response.${kind}${seen}` };
}
