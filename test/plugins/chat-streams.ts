/**
 * Small synthetic Chat Completions streams, one per dialect that servers speak. An event is a JSON value, or text that is
 * sent as it is; `[name, value]` is a named event.
 */
import type { BodyOutcome, ProviderDelta, Usage } from "../../src/plugin/sdk.js";

type Wire = object | string | null;

export interface Decoded {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly id?: string; readonly name?: string; readonly args?: string }[];
  readonly usage?: Usage;
  readonly stop?: string;
  /** Class of the error and a piece of its words. */
  readonly error?: readonly [string, string];
}

export interface Dialect {
  readonly name: string;
  readonly events: readonly (Wire | { readonly named: string; readonly value: Wire })[];
  readonly outcome?: BodyOutcome;
  readonly expected: Decoded;
}

export const choice = (delta: object, finish: string | null = null): object => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
export const say = (content: unknown, finish: string | null = null): object => choice({ content }, finish);
export const calls = (...items: readonly object[]): object => choice({ tool_calls: items });
export const fn = (name: string | undefined, args: unknown, rest: object = {}): object => ({
  ...rest,
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});
export const finish = (reason: string): object => choice({}, reason);
const counts = (input: number, output: number): object => ({ prompt_tokens: input, completion_tokens: output });
export const DONE = "[DONE]";

export const READ_A = { id: "c1", name: "read", args: '{"path":"a"}' };
export const READ_B = { id: "c2", name: "read", args: '{"path":"b"}' };
export const twoReads: Decoded = { calls: [READ_A, READ_B], stop: "tool-use" };
const unnumbered = ({ id: _id, ...call }: typeof READ_A): object => call;

export const TEXT: readonly Dialect[] = [
  { name: "plain text", events: [say(""), say("he"), say("llo"), finish("stop"), DONE], expected: { text: "hello", stop: "stop" } },
  {
    name: "content null and empty deltas",
    events: [say(null), choice({}), say("a"), finish("stop"), DONE],
    expected: { text: "a", stop: "stop" },
  },
  { name: "text after the finish reason", events: [say("a"), finish("stop"), say("b"), DONE], expected: { text: "ab", stop: "stop" } },
  {
    name: "content as a list of parts, thinking among them",
    events: [say([{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }]), say([{ type: "text", text: "a" }, "b"], "stop"), DONE],
    expected: { text: "ab", thinking: "hm", stop: "stop" },
  },
  {
    name: "reasoning_content",
    events: [choice({ reasoning_content: "h" }), choice({ reasoning_content: "m", content: null }), say("a", "stop"), DONE],
    expected: { text: "a", thinking: "hm", stop: "stop" },
  },
  {
    name: "reasoning, repeated in reasoning_details, counts once",
    events: [choice({ content: "", reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] }), say("a", "stop"), DONE],
    expected: { text: "a", thinking: "hm", stop: "stop" },
  },
  {
    name: "reasoning_details alone: text and summary are thinking, encrypted data is not",
    events: [
      choice({ reasoning_details: [{ type: "reasoning.text", text: "h", signature: "s" }] }),
      choice({
        reasoning_details: [
          { type: "reasoning.summary", summary: "m" },
          { type: "reasoning.encrypted", data: "xx" },
        ],
      }),
      say("a", "stop"),
      DONE,
    ],
    expected: { text: "a", thinking: "hm", stop: "stop" },
  },
  { name: "a refusal", events: [choice({ refusal: "no" }), finish("stop"), DONE], expected: { text: "no", stop: "refusal" } },
  { name: "finish length", events: [say("a", "length"), DONE], expected: { text: "a", stop: "limit" } },
  { name: "finish content_filter", events: [say("a", "content_filter"), DONE], expected: { text: "a", stop: "content-filter" } },
  { name: "an unknown finish reason", events: [say("a", "eos"), DONE], expected: { text: "a", stop: "stop" } },
  { name: "finish twice", events: [say("a", "stop"), say("", "stop"), DONE], expected: { text: "a", stop: "stop" } },
  {
    name: "a limit is not hidden by a later stop",
    events: [say("a", "length"), finish("stop"), DONE],
    expected: { text: "a", stop: "limit" },
  },
  {
    name: "other choices are passed over",
    events: [{ choices: [{ index: 1, delta: { content: "x" } }] }, say("a", "stop"), DONE],
    expected: { text: "a", stop: "stop" },
  },
  {
    name: "the whole answer as one object",
    events: [{ choices: [{ index: 0, message: { content: "a", tool_calls: null }, finish_reason: "stop" }], usage: counts(1, 2) }],
    expected: { text: "a", stop: "stop", usage: { inputTokens: 1, outputTokens: 2 } },
  },
];

export const CALLS: readonly Dialect[] = [
  {
    name: "arguments in pieces",
    events: [
      calls(fn("read", "", { index: 0, id: "c1", type: "function" })),
      calls(fn(undefined, '{"pa', { index: 0 })),
      calls(fn(undefined, 'th":"a"}', { index: 0 })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "calls side by side, their pieces mixed",
    events: [
      calls(fn("read", '{"path"', { index: 0, id: "c1" }), fn("read", '{"path"', { index: 1, id: "c2" })),
      calls(fn(undefined, ':"b"}', { index: 1 }), fn(undefined, ':"a"}', { index: 0 })),
      finish("tool_calls"),
    ],
    expected: twoReads,
  },
  {
    name: "index 0 for all, new id",
    events: [
      calls(fn("read", READ_A.args, { index: 0, id: "c1" })),
      calls(fn("read", READ_B.args, { index: 0, id: "c2" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: twoReads,
  },
  {
    name: "no index, new id",
    events: [calls(fn("read", READ_A.args, { id: "c1" })), calls(fn("read", READ_B.args, { id: "c2" })), finish("tool_calls"), DONE],
    expected: twoReads,
  },
  {
    name: "no index, both in one event",
    events: [calls(fn("read", READ_A.args, { id: "c1" }), fn("read", READ_B.args, { id: "c2" })), finish("tool_calls"), DONE],
    expected: twoReads,
  },
  {
    name: "neither index nor id, both in one event",
    events: [calls(fn("read", READ_A.args), fn("read", READ_B.args)), finish("tool_calls"), DONE],
    expected: { calls: [unnumbered(READ_A), unnumbered(READ_B)], stop: "tool-use" },
  },
  {
    name: "index 0 for all and empty ids: a name after complete arguments is a new call",
    events: [
      calls(fn("read", READ_A.args, { index: 0, id: "" })),
      calls(fn("read", READ_B.args, { index: 0, id: "" })),
      finish("stop"),
      DONE,
    ],
    expected: { calls: [unnumbered(READ_A), unnumbered(READ_B)], stop: "tool-use" },
  },
  {
    name: "id and name repeated on every piece",
    events: [
      calls(fn("read", '{"path"', { index: 0, id: "c1" })),
      calls(fn("read", ':"a"', { index: 0, id: "c1" })),
      calls(fn("read", "}", { index: 0, id: "c1" })),
      calls(fn("read", "", { index: 0, id: "c1" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "id and name empty on later pieces",
    events: [
      calls(fn("read", "", { index: 0, id: "c1" })),
      calls(fn("", '{"path":', { index: 0, id: "" })),
      calls(fn("", '"a"}', { index: 0, id: "" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "name repeated without an id while the arguments are open",
    events: [calls(fn("read", '{"path"', { index: 0 })), calls(fn("read", ':"a"}', { index: 0 })), finish("tool_calls"), DONE],
    expected: { calls: [unnumbered(READ_A)], stop: "tool-use" },
  },
  {
    name: "another id on every piece",
    events: [
      calls(fn("read", '{"path"', { index: 0, id: "c1" })),
      calls(fn(undefined, ':"a"}', { index: 0, id: "x9" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "the id comes late",
    events: [
      calls(fn("read", undefined, { index: 0 })),
      calls(fn(undefined, '{"path":"a"}', { index: 0, id: "c1" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "an index on later pieces only",
    events: [calls(fn("read", '{"path"', { id: "c1" })), calls(fn(undefined, ':"a"}', { index: 3 })), finish("tool_calls"), DONE],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "one id for two calls: the second is left without",
    events: [
      calls(fn("read", READ_A.args, { index: 0, id: "c1" })),
      calls(fn("read", READ_B.args, { index: 1, id: "c1" })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A, unnumbered(READ_B)], stop: "tool-use" },
  },
  {
    name: "arguments as an object",
    events: [calls(fn("read", { path: "a" }, { index: 0, id: "c1" })), finish("tool_calls"), DONE],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "braces and quotes inside strings",
    events: [
      calls(fn("w", '{"t":"}{\\"', { index: 0, id: "c1" })),
      calls(fn("w", '\\\\"', { index: 0 })),
      calls(fn("w", ',"u":[1,{}]}', { index: 0 })),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [{ id: "c1", name: "w", args: '{"t":"}{\\"\\\\","u":[1,{}]}' }], stop: "tool-use" },
  },
  ...["", " ", "null", undefined, null, "{}"].map((args): Dialect => ({
    name: `no arguments, sent as ${JSON.stringify(args) ?? "nothing"}`,
    events: [calls(fn("now", args, { index: 0, id: "c1" })), finish("tool_calls"), DONE],
    expected: { calls: [{ id: "c1", name: "now", args: "{}" }], stop: "tool-use" },
  })),
  {
    name: 'no arguments, "" and then "{}"',
    events: [calls(fn("now", "", { index: 0, id: "c1" })), calls(fn(undefined, "{}", { index: 0 })), finish("tool_calls"), DONE],
    expected: { calls: [{ id: "c1", name: "now", args: "{}" }], stop: "tool-use" },
  },
  {
    name: "a tool without arguments twice in one event",
    events: [calls(fn("now", "", { index: 0 }), fn("now", "", { index: 0 })), finish("tool_calls"), DONE],
    expected: {
      calls: [
        { name: "now", args: "{}" },
        { name: "now", args: "{}" },
      ],
      stop: "tool-use",
    },
  },
  ...['{"path": "a.txt", "content": "line', "{path:'a'}", "[1]", '"str"', "{} {}"].map((args): Dialect => ({
    name: `arguments that are no object stay as they are: ${args}`,
    events: [calls(fn("read", args, { index: 0, id: "c1" })), finish("tool_calls"), DONE],
    expected: { calls: [{ id: "c1", name: "read", args }], stop: "tool-use" },
  })),
  {
    name: "finish stop beside calls",
    events: [calls(fn("read", READ_A.args, { index: 0, id: "c1" })), finish("stop"), DONE],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  {
    name: "finish length beside calls",
    events: [calls(fn("read", '{"pa', { index: 0, id: "c1" })), finish("length"), DONE],
    expected: { calls: [{ id: "c1", name: "read", args: '{"pa' }], stop: "limit" },
  },
  { name: "finish tool_calls without calls", events: [say("a"), finish("tool_calls"), DONE], expected: { text: "a", stop: "stop" } },
  {
    name: "the older function_call",
    events: [
      choice({ function_call: { name: "read", arguments: '{"path"' } }),
      choice({ function_call: { arguments: ':"a"}' } }),
      finish("function_call"),
      DONE,
    ],
    expected: { calls: [unnumbered(READ_A)], stop: "tool-use" },
  },
  {
    name: "pieces that are not objects",
    events: [
      calls(fn("read", READ_A.args, { index: 0, id: "c1" })),
      choice({ tool_calls: [null, "x"] }),
      choice({ tool_calls: null }),
      finish("tool_calls"),
      DONE,
    ],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
];

const hello = (...extra: readonly Wire[]): readonly Wire[] => [say("a"), finish("stop"), ...extra, DONE];
const usage = (inputTokens: number, outputTokens: number, rest: Usage = {}): Decoded => ({
  text: "a",
  stop: "stop",
  usage: { inputTokens, outputTokens, ...rest },
});

export const USAGE: readonly Dialect[] = [
  { name: "a last event without choices", events: hello({ choices: [], usage: counts(3, 4) }), expected: usage(3, 4) },
  { name: "beside the last choice", events: [say("a"), { ...finish("stop"), usage: counts(3, 4) }, DONE], expected: usage(3, 4) },
  { name: "in x_groq", events: hello({ choices: [], x_groq: { usage: counts(3, 4) } }), expected: usage(3, 4) },
  { name: "inside the choice", events: hello({ choices: [{ index: 0, delta: {}, usage: counts(3, 4) }] }), expected: usage(3, 4) },
  {
    name: "in every event, as totals: the last counts",
    events: [{ ...say("a"), usage: counts(3, 1) }, { ...finish("stop"), usage: counts(3, 4) }, DONE],
    expected: usage(3, 4),
  },
  { name: "numbers as text", events: hello({ usage: { prompt_tokens: "3", completion_tokens: "4" } }), expected: usage(3, 4) },
  {
    name: "nulls are unknown",
    events: hello({ usage: { prompt_tokens: null, completion_tokens: 4 } }),
    expected: { text: "a", stop: "stop", usage: { outputTokens: 4 } },
  },
  { name: "usage null", events: hello({ choices: [], usage: null }), expected: { text: "a", stop: "stop" } },
  {
    name: "nonsense is unknown",
    events: hello({ usage: { prompt_tokens: "x", completion_tokens: -1 } }),
    expected: { text: "a", stop: "stop" },
  },
  {
    name: "cache and reasoning",
    events: hello({
      usage: { ...counts(3, 4), prompt_tokens_details: { cached_tokens: 2 }, completion_tokens_details: { reasoning_tokens: 1 } },
    }),
    expected: usage(3, 4, { cacheReadTokens: 2, reasoningTokens: 1 }),
  },
  {
    name: "prompt_cache_hit_tokens",
    events: hello({ usage: { ...counts(3, 4), prompt_cache_hit_tokens: 2 } }),
    expected: usage(3, 4, { cacheReadTokens: 2 }),
  },
  {
    name: "timings of llama.cpp",
    events: hello({ choices: [], timings: { prompt_n: 3, predicted_n: 4, cache_n: 10 } }),
    expected: usage(13, 4, { cacheReadTokens: 10 }),
  },
];

export const ODD: readonly Dialect[] = [
  { name: "choices [] first", events: [{ choices: [], prompt_filter_results: [] }, ...hello()], expected: { text: "a", stop: "stop" } },
  { name: "choices null", events: [{ choices: null }, ...hello()], expected: { text: "a", stop: "stop" } },
  { name: "an empty object", events: [{}, ...hello({})], expected: { text: "a", stop: "stop" } },
  { name: "data null", events: ["null", ...hello("null")], expected: { text: "a", stop: "stop" } },
  { name: "numbers, text and lists as data", events: ["7", '"x"', "[]", "[null]", ...hello()], expected: { text: "a", stop: "stop" } },
  { name: "keep-alive words as data", events: ["ping", ...hello(": keep")], expected: { text: "a", stop: "stop" } },
  {
    name: "error null in every event",
    events: [{ ...say("a"), error: null }, finish("stop"), DONE],
    expected: { text: "a", stop: "stop" },
  },
  { name: "blanks around [DONE]", events: [say("a"), " [DONE] "], expected: { text: "a", stop: "stop" } },
  { name: "events after the end", events: [...hello(), say("late"), finish("length")], expected: { text: "a", stop: "stop" } },
];

export const ENDS: readonly Dialect[] = [
  {
    name: "half a text and no terminator",
    events: [say("half")],
    expected: { text: "half", error: ["transport", "before the answer was complete"] },
  },
  {
    name: "a whole call and no terminator",
    events: [calls(fn("read", READ_A.args, { index: 0, id: "c1" }))],
    expected: { calls: [READ_A], error: ["transport", "before the answer was complete"] },
  },
  { name: "a finish reason without [DONE]", events: [say("a"), finish("stop")], expected: { text: "a", stop: "stop" } },
  { name: "[DONE] without a finish reason", events: [say("a"), DONE], expected: { text: "a", stop: "stop" } },
  {
    name: "[DONE] without a finish reason, after a call",
    events: [calls(fn("read", READ_A.args, { index: 0, id: "c1" })), DONE],
    expected: { calls: [READ_A], stop: "tool-use" },
  },
  { name: "an empty body", events: [], expected: { error: ["transport", "without an answer"] } },
  { name: "[DONE] alone", events: [DONE], expected: { error: ["transport", "without an answer"] } },
  {
    name: "a body cut after the finish reason",
    events: [say("a"), finish("stop")],
    outcome: "failed",
    expected: { text: "a", stop: "stop" },
  },
  {
    name: "a body cut in the text",
    events: [say("a")],
    outcome: "truncated",
    expected: { text: "a", error: ["transport", "before the answer was complete"] },
  },
  {
    name: "a cancelled body keeps what it cost",
    events: [say("a"), { usage: counts(3, 4) }],
    outcome: "cancelled",
    expected: { text: "a", usage: { inputTokens: 3, outputTokens: 4 } },
  },
  {
    name: "an error object in the middle",
    events: [say("a"), { error: { message: "Provider overloaded", code: 503 } }, say("b")],
    expected: { text: "a", error: ["overloaded", "Provider overloaded"] },
  },
  {
    name: "a named error event",
    events: [say("a"), { named: "error", value: { error: { message: "no such tool", type: "invalid_request_error", status_code: 400 } } }],
    expected: { text: "a", error: ["invalid", "no such tool"] },
  },
  { name: "a named error event of plain words", events: [{ named: "error", value: "boom" }], expected: { error: ["transport", "boom"] } },
  { name: "an error as text", events: [{ error: "boom" }], expected: { error: ["transport", "boom"] } },
  {
    name: "an error in a list",
    events: [[{ error: { message: "quota", code: 429, status: "RESOURCE_EXHAUSTED" } }]],
    expected: { error: ["rate-limit", "quota"] },
  },
  {
    name: "an object that calls itself an error",
    events: [{ object: "error", message: "maximum context length is 4096 tokens", code: 400 }],
    expected: { error: ["context-overflow", "4096"] },
  },
  {
    name: "finish length, then an error beside choices and usage",
    events: [
      finish("length"),
      finish("length"),
      { ...say(""), error: { code: 400, message: "Token limit reached" }, usage: counts(3, 4) },
      DONE,
    ],
    expected: { usage: { inputTokens: 3, outputTokens: 4 }, error: ["invalid", "Token limit reached"] },
  },
  {
    name: "finish error with its object in the choice",
    events: [{ choices: [{ index: 0, delta: {}, finish_reason: "error", error: { code: 502, message: "upstream died" } }] }],
    expected: { error: ["transport", "upstream died"] },
  },
  {
    name: "finish error without a word",
    events: [say("a"), finish("error"), DONE],
    expected: { text: "a", error: ["transport", "finish reason error"] },
  },
  {
    name: "finish insufficient_system_resource",
    events: [say("a"), finish("insufficient_system_resource"), DONE],
    expected: { text: "a", error: ["overloaded", "gave up"] },
  },
  {
    name: "an event of broken JSON",
    events: [say("a"), '{"choices":[{"del', say("b"), DONE],
    expected: { text: "a", error: ["protocol", "not valid JSON"] },
  },
  { name: "words instead of an answer", events: ["Internal Server Error"], expected: { error: ["transport", "Internal Server Error"] } },
];

type Call = { readonly id?: string; readonly name?: string; readonly args?: string };

/** What deltas amount to; fails on anything after the terminal one. */
export function fold(deltas: readonly ProviderDelta[]): Decoded {
  const calls = new Map<string, Call>();
  let folded: Decoded = {};
  for (const delta of deltas) {
    if (folded.stop !== undefined || folded.error !== undefined) throw new Error(`a ${delta.type} after the end`);
    switch (delta.type) {
      case "whole":
        break;
      case "text":
        folded = { ...folded, text: `${folded.text ?? ""}${delta.text}` };
        break;
      case "thinking":
        folded = { ...folded, thinking: `${folded.thinking ?? ""}${delta.text}` };
        break;
      case "usage":
        folded = { ...folded, usage: delta.usage };
        break;
      case "end":
        folded = { ...folded, stop: delta.stop };
        break;
      case "error":
        folded = { ...folded, error: [delta.error.class, delta.error.message] };
        break;
      case "tool-call":
        calls.set(delta.key, foldCall(calls.get(delta.key), delta));
        break;
    }
  }
  return calls.size === 0 ? folded : { ...folded, calls: [...calls.values()] };
}

function foldCall(call: Call | undefined, { id, name, args }: Extract<ProviderDelta, { type: "tool-call" }>): Call {
  const text = `${call?.args ?? ""}${args ?? ""}`;
  return { ...call, ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }), ...(text === "" ? {} : { args: text }) };
}
