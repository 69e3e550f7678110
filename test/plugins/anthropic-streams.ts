/** Small synthetic Messages streams, and what each comes to. */
import type { BodyOutcome, ThinkingPart, Usage } from "../../src/plugin/sdk.js";
import { sseBytes, type WireEvent } from "./streams/run.js";

export interface Expected {
  readonly text?: string;
  /** `after` is asked for in a test of its own. */
  readonly thinking?: readonly Omit<ThinkingPart, "after">[];
  /** Id, name and arguments as streamed; an id that is left out is made by the host. */
  readonly calls?: readonly (readonly [id: string, name: string, args: string])[];
  readonly usage?: Usage;
  readonly stop?: string;
  /** Class of the error and a piece of its words. */
  readonly error?: readonly [string, string];
}

export interface Sample {
  readonly name: string;
  readonly events: readonly (object | string)[];
  readonly outcome?: BodyOutcome;
  readonly expected: Expected;
}

export const start = (message: object = {}): object => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", content: [], model: "m", stop_reason: null, ...message },
});
export const open = (index: number, block: object): object => ({ type: "content_block_start", index, content_block: block });
export const piece = (index: number, delta: object): object => ({ type: "content_block_delta", index, delta });
export const shut = (index: number): object => ({ type: "content_block_stop", index });
export const over = (reason: string | null, usage?: object): object => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  ...(usage === undefined ? {} : { usage }),
});
export const STOP = { type: "message_stop" };
const PING = { type: "ping" };

export const text = (index: number, ...parts: readonly string[]): readonly object[] => [
  open(index, { type: "text", text: "" }),
  ...parts.map((part) => piece(index, { type: "text_delta", text: part })),
  shut(index),
];
export const thought = (index: number, parts: readonly string[], signature: readonly string[]): readonly object[] => [
  open(index, { type: "thinking", thinking: "", signature: "" }),
  ...parts.map((part) => piece(index, { type: "thinking_delta", thinking: part })),
  ...signature.map((part) => piece(index, { type: "signature_delta", signature: part })),
  shut(index),
];
export const call = (index: number, id: string, name: string, ...parts: readonly string[]): readonly object[] => [
  open(index, { type: "tool_use", id, name, input: {} }),
  ...parts.map((part) => piece(index, { type: "input_json_delta", partial_json: part })),
  shut(index),
];
const end = (reason = "end_turn", usage?: object): readonly object[] => [over(reason, usage), STOP];
const say = (reason?: string, usage?: object): readonly object[] => [start(), ...text(0, "hel", "lo"), ...end(reason, usage)];

/** Named as the vendor names its events: by their type. */
export const bytesOf = (events: readonly (object | string)[]): Uint8Array =>
  sseBytes(
    events.map((data): WireEvent => {
      const type = typeof data === "object" && "type" in data && typeof data.type === "string" ? data.type : undefined;
      return type === undefined ? { data } : { name: type, data };
    }),
  );

const HELLO: Expected = { text: "hello", stop: "stop" };
const READ: readonly [string, string, string] = ["toolu_1", "read", '{"path":"a"}'];

/** Quirks 26 to 35 of the recordings' list, by number. */
export const QUIRKS: readonly Sample[] = [
  {
    name: "26: pings anywhere",
    events: [PING, start(), PING, ...text(0, "hel", "lo").flatMap((event) => [event, PING]), ...end(), PING],
    expected: HELLO,
  },
  {
    name: "27: thinking with its signature in pieces",
    events: [start(), ...thought(0, ["let me ", "see"], ["sig", "na"]), ...text(1, "hello"), ...end()],
    expected: { ...HELLO, thinking: [{ text: "let me see", signature: "signa" }] },
  },
  {
    name: "27: thinking whose text is hidden",
    events: [start(), ...thought(0, [], ["sig"]), ...text(1, "hello"), ...end()],
    expected: { ...HELLO, thinking: [{ text: "", signature: "sig" }] },
  },
  {
    name: "28: redacted thinking, twice, between other thinking",
    events: [
      start(),
      ...thought(0, ["a"], ["s0"]),
      open(1, { type: "redacted_thinking", data: "ENC1" }),
      shut(1),
      open(2, { type: "redacted_thinking", data: "ENC2" }),
      shut(2),
      ...text(3, "hello"),
      ...end(),
    ],
    expected: {
      ...HELLO,
      thinking: [
        { text: "a", signature: "s0" },
        { text: "", signature: "ENC1", kind: "redacted" },
        { text: "", signature: "ENC2", kind: "redacted" },
      ],
    },
  },
  {
    name: "29: a call without any arguments",
    events: [start(), ...call(0, "toolu_1", "now"), ...end("tool_use")],
    expected: { calls: [["toolu_1", "now", "{}"]], stop: "tool-use" },
  },
  {
    name: "29: calls without arguments among others, with empty pieces",
    events: [
      start(),
      ...call(0, "t1", "now", ""),
      ...call(1, "t2", "read", "", '{"path"', ':"a"}'),
      ...call(2, "t3", "now"),
      ...end("tool_use"),
    ],
    expected: {
      calls: [
        ["t1", "now", "{}"],
        ["t2", "read", '{"path":"a"}'],
        ["t3", "now", "{}"],
      ],
      stop: "tool-use",
    },
  },
  {
    name: "30: what a cache had and got is part of the input",
    events: [
      start({ usage: { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 } }),
      ...text(0, "hello"),
      ...end("end_turn", { output_tokens: 7 }),
    ],
    expected: { ...HELLO, usage: { inputTokens: 123, outputTokens: 7, cacheReadTokens: 100, cacheWriteTokens: 20 } },
  },
  {
    name: "31: input again at the end, larger than at the start",
    events: [
      start({ usage: { input_tokens: 10, output_tokens: 1 } }),
      ...text(0, "hello"),
      ...end("end_turn", { input_tokens: 40, cache_read_input_tokens: 5, output_tokens: 9, output_tokens_details: { thinking_tokens: 2 } }),
    ],
    expected: { ...HELLO, usage: { inputTokens: 45, outputTokens: 9, cacheReadTokens: 5, reasoningTokens: 2 } },
  },
  {
    name: "31: a server that says 0 where it does not know",
    events: [
      start({ usage: { input_tokens: 10, output_tokens: 0 } }),
      ...text(0, "hello"),
      ...end("end_turn", { input_tokens: 0, output_tokens: 9 }),
    ],
    expected: { ...HELLO, usage: { inputTokens: 10, outputTokens: 9 } },
  },
  {
    name: "32: message_start twice",
    events: [start({ usage: { input_tokens: 5 } }), ...say()],
    expected: { ...HELLO, usage: { inputTokens: 5 } },
  },
  {
    name: "32: another message spliced into an unfinished one",
    events: [
      start(),
      open(0, { type: "tool_use", id: "t1", name: "read", input: {} }),
      start(),
      ...call(0, "t2", "read", '{"path":"a"}'),
      ...end("tool_use"),
    ],
    expected: { calls: [["t2", "read", '{"path":"a"}']], stop: "tool-use" },
  },
  {
    name: "32: a second message in the same body goes on after the calls of the first",
    events: [start(), ...text(0, "a"), ...call(1, ...READ), ...end("tool_use"), ...say()],
    expected: { text: "ahello", calls: [READ], stop: "tool-use" },
  },
  {
    name: "32: calls that a message has from its start, announced twice",
    events: [
      start(),
      ...text(0, "a"),
      ...end("tool_use"),
      start({ content: [{ type: "tool_use", id: "t1", name: "roll", input: { sides: 6 } }], stop_reason: "tool_use" }),
      STOP,
      start({ content: [{ type: "tool_use", id: "t1", name: "roll", input: { sides: 6 } }], stop_reason: "tool_use" }),
      STOP,
    ],
    expected: { text: "a", calls: [["t1", "roll", '{"sides":6}']], stop: "tool-use" },
  },
  { name: "33: refusal", events: say("refusal"), expected: { text: "hello", stop: "refusal" } },
  { name: "33: pause_turn", events: say("pause_turn"), expected: HELLO },
  {
    name: "34: cut inside the arguments of a call",
    events: [start(), ...text(0, "a"), ...call(1, "t1", "write", '{"path":"a","text":"half'), ...end("max_tokens")],
    expected: { text: "a", calls: [["t1", "write", '{"path":"a","text":"half']], stop: "limit" },
  },
  {
    name: "34: cut before any argument, without the block's end",
    events: [start(), ...text(0, "a"), open(1, { type: "tool_use", id: "t1", name: "write", input: {} }), ...end("max_tokens")],
    expected: { text: "a", stop: "limit" },
  },
  {
    name: "34: cut before any argument, with the block's end",
    events: [start(), ...call(0, "t0", "now"), ...call(1, "t1", "write"), ...end("max_tokens")],
    expected: { calls: [["t0", "now", "{}"]], stop: "limit" },
  },
  {
    name: "35: what the server runs itself, and what nobody knows, is passed over",
    events: [
      start(),
      ...text(0, "hel"),
      ...call(1, "srv", "web_search", '{"query":"x"}').map((event) => replaceType(event, "server_tool_use")),
      open(2, { type: "web_search_tool_result", tool_use_id: "srv", content: [{ type: "web_search_result", title: "x" }] }),
      shut(2),
      ...call(3, "mcp", "echo", "{}").map((event) => replaceType(event, "mcp_tool_use")),
      open(4, { type: "compaction", content: "" }),
      piece(4, { type: "compaction_delta", content: "summary" }),
      piece(4, { type: "text_delta", text: "not the model's" }),
      shut(4),
      { type: "brand_new_event", data: 1 },
      open(5, { type: "text", text: "" }),
      piece(5, { type: "citations_delta", citation: { cited_text: "x" } }),
      piece(5, { type: "text_delta", text: "lo" }),
      shut(5),
      ...end(),
    ],
    expected: HELLO,
  },
];

function replaceType(event: object, type: string): object {
  if (!("content_block" in event)) return event;
  return { ...event, content_block: { ...(event.content_block as object), type } };
}

export const SHAPES: readonly Sample[] = [
  { name: "text", events: say(), expected: HELLO },
  {
    name: "text with its first piece in the start",
    events: [start(), open(0, { type: "text", text: "hel" }), piece(0, { type: "text_delta", text: "lo" }), shut(0), ...end()],
    expected: HELLO,
  },
  {
    name: "pieces of blocks that were never announced",
    events: [start(), piece(0, { type: "text_delta", text: "hello" }), ...end()],
    expected: HELLO,
  },
  {
    name: "without any end of a block",
    events: say().filter((event) => !("index" in event && Object.keys(event).length === 2)),
    expected: HELLO,
  },
  { name: "two texts", events: [start(), ...text(0, "hel"), ...text(1, "lo"), ...end()], expected: HELLO },
  { name: "nothing at all", events: [start(), ...end()], expected: { stop: "stop" } },
  {
    name: "characters of every plane, and escapes",
    events: [start(), ...text(0, "ä😀\n", '"\\\u0000'), ...end()],
    expected: { text: 'ä😀\n"\\\u0000', stop: "stop" },
  },
  {
    name: "two calls after text",
    events: [
      start(),
      ...text(0, "a"),
      ...call(1, "t1", "read", '{"path"', ':"a"}'),
      ...call(2, "t2", "read", '{"path":"b"}'),
      ...end("tool_use"),
    ],
    expected: {
      text: "a",
      calls: [
        ["t1", "read", '{"path":"a"}'],
        ["t2", "read", '{"path":"b"}'],
      ],
      stop: "tool-use",
    },
  },
  {
    name: "two calls whose pieces alternate",
    events: [
      start(),
      open(0, { type: "tool_use", id: "t1", name: "read", input: {} }),
      open(1, { type: "tool_use", id: "t2", name: "read", input: {} }),
      piece(0, { type: "input_json_delta", partial_json: '{"path"' }),
      piece(1, { type: "input_json_delta", partial_json: '{"path"' }),
      piece(0, { type: "input_json_delta", partial_json: ':"a"}' }),
      piece(1, { type: "input_json_delta", partial_json: ':"b"}' }),
      ...end("tool_use"),
    ],
    expected: {
      calls: [
        ["t1", "read", '{"path":"a"}'],
        ["t2", "read", '{"path":"b"}'],
      ],
      stop: "tool-use",
    },
  },
  {
    name: "arguments whole in the start",
    events: [start(), open(0, { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } }), shut(0), ...end("tool_use")],
    expected: { calls: [READ], stop: "tool-use" },
  },
  {
    name: "arguments whole in the start, as text",
    events: [start(), open(0, { type: "tool_use", id: "toolu_1", name: "read", input: '{"path":"a"}' }), ...end("tool_use")],
    expected: { calls: [READ], stop: "tool-use" },
  },
  {
    name: "a call announced twice",
    events: [start(), open(0, { type: "tool_use", id: "toolu_1", name: "read", input: {} }), ...call(0, ...READ), ...end("tool_use")],
    expected: { calls: [READ], stop: "tool-use" },
  },
  {
    name: "two calls with one id",
    events: [start(), ...call(0, "t", "read", "{}"), ...call(1, "t", "list", "{}"), ...end("tool_use")],
    expected: {
      calls: [
        ["t", "read", "{}"],
        ["", "list", "{}"],
      ],
      stop: "tool-use",
    },
  },
  {
    name: "calls without ids, stopped as if there were none",
    events: [start(), ...call(0, "", "read", "{}"), ...end("end_turn")],
    expected: { calls: [["", "read", "{}"]], stop: "tool-use" },
  },
  {
    name: "thinking, text, thinking, call",
    events: [start(), ...thought(0, ["a"], ["s0"]), ...text(1, "b"), ...thought(2, ["c"], ["s2"]), ...call(3, ...READ), ...end("tool_use")],
    expected: {
      text: "b",
      thinking: [
        { text: "a", signature: "s0" },
        { text: "c", signature: "s2" },
      ],
      calls: [READ],
      stop: "tool-use",
    },
  },
  {
    name: "thinking and signature whole in the start",
    events: [start(), open(0, { type: "thinking", thinking: "a", signature: "s" }), ...text(1, "hello"), ...end()],
    expected: { ...HELLO, thinking: [{ text: "a", signature: "s" }] },
  },
  {
    name: "thinking without a signature",
    events: [start(), ...thought(0, ["a"], []), ...text(1, "hello"), ...end()],
    expected: { ...HELLO, thinking: [{ text: "a" }] },
  },
  { name: "events known by name only", events: [start(), ...text(0, "hello"), ...end(), "[DONE]"], expected: HELLO },
  { name: "data that is no JSON object", events: ["null", "7", '"x"', "[]", "keep-alive", ...say()], expected: HELLO },
  {
    name: "usage null and nonsense",
    events: [start({ usage: null }), ...text(0, "hello"), ...end("end_turn", { input_tokens: "x", output_tokens: -1 })],
    expected: HELLO,
  },
];

export const STOPS: readonly Sample[] = [
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["a_new_reason", "stop"],
  ["max_tokens", "limit"],
  ["model_context_window_exceeded", "limit"],
  ["refusal", "refusal"],
].map(([reason = "", stop = ""]) => ({ name: reason, events: say(reason), expected: { text: "hello", stop } }));

const failure = (type: string, message: string): object => ({ type: "error", error: { type, message } });
const CUT: readonly [string, string] = ["transport", "message_stop is missing"];

export const ENDS: readonly Sample[] = [
  { name: "half a text", events: [start(), ...text(0, "half")], expected: { text: "half", error: CUT } },
  { name: "a whole call and no reason", events: [start(), ...call(0, ...READ)], expected: { error: CUT } },
  { name: "a stop_reason and no message_stop", events: say().slice(0, -1), expected: { text: "hello", error: CUT } },
  { name: "tool_use and no message_stop", events: [start(), ...call(0, ...READ), over("tool_use")], expected: { error: CUT } },
  {
    name: "a second message that is cut",
    events: [start(), ...call(0, ...READ), ...end("tool_use"), start(), ...text(0, "a")],
    expected: { text: "a", error: CUT },
  },
  { name: "an empty body", events: [], expected: { error: ["transport", "without an answer"] } },
  { name: "pings alone", events: [PING, PING], expected: { error: ["transport", "without an answer"] } },
  { name: "words instead of an answer", events: ["Internal Server Error"], expected: { error: ["transport", "Internal Server Error"] } },
  { name: "broken JSON", events: [start(), '{"type":"content_blo', ...text(0, "a")], expected: { error: ["protocol", "not valid JSON"] } },
  { name: "a body that fails after message_stop", events: say(), outcome: "failed", expected: HELLO },
  {
    name: "a body that fails after the message_stop of calls",
    events: [start(), ...call(0, ...READ), ...end("tool_use")],
    outcome: "failed",
    expected: { calls: [READ], stop: "tool-use" },
  },
  { name: "a body cut at its bound", events: [start(), ...text(0, "a")], outcome: "truncated", expected: { text: "a", error: CUT } },
  {
    name: "what a cut answer has cost is known",
    events: [start({ usage: { input_tokens: 5, output_tokens: 1 } }), ...text(0, "a")],
    expected: { text: "a", usage: { inputTokens: 5, outputTokens: 1 }, error: CUT },
  },
  ...(
    [
      ["overloaded_error", "Overloaded", "overloaded"],
      ["rate_limit_error", "This request would exceed the rate limit of your organization", "rate-limit"],
      ["rate_limit_error", "You have reached your usage limits. You will regain access next month.", "quota"],
      ["api_error", "Internal server error", "transport"],
      ["timeout_error", "Request timed out", "transport"],
      ["invalid_request_error", "messages: roles must alternate", "invalid"],
      ["invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "context-overflow"],
      ["invalid_request_error", "Your credit balance is too low to access the API", "quota"],
      ["invalid_request_error", "Output blocked by content filtering policy", "content-filter"],
      ["authentication_error", "invalid x-api-key", "auth"],
      ["permission_error", "Your key does not have permission", "auth"],
      ["billing_error", "Check your payment details", "quota"],
      ["not_found_error", "model: claude-x", "not-found"],
      ["request_too_large", "Request exceeds the maximum size", "context-overflow"],
      ["a_new_error", "Something else", "transport"],
    ] as const
  ).map(([type, message, kind]): Sample => ({
    name: `${type} in the stream: ${message}`,
    events: [start(), ...text(0, "a"), failure(type, message), ...text(1, "late")],
    expected: { text: "a", error: [kind, message] },
  })),
  {
    name: "an error of another shape",
    events: [start(), { error: { message: "upstream died", code: 502 } }],
    expected: { error: ["transport", "upstream died"] },
  },
  { name: "an error as text", events: [{ error: "boom" }], expected: { error: ["transport", "boom"] } },
  { name: "events after the end", events: [...say(), ...text(5, "late"), over("max_tokens")], expected: HELLO },
];

export const ALL: readonly Sample[] = [...QUIRKS, ...SHAPES, ...STOPS, ...ENDS];
