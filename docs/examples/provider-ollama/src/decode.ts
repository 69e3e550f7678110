import { type AttemptState, type FramedEvent, type JsonObject, parseJson, type ProviderDelta, type Usage } from "smith-agent/plugin";
import { streamError } from "./errors.js";
import { asCount, asList, asObject, asText } from "./json.js";

/** What is remembered between two batches of lines. It is JSON: the host keeps it. */
type Decoding = { readonly calls: number; readonly isOver: boolean };

export const open = (): AttemptState => ({ calls: 0, isOver: false }) satisfies Decoding;

/**
 * Each line is an object with a piece of the message; the last one is `done` and has the counts. That one alone ends the answer: a body
 * that ends without it was cut, which the host tells by itself when nothing here called it ended.
 */
export function events(
  batch: readonly FramedEvent[],
  state: AttemptState,
): { readonly deltas: readonly ProviderDelta[]; readonly state: AttemptState } {
  let decoding = state as Decoding;
  const deltas: ProviderDelta[] = [];
  for (const { data } of batch) {
    if (decoding.isOver) break;
    const line = asObject(parseJson(data));
    const taken = line === undefined ? noJson(data, decoding) : takeLine(line, decoding);
    deltas.push(...taken.deltas);
    decoding = taken.decoding;
  }
  return { deltas, state: decoding };
}

interface Taken {
  readonly deltas: readonly ProviderDelta[];
  readonly decoding: Decoding;
}

const noJson = (data: string, decoding: Decoding): Taken =>
  failed({ class: "protocol", message: `The server sent a line that is no JSON object: ${data.slice(0, 200)}` }, decoding);

const failed = (error: Extract<ProviderDelta, { type: "error" }>["error"], decoding: Decoding): Taken => ({
  deltas: [{ type: "error", error }],
  decoding: { ...decoding, isOver: true },
});

function takeLine(line: JsonObject, decoding: Decoding): Taken {
  // In the middle of an answer an error has no status of its own.
  if (asText(line["error"]) !== "") return failed(streamError(asText(line["error"])), decoding);
  const message = asObject(line["message"]) ?? {};
  const pieces = [
    { type: "thinking", text: asText(message["thinking"]) } as const,
    { type: "text", text: asText(message["content"]) } as const,
  ].filter(({ text }) => text !== "");
  const calls = callsOf(message, decoding.calls);
  const next = { calls: decoding.calls + calls.length, isOver: line["done"] === true };
  return { deltas: [...pieces, ...calls, ...(next.isOver ? lastDeltas(line, next.calls > 0) : [])], decoding: next };
}

/** A call comes whole, in one line. Servers of some age give it no id; the host then makes one. */
function callsOf(message: JsonObject, before: number): readonly ProviderDelta[] {
  return asList(message["tool_calls"]).flatMap((item, index): readonly ProviderDelta[] => {
    const call = asObject(item);
    const called = asObject(call?.["function"]);
    const name = asText(called?.["name"]);
    if (name === "") return [];
    const id = asText(call?.["id"]);
    return [
      {
        type: "tool-call",
        key: String(before + index),
        ...(id === "" ? {} : { id }),
        name,
        args: JSON.stringify(called?.["arguments"] ?? {}),
      },
    ];
  });
}

function lastDeltas(line: JsonObject, hasCalls: boolean): readonly ProviderDelta[] {
  const input = asCount(line["prompt_eval_count"]);
  const output = asCount(line["eval_count"]);
  const usage: Usage = {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(output === undefined ? {} : { outputTokens: output }),
  };
  const stop = line["done_reason"] === "length" ? "limit" : hasCalls ? "tool-use" : "stop";
  return [...(Object.keys(usage).length === 0 ? [] : [{ type: "usage", usage } as const]), { type: "end", stop }];
}
