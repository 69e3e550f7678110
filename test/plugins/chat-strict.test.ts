import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROFILE_NAMES, type ProfileName, profileOf } from "../../plugins/provider-openai-compatible/profile/index.js";
import type { Message, ProviderRequest } from "../../src/plugin/sdk.js";
import { type StrictRule, validate } from "../support/strict-chat.js";
import { assistant, bodyOf, type Call, call, result, user } from "./chat-support.js";

const tools: ProviderRequest["tools"] = [
  { name: "read", description: "d", parameters: { type: "object", properties: { path: {}, list: { items: {} } }, required: ["path"] } },
  { name: "now", description: "d", parameters: {} },
];
/** A prompt, a call with its result, a notice of the host in the middle, a second prompt. */
const messages: readonly Message[] = [
  user("look at a"),
  assistant("", [call("call_1", "read", '{"path":"a"}'), call("call_2", "now", "")]),
  result("call_1", "text of a"),
  result("call_2", "", { name: "now" }),
  assistant("It says text."),
  user("[The mode is now plan.]"),
  user("go on"),
];
const facts: ProviderRequest["facts"] = { tools: true, thinking: ["low", "high"] };

const RULES: readonly StrictRule[] = [
  "content-present",
  "one-system-first",
  "text-results",
  "known-fields",
  "typed-parameters",
  "named-results",
  "no-developer",
  "alternation",
  "no-user-after-tool",
];

describe("rules of local chat templates, one by one", () => {
  test.each(RULES)("%s holds on llama.cpp and on a server nobody described, without settings", (rule) => {
    for (const profile of ["llama.cpp", "compatible"]) expect(validate(bodyOf({ messages, tools, facts }, profile), [rule])).toEqual([]);
  });

  const local = ["ollama", "lmstudio", "vllm", "sglang"].flatMap((profile) =>
    RULES.filter((rule) => rule !== "known-fields").map((rule) => [profile, rule] as const),
  );
  test.each(local)("on %s: %s", (profile, rule) => {
    expect(validate(bodyOf({ messages, tools, facts }, profile), [rule])).toEqual([]);
  });

  test("Mistral's own API: nine characters for an id, and no user message after a result", () => {
    const interrupted = [...messages.slice(0, 4), user("stop that")];
    expect(
      validate(bodyOf({ messages: interrupted, tools }, "mistral"), ["nine-character-ids", "no-user-after-tool", "named-results"]),
    ).toEqual([]);
  });
});

/** Ids as vendors and the host give them, names as models make them up, texts as tools return them. */
const id = fc.oneof(
  fc.constantFrom("", "c1", "call_abc", "functions.read:0", "toolu_01A", "x".repeat(80), "ID mit Leerzeichen", "abcdefghi"),
  fc.string({ maxLength: 50 }),
);
const name = fc.oneof(fc.constantFrom("read", "now", "", "mcp.tool/x", "größe", "n".repeat(90)), fc.string({ maxLength: 20 }));
const words = fc.oneof(fc.constantFrom("", " ", "\n", "text", "Error: no"), fc.string({ maxLength: 20 }));
const args = fc.constantFrom("", "{}", "null", '{"a":1}', "[1]", '{"a', "{} {}", '"x"');
const from = fc.constantFrom(
  undefined,
  { provider: "mistral", model: "m" },
  { provider: "openai-compatible", model: "m" },
  { provider: "x", model: "y" },
);
const thinking = fc.array(
  fc.record({ text: words, signature: fc.constantFrom("s1", "s2"), kind: fc.constantFrom("", '["reasoning.text",null,0]', "[") }),
  { maxLength: 2 },
);

interface Turn {
  readonly messages: readonly Message[];
}

/** A conversation as anything may have left it: results missing, twice, late, or of calls that are gone. */
const conversation: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.oneof(
      words.map((text): Turn => ({ messages: [user(text)] })),
      fc
        .record({ text: words, from, thinking })
        .map(({ text, from, thinking }): Turn => ({ messages: [assistant(text, [], { from, thinking })] })),
      fc
        .record({
          text: words,
          from,
          thinking,
          calls: fc.array(fc.record({ id, name, args, answers: fc.nat(2) }), { minLength: 1, maxLength: 3 }),
          late: fc.boolean(),
          output: words,
        })
        .map(({ text, from, thinking, calls, late, output }): Turn => {
          // Our own ids of calls are always different; the vendor's need not be.
          const made = calls.map((one) => call(one.id, one.name, one.args));
          const results = made.flatMap((one, at) => Array.from({ length: calls[at]?.answers ?? 0 }, () => toolMessage(one, output)));
          return { messages: [assistant(text, made, { from, thinking }), ...(late ? [user("between")] : []), ...results] };
        }),
    ),
    { maxLength: 8 },
  )
  .map((turns) =>
    distinct(
      turns.flatMap((turn) => turn.messages),
      "our",
    ),
  );

const toolMessage = ({ call: id, providerId, name }: Call, text: string): Message => ({
  role: "tool",
  call: id,
  providerId,
  name,
  text,
  isError: false,
});

/** The same messages; the host's ids of calls are made different, in call and result alike. */
function distinct(messages: readonly Message[], prefix: string): readonly Message[] {
  let counter = 0;
  let current = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === "assistant") {
      current = new Map();
      const toolCalls = message.toolCalls.map((one, at) => {
        counter += 1;
        const fresh = `${prefix}-${String(counter)}`;
        current.set(`${one.call}#${String(at)}`, fresh);
        if (!current.has(one.call)) current.set(one.call, fresh);
        return { ...one, call: fresh } as typeof one;
      });
      return { ...message, toolCalls };
    }
    return message.role === "tool" ? ({ ...message, call: current.get(message.call) ?? message.call } as Message) : message;
  });
}

/** Rules that a profile's switches promise. */
function rulesOf(profile: ProfileName): readonly StrictRule[] {
  const { emptyContent, toolName, alternate, bridge, typedParameters, toolIds, systemRole } = profileOf("", {
    baseUrl: "http://h/v1",
    profile,
  });
  return [
    ...(emptyContent === "" ? (["content-present"] as const) : []),
    ...(toolName ? (["named-results"] as const) : []),
    ...(alternate ? (["alternation"] as const) : []),
    ...(bridge ? (["no-user-after-tool"] as const) : []),
    ...(typedParameters ? (["typed-parameters"] as const) : []),
    ...(toolIds === "nine" ? (["nine-character-ids"] as const) : []),
    ...(systemRole === "system" ? (["no-developer"] as const) : []),
    "one-system-first",
    "text-results",
  ];
}

describe("whatever a session holds", () => {
  test.each(PROFILE_NAMES)("profile %s sends nothing that its servers refuse", (profile) => {
    fc.assert(
      fc.property(conversation, fc.boolean(), (before, thinks) => {
        const body = bodyOf(
          { messages: [...before, user("now")], tools, provider: "openai-compatible", ...(thinks ? { thinking: "high", facts } : {}) },
          profile,
        );
        expect(validate(body, rulesOf(profile))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("the beginning of a conversation is sent alike in every later request", () => {
    fc.assert(
      fc.property(conversation, conversation, (before, after) => {
        const sent = (list: readonly Message[]): readonly unknown[] =>
          bodyOf({ messages: [user("a"), ...list] }, "openai")["messages"] as unknown as readonly unknown[];
        const first = sent([...before, user("b")]);
        const later = sent([...before, user("b"), ...distinct(after, "later")]);
        expect(later.slice(0, first.length)).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the validator itself", () => {
  const good = { model: "m", messages: [{ role: "user", content: "x" }] };
  const withCall = (content: unknown, id: string, args: string, name = "read"): object => ({
    role: "assistant",
    content,
    tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
  });
  const body = (...list: readonly object[]): object => ({ ...good, messages: [...good.messages, ...list] });

  test.each<readonly [string, object, readonly StrictRule[], string | undefined]>([
    ["a plain body", good, RULES, undefined],
    ["no messages", { model: "m", messages: [] }, [], "not empty"],
    ["an empty text", body({ role: "assistant", content: " " }), [], "content is empty"],
    ["a call without a result", body(withCall(null, "c", "{}")), [], "results are missing for c"],
    ["a result without a call", body({ role: "tool", tool_call_id: "c", content: "x" }), [], "nobody made"],
    [
      "arguments that are no object",
      body(withCall("", "c", "[1]"), { role: "tool", tool_call_id: "c", content: "x" }),
      [],
      "not a JSON object",
    ],
    ["a bad name", body(withCall("", "c", "{}", "a.b"), { role: "tool", tool_call_id: "c", content: "x" }), [], "the name"],
    [
      "content null by rule",
      body(withCall(null, "c", "{}"), { role: "tool", tool_call_id: "c", content: "x" }),
      ["content-present"],
      "missing",
    ],
    [
      "an id twice",
      body(withCall("", "c", "{}"), { role: "tool", tool_call_id: "c", content: "x" }, withCall("", "c", "{}"), {
        role: "tool",
        tool_call_id: "c",
        content: "x",
      }),
      [],
      "used before",
    ],
    ["an unknown field", { ...good, store: true }, ["known-fields"], "unknown field store"],
    ["a late system message", body({ role: "system", content: "x" }), ["one-system-first"], "must be the first"],
    [
      "an untyped parameter",
      { ...good, tools: [{ type: "function", function: { name: "t", parameters: { type: "object", properties: { a: {} } } } }] },
      ["typed-parameters"],
      "t.a has no type",
    ],
    [
      "a result without a name",
      body(withCall("", "c", "{}"), { role: "tool", tool_call_id: "c", content: "x" }),
      ["named-results"],
      "needs a name",
    ],
    ["users in a row", body({ role: "user", content: "y" }), ["alternation"], "in a row"],
  ])("%s", (_name, value, rules, problem) => {
    const problems = validate(value as never, rules);
    if (problem === undefined) expect(problems).toEqual([]);
    else expect(problems.join("; ")).toContain(problem);
  });
});
