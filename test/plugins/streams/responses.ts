/** Small streams of the Responses API, written for these tests: one for each thing a server may do. */
import type { Usage } from "../../../src/plugin/sdk.js";
import type { WireEvent } from "./run.js";

export interface Amounts {
  readonly text?: string;
  readonly thinking?: readonly object[];
  readonly calls?: readonly (readonly [name: string, argsText: string, id?: string])[];
  readonly usage?: Usage;
  readonly stop?: string;
  /** Class of the error and a piece of its words. */
  readonly error?: readonly [string, string];
}

export interface Stream {
  readonly title: string;
  readonly events: readonly WireEvent[];
  readonly amounts: Amounts;
}

export const event = (type: string, rest: object = {}): WireEvent => ({ name: type, data: { type, ...rest } });
const plain = (type: string, rest: object = {}): WireEvent => ({ data: { type, ...rest } });
const raw = (data: string): WireEvent => ({ data });

const BEGIN = event("response.created", { response: { id: "resp_1", status: "in_progress", output: [] } });
const added = (index: number, item: object): WireEvent => event("response.output_item.added", { output_index: index, item });
const done = (index: number, item: object): WireEvent => event("response.output_item.done", { output_index: index, item });
const delta = (type: string, index: number, text: string, rest: object = {}): WireEvent =>
  event(`response.${type}.delta`, { output_index: index, item_id: `i${String(index)}`, delta: text, ...rest });
const ended = (type: string, rest: object = {}): WireEvent =>
  event(`response.${type}`, { response: { status: type, output: [], ...rest } });
const COMPLETED = ended("completed");

const textItem = (text: string, id = "i0"): object => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const emptyText = (id = "i0"): object => ({ type: "message", id, role: "assistant", content: [] });
const callItem = (args: unknown, id = "i0", callId = "call_1", name = "read"): object => ({
  type: "function_call",
  id,
  call_id: callId,
  name,
  arguments: args,
});
const thought = (summary: readonly string[], rest: object = {}): object => ({
  type: "reasoning",
  id: "rs_1",
  summary: summary.map((text) => ({ type: "summary_text", text })),
  ...rest,
});
const COUNTS = {
  usage: {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 20, cache_write_tokens: 4 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 5 },
  },
};
const USAGE: Usage = { inputTokens: 30, outputTokens: 9, cacheReadTokens: 20, cacheWriteTokens: 4, reasoningTokens: 5 };
const HELLO = [added(0, emptyText()), delta("output_text", 0, "Hé"), delta("output_text", 0, "llo 🦊")];
const GREETING = { text: "Héllo 🦊", stop: "stop" };
const READ = ["read", '{"path":"ä"}', "call_1"] as const;

export const TEXTS: readonly Stream[] = [
  {
    title: "text in pieces, repeated whole in every done event",
    events: [
      BEGIN,
      event("response.in_progress", { response: { status: "in_progress" } }),
      ...HELLO,
      event("response.output_text.done", { output_index: 0, content_index: 0, text: "Héllo 🦊" }),
      event("response.content_part.done", { output_index: 0, content_index: 0, part: { type: "output_text", text: "Héllo 🦊" } }),
      done(0, textItem("Héllo 🦊")),
      ended("completed", { output: [textItem("Héllo 🦊")], ...COUNTS }),
    ],
    amounts: { ...GREETING, usage: USAGE },
  },
  {
    title: "text only in the done event",
    events: [BEGIN, added(0, emptyText()), done(0, textItem("a")), COMPLETED],
    amounts: { text: "a", stop: "stop" },
  },
  {
    title: "a done event that goes on where the pieces ended",
    events: [BEGIN, ...HELLO, done(0, textItem("Héllo 🦊!")), COMPLETED],
    amounts: { text: "Héllo 🦊!", stop: "stop" },
  },
  {
    title: "a done event that differs from the pieces",
    events: [BEGIN, ...HELLO, done(0, textItem("Something else")), COMPLETED],
    amounts: GREETING,
  },
  {
    title: "output only in the last event",
    events: [BEGIN, ended("completed", { output: [thought(["hm"]), textItem("a"), callItem('{"path":"ä"}')] })],
    amounts: { text: "a", thinking: [{ text: "hm", kind: "summary", id: "rs_1" }], calls: [READ], stop: "tool-use" },
  },
  {
    title: "the end as done, told by the status",
    events: [BEGIN, ...HELLO, event("response.done", { response: { status: "completed" } })],
    amounts: GREETING,
  },
  {
    title: "names only in the event line",
    events: [
      { name: "response.output_text.delta", data: { output_index: 0, delta: "a" } },
      { name: "response.completed", data: { response: {} } },
    ],
    amounts: { text: "a", stop: "stop" },
  },
  {
    title: "a refusal",
    events: [BEGIN, added(0, emptyText()), delta("refusal", 0, "I will"), delta("refusal", 0, " not"), COMPLETED],
    amounts: { text: "I will not", stop: "refusal" },
  },
  {
    title: "two messages, their pieces mixed",
    events: [
      BEGIN,
      added(0, emptyText()),
      added(1, emptyText("i1")),
      delta("output_text", 0, "a"),
      delta("output_text", 1, "b"),
      done(0, textItem("a")),
      done(1, textItem("b", "i1")),
      COMPLETED,
    ],
    amounts: { text: "ab", stop: "stop" },
  },
  {
    title: "hosted and custom tools are passed over",
    events: [
      BEGIN,
      added(0, { type: "web_search_call", id: "ws" }),
      event("response.web_search_call.searching", { output_index: 0, item_id: "ws" }),
      done(0, { type: "web_search_call", id: "ws", status: "completed" }),
      added(1, { type: "custom_tool_call", id: "ct", name: "sql", input: "" }),
      delta("custom_tool_call_input", 1, "SELECT 1"),
      done(1, { type: "custom_tool_call", id: "ct", call_id: "c", name: "sql", input: "SELECT 1" }),
      delta("mcp_call_arguments", 2, "{}"),
      added(3, emptyText("i3")),
      delta("output_text", 3, "a"),
      COMPLETED,
    ],
    amounts: { text: "a", stop: "stop" },
  },
  {
    title: "limit",
    events: [BEGIN, ...HELLO, ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } })],
    amounts: { ...GREETING, stop: "limit" },
  },
  {
    title: "filter",
    events: [BEGIN, ...HELLO, ended("incomplete", { incomplete_details: { reason: "content_filter" } })],
    amounts: { ...GREETING, stop: "content-filter" },
  },
  {
    title: "pings and unknown events",
    events: [
      plain("keepalive", { sequence_number: 3 }),
      plain("ping"),
      event("response.new_thing", { x: 1 }),
      raw(""),
      raw("null"),
      BEGIN,
      ...HELLO,
      COMPLETED,
    ],
    amounts: GREETING,
  },
];

export const THINKING: readonly Stream[] = [
  {
    title: "quirk 36: thinking with its encrypted content, in parts",
    events: [
      BEGIN,
      added(0, thought([], { encrypted_content: "draft" })),
      delta("reasoning_summary_text", 0, "First", { summary_index: 0 }),
      delta("reasoning_summary_text", 0, " thing", { summary_index: 0 }),
      event("response.reasoning_summary_part.done", {
        output_index: 0,
        summary_index: 0,
        part: { type: "summary_text", text: "First thing" },
      }),
      delta("reasoning_summary_text", 0, "Second", { summary_index: 1 }),
      done(0, thought(["First thing", "Second"], { encrypted_content: "secret" })),
      added(1, callItem("", "i1")),
      delta("function_call_arguments", 1, '{"path":"ä"}'),
      done(1, callItem('{"path":"ä"}', "i1")),
      ended("completed", COUNTS),
    ],
    amounts: {
      thinking: [
        { text: "First thing", kind: "summary", id: "rs_1" },
        { text: "Second", kind: "summary", id: "rs_1", signature: "secret" },
      ],
      calls: [READ],
      usage: USAGE,
      stop: "tool-use",
    },
  },
  {
    title: "thinking that is all encrypted keeps its place",
    events: [
      BEGIN,
      ...HELLO,
      done(0, textItem("Héllo 🦊")),
      done(1, thought([], { encrypted_content: "secret" })),
      done(2, callItem("{}", "i2")),
      COMPLETED,
    ],
    amounts: {
      text: "Héllo 🦊",
      thinking: [{ text: "", kind: "summary", id: "rs_1", signature: "secret", after: { text: 8, calls: 0 } }],
      calls: [["read", "{}", "call_1"]],
      stop: "tool-use",
    },
  },
  {
    title: "what is thought word for word, and ended after the message",
    events: [
      added(0, thought([])),
      delta("reasoning_text", 0, "Let me", { content_index: 0 }),
      delta("reasoning_text", 0, " see", { content_index: 0 }),
      added(1, emptyText("i1")),
      delta("output_text", 1, "4"),
      done(1, textItem("4", "i1")),
      done(0, thought([], { content: [{ type: "reasoning_text", text: "Let me see" }] })),
      COMPLETED,
    ],
    amounts: { text: "4", thinking: [{ text: "Let me see", kind: "raw", id: "rs_1" }], stop: "stop" },
  },
  {
    title: "a summary and the words: what came first is told",
    events: [
      BEGIN,
      delta("reasoning_summary_text", 0, "short"),
      delta("reasoning_text", 0, "long"),
      done(0, thought(["short"], { content: [{ type: "reasoning_text", text: "long" }] })),
      ...HELLO.map(shifted),
      COMPLETED,
    ],
    amounts: { ...GREETING, thinking: [{ text: "short", kind: "summary", id: "i0" }] },
  },
  {
    title: "thinking is cut by the limit before a word is said",
    events: [added(0, thought([])), ended("incomplete", { incomplete_details: { reason: "max_output_tokens" }, ...COUNTS })],
    amounts: { usage: USAGE, stop: "limit" },
  },
  {
    title: "quirk 38: another item_id in every event of an item",
    events: [
      BEGIN,
      added(0, thought([])),
      delta("reasoning_summary_text", 0, "hm", { item_id: "x1" }),
      event("response.reasoning_summary_text.done", { output_index: 0, item_id: "x2", summary_index: 0, text: "hm" }),
      done(0, { ...thought(["hm"], { encrypted_content: "secret" }), id: "x3" }),
      added(1, emptyText("x4")),
      delta("output_text", 1, "a", { item_id: "x5" }),
      delta("output_text", 1, "b", { item_id: "x6" }),
      done(1, textItem("ab", "x7")),
      added(2, callItem("", "x8")),
      delta("function_call_arguments", 2, '{"path":', { item_id: "x9" }),
      delta("function_call_arguments", 2, '"ä"}', { item_id: "y1" }),
      done(2, callItem('{"path":"ä"}', "y2")),
      ended("completed", { output: [{ ...thought(["hm"]), id: "y3" }, textItem("ab", "y4"), callItem('{"path":"ä"}', "y5")] }),
    ],
    amounts: { text: "ab", thinking: [{ text: "hm", kind: "summary", id: "x3", signature: "secret" }], calls: [READ], stop: "tool-use" },
  },
];

function shifted({ data, ...rest }: WireEvent): WireEvent {
  return { ...rest, data: typeof data === "string" ? data : { ...data, output_index: 1, item_id: "i1" } };
}

export const CALLS: readonly Stream[] = [
  {
    title: "arguments in pieces, then whole",
    events: [
      BEGIN,
      added(0, callItem("")),
      delta("function_call_arguments", 0, '{"path":'),
      delta("function_call_arguments", 0, '"ä"}'),
      event("response.function_call_arguments.done", { output_index: 0, item_id: "i0", arguments: '{"path":"ä"}' }),
      done(0, callItem('{"path":"ä"}')),
      COMPLETED,
    ],
    amounts: { calls: [READ], stop: "tool-use" },
  },
  {
    title: "quirk 41: LM Studio: no pieces, thinking as it was, logprobs beside the text",
    events: [
      BEGIN,
      added(0, { ...thought([]), content: [] }),
      delta("reasoning_text", 0, "hm", { content_index: 0 }),
      done(0, thought([], { content: [{ type: "reasoning_text", text: "hm" }] })),
      added(1, emptyText("i1")),
      delta("output_text", 1, "ok", { logprobs: [{ token: "ok", logprob: 0 }] }),
      done(1, textItem("ok", "i1")),
      added(2, callItem("", "i2")),
      event("response.function_call_arguments.done", { output_index: 2, item_id: "i2", arguments: '{"path":"ä"}' }),
      done(2, callItem('{"path":"ä"}', "i2")),
      ended("completed", { output: [thought([]), textItem("ok", "i1"), callItem('{"path":"ä"}', "i2")], ...COUNTS }),
    ],
    amounts: { text: "ok", thinking: [{ text: "hm", kind: "raw", id: "rs_1" }], calls: [READ], usage: USAGE, stop: "tool-use" },
  },
  {
    title: "llama.cpp: no places in the output, ids alone",
    events: [
      event("response.output_item.added", { item: emptyText("m") }),
      event("response.output_text.delta", { item_id: "m", delta: "a" }),
      event("response.in_progress", { response: { status: "in_progress" } }),
      event("response.output_item.added", { item: callItem("", "f1") }),
      event("response.function_call_arguments.delta", { item_id: "f1", delta: '{"path":"ä"}' }),
      event("response.output_item.added", { item: callItem("", "f2", "call_2", "now") }),
      event("response.output_text.done", { item_id: "m", text: "a" }),
      event("response.output_item.done", { item: textItem("a", "m") }),
      event("response.output_item.done", { item: callItem('{"path":"ä"}', "f1") }),
      event("response.output_item.done", { item: callItem("{}", "f2", "call_2", "now") }),
      ended("completed", { output: [textItem("a", "m"), callItem('{"path":"ä"}', "f1"), callItem("{}", "f2", "call_2", "now")] }),
    ],
    amounts: { text: "a", calls: [READ, ["now", "{}", "call_2"]], stop: "tool-use" },
  },
  {
    title: "calls side by side, their pieces mixed",
    events: [
      BEGIN,
      added(0, callItem("")),
      added(1, callItem("", "i1", "call_2", "now")),
      delta("function_call_arguments", 1, "{"),
      delta("function_call_arguments", 0, '{"path":"ä"'),
      delta("function_call_arguments", 1, "}"),
      delta("function_call_arguments", 0, "}"),
      COMPLETED,
    ],
    amounts: { calls: [READ, ["now", "{}", "call_2"]], stop: "tool-use" },
  },
  ...["", " ", "{}"].map((args): Stream => ({
    title: `no arguments, sent as ${JSON.stringify(args)}`,
    events: [BEGIN, added(0, callItem("")), done(0, callItem(args)), COMPLETED],
    amounts: { calls: [["read", args === " " ? " " : "{}", "call_1"]], stop: "tool-use" },
  })),
  {
    title: "arguments as an object, the name only at the end",
    events: [BEGIN, delta("function_call_arguments", 0, '{"path"'), done(0, callItem({ path: "ä" })), COMPLETED],
    amounts: { calls: [READ], stop: "tool-use" },
  },
  {
    title: "arguments that came with the item and never again",
    events: [BEGIN, added(0, callItem('{"path":"ä"}')), COMPLETED],
    amounts: { calls: [READ], stop: "tool-use" },
  },
  {
    title: "one id for two calls: the second gets one of its own",
    events: [
      BEGIN,
      added(0, callItem("", "i0")),
      done(0, callItem("{}", "i0")),
      added(1, callItem("", "i1")),
      done(1, callItem('{"path":"b"}', "i1")),
      COMPLETED,
    ],
    amounts: {
      calls: [
        ["read", "{}", "call_1"],
        ["read", '{"path":"b"}'],
      ],
      stop: "tool-use",
    },
  },
  {
    title: "arguments cut by the limit",
    events: [
      BEGIN,
      added(0, callItem("")),
      delta("function_call_arguments", 0, '{"pa'),
      ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
    ],
    amounts: { calls: [["read", '{"pa', "call_1"]], stop: "limit" },
  },
  {
    title: "one response after another in one body",
    events: [
      BEGIN,
      done(0, callItem("{}", "a", "call_1", "first")),
      ended("completed", { usage: { input_tokens: 1, output_tokens: 1 } }),
      BEGIN,
      done(0, callItem("{}", "b", "call_2", "second")),
      COMPLETED,
      BEGIN,
      added(0, emptyText()),
      delta("output_text", 0, "a"),
      ended("completed", COUNTS),
    ],
    amounts: {
      text: "a",
      calls: [
        ["first", "{}", "call_1"],
        ["second", "{}", "call_2"],
      ],
      usage: USAGE,
      stop: "tool-use",
    },
  },
];

const quota = { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota" };

export const ENDS: readonly Stream[] = [
  {
    title: "quirk 37: an error, then response.failed: one error",
    events: [BEGIN, event("error", { error: quota }), ended("failed", { error: quota })],
    amounts: { error: ["quota", "exceeded your current quota"] },
  },
  {
    title: "an error at the top of its event",
    events: [BEGIN, event("error", { code: "rate_limit_exceeded", message: "slow" })],
    amounts: { error: ["rate-limit", "slow"] },
  },
  {
    title: "response.failed alone, after text",
    events: [BEGIN, ...HELLO, ended("failed", { error: { code: "server_error", message: "it broke" }, ...COUNTS })],
    amounts: { text: "Héllo 🦊", usage: USAGE, error: ["transport", "it broke"] },
  },
  { title: "cancelled", events: [BEGIN, ...HELLO, ended("cancelled")], amounts: { text: "Héllo 🦊", error: ["transport", "cancelled"] } },
  {
    title: "an error without a type",
    events: [{ data: { error: { message: "no such model", code: 404 } } }],
    amounts: { error: ["not-found", "no such model"] },
  },
  { title: "no end", events: [BEGIN, ...HELLO], amounts: { text: "Héllo 🦊", error: ["transport", "before the answer was complete"] } },
  { title: "only comments and a beginning", events: [BEGIN], amounts: { error: ["transport", "holds no response"] } },
  {
    title: "an answer of another API",
    events: [{ data: { choices: [{ delta: { content: "a" } }] } }],
    amounts: { error: ["transport", '"choices"'] },
  },
  { title: "quirk 40: [DONE] after the end", events: [BEGIN, ...HELLO, COMPLETED, raw("[DONE]")], amounts: GREETING },
  {
    title: "[DONE] in place of the end, all items over",
    events: [BEGIN, ...HELLO, done(0, textItem("Héllo 🦊")), raw("[DONE]")],
    amounts: GREETING,
  },
  {
    title: "[DONE] in the middle of an item",
    events: [BEGIN, ...HELLO, raw("[DONE]")],
    amounts: { text: "Héllo 🦊", error: ["transport", "before the answer"] },
  },
  {
    title: "quirk 39: the first and the last event are not valid JSON, the answer is whole",
    events: [
      raw('{"type":"response.created","response":{"id":"r"'),
      ...HELLO,
      done(0, textItem("Héllo 🦊")),
      raw('{"type":"response.completed","response":{"usage":{}}'),
    ],
    amounts: GREETING,
  },
  {
    title: "the last event is not valid JSON and an item is not over",
    events: [BEGIN, ...HELLO, raw('{"type":"response.completed","response":{"usage":{}}')],
    amounts: { text: "Héllo 🦊", error: ["transport", "response.completed"] },
  },
  {
    title: "a lost piece at the end, which the whole text tells",
    events: [BEGIN, ...HELLO, raw('{"type":"response.output_text.delta","delta":"lo'), done(0, textItem("Héllo 🦊 and more")), COMPLETED],
    amounts: { text: "Héllo 🦊 and more", stop: "stop" },
  },
  {
    title: "a lost piece in the middle, which nothing can mend",
    events: [
      BEGIN,
      added(0, emptyText()),
      delta("output_text", 0, "a"),
      raw('{"type":"response.output_text.delta","delta":"lo'),
      delta("output_text", 0, "c"),
      done(0, textItem("abc")),
      COMPLETED,
    ],
    amounts: { text: "ac", error: ["protocol", "not valid JSON"] },
  },
  {
    title: "a lost piece that nothing tells",
    events: [BEGIN, ...HELLO, raw('{"type":"response.output_text.delta","delta":"lo'), COMPLETED],
    amounts: { text: "Héllo 🦊", error: ["protocol", "not valid JSON"] },
  },
  {
    title: "words that are no data",
    events: [raw("upstream connect error"), BEGIN, ...HELLO],
    amounts: { text: "Héllo 🦊", error: ["transport", "upstream connect error"] },
  },
];

export const ALL: readonly Stream[] = [...TEXTS, ...THINKING, ...CALLS, ...ENDS];
