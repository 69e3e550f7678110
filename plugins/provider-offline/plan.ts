import type { ExchangePlan, Message, ProviderDelta, ProviderRequest } from "smith-agent/plugin";
import { readIntents } from "./reading.js";
import { nextMove } from "./moves.js";
import type { Outcome } from "./moves.js";
import { summarize } from "./summary.js";
import { inline } from "./wording.js";

/** One round without a network: a call, or the answer. Same request, same plan. */
export function plan(request: ProviderRequest): ExchangePlan {
  const asked = request.messages.findLastIndex((message) => message.role === "user");
  const message = request.messages[asked];
  const intents = readIntents(message?.role === "user" ? message.text : "");
  const move = nextMove(intents, outcomes(request.messages.slice(asked + 1)), () => summarize(request.messages));
  if (move.type === "answer") return { type: "local", deltas: [...spoken(move.text), ...ending("stop")] };
  if (!request.tools.some((tool) => tool.name === move.tool)) {
    const text = `That needs the tool ${inline(move.tool)}, which is not available here, so I did nothing further.`;
    return { type: "local", deltas: [...spoken(text), ...ending("stop")] };
  }
  return {
    type: "local",
    deltas: [{ type: "tool-call", key: "0", name: move.tool, args: JSON.stringify(move.args) }, ...ending("tool-use")],
  };
}

const outcomes = (messages: readonly Message[]): readonly Outcome[] =>
  messages.flatMap((message) => (message.role === "tool" ? [{ text: message.text, isError: message.isError }] : []));

/** Line by line, as a stream would bring it. */
const spoken = (text: string): readonly ProviderDelta[] =>
  (text.match(/[^\n]*\n|[^\n]+$/gu) ?? []).map((line) => ({ type: "text", text: line }));

/** Rules cost no tokens: that is known, not missing. */
const ending = (stop: "stop" | "tool-use"): readonly ProviderDelta[] => [
  { type: "usage", usage: { inputTokens: 0, outputTokens: 0 } },
  { type: "end", stop },
];
