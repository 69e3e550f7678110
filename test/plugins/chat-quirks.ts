/** Streams of Chat Completions with the quirks that recordings of servers have, and with thinking written into the text. */
import { calls, choice, type Dialect, DONE, finish, fn, READ_A, READ_B, say, twoReads } from "./chat-streams.js";

/** The quirks of recorded streams, by their number in the list of them; those that other tables have already are not here again. */
export const QUIRKS: readonly Dialect[] = [
  {
    name: "1, 8: whole arguments in one piece, without an index",
    events: [calls(fn("read", READ_A.args, { id: "c1" })), finish("tool_calls"), DONE],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "2, 4, 5: id and name empty on some later pieces and repeated on others",
    events: [
      calls(fn("read", "", { index: 0, id: "c1" })),
      calls(fn("", '{"path"', { index: 0, id: "" })),
      calls(fn("read", ':"a"}', { index: 0, id: "c1" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "3: thinking as parts of the content, then its text, then a plain text",
    events: [
      say([{ type: "thinking", thinking: [{ type: "text", text: "h" }] }]),
      say([{ type: "thinking", thinking: [{ type: "text", text: "m" }], closed: true }]),
      say([{ type: "text", text: "he" }]),
      say("llo"),
      finish("stop"),
      DONE,
    ],
    expected: { text: "hello", thinking: "hm", stop: "stop" },
  },
  {
    name: "6: a first piece without arguments",
    events: [
      calls(fn("read", undefined, { index: 0, id: "c1" })),
      calls(fn(undefined, READ_A.args, { index: 0 })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "7, 20: two calls under one index, the answer's id changes, finish twice",
    events: [
      { id: "r1", ...calls(fn("now", "{}", { index: 0, id: "c1" })) },
      { id: "r1", ...finish("tool_calls") },
      { id: "r2", ...calls(fn("now", "{}", { index: 0, id: "c2" })) },
      { id: "r2", ...finish("tool_calls") },
      DONE,
    ],
    expected: {
      calls: [
        { id: "c1", name: "now", args: "{}" },
        { id: "c2", name: "now", args: "{}" },
      ],
      stop: "tool-use",
    },
  },
  {
    name: "9: parallel calls one after the other",
    events: [
      calls(fn("read", READ_A.args, { index: 0, id: "c1" })),
      calls(fn("read", READ_B.args, { index: 1, id: "c2" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: twoReads,
  },
  {
    name: "12, 16, 21, 23, 24: reasoning, x_groq, and a named error in place of an end",
    events: [
      { ...choice({ reasoning: "hm" }), x_groq: { id: "r" } },
      {
        named: "error",
        value: { error: { message: "Failed to call a function", type: "invalid_request_error", code: "tool_use_failed" } },
      },
    ],
    expected: { thinking: "hm", error: ["invalid", "Failed to call a function"] },
  },
  {
    name: "13, 14: choices [] with results of a filter before, and with those of a moderation after",
    events: [
      { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      { ...say("a"), content_filter_results: {} },
      finish("stop"),
      { choices: [], moderation: {} },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
      DONE,
    ],
    expected: { text: "a", stop: "stop", usage: { inputTokens: 3, outputTokens: 4 } },
  },
  {
    name: "17, 18: details with a signature, and hidden ones, beside the same words",
    events: [
      choice({ reasoning: "h", reasoning_details: [{ type: "reasoning.text", text: "h", index: 0, format: "f" }] }),
      choice({ reasoning: "m", reasoning_details: [{ type: "reasoning.text", text: "m", index: 0, format: "f" }] }),
      choice({ reasoning_details: [{ type: "reasoning.text", signature: "s", index: 0, format: "f" }] }),
      choice({ reasoning_details: [{ type: "reasoning.encrypted", data: "xx", id: "r1", index: 1, format: "f" }] }),
      say("a", "stop"),
      DONE,
    ],
    expected: { text: "a", thinking: "hm", stop: "stop" },
  },
  {
    name: "25: content null, reasoning_content, usage with choices [], and timings",
    events: [
      choice({ role: "assistant", content: null }),
      choice({ reasoning_content: "hm" }),
      say("grüße 🙂"),
      finish("stop"),
      { choices: [], usage: { prompt_tokens: 13, completion_tokens: 4 }, timings: { prompt_n: 3, cache_n: 10, predicted_n: 4 } },
      DONE,
    ],
    expected: { text: "grüße 🙂", thinking: "hm", stop: "stop", usage: { inputTokens: 13, outputTokens: 4 } },
  },
  {
    name: "a cache that was written and read, with what it thought left out of the output",
    events: [
      say("a", "stop"),
      {
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 4,
          total_tokens: 20,
          prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 5 },
          completion_tokens_details: { reasoning_tokens: 6 },
        },
      },
      DONE,
    ],
    expected: {
      text: "a",
      stop: "stop",
      usage: { inputTokens: 10, outputTokens: 10, cacheReadTokens: 3, cacheWriteTokens: 5, reasoningTokens: 6 },
    },
  },
];

/** Thinking that a server without a form for it writes into the text. */
export const INLINE: readonly Dialect[] = [
  {
    name: "thinking between tags at the start",
    events: [say("<think>"), say("\nhm"), say(" hm\n"), say("</think>"), say("\n\nhe"), say("llo"), finish("stop"), DONE],
    expected: { text: "hello", thinking: "hm hm", stop: "stop" },
  },
  {
    name: "tags in pieces",
    events: [say(" <th"), say("ink>h"), say("m<"), say("/thi"), say("nk>a"), finish("stop"), DONE],
    expected: { text: "a", thinking: "hm", stop: "stop" },
  },
  { name: "nothing between the tags", events: [say("<think>\n\n</think>\n\na", "stop"), DONE], expected: { text: "a", stop: "stop" } },
  {
    name: "a tag that is not closed",
    events: [say("<think>hm </thin"), finish("length"), DONE],
    expected: { thinking: "hm </thin", stop: "limit" },
  },
  {
    name: "a text that only begins like a tag",
    events: [say("<thi"), say("s>"), finish("stop"), DONE],
    expected: { text: "<this>", stop: "stop" },
  },
  { name: "a text that ends like a tag begins", events: [say("<thi"), finish("stop"), DONE], expected: { text: "<thi", stop: "stop" } },
  { name: "blanks at the start of a text", events: [say("\n"), say(" a"), finish("stop"), DONE], expected: { text: "\n a", stop: "stop" } },
  {
    name: "tags later in the text are text",
    events: [say("a <think>b</think> c", "stop"), DONE],
    expected: { text: "a <think>b</think> c", stop: "stop" },
  },
  {
    name: "a second pair of tags is text",
    events: [say("<think>h</think>a<think>b</think>", "stop"), DONE],
    expected: { text: "a<think>b</think>", thinking: "h", stop: "stop" },
  },
  {
    name: "other tags inside of the thinking",
    events: [say("<think>if a < b </b> then"), say("</think>a"), finish("stop"), DONE],
    expected: { text: "a", thinking: "if a < b </b> then", stop: "stop" },
  },
  {
    name: "thinking told apart already: tags after it are text",
    events: [choice({ reasoning_content: "hm" }), say("<think>a", "stop"), DONE],
    expected: { text: "<think>a", thinking: "hm", stop: "stop" },
  },
  {
    name: "thinking, then a call",
    events: [say("<think>hm</think>\n"), calls(fn("now", "{}", { index: 0, id: "c1" })), finish("tool_calls"), DONE],
    expected: { thinking: "hm", calls: [{ id: "c1", name: "now", args: "{}" }], stop: "tool-use" },
  },
  {
    name: "a cut body keeps what was held",
    events: [say("<thi")],
    outcome: "truncated",
    expected: { text: "<thi", error: ["transport", "before the answer was complete"] },
  },
];
