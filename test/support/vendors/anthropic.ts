import type { JsonObject } from "../../../src/base/index.js";
import { sign } from "../strict-anthropic.js";
import { redacted } from "./signatures.js";
import { argsText, type Asking, idOf, inPieces, json, streamed, textOf, type Turn, USAGE, type Voice } from "./turn.js";

const STOPS = { limit: "max_tokens", refusal: "refusal", filter: "refusal" } as const;
const KINDS: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** One event in the form of the vendor: its name twice. */
export const event = (fields: JsonObject & { readonly type: string }): string =>
  `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`;

const finishOf = ({ stop, calls = [] }: Turn): string => (stop === undefined ? (calls.length > 0 ? "tool_use" : "end_turn") : STOPS[stop]);

/** What of the prompt came from a cache is not among its tokens here. */
function usageOf({ usage = USAGE }: Turn): JsonObject {
  const cached = "cached" in usage ? (usage.cached ?? 0) : 0;
  return {
    input_tokens: usage.input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  };
}

function blocksOf(turn: Turn, { model, n }: Asking): readonly JsonObject[] {
  return [
    ...(turn.hidesThinking === true ? [{ type: "redacted_thinking", data: redacted(model) }] : []),
    ...(turn.thinking === undefined ? [] : [{ type: "thinking", thinking: turn.thinking, signature: sign(model, turn.thinking) }]),
    ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
    ...(turn.calls ?? []).map((call, place) => ({
      type: "tool_use",
      id: idOf(call, place, n),
      name: call.name,
      input: inputOf(argsText(call)),
    })),
  ];
}

/** What does not parse is only possible in a stream. */
function inputOf(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

/** Events of one block; calls with their arguments as the script has them. */
function blockEvents(block: JsonObject, index: number, args: string): readonly string[] {
  const piece = (fields: JsonObject): string => event({ type: "content_block_delta", index, delta: fields });
  const stop = event({ type: "content_block_stop", index });
  const open = (fields: JsonObject): string => event({ type: "content_block_start", index, content_block: fields });
  if (block["type"] === "text")
    return [open({ type: "text", text: "" }), ...inPieces(textOf(block["text"])).map((text) => piece({ type: "text_delta", text })), stop];
  if (block["type"] === "thinking")
    return [
      open({ type: "thinking", thinking: "", signature: "" }),
      ...inPieces(textOf(block["thinking"])).map((thinking) => piece({ type: "thinking_delta", thinking })),
      piece({ type: "signature_delta", signature: block["signature"] ?? "" }),
      stop,
    ];
  if (block["type"] === "tool_use")
    return [open({ ...block, input: {} }), ...inPieces(args).map((text) => piece({ type: "input_json_delta", partial_json: text })), stop];
  return [open(block), stop];
}

const message = (turn: Turn, { model, n }: Asking, content: readonly JsonObject[]): JsonObject => ({
  id: `msg_${String(n)}`,
  type: "message",
  role: "assistant",
  model,
  content: [...content],
  stop_reason: content.length === 0 ? null : finishOf(turn),
  stop_sequence: null,
  usage: content.length === 0 ? { ...usageOf(turn), output_tokens: 1 } : usageOf(turn),
});

const refusal: Voice["refusal"] = (status, text) => ({ type: "error", error: { type: KINDS[status] ?? "api_error", message: text } });

export const anthropic: Voice = {
  answer(turn, asking) {
    const blocks = blocksOf(turn, asking);
    if (!asking.stream) return json(message(turn, asking, blocks));
    const first = blocks.findIndex(({ type }) => type === "tool_use");
    const callsFrom = first < 0 ? blocks.length : first;
    const events = blocks.map((block, index) => {
      const call = turn.calls?.[index - callsFrom];
      return blockEvents(block, index, call === undefined ? "" : argsText(call));
    });
    const said = events.slice(0, callsFrom).flat();
    const isBroken = turn.cut !== undefined || turn.fails === true;
    return streamed(turn, {
      head: [
        event({ type: "message_start", message: message(turn, asking, []) }),
        event({ type: "ping" }),
        // What breaks off has not closed its last block.
        ...(isBroken ? said.slice(0, -1) : said),
      ],
      rest: [
        ...events.slice(callsFrom).flat(),
        event({ type: "message_delta", delta: { stop_reason: finishOf(turn), stop_sequence: null }, usage: usageOf(turn) }),
        event({ type: "message_stop" }),
      ],
      error: event({ type: "error", error: { type: "overloaded_error", message: "the server is overloaded" } }),
    });
  },
  refusal,
};
