import { describe, expect, test } from "vitest";
import anthropic from "../../plugins/provider-anthropic/index.js";
import google from "../../plugins/provider-google/index.js";
import openai from "../../plugins/provider-openai/index.js";
import compatible from "../../plugins/provider-openai-compatible/index.js";
import type { Provider } from "../../src/plugin/sdk.js";

function providerOf(plugin: { readonly providers?: { readonly [id: string]: Provider } }, id: string): Provider {
  const provider = plugin.providers?.[id];
  if (provider === undefined) throw new Error(`no provider ${id}`);
  return provider;
}

const PROVIDERS = {
  anthropic: providerOf(anthropic, "anthropic"),
  openai: providerOf(openai, "openai"),
  google: providerOf(google, "google"),
  chat: providerOf(compatible, "openrouter"),
} as const;

/** An answer of one word whose server counts `count` tokens. */
const ANSWERS: { readonly [Name in keyof typeof PROVIDERS]: (count: number) => readonly object[] } = {
  anthropic: (count) => [
    { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: { input_tokens: count } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "word" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: count } },
    { type: "message_stop" },
  ],
  openai: (count) => [
    { type: "response.output_item.added", output_index: 0, item: { id: "i", type: "message", role: "assistant", content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "i", delta: "word" },
    { type: "response.completed", response: { status: "completed", output: [], usage: { input_tokens: count, output_tokens: count } } },
  ],
  google: (count) => [
    {
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: "word" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: count, candidatesTokenCount: count },
    },
  ],
  chat: (count) => [
    { choices: [{ index: 0, delta: { content: "word" }, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: count, completion_tokens: count } },
  ],
};

const HEAD = { status: 200, headers: { "content-type": "text/event-stream" } };
const NAMES = Object.keys(PROVIDERS) as readonly (keyof typeof PROVIDERS)[];

describe.each(NAMES)("%s", (name) => {
  const { open, events, close, fail } = PROVIDERS[name];

  test.each([-1, 1e308, Number.MAX_SAFE_INTEGER])("a count of %d is unknown, and the answer stays", (count) => {
    const batch = ANSWERS[name](count).map((event) => ({ data: JSON.stringify(event) }));
    const step = events?.(batch, open?.(HEAD) ?? null);
    const deltas = [...(step?.deltas ?? []), ...(close?.("complete", step?.state ?? null) ?? [])];
    expect(deltas).toContainEqual({ type: "text", text: "word" });
    expect(deltas).toContainEqual({ type: "end", stop: "stop" });
    for (const delta of deltas) if (delta.type === "usage") expect(delta.usage).not.toHaveProperty("inputTokens");
  });

  test.each([
    ["retry-after", "9".repeat(400)],
    ["retry-after-ms", "9".repeat(400)],
    ["x-ratelimit-reset-requests", `${"9".repeat(400)}h`],
    ["retry-after", "-5"],
    ["retry-after", "NaN"],
  ])("a wait of %s: %s is none", (header, value) => {
    expect(fail?.({ status: 429, headers: { [header]: value } }, "{}").retryAfterMs).toBeUndefined();
  });
});
