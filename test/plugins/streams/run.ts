/**
 * Runs the bytes of an answer the way the host does: framer, merger, the plugin's decoder, assembler. Every chunk is one batch, and the
 * decoder's state crosses every batch as JSON text, as it does in the sandbox.
 */
import type { ExchangePlan, FramedEvent, Provider, ProviderDelta, ProviderError, ResponseHead } from "../../../src/plugin/sdk.js";
import { createAssembly } from "../../../src/provider/stream/assemble.js";
import { createLineFramer } from "../../../src/provider/stream/lines.js";
import { createMerger } from "../../../src/provider/stream/merge.js";
import { createSseFramer } from "../../../src/provider/stream/sse.js";
import type { AssistantResult, AttemptState, BodyOutcome } from "../../../src/schema/index.js";
import { seqIds } from "../../support/seq-ids.js";

export interface StreamInput {
  readonly provider: Provider;
  readonly chunks: readonly Uint8Array[];
  /** As in the plan of the request; server-sent events without a merge path when left out. */
  readonly plan?: Pick<Extract<ExchangePlan, { readonly type: "http" }>, "framing" | "merge">;
  readonly head?: ResponseHead;
  /** How the body ended; `complete` when left out. */
  readonly outcome?: BodyOutcome;
}

export type StreamOutcome =
  | { readonly type: "done"; readonly result: AssistantResult }
  | { readonly type: "failed"; readonly error: ProviderError; readonly partial: AssistantResult }
  /** The decoder gave no end, not even when it was closed. */
  | { readonly type: "open"; readonly partial: AssistantResult };

const HEAD: ResponseHead = { status: 200, headers: { "content-type": "text/event-stream" } };

/** What an answer comes to. Ids of calls count up from 1. */
export function runStream(input: StreamInput): StreamOutcome {
  const deltas = streamDeltas(input);
  const end = deltas.at(-1);
  const assembly = createAssembly();
  for (const delta of deltas) assembly.add(delta);
  if (end?.type === "error") return { type: "failed", error: end.error, partial: assembly.partial("failed") };
  if (end?.type !== "end") return { type: "open", partial: assembly.partial("failed") };
  return { type: "done", result: assembly.whole(end.stop, { ids: seqIds(), taken: new Set() }) };
}

/** The deltas of an answer up to the first that ends it. */
export function streamDeltas(input: StreamInput): readonly ProviderDelta[] {
  const { provider, head = HEAD, outcome = "complete" } = input;
  const deltas: ProviderDelta[] = [];
  let state: AttemptState = provider.open?.(head) ?? null;
  for (const batch of batches(input)) {
    const step = provider.events?.(batch, crossed(state)) ?? { deltas: [], state: null };
    deltas.push(...step.deltas);
    state = step.state;
    if (endOf(deltas) !== -1) return deltas.slice(0, endOf(deltas) + 1);
  }
  deltas.push(...(provider.close?.(outcome, crossed(state)) ?? []));
  return endOf(deltas) === -1 ? deltas : deltas.slice(0, endOf(deltas) + 1);
}

const endOf = (deltas: readonly ProviderDelta[]): number => deltas.findIndex(({ type }) => type === "end" || type === "error");

const crossed = (state: AttemptState): AttemptState => JSON.parse(JSON.stringify(state)) as AttemptState;

function batches({ chunks, plan, outcome = "complete" }: StreamInput): readonly (readonly FramedEvent[])[] {
  const { framing, merge }: NonNullable<StreamInput["plan"]> = plan ?? { framing: "sse" };
  if (framing === "json") return [[{ data: Buffer.concat(chunks).toString("utf8") }]];
  const framer = framing === "lines" ? createLineFramer() : createSseFramer();
  const merger = merge === undefined ? { merge: (events: readonly FramedEvent[]) => events } : createMerger(merge);
  const framed = chunks.map((chunk) => {
    const events = framer.push(chunk);
    if (!events.ok) throw new Error(events.error);
    return merger.merge(events.value);
  });
  const rest = outcome === "complete" ? merger.merge(framer.end()) : [];
  return [...framed, rest].filter((batch) => batch.length > 0);
}

/** An event as it is on the wire: with its name when it has one; a text is sent as it is, anything else as JSON. */
export type WireEvent = { readonly name?: string; readonly data: object | string };

/** The bytes of a stream of events. */
export const sseBytes = (events: readonly WireEvent[]): Uint8Array => Buffer.from(events.map(sseText).join(""), "utf8");

const sseText = ({ name, data }: WireEvent): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Every way to cut bytes into two chunks, and into chunks of one byte. */
export function cuts(bytes: Uint8Array): readonly (readonly Uint8Array[])[] {
  const pairs = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
  return [...pairs, Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1))];
}

/** The same stream as servers and proxies on the way may send it; each means the same (WHATWG HTML, 9.2). */
export function disguises(bytes: Uint8Array): readonly (readonly [name: string, bytes: Uint8Array])[] {
  const text = Buffer.from(bytes).toString("utf8");
  return [
    ["CRLF", Buffer.from(text.replaceAll("\n", "\r\n"), "utf8")],
    ["CR", Buffer.from(text.replaceAll("\n", "\r"), "utf8")],
    ["a BOM", Buffer.from(`\uFEFF${text}`, "utf8")],
    ["comments", Buffer.from(`: hello\n\n${text.replaceAll("\n\n", "\n\n: keep-alive\n\n")}`, "utf8")],
    ["no space after the colon", Buffer.from(text.replaceAll(/^(data|event): /gmu, "$1:"), "utf8")],
    ["ids and retry times", Buffer.from(text.replaceAll("\n\n", "\nid: 7\nretry: 100\n\n"), "utf8")],
  ];
}
