/** What every bundled provider says of an answer that is there but whose connection may stay open. */
import { describe, expect, test } from "vitest";
import anthropic from "../../plugins/provider-anthropic/index.js";
import google from "../../plugins/provider-google/index.js";
import openai from "../../plugins/provider-openai/index.js";
import compatible from "../../plugins/provider-openai-compatible/index.js";
import type { JsonObject, Plugin, Provider, ProviderDelta } from "../../src/plugin/sdk.js";

function provided({ providers }: Plugin, id: string): Provider {
  const found = providers?.[id];
  if (found === undefined) throw new Error(`no provider ${id}`);
  return found;
}

const item = { type: "function_call", id: "i1", call_id: "c1", name: "now", arguments: "{}" };

/** An answer with a call, event by event; the last makes it whole. */
const ANSWERS: readonly (readonly [string, Provider, readonly JsonObject[]])[] = [
  [
    "Messages",
    provided(anthropic, "anthropic"),
    [
      { type: "message_start", message: { usage: { input_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t1", name: "now", input: {} } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
  ],
  [
    "Responses",
    provided(openai, "openai"),
    [
      { type: "response.created", response: {} },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { status: "completed", output: [item] } },
    ],
  ],
  [
    "Gemini",
    provided(google, "google"),
    [
      { candidates: [{ content: { parts: [{ functionCall: { name: "now", args: {} } }] } }] },
      { candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1 } },
    ],
  ],
  [
    "Chat Completions",
    provided(compatible, "openai-compatible"),
    [
      { choices: [{ delta: { tool_calls: [{ index: 0, id: "c1", function: { name: "now", arguments: "{}" } }] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
    ],
  ],
];

/** What the provider says of these events, and then at the end of the body. */
function told(provider: Provider, events: readonly JsonObject[]): readonly (readonly ProviderDelta["type"][])[] {
  const batch = events.map((event) => ({ data: JSON.stringify(event) }));
  const { deltas = [], state = null } = provider.events?.(batch, provider.open?.({ status: 200, headers: {} }) ?? null) ?? {};
  const closed = provider.close?.("complete", state) ?? [];
  return [deltas, closed].map((said) => said.map(({ type }) => type).filter((type) => type !== "usage"));
}

describe.each(ANSWERS)("%s", (_name, provider, events) => {
  test("an answer is whole with its last event, and only then", () => {
    const lastWords = events.map((_, at) => told(provider, events.slice(0, at + 1))[0]?.at(-1));
    expect(lastWords.map((type) => type === "whole")).toEqual(events.map((_, at) => at === events.length - 1));
  });

  test("a body that ends there is an answer, one that ends before it is cut", () => {
    expect(events.map((_, at) => told(provider, events.slice(0, at + 1))[1]?.at(-1))).toEqual(
      events.map((_, at) => (at === events.length - 1 ? "end" : "error")),
    );
  });
});
