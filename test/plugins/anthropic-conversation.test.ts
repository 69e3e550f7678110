import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue, Message, ThinkingPart } from "../../src/plugin/sdk.js";
import { sign, validate } from "../support/strict-anthropic.js";
import { ADAPTIVE, assistant, bodyOf, BUDGET, CLAUDE, READ_TOOL, result, user } from "./anthropic-support.js";

const wire = (messages: readonly Message[], over: object = {}) => bodyOf({ messages, tools: [READ_TOOL], ...over })["messages"];
const said = (text: string): object => ({ type: "text", text });
const IMAGE = { mediaType: "image/png", base64: "AAAA" };
const use = (id: string, input: object = {}, name = "read"): object => ({ type: "tool_use", id, name, input });
const answer = (id: string, content: unknown, rest: object = {}): object => ({ type: "tool_result", tool_use_id: id, content, ...rest });

describe("messages", () => {
  test("of one side in a row are one, and what says nothing is left out", () => {
    expect(
      wire([user("a"), user(" \n"), user("b"), assistant(""), assistant(" "), user("c"), assistant("d"), assistant("e"), user("f")]),
    ).toEqual([
      { role: "user", content: [said("a"), said("b"), said("c")] },
      { role: "assistant", content: [said("d"), said("e")] },
      { role: "user", content: [said("f")] },
    ]);
  });

  test("begin with the user", () => {
    expect(wire([assistant("a"), user("b")])).toEqual([
      { role: "user", content: [said("Begin.")] },
      { role: "assistant", content: [said("a")] },
      { role: "user", content: [said("b")] },
    ]);
    expect(wire([])).toEqual([{ role: "user", content: [said("Begin.")] }]);
  });

  test("that end with the model's words have no blanks there, and go on where the model takes no beginning", () => {
    expect(wire([user("a"), assistant("b \n")])).toEqual([
      { role: "user", content: [said("a")] },
      { role: "assistant", content: [said("b")] },
    ]);
    expect(wire([user("a"), assistant("b \n")], { facts: { hints: { prefill: false } } })).toEqual([
      { role: "user", content: [said("a")] },
      { role: "assistant", content: [said("b")] },
      { role: "user", content: [said("Continue.")] },
    ]);
  });

  test("have images for a model that is known to see them", () => {
    const messages = [
      user("look", { images: [IMAGE] }),
      assistant("", [["c1", "read", "{}"]]),
      result("c1", "a picture", { images: [IMAGE] }),
    ];
    const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    expect(wire(messages, { facts: { images: true } })).toEqual([
      { role: "user", content: [block, said("look")] },
      { role: "assistant", content: [use("c1")] },
      { role: "user", content: [answer("c1", [said("a picture"), block])] },
    ]);
    expect(JSON.stringify(wire(messages))).not.toContain("AAAA");
    expect(JSON.stringify(wire(messages))).toContain("an image is left out");
  });
});

describe("results", () => {
  test("come right after their calls and before anything else, in the order of the calls", () => {
    const calls = assistant("x", [
      ["c1", "read", '{"path":"a"}'],
      ["c2", "read", '{"path":"b"}'],
    ]);
    expect(wire([user("go"), calls, user("and this"), result("c2", "two"), result("c1", "one")])).toEqual([
      { role: "user", content: [said("go")] },
      { role: "assistant", content: [said("x"), use("c1", { path: "a" }), use("c2", { path: "b" })] },
      { role: "user", content: [answer("c1", "one"), answer("c2", "two"), said("and this")] },
    ]);
  });

  test("that are missing are errors, those of no call are words", () => {
    expect(wire([user("go"), assistant("", [["c1", "read", "{}"]]), result("c9", "lost")])).toEqual([
      { role: "user", content: [said("go")] },
      { role: "assistant", content: [use("c1")] },
      { role: "user", content: [answer("c1", "No result was recorded.", { is_error: true }), said("Result of read: lost")] },
    ]);
  });

  test.each([
    ["", {}, "(no output)", {}],
    [" \n", { isError: true }, "(no output)", { is_error: true }],
    ["no such file", { isError: true }, "no such file", { is_error: true }],
    ["bad", { isError: true, images: [IMAGE] }, [said("bad"), said("[an image is left out here]")], { is_error: true }],
  ])("are never empty, and errors are text: %j %j", (text, rest, content, marks) => {
    const messages = [user("go"), assistant("", [["c1", "read", "{}"]]), result("c1", text, rest)];
    expect(wire(messages, { facts: BUDGET })).toMatchObject([{}, {}, { content: [answer("c1", content, marks)] }]);
    expect(validate(bodyOf({ messages, facts: BUDGET, tools: [READ_TOOL] }))).toEqual([]);
  });

  test.each(['{"path": "a', "{path:'a'}", "[1]", '"str"', "{} {}", ""])("of calls whose arguments are no object: %j", (args) => {
    expect(wire([user("go"), assistant("", [["c1", "read", args]]), result("c1", "not JSON", { isError: true })])).toMatchObject([
      {},
      { content: [use("c1", {})] },
      {},
    ]);
  });
});

describe("a session that another vendor began", () => {
  const from = { provider: "openai", model: "g" };
  const thinking = [{ text: "secret", signature: "gAAA", id: "rs_1" }];

  test("goes on with ids the vendor takes, the same in call and result, and without the other's thinking", () => {
    const messages = [
      user("go"),
      assistant("x", [["call_1|fc_2", "read", "{}"]], { from, thinking }),
      result("call_1|fc_2", "one"),
      assistant("", [["call_1/fc_2", "fun.call me", "{}"]], { from }),
      result("call_1/fc_2", "two"),
      assistant("", [["é".repeat(80), "read", "{}"]], { from }),
    ];
    expect(wire(messages)).toEqual([
      { role: "user", content: [said("go")] },
      { role: "assistant", content: [said("x"), use("call_1_fc_2")] },
      { role: "user", content: [answer("call_1_fc_2", "one")] },
      { role: "assistant", content: [use("call_1_fc_2_2", {}, "fun_call_me")] },
      { role: "user", content: [answer("call_1_fc_2_2", "two")] },
      { role: "assistant", content: [use("_".repeat(64))] },
      { role: "user", content: [answer("_".repeat(64), "No result was recorded.", { is_error: true })] },
    ]);
  });

  test.each([
    ["another vendor", from],
    ["another model", { ...CLAUDE, model: "claude-y" }],
    ["nobody knows whom", undefined],
  ])("has no thinking of %s", (_name, maker) => {
    expect(wire([user("go"), assistant("x", [], { from: maker, thinking }), user("on")])).toMatchObject([{}, { content: [said("x")] }, {}]);
  });
});

describe("thinking", () => {
  const part = (text: string, after?: { text: number; calls: number }): ThinkingPart => ({
    text,
    signature: sign(CLAUDE.model, text),
    ...(after === undefined ? {} : { after }),
  });
  const block = (text: string): object => ({ type: "thinking", thinking: text, signature: sign(CLAUDE.model, text) });

  test("goes back where it stood between text and calls, redacted as its data", () => {
    const calls = [
      ["c1", "read", "{}"],
      ["c2", "read", "{}"],
    ] as const;
    const thinking = [
      part("a"),
      { text: "", signature: "ENC", kind: "redacted", after: { text: 0, calls: 0 } },
      part("b", { text: 3, calls: 0 }),
      part("c", { text: 6, calls: 1 }),
    ];
    expect(wire([user("go"), assistant("onetwo", calls, { thinking })])).toMatchObject([
      {},
      {
        content: [
          block("a"),
          { type: "redacted_thinking", data: "ENC" },
          said("one"),
          block("b"),
          said("two"),
          use("c1"),
          block("c"),
          use("c2"),
        ],
      },
      {},
    ]);
  });

  test("with hidden text goes back as it is, without a signature never, and at the end of a message neither", () => {
    const thinking = [part(""), { text: "unsigned" }, part("last", { text: 1, calls: 0 })];
    expect(wire([user("go"), assistant("x", [], { thinking }), user("on")])).toMatchObject([{}, { content: [block(""), said("x")] }, {}]);
    expect(wire([user("go"), assistant("", [], { thinking }), user("on")])).toEqual([{ role: "user", content: [said("go"), said("on")] }]);
  });
});

describe("what the strict judge sees", () => {
  test.each([
    [
      "altered thinking",
      [user("go"), assistant("x", [], { thinking: [{ text: "altered", signature: sign(CLAUDE.model, "a") }] }), user("on")],
      "invalid signature",
    ],
  ] as const)("%s", (_name, messages, complaint) => {
    expect(validate(bodyOf({ messages }))).toEqual([expect.stringContaining(complaint)]);
  });

  test.each([
    [{ messages: [{ role: "assistant", content: "x" }] }, "first message"],
    [{ messages: [{ role: "user", content: "" }] }, "non-whitespace"],
    [{ messages: [{ role: "user", content: [] }] }, "non-empty"],
    [
      {
        messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      },
      "alternate",
    ],
    [
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: "b " },
        ],
      },
      "trailing",
    ],
    [
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: [use("bad id")] },
        ],
      },
      "does not match",
    ],
    [{ messages: [{ role: "user", content: [answer("t", "x")] }], tools: [] }, "unexpected tool_result"],
    [{ messages: [{ role: "user", content: "a" }], temperature: 2 }, "temperature"],
    [{ messages: [{ role: "user", content: "a" }], thinking: { type: "enabled", budget_tokens: 200 } }, "budget_tokens"],
    [{ messages: [{ role: "user", content: "a" }], tools: [{ name: "a", input_schema: { anyOf: [] } }] }, "anyOf"],
    [{ messages: [{ role: "user", content: "a" }], store: true }, "extra inputs"],
    [
      { messages: [{ role: "user", content: Array.from({ length: 5 }, () => ({ ...said("a"), cache_control: { type: "ephemeral" } })) }] },
      "maximum of 4",
    ],
  ])("a request that is refused: %j", (body, complaint) => {
    expect(validate(JSON.parse(JSON.stringify({ model: "m", max_tokens: 10, ...body })) as JsonValue).join("\n")).toContain(complaint);
  });
});

describe("any conversation", () => {
  const blankish = fc.oneof(fc.constantFrom("", " ", "\n\n", "ok", "done. "), fc.string({ unit: "binary", maxLength: 12 }));
  const id = fc.oneof(fc.constantFrom("toolu_1", "call_1|fc_1", "call_1/fc_1", "", "é"), fc.string({ maxLength: 90 }));
  const makers = fc.constantFrom<unknown>(CLAUDE, { ...CLAUDE, model: "claude-y" }, { provider: "openai", model: "g" }, undefined);
  const images = fc.constantFrom([], [IMAGE], [IMAGE, IMAGE]);
  const after = fc.record({ text: fc.nat(14), calls: fc.nat(4) });
  const args = fc.constantFrom("{}", '{"path":"a"}', '{"pa', "[1]", "", "null");
  const thoughts = (model: string) =>
    fc.array(
      fc.oneof(
        fc.record({ text: blankish, after }).map(({ text, after: place }) => ({ text, signature: sign(model, text), after: place })),
        fc.record({ text: blankish, after }),
        after.map((place) => ({ text: "", signature: "ENC", kind: "redacted", after: place })),
      ),
      { maxLength: 3 },
    );
  const calls = fc.array(fc.tuple(id, fc.constantFrom("read", "made up", ""), args), { maxLength: 4 });

  /** Messages in any order, with results that are there, twice, late or missing. */
  const message = fc.oneof(
    fc.record({ text: blankish, images }).map(({ text, images: shown }): Message => user(text, { images: shown })),
    makers.chain((from) =>
      fc
        .record({ text: blankish, thinking: thoughts((from as { readonly model?: string } | undefined)?.model ?? ""), calls })
        .map(({ text, thinking, calls: made }): Message => assistant(text, made, { from, thinking })),
    ),
    fc.record({ id, text: blankish, isError: fc.boolean(), images }).map((made): Message => result(made.id, made.text, made)),
  );
  /** Calls are told apart by the host's ids, which are never the same; most have their results. */
  const conversation = fc.tuple(fc.array(message, { maxLength: 12 }), fc.nat(9)).map(([messages, some]) =>
    messages.flatMap((one, at): readonly Message[] => {
      if (one.role !== "assistant") return [one];
      const toolCalls = one.toolCalls.map((made, place) => ({ ...made, call: `${String(at)}-${String(place)}` }));
      const results = toolCalls
        .filter((_, place) => (place + some) % 4 !== 0)
        .map(({ call: own }) => result(own, some % 2 === 0 ? "" : "fine"));
      return [{ ...one, toolCalls } as unknown as Message, ...results];
    }),
  );
  const tools = fc.constantFrom(
    [],
    [READ_TOOL],
    [READ_TOOL, { name: "bad name", description: "", parameters: { anyOf: [{ type: "object", properties: { "a b": {} } }] } }],
    [{ name: "u", description: "", parameters: { oneOf: [{ properties: { "a b": {}, c: {} }, required: ["c"] }], $schema: "x" } }],
  );
  const facts = fc.constantFrom(
    {},
    BUDGET,
    ADAPTIVE,
    { ...ADAPTIVE, hints: { ...ADAPTIVE.hints, binding: true } },
    { ...BUDGET, outputTokens: 1000 },
  );
  const thinking = fc.constantFrom("off", "minimal", "low", "high", "max", undefined);
  const sampling = fc.constantFrom({}, { temperature: 1.7, topP: 0.2, stop: ["", "END"] }, { maxTokens: 1500 });

  test("becomes a request the vendor takes", () => {
    fc.assert(
      fc.property(fc.record({ conversation, tools, facts, thinking, sampling, system: blankish }), (made) => {
        const level = made.thinking === undefined ? {} : { thinking: made.thinking };
        const body = bodyOf({
          ...level,
          messages: made.conversation,
          tools: made.tools,
          facts: made.facts,
          sampling: made.sampling,
          system: made.system,
        });
        expect(validate(body)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("begins as it did before, when it grows", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const turns = (count: number): readonly object[] => wire(messages.slice(0, count)) as readonly object[];
        const whole = turns(messages.length);
        const asked = messages.findLastIndex(({ role }, at) => role === "user" && messages[at - 1]?.role !== "tool");
        // The last message may still grow, and so may a call's results: what lies before the last turn of the user does not change.
        const earlier = turns(asked + 1).slice(0, -1);
        expect(whole.slice(0, earlier.length)).toEqual(earlier);
      }),
      { numRuns: 300 },
    );
  });
});
