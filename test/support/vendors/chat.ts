import { chunk, delta, DONE } from "../model-server.js";
import type { JsonObject } from "../../../src/base/index.js";
import { argsText, type Asking, idOf, inPieces, json, streamed, type Turn, USAGE, type Voice } from "./turn.js";

const STOPS = { limit: "length", refusal: "stop", filter: "content_filter" } as const;

const usageOf = ({ usage = USAGE }: Turn): JsonObject => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  ...("cached" in usage ? { prompt_tokens_details: { cached_tokens: usage.cached ?? 0 } } : {}),
});

const finishOf = ({ stop, calls = [] }: Turn): string => (stop === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : STOPS[stop]);

const callsOf = ({ calls = [] }: Turn, n: number): readonly JsonObject[] =>
  calls.map((call, index) => ({
    index,
    id: idOf(call, index, n),
    type: "function",
    function: { name: call.name, arguments: argsText(call) },
  }));

/** Text and refusals have different fields. */
const textField = ({ stop }: Turn): string => (stop === "refusal" ? "refusal" : "content");

function whole(turn: Turn, { model, n }: Asking): JsonObject {
  const calls = callsOf(turn, n);
  const message = {
    role: "assistant",
    content: null,
    ...(turn.text === undefined ? {} : { [textField(turn)]: turn.text }),
    ...(turn.thinking === undefined ? {} : { reasoning_content: turn.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ index: _, ...call }) => call) }),
  };
  return {
    id: `chatcmpl-${String(n)}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finishOf(turn) }],
    usage: usageOf(turn),
  };
}

const refusal: Voice["refusal"] = (status, message) => ({ error: { message, type: "test_error", code: String(status) } });

export const chat: Voice = {
  answer(turn, asking) {
    if (!asking.stream) return json(whole(turn, asking));
    return streamed(turn, {
      head: [
        delta({ role: "assistant", content: "" }),
        ...inPieces(turn.thinking ?? "").map((text) => delta({ reasoning_content: text })),
        ...inPieces(turn.text ?? "").map((text) => delta({ [textField(turn)]: text })),
      ],
      rest: [
        ...callsOf(turn, asking.n).map((call) => delta({ tool_calls: [call] })),
        delta({}, finishOf(turn)),
        chunk({ choices: [], usage: usageOf(turn) }),
        DONE,
      ],
      error: `data: ${JSON.stringify({ error: { message: "the server is overloaded", type: "overloaded_error", code: 529 } })}\n\n`,
    });
  },
  refusal,
};
