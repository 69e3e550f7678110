import type { JsonObject } from "../../../src/base/index.js";
import { encrypted } from "./signatures.js";
import { argsText, type Asking, idOf, inPieces, json, streamed, textOf, type Turn, USAGE, type Voice } from "./turn.js";

const event = (fields: JsonObject & { readonly type: string }): string => `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`;

const usageOf = ({ usage = USAGE }: Turn): JsonObject => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: "cached" in usage ? (usage.cached ?? 0) : 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
});

/** The items of the answer, as they are when they are over. */
function itemsOf(turn: Turn, { n }: Asking): readonly JsonObject[] {
  const { thinking, text } = turn;
  const id = `rs_${String(n)}`;
  const part =
    turn.stop === "refusal" ? { type: "refusal", refusal: text ?? "" } : { type: "output_text", text: text ?? "", annotations: [] };
  return [
    ...(thinking === undefined
      ? []
      : [{ type: "reasoning", id, summary: [{ type: "summary_text", text: thinking }], encrypted_content: encrypted(id, thinking) }]),
    ...(text === undefined ? [] : [{ type: "message", id: `msg_${String(n)}`, role: "assistant", status: "completed", content: [part] }]),
    ...(turn.calls ?? []).map((call, place) => ({
      type: "function_call",
      id: `fc_${String(n)}_${String(place)}`,
      call_id: idOf(call, place, n),
      name: call.name,
      arguments: argsText(call),
      status: "completed",
    })),
  ];
}

function response(turn: Turn, asking: Asking, output: readonly JsonObject[]): JsonObject {
  const isOver = output.length > 0;
  const reason = turn.stop === "limit" ? "max_output_tokens" : turn.stop === "filter" ? "content_filter" : undefined;
  return {
    id: `resp_${String(asking.n)}`,
    object: "response",
    model: asking.model,
    status: isOver ? (reason === undefined ? "completed" : "incomplete") : "in_progress",
    incomplete_details: isOver && reason !== undefined ? { reason } : null,
    error: null,
    output: [...output],
    ...(isOver ? { usage: usageOf(turn) } : {}),
  };
}

function itemEvents(item: JsonObject, index: number, turn: Turn): readonly string[] {
  const at = { item_id: item["id"] ?? "", output_index: index };
  const added = (fields: JsonObject): string =>
    event({ type: "response.output_item.added", output_index: index, item: { ...item, ...fields } });
  const done = event({ type: "response.output_item.done", output_index: index, item });
  if (item["type"] === "reasoning")
    return [
      added({ summary: [], encrypted_content: "early" }),
      ...inPieces(turn.thinking ?? "").map((text) =>
        event({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta: text }),
      ),
      done,
    ];
  if (item["type"] === "message")
    return [
      added({ content: [], status: "in_progress" }),
      ...inPieces(turn.text ?? "").map((text) =>
        event({
          type: turn.stop === "refusal" ? "response.refusal.delta" : "response.output_text.delta",
          ...at,
          content_index: 0,
          delta: text,
        }),
      ),
      done,
    ];
  return [
    added({ arguments: "", status: "in_progress" }),
    ...inPieces(textOf(item["arguments"])).map((text) => event({ type: "response.function_call_arguments.delta", ...at, delta: text })),
    event({ type: "response.function_call_arguments.done", ...at, arguments: item["arguments"] ?? "" }),
    done,
  ];
}

const refusal: Voice["refusal"] = (status, message) => ({
  error: { message, type: "test_error", param: null, code: CODES[status] ?? null },
});
const CODES: { readonly [status: number]: string } = { 401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded" };

export const responses: Voice = {
  answer(turn, asking) {
    const items = itemsOf(turn, asking);
    if (!asking.stream) return json(response(turn, asking, items));
    const callsFrom = items.filter(({ type }) => type !== "function_call").length;
    const events = items.map((item, index) => itemEvents(item, index, turn));
    const said = events.slice(0, callsFrom).flat();
    const isBroken = turn.cut !== undefined || turn.fails === true;
    const isIncomplete = turn.stop === "limit" || turn.stop === "filter";
    return streamed(turn, {
      head: [
        event({ type: "response.created", response: response(turn, asking, []) }),
        event({ type: "response.in_progress", response: response(turn, asking, []) }),
        ...(isBroken ? said.slice(0, -1) : said),
      ],
      rest: [
        ...events.slice(callsFrom).flat(),
        event({ type: isIncomplete ? "response.incomplete" : "response.completed", response: response(turn, asking, items) }),
      ],
      error: event({
        type: "response.failed",
        response: {
          ...response(turn, asking, []),
          status: "failed",
          error: { code: "server_is_overloaded", message: "the server is overloaded" },
        },
      }),
    });
  },
  refusal,
};
