import { describe, expect, test } from "vitest";
import { actions, oversized, readShape } from "../../../src/plugin/shape/index.js";
import { type Action, ACTIONS_OF_EVENT, type ActionType, BATCH_LIMITS } from "../../../src/schema/index.js";

const ID = "01890000-0000-7000-8000-000000000001";
const read = (value: unknown) => readShape(actions, value, "result");
const wordsOf = (value: unknown): string => {
  const result = read(value);
  return result.ok ? "accepted" : result.error;
};

/** One of each, with every field it can have. */
const EACH: { readonly [Type in ActionType]: readonly unknown[] } = {
  "add-message": [{ type: "add-message", text: "x" }],
  "transform-context": [
    {
      type: "transform-context",
      transforms: [
        { operation: "omit", target: ID },
        { operation: "replace", target: ID, text: "" },
        { operation: "append", text: "x" },
      ],
    },
  ],
  "edit-context": [
    { type: "edit-context", target: ID, operation: "omit" },
    { type: "edit-context", target: ID, operation: "replace", text: "x" },
    { type: "edit-context", target: ID, operation: "restore" },
  ],
  "allow-tool": [{ type: "allow-tool", call: ID }],
  "ask-tool": [
    { type: "ask-tool", call: ID, why: "x", rule: "shell git *" },
    { type: "ask-tool", call: ID },
  ],
  "deny-tool": [{ type: "deny-tool", call: ID, why: "x" }],
  "rewrite-tool": [{ type: "rewrite-tool", call: ID, args: { path: "x", deep: [{ a: null }] } }],
  "replace-result": [{ type: "replace-result", call: ID, text: "x", isError: true }],
  "append-result": [{ type: "append-result", call: ID, text: "x" }],
  "set-model": [{ type: "set-model", model: "a/b" }],
  "set-thinking": [{ type: "set-thinking", level: "high" }],
  "set-tools": [{ type: "set-tools", enable: ["a"], disable: [] }, { type: "set-tools" }],
  "set-prompt": [{ type: "set-prompt", section: "s", text: "", order: -5 }],
  enqueue: [
    { type: "enqueue", text: "x", delivery: "steer" },
    { type: "enqueue", text: "x" },
  ],
  withdraw: [{ type: "withdraw", submission: ID }],
  deliver: [
    { type: "deliver", submissions: [ID] },
    { type: "deliver", submissions: [] },
  ],
  compact: [{ type: "compact", firstKept: ID, summary: "x" }],
  "keep-context": [{ type: "keep-context", why: "x" }],
  "set-state": [
    { type: "set-state", scope: "branch", key: "k", value: { a: [1] } },
    { type: "set-state", scope: "user", key: "k", value: null },
  ],
  "set-config": [{ type: "set-config", option: "o", value: true }],
  notify: [{ type: "notify", text: "x", role: "warning" }],
  "set-status": [{ type: "set-status", key: "k", text: "x", role: "muted" }],
  "stop-turn": [{ type: "stop-turn", why: "x" }],
};

describe("a batch", () => {
  test("may hold any action, each as it is", () => {
    const batch = Object.values(EACH).flat();
    expect(read(batch)).toEqual({ ok: true, value: batch });
  });

  test("knows every action that an event may have", () => {
    const used = new Set(Object.values(ACTIONS_OF_EVENT).flat());
    expect([...used].filter((type) => !Object.hasOwn(EACH, type))).toEqual([]);
  });

  test("of nothing is one", () => expect(read([])).toEqual({ ok: true, value: [] }));

  test.each<[string, unknown, string]>([
    ["no list", { type: "notify", text: "x" }, "result must be an array, got an object"],
    ["no object", ["x"], "result[0].type must be one of"],
    ["an unknown action", [{ type: "run-shell", command: "x" }], `got "run-shell"`],
    ["an inherited name", [{ type: "constructor" }], `got "constructor"`],
    ["an extra field", [{ type: "notify", text: "x", html: "y" }], "result[0].html must be absent (known: type, text, role)"],
    [
      "a missing field",
      [
        { type: "notify", text: "x" },
        { type: "deny-tool", call: ID },
      ],
      "result[1].why must be present",
    ],
    ["a wrong type", [{ type: "set-tools", enable: ["a", 1] }], "result[0].enable[1] must be a string, got 1"],
    ["an id that is none", [{ type: "withdraw", submission: "newest" }], "result[0].submission must be an id as an event gave it"],
    ["a replacement without text", [{ type: "edit-context", target: ID, operation: "replace" }], "result[0].text must be present"],
    ["an omission with text", [{ type: "edit-context", target: ID, operation: "omit", text: "x" }], "result[0].text must be absent"],
    ["an empty transform", [{ type: "transform-context", transforms: [] }], "result[0].transforms must be an array of 1 to 1000"],
    ["arguments that are no object", [{ type: "rewrite-tool", call: ID, args: [] }], "result[0].args must be an object"],
    ["an unknown scope", [{ type: "set-state", scope: "world", key: "k", value: 1 }], "result[0].scope must be one of"],
    ["state without a value", [{ type: "set-state", scope: "user", key: "k" }], "result[0].value must be present"],
    ["a key that goes on for ever", [{ type: "set-state", scope: "user", key: "k".repeat(300), value: 1 }], "at most 256 characters"],
    ["a key __proto__ in a value", [{ type: "set-config", option: "o", value: JSON.parse(`{"__proto__": 1}`) as unknown }], "__proto__"],
    ["an order that is no whole number", [{ type: "set-prompt", section: "s", text: "", order: 0.5 }], "result[0].order"],
  ])("with %s is refused, and the path says where", (_name, value, words) => {
    expect(wordsOf(value)).toContain(words);
  });

  test("has a bound of actions and of characters", () => {
    const many = (count: number): Action[] => Array.from({ length: count }, () => ({ type: "notify", text: "x" }));
    expect(wordsOf(many(BATCH_LIMITS.actions))).toBe("accepted");
    expect(wordsOf(many(BATCH_LIMITS.actions + 1))).toContain("an array of 0 to 64 items");
    expect(oversized("x".repeat(BATCH_LIMITS.units))).toBeUndefined();
    expect(oversized("x".repeat(BATCH_LIMITS.units + 1))).toBe(BATCH_LIMITS.units + 1);
  });

  test("shows no control character to anybody", () => {
    const evil = "a\u001b[2J\u202eb\nc";
    const batch = read([
      { type: "notify", text: evil },
      { type: "set-status", key: "k", text: evil },
      { type: "ask-tool", call: ID, why: evil, rule: evil },
      { type: "deny-tool", call: ID, why: evil },
      { type: "stop-turn", why: evil },
    ]);
    const clean = "a\ufffd[2J\ufffdb\nc";
    const line = "a\ufffd[2J\ufffdb c";
    expect(batch).toEqual({
      ok: true,
      value: [
        { type: "notify", text: clean },
        { type: "set-status", key: "k", text: line },
        { type: "ask-tool", call: ID, why: line, rule: line },
        { type: "deny-tool", call: ID, why: clean },
        { type: "stop-turn", why: clean },
      ],
    });
  });
});
