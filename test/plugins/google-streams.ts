/** Small synthetic answers of the Gemini API, one for each thing a decoder has to understand. */
import type { BodyOutcome, Usage } from "../../src/plugin/sdk.js";

/** What an answer comes to, without ids that the core makes. */
export interface Expected {
  readonly text?: string;
  readonly thinking?: readonly {
    readonly text: string;
    readonly signature?: string;
    readonly kind: string;
    readonly id?: string;
    readonly after?: { readonly text: number; readonly calls: number };
  }[];
  readonly calls?: readonly { readonly name: string; readonly args?: object; readonly id?: string; readonly signature?: string }[];
  readonly usage?: Usage;
  readonly stop?: string;
  /** Class of the error and a piece of its words. */
  readonly error?: readonly [string, string];
}

export interface Answer {
  readonly name: string;
  /** Each is the data of one event; a text is sent as it is. */
  readonly chunks: readonly (object | string)[];
  readonly outcome?: BodyOutcome;
  readonly expected: Expected;
}

type Part = object;

const said = (...parts: readonly Part[]): object => ({ candidates: [{ content: { parts, role: "model" }, index: 0 }] });
const ended = (finishReason: string, ...parts: readonly Part[]): object => ({
  candidates: [{ ...(parts.length === 0 ? {} : { content: { parts, role: "model" } }), finishReason, index: 0 }],
});
const text = (value: string, rest: object = {}): Part => ({ text: value, ...rest });
const thought = (value: string, rest: object = {}): Part => ({ text: value, thought: true, ...rest });
const call = (functionCall: object, rest: object = {}): Part => ({ functionCall, ...rest });
const piece = (jsonPath: string, value: object): object => ({ jsonPath, ...value });
const counts = (usageMetadata: object): object => ({ usageMetadata });
const status = (code: number, word: string, message: string, details: readonly object[] = []): object => ({
  error: { code, message, status: word, details },
});

const SIG_A = "CkQBVKhc7r9+/qhBRUFBQQ==";
const SIG_B = "EpgDCpUDAb4+9vtATVUpO7R/";
const READ = { name: "read", args: { path: "a.ts" } };

export const TEXTS: readonly Answer[] = [
  {
    name: "text in pieces",
    chunks: [said(text("He")), said(text("llo")), ended("STOP", text("!"))],
    expected: { text: "Hello!", stop: "stop" },
  },
  {
    name: "several parts in one chunk",
    chunks: [ended("STOP", text("one "), text("two"))],
    expected: { text: "one two", stop: "stop" },
  },
  {
    name: "an empty text at the end",
    chunks: [said(text("a")), ended("STOP", text(""))],
    expected: { text: "a", stop: "stop" },
  },
  { name: "a candidate without parts", chunks: [said(text("a")), ended("STOP")], expected: { text: "a", stop: "stop" } },
  {
    name: "content without parts, a part without anything, a candidate that is null",
    chunks: [{ candidates: [{ content: { role: "model" } }] }, said({}), { candidates: [null] }, said(text("a")), ended("STOP")],
    expected: { text: "a", stop: "stop" },
  },
  {
    name: "only the first of several candidates",
    chunks: [
      { candidates: [{ content: { parts: [text("x")] }, index: 1, finishReason: "STOP" }] },
      {
        candidates: [
          { content: { parts: [text("a")] }, index: 0, finishReason: "STOP" },
          { content: { parts: [text("y")] }, index: 1 },
        ],
      },
    ],
    expected: { text: "a", stop: "stop" },
  },
  {
    name: "parts of hosted tools are passed over",
    chunks: [
      said({ executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: SIG_A }),
      said({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }, { inlineData: { mimeType: "image/png", data: "AAAA" } }),
      { candidates: [{ content: { parts: [text("1")] }, groundingMetadata: { webSearchQueries: ["x"] }, citationMetadata: {} }] },
      ended("STOP"),
    ],
    expected: { text: "1", stop: "stop" },
  },
  {
    name: "the whole answer as one list",
    chunks: [[said(text("a")), ended("STOP", text("b"))]],
    expected: { text: "ab", stop: "stop" },
  },
  {
    name: "a terminator of another API, and what comes after it",
    chunks: [ended("STOP", text("a")), "[DONE]", said(text("b"))],
    expected: { text: "a", stop: "stop" },
  },
  { name: "a terminator that ends nothing", chunks: [said(text("a")), "[DONE]", ended("STOP")], expected: { text: "a", stop: "stop" } },
  { name: "text after the finish reason", chunks: [ended("STOP", text("a")), said(text("b"))], expected: { text: "ab", stop: "stop" } },
  {
    name: "letters of several bytes",
    chunks: [said(text("naïve 🙂")), ended("STOP", text(" \u2028 ok"))],
    expected: { text: "naïve 🙂 \u2028 ok", stop: "stop" },
  },
];

export const THOUGHTS: readonly Answer[] = [
  {
    name: "thoughts in pieces are one part, before the text",
    chunks: [said(thought("**Plan**")), said(thought("\n\nfirst")), ended("STOP", text("a"))],
    expected: { text: "a", thinking: [{ text: "**Plan**\n\nfirst", kind: "thought" }], stop: "stop" },
  },
  {
    name: "a signature on a thought ends the part",
    chunks: [said(thought("one", { thoughtSignature: SIG_A })), said(thought("two")), ended("STOP", text("a"))],
    expected: {
      text: "a",
      thinking: [
        { text: "one", signature: SIG_A, kind: "thought" },
        { text: "two", kind: "thought" },
      ],
      stop: "stop",
    },
  },
  {
    name: "a signature on a text is kept behind it, with the length it signs",
    chunks: [said(text("one ")), said(text("two", { thoughtSignature: SIG_A })), ended("STOP", text(" three"))],
    expected: {
      text: "one two three",
      thinking: [{ text: "", signature: SIG_A, kind: "text", id: "3", after: { text: 7, calls: 0 } }],
      stop: "stop",
    },
  },
  {
    name: "a signature on an empty text at the end",
    chunks: [said(text("a")), ended("STOP", text("", { thoughtSignature: SIG_A }))],
    expected: { text: "a", thinking: [{ text: "", signature: SIG_A, kind: "text", id: "0", after: { text: 1, calls: 0 } }], stop: "stop" },
  },
  {
    name: "a part that is a signature alone",
    chunks: [said(text("a")), ended("STOP", { thoughtSignature: SIG_A })],
    expected: { text: "a", thinking: [{ text: "", signature: SIG_A, kind: "text", id: "0", after: { text: 1, calls: 0 } }], stop: "stop" },
  },
  {
    name: "thoughts between text and calls keep their place",
    chunks: [said(text("a")), said(thought("t")), said(call(READ)), said(thought("u")), ended("STOP")],
    expected: {
      text: "a",
      thinking: [
        { text: "t", kind: "thought", after: { text: 1, calls: 0 } },
        { text: "u", kind: "thought", after: { text: 1, calls: 1 } },
      ],
      calls: [READ],
      stop: "tool-use",
    },
  },
];

const PARIS = { name: "weather", args: { city: "Paris" } };

export const CALLS: readonly Answer[] = [
  {
    name: "a call without id, finish STOP",
    chunks: [ended("STOP", call(READ, { thoughtSignature: SIG_A }))],
    expected: { calls: [{ ...READ, signature: SIG_A }], stop: "tool-use" },
  },
  {
    name: "a call with id",
    chunks: [said(call({ ...READ, id: "1zgnzmz8" })), ended("STOP", text(""))],
    expected: { calls: [{ ...READ, id: "1zgnzmz8" }], stop: "tool-use" },
  },
  {
    name: "a call without args",
    chunks: [ended("STOP", call({ name: "list" }))],
    expected: { calls: [{ name: "list", args: {} }], stop: "tool-use" },
  },
  {
    name: "calls side by side, of which the first is signed, with the same arguments",
    chunks: [said(call(READ, { thoughtSignature: SIG_A }), call(READ)), ended("STOP", call(PARIS))],
    expected: { calls: [{ ...READ, signature: SIG_A }, READ, PARIS], stop: "tool-use" },
  },
  {
    name: "the same call in two chunks is two calls",
    chunks: [said(call(READ)), said(call(READ)), ended("STOP")],
    expected: { calls: [READ, READ], stop: "tool-use" },
  },
  {
    name: "a signature within the call, as older servers send it",
    chunks: [ended("STOP", call({ ...READ, thoughtSignature: SIG_A }))],
    expected: { calls: [{ ...READ, signature: SIG_A }], stop: "tool-use" },
  },
  {
    name: "arguments in pieces, a text over several, numbers, lists, null",
    chunks: [
      said(call({ name: "cook", willContinue: true }, { thoughtSignature: SIG_A })),
      said(call({ partialArgs: [piece("$.dish.name", { stringValue: "Las", willContinue: true })], willContinue: true })),
      said(call({ partialArgs: [piece("$.dish.name", { stringValue: "agna" })], willContinue: true })),
      said(call({ willContinue: true })),
      said(
        call({
          partialArgs: [
            piece("$.dish.steps[0].minutes", { numberValue: 5 }),
            piece("$.dish.steps[1]['how to']", { stringValue: "" }),
            piece("$.dish.steps[1]['how to']", { stringValue: "stir" }),
            piece("$.hot", { boolValue: false }),
            piece("$.wine", { nullValue: "NULL_VALUE" }),
          ],
          willContinue: true,
        }),
      ),
      said(call({})),
      ended("STOP"),
    ],
    expected: {
      calls: [
        {
          name: "cook",
          args: { dish: { name: "Lasagna", steps: [{ minutes: 5 }, { "how to": "stir" }] }, hot: false, wine: null },
          signature: SIG_A,
        },
      ],
      stop: "tool-use",
    },
  },
  {
    name: "calls in pieces one after the other, the last without its end",
    chunks: [
      said(call({ name: "list" })),
      said(call({ name: "weather", willContinue: true })),
      said(call({ partialArgs: [piece("$.city", { stringValue: "Paris" })], willContinue: true })),
      said(call({ name: "weather", willContinue: true })),
      said(call({ partialArgs: [piece("$.city", { stringValue: "Ro", willContinue: true })], willContinue: true })),
      said(text("")),
      ended("STOP", call({ partialArgs: [piece("$.city", { stringValue: "me" })], willContinue: true })),
    ],
    expected: { calls: [{ name: "list", args: {} }, PARIS, { name: "weather", args: { city: "Rome" } }], stop: "tool-use" },
  },
  {
    name: "a call that the limit cuts has no arguments that could run",
    chunks: [
      said(call({ name: "shell", willContinue: true })),
      said(call({ partialArgs: [piece("$.command", { stringValue: "rm -rf /tmp", willContinue: true })], willContinue: true })),
      ended("MAX_TOKENS"),
    ],
    expected: { calls: [{ name: "shell" }], stop: "limit" },
  },
  {
    name: "a path that is no path, and one far out of a list, are passed over",
    chunks: [
      said(call({ name: "list", willContinue: true })),
      said(call({ partialArgs: [piece("", { stringValue: "x" }), piece("$.a[99999999]", { numberValue: 1 }), null], willContinue: true })),
      said(call({ partialArgs: [piece("$.__proto__.b", { numberValue: 1 })] })),
      ended("STOP"),
    ],
    expected: { calls: [{ name: "list", args: JSON.parse('{"a":[],"__proto__":{"b":1}}') as object }], stop: "tool-use" },
  },
];

const CUTOFFS = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"];

export const ENDS: readonly Answer[] = [
  { name: "MAX_TOKENS", chunks: [said(text("a")), ended("MAX_TOKENS")], expected: { text: "a", stop: "limit" } },
  ...CUTOFFS.map((reason) => ({
    name: reason,
    chunks: [said(text("a")), ended(reason)],
    expected: { text: "a", stop: "content-filter" },
  })),
  {
    name: "a plain stop does not hide a filter",
    chunks: [ended("SAFETY", text("a")), ended("STOP")],
    expected: { text: "a", stop: "content-filter" },
  },
  {
    name: "a prompt that is blocked",
    chunks: [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, ...counts({ promptTokenCount: 9, totalTokenCount: 9 }) }],
    expected: { usage: { inputTokens: 9, outputTokens: 0, cacheReadTokens: 0, reasoningTokens: 0 }, stop: "content-filter" },
  },
  {
    name: "feedback that blocks nothing",
    chunks: [{ promptFeedback: { safetyRatings: [] } }, ended("STOP", text("a"))],
    expected: { text: "a", stop: "stop" },
  },
  {
    name: "MALFORMED_FUNCTION_CALL, with what the server says of it",
    chunks: [
      said(thought("t")),
      { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed function call: print(read(", index: 0 }] },
    ],
    expected: { thinking: [{ text: "t", kind: "thought" }], error: ["transport", "Malformed function call: print(read("] },
  },
  { name: "UNEXPECTED_TOOL_CALL", chunks: [ended("UNEXPECTED_TOOL_CALL")], expected: { error: ["transport", "UNEXPECTED_TOOL_CALL"] } },
  { name: "OTHER after text", chunks: [ended("OTHER", text("a"))], expected: { text: "a", stop: "stop" } },
  { name: "OTHER before anything", chunks: [ended("OTHER")], expected: { error: ["transport", "OTHER"] } },
  { name: "a reason nobody knows", chunks: [ended("NEW_REASON", text("a"))], expected: { text: "a", stop: "stop" } },
  { name: "no finish reason: cut", chunks: [said(text("a"))], expected: { text: "a", error: ["transport", "no finish reason"] } },
  { name: "an empty body", chunks: [], expected: { error: ["transport", "no finish reason"] } },
  {
    name: "an error in place of a candidate",
    chunks: [said(text("a")), status(503, "UNAVAILABLE", "The model is overloaded."), ended("STOP")],
    expected: { text: "a", error: ["overloaded", "The model is overloaded."] },
  },
  {
    name: "an error as a list of one",
    chunks: [[status(429, "RESOURCE_EXHAUSTED", "Slow down.", [{ "@type": "t", retryDelay: "1.5s" }])]],
    expected: { error: ["rate-limit", "Slow down."] },
  },
  { name: "an error that is text", chunks: [{ error: "upstream gone" }], expected: { error: ["transport", "upstream gone"] } },
  { name: "words that are no data", chunks: ["upstream timed out"], expected: { error: ["protocol", "upstream timed out"] } },
  { name: "data that is not whole", chunks: ['{"candidates":[', ended("STOP")], expected: { error: ["protocol", "not valid JSON"] } },
  { name: "blank data", chunks: [" ", "null", ended("STOP", text("a"))], expected: { text: "a", stop: "stop" } },
];

export const USAGE: readonly Answer[] = [
  {
    name: "thoughts count as output, what was cached as input",
    chunks: [
      { ...said(text("a")), ...counts({ promptTokenCount: 100, candidatesTokenCount: 1, thoughtsTokenCount: 20, totalTokenCount: 121 }) },
      {
        ...ended("STOP", text("b")),
        ...counts({
          promptTokenCount: 100,
          cachedContentTokenCount: 80,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 20,
          toolUsePromptTokenCount: 7,
          totalTokenCount: 129,
        }),
      },
    ],
    expected: { text: "ab", usage: { inputTokens: 100, outputTokens: 22, cacheReadTokens: 80, reasoningTokens: 20 }, stop: "stop" },
  },
  {
    name: "counts of the last chunk replace those before, also when they are left out",
    chunks: [
      { ...said(text("a")), ...counts({ promptTokenCount: 9, thoughtsTokenCount: 5, cachedContentTokenCount: 3, totalTokenCount: 14 }) },
      { ...ended("STOP"), ...counts({ promptTokenCount: 9, totalTokenCount: 9 }) },
    ],
    expected: { text: "a", usage: { inputTokens: 9, outputTokens: 0, cacheReadTokens: 0, reasoningTokens: 0 }, stop: "stop" },
  },
  {
    name: "counts as text, and metadata without any",
    chunks: [
      { ...said(text("a")), ...counts({ promptTokenCount: "9", candidatesTokenCount: "2" }) },
      { ...ended("STOP"), ...counts({ trafficType: "ON_DEMAND" }) },
    ],
    expected: { text: "a", usage: { inputTokens: 9, outputTokens: 2 }, stop: "stop" },
  },
  {
    name: "what is not told is unknown",
    chunks: [{ ...ended("STOP", text("a")), ...counts({ promptTokenCount: 9 }) }],
    expected: { text: "a", usage: { inputTokens: 9 }, stop: "stop" },
  },
  {
    name: "an answer that was cut has what was counted",
    chunks: [{ ...said(text("a")), ...counts({ promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 }) }],
    outcome: "failed",
    expected: { text: "a", usage: { inputTokens: 9, outputTokens: 1, cacheReadTokens: 0, reasoningTokens: 0 }, error: ["transport", ""] },
  },
];

/** An answer with everything in it, signed in three places. */
export const ROUND_TRIP = {
  parts: [
    thought("why", { thoughtSignature: SIG_A }),
    text("I look. "),
    text("Now.", { thoughtSignature: SIG_B }),
    call({ ...READ, id: "r1" }, { thoughtSignature: SIG_A }),
    call({ ...PARIS, id: "r2" }),
  ],
  chunks: [
    said(thought("why", { thoughtSignature: SIG_A })),
    said(text("I ")),
    said(text("look. ")),
    said(text("Now.", { thoughtSignature: SIG_B })),
    said(call({ ...READ, id: "r1" }, { thoughtSignature: SIG_A }), call({ ...PARIS, id: "r2" })),
    ended("STOP", text("")),
  ],
};
