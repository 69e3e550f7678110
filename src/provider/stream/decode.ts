import { type Clock, err, ok, type Result } from "../../base/index.js";
import type { FramedEvent, ProviderDelta, ProviderError, ResponseHead, StopReason } from "../../schema/index.js";
import { isHtml, noEventsError, pluginError } from "../failure.js";
import type { HttpBody } from "../http/types.js";
import type { DecoderSession, ProviderAdapter } from "../types.js";
import type { Framer } from "./framer.js";
import { createLineFramer } from "./lines.js";
import { createMerger, type EventMerger, type MergePath } from "./merge.js";
import { createSseFramer } from "./sse.js";

/** How one attempt ended. */
export type AttemptEnd =
  | { readonly type: "end"; readonly stop: Exclude<StopReason, "aborted" | "failed"> }
  | { readonly type: "error"; readonly error: ProviderError }
  | { readonly type: "aborted" };

/** Batches of deltas that are never terminal; the end is what the generator returns. Never throws. */
export type AttemptRun = AsyncGenerator<readonly ProviderDelta[], AttemptEnd>;

/** One batch: the end, when it held it. */
type BatchRun = AsyncGenerator<readonly ProviderDelta[], AttemptEnd | undefined>;

/** A 2xx answer and who decodes it. */
export interface Answer {
  readonly adapter: ProviderAdapter;
  readonly framing: "sse" | "lines" | "json";
  readonly merge?: MergePath;
  readonly head: ResponseHead;
  readonly body: HttpBody;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Told of every event before it is decoded. */
  readonly trace?: (event: FramedEvent) => void;
}

export const ABORTED: AttemptEnd = { type: "aborted" };
export const failed = (error: ProviderError): Extract<AttemptEnd, { readonly type: "error" }> => ({ type: "error", error });

/** Most bytes framed and decoded as one batch. */
const BATCH_BYTES = 32 * 1024;
/** How long a server that has said everything is listened to in silence. */
const QUIET_MS = 2_000;

/**
 * Decodes a body to its end or to the end of the answer in it, whichever comes first. A batch is what had arrived when
 * the decoder was ready for more, at most 32 KiB: the first bytes go at once, and a busy decoder gets larger batches.
 */
export async function* decodeAnswer(answer: Answer): AttemptRun {
  const { adapter, framing, head, signal } = answer;
  const coding = head.headers["content-encoding"] ?? "identity";
  if (coding !== "identity" && coding !== "")
    return failed({
      class: "protocol",
      status: head.status,
      message: `The server compressed its answer (${coding}), which it was asked not to do.`,
    });
  let session: DecoderSession;
  try {
    session = adapter.open(head);
  } catch (error) {
    return failed(pluginError("starting to decode", error));
  }
  const isWhole = comesWhole(framing, head.headers["content-type"] ?? "");
  try {
    const end = isWhole ? yield* decodeWhole(answer, session) : yield* decodeEvents(answer, session);
    if (end !== undefined) return end;
    return signal.aborted ? ABORTED : yield* closeDecoder(answer, session);
  } finally {
    session.release();
  }
}

/**
 * A server that ignores the wish for a stream sends the same answer as one object. Such an object is a line as well; a page for people
 * is no lines.
 */
function comesWhole(framing: Answer["framing"], contentType: string): boolean {
  if (framing === "lines") return /^text\/html\b/i.test(contentType);
  return framing === "json" || /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
}

/** Deltas that were made without a network. */
export async function* decodeLocal(deltas: readonly ProviderDelta[]): AttemptRun {
  const { content, end } = cutAtEnd(deltas);
  if (content.length > 0) yield content;
  return end ?? failed(pluginError("answering", "its answer has no end"));
}

async function* decodeWhole(answer: Answer, session: DecoderSession): BatchRun {
  const { body, head, signal } = answer;
  const text = await readText(body, Number.POSITIVE_INFINITY);
  if (signal.aborted) return ABORTED;
  if (body.end?.outcome !== "complete") return failed(cutError(body));
  if (text.trim() === "" || isHtml(head, text)) return failed(noEventsError(head, text));
  answer.trace?.({ data: text });
  return yield* decodeBatch(signal, () => session.push([{ data: text }]));
}

async function* decodeEvents(answer: Answer, session: DecoderSession): BatchRun {
  const { body, signal } = answer;
  const framer = framerOf(answer.framing);
  const merge = mergeBy(answer.merge);
  let isWhole = false;
  const push = (events: readonly FramedEvent[]): BatchRun => {
    if (answer.trace !== undefined) events.forEach(answer.trace);
    return decodeBatch(signal, async () => {
      const deltas = await session.push(merge(events));
      isWhole = isWholeAfter(isWhole, deltas);
      return deltas;
    });
  };
  for (;;) {
    const bytes = await readOn(answer, isWhole);
    if (bytes === undefined) break;
    for (let at = 0; at < bytes.length; at += BATCH_BYTES) {
      const framed = framer.push(bytes.subarray(at, at + BATCH_BYTES));
      if (!framed.ok) return failed({ class: "protocol", message: `The answer cannot be read: ${framed.error}.` });
      const end = framed.value.length === 0 ? undefined : yield* push(framed.value);
      if (end?.type === "end") body.release();
      if (end !== undefined) return end;
    }
  }
  const rest = signal.aborted ? err(ABORTED) : lastEvents(framer, answer);
  if (!rest.ok) return rest.error;
  return rest.value.length === 0 ? undefined : yield* push(rest.value);
}

/** Counts may follow a whole answer; anything else means that it goes on. */
function isWholeAfter(before: boolean, deltas: readonly ProviderDelta[]): boolean {
  const last = deltas.findLast(({ type }) => type !== "usage");
  return last === undefined ? before : last.type === "whole";
}

/** What comes next. Of a whole answer, within a moment: after that its body is over, for its server only keeps the connection. */
async function readOn({ body, clock }: Answer, isWhole: boolean): Promise<Uint8Array | undefined> {
  if (!isWhole) return await body.read();
  const over = new AbortController();
  const quiet = clock.sleep(QUIET_MS, over.signal).then(() => {
    if (!over.signal.aborted) body.release();
  });
  const bytes = await body.read();
  over.abort("over");
  await quiet;
  return bytes;
}

const framerOf = (framing: Answer["framing"]): Framer => (framing === "lines" ? createLineFramer() : createSseFramer());

function mergeBy(path: MergePath | undefined): EventMerger["merge"] {
  if (path === undefined) return (events) => events;
  const merger = createMerger(path);
  return (events) => merger.merge(events);
}

/** What the end of the body completes; an answer that held no event at all is explained. */
function lastEvents(framer: Framer, { body, head }: Answer): Result<readonly FramedEvent[], AttemptEnd> {
  if (body.end?.outcome !== "complete") return ok([]);
  const plain = framer.unframed.trim();
  const rest = framer.end();
  if (rest.length > 0 || plain === "") return ok(rest);
  return plain.startsWith("{") && isJson(plain) ? ok([{ data: plain }]) : err(failed(noEventsError(head, plain)));
}

/** One batch through the decoder: yields what is content, returns the end when the batch held it. */
async function* decodeBatch(signal: AbortSignal, push: () => Promise<readonly ProviderDelta[]>): BatchRun {
  const pushed = await guard(signal, "decoding the answer", push);
  if (!pushed.ok) return pushed.error;
  const { content, end } = cutAtEnd(pushed.value);
  if (content.length > 0) yield content;
  return end;
}

/** Tells the decoder how the body ended; a stream that it does not call ended was cut. */
async function* closeDecoder({ signal, body }: Answer, session: DecoderSession): AttemptRun {
  const outcome = body.end?.outcome ?? "failed";
  const end = yield* decodeBatch(signal, () => session.close(outcome));
  if (end === undefined) return failed(cutError(body));
  // The decoder knows that the answer is cut, the body knows why.
  return end.type === "error" && end.error.class === "transport" && outcome !== "complete"
    ? failed({ ...end.error, ...cutError(body) })
    : end;
}

function cutError(body: HttpBody): ProviderError {
  const end = body.end;
  if (end === undefined || end.outcome === "complete")
    return { class: "transport", message: "The stream ended before the answer was complete." };
  const why = end.detail === undefined ? "" : `: ${end.detail}`;
  return { class: end.outcome === "truncated" ? "protocol" : "transport", message: `The answer broke off${why}.` };
}

interface CutBatch {
  readonly content: readonly ProviderDelta[];
  readonly end?: AttemptEnd;
}

/** Nothing after the first terminal delta counts. */
function cutAtEnd(deltas: readonly ProviderDelta[]): CutBatch {
  for (const [at, delta] of deltas.entries()) {
    if (delta.type === "end") return { content: deltas.slice(0, at), end: { type: "end", stop: delta.stop } };
    if (delta.type === "error") return { content: deltas.slice(0, at), end: failed(delta.error) };
  }
  return { content: deltas };
}

/** Text of a body up to a bound; the rest is not read. */
export async function readText(body: HttpBody, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  while (left > 0) {
    const piece = await body.read();
    if (piece === undefined) break;
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= piece.length;
  }
  body.release();
  return text + decoder.decode();
}

/** Runs plugin code; its rejection is a plugin error, and an abort does not wait for it. */
export function guard<T>(signal: AbortSignal, doing: string, run: () => Promise<T>): Promise<Result<T, AttemptEnd>> {
  return new Promise((resolve) => {
    const settle = (result: Result<T, AttemptEnd>): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(result);
    };
    const onAbort = (): void => {
      settle(err(ABORTED));
    };
    const onFault = (error: unknown): void => {
      settle(err(failed(pluginError(doing, error))));
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      run().then((value) => {
        settle(ok(value));
      }, onFault);
    } catch (error) {
      onFault(error);
    }
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
