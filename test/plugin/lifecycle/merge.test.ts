import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallId, EntryId, InvocationId, SubmissionId } from "../../../src/base/index.js";
import { canonical, writesOf } from "../../../src/plugin/lifecycle/keys.js";
import { type Batch, mergeBatches, type MergeRules } from "../../../src/plugin/lifecycle/merge.js";
import type { Action, AttributedAction } from "../../../src/schema/index.js";
import { diagnostic } from "../../../src/schema/index.js";

const PLUGINS = ["a.one", "b.two", "c.three"];
const anything: MergeRules = { admit: () => undefined, check: () => undefined, instead: () => [] };
const refusal = (code: string) => diagnostic({ code, what: "what", why: "why", next: "next" });
const call = "call-1" as CallId;

const batch = (plugin: string, actions: readonly Action[]): Batch => ({
  plugin,
  invocation: `run-of-${plugin}` as InvocationId,
  wanted: { ok: true, value: actions },
});

const word = fc.constantFrom("x", "y", "z");
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant("set-model" as const), model: word }),
  fc.record({ type: fc.constant("set-thinking" as const), level: word }),
  fc.record({ type: fc.constant("set-state" as const), scope: fc.constantFrom("session", "user"), key: word, value: fc.jsonValue() }),
  fc.record({ type: fc.constant("set-prompt" as const), section: word, text: word }),
  fc.record({ type: fc.constant("rewrite-tool" as const), call: fc.constant(call), args: fc.dictionary(word, word) }),
  fc.record({ type: fc.constant("replace-result" as const), call: fc.constant(call), text: word }),
  fc.record({ type: fc.constant("append-result" as const), call: fc.constant(call), text: word }),
  fc.record({ type: fc.constant("set-tools" as const), enable: fc.uniqueArray(word), disable: fc.uniqueArray(word) }),
  fc.record({
    type: fc.constant("edit-context" as const),
    target: fc.constant("entry-1" as EntryId),
    operation: fc.constantFrom("omit", "restore"),
  }),
  fc.record({ type: fc.constant("withdraw" as const), submission: fc.constantFrom("s-1", "s-2").map((id) => id as SubmissionId) }),
  fc.record({ type: fc.constant("deny-tool" as const), call: fc.constant(call), why: word }),
  fc.record({ type: fc.constant("add-message" as const), text: word }),
  fc.record({ type: fc.constant("notify" as const), text: word }),
) as fc.Arbitrary<Action>;
const someBatches = fc
  .array(fc.array(anyAction, { maxLength: 4 }), { maxLength: PLUGINS.length })
  .map((lists) => lists.map((actions, index) => batch(PLUGINS[index] ?? "", actions)));

/** Each key with every value that accepted actions give it. */
function valuesByKey(accepted: readonly AttributedAction[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const { plugin, action } of accepted)
    for (const { key, value } of writesOf(plugin, action)) values.set(key, (values.get(key) ?? new Set()).add(value));
  return values;
}

describe("whatever plugins want", () => {
  test("no key is given two values", () => {
    fc.assert(
      fc.property(someBatches, (batches) => {
        for (const values of valuesByKey(mergeBatches(batches, anything).accepted).values()) expect(values.size).toBe(1);
      }),
    );
  });

  test("a batch is accepted or refused, never a part of it: what is missing was said before by one that was accepted", () => {
    fc.assert(
      fc.property(someBatches, (batches) => {
        const { accepted, refused } = mergeBatches(batches, anything);
        const values = valuesByKey(accepted);
        for (const { plugin, invocation, wanted } of batches) {
          const kept = accepted.filter((action) => action.invocation === invocation).map(({ action }) => action);
          if (refused.some((one) => one.invocation === invocation)) expect(kept).toEqual([]);
          else if (wanted.ok) {
            for (const action of wanted.value.filter((one) => !kept.includes(one))) {
              const writes = writesOf(plugin, action);
              expect(writes.length).toBeGreaterThan(0);
              expect(writes.every(({ key, value }) => values.get(key)?.has(value))).toBe(true);
            }
          }
        }
      }),
    );
  });

  test("batches that do not conflict come to the same in any order", () => {
    fc.assert(
      fc.property(someBatches, (batches) => {
        const forward = mergeBatches(batches, anything);
        fc.pre(forward.refused.length === 0);
        const backward = mergeBatches(batches.toReversed(), anything);
        expect(backward.refused).toEqual([]);
        expect(valuesByKey(backward.accepted)).toEqual(valuesByKey(forward.accepted));
        const additive = ({ accepted }: typeof forward): readonly string[] =>
          accepted
            .filter(({ plugin, action }) => writesOf(plugin, action).length === 0)
            .map((one) => JSON.stringify(one))
            .sort();
        expect(additive(backward)).toEqual(additive(forward));
      }),
    );
  });

  test("a refused batch leaves no trace: without it the others come to the same", () => {
    fc.assert(
      fc.property(someBatches, (batches) => {
        const { accepted, refused } = mergeBatches(batches, anything);
        const others = batches.filter(({ invocation }) => !refused.some((one) => one.invocation === invocation));
        expect(mergeBatches(others, anything)).toEqual({ accepted, refused: [] });
      }),
    );
  });

  test("equal values are equal texts, in whatever order their keys were written", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonical(turned as never)).toBe(canonical(value as never));
      }),
    );
  });
});

describe("two writers of one thing", () => {
  test.each<[string, Action, Action]>([
    ["model", { type: "set-model", model: "x" }, { type: "set-model", model: "y" }],
    ["thinking", { type: "set-thinking", level: "low" }, { type: "set-thinking", level: "high" }],
    ["tool:alpha", { type: "set-tools", enable: ["alpha"] }, { type: "set-tools", disable: ["alpha"] }],
    [`tool-call:${call}:args`, { type: "rewrite-tool", call, args: { a: 1 } }, { type: "rewrite-tool", call, args: { a: 2 } }],
    [`result:${call}`, { type: "replace-result", call, text: "x" }, { type: "replace-result", call, text: "x", isError: true }],
    [
      "entry:e",
      { type: "edit-context", target: "e" as EntryId, operation: "omit" },
      { type: "transform-context", transforms: [{ operation: "omit", target: "e" as EntryId }] },
    ],
    [
      "compaction",
      { type: "compact", firstKept: "e" as EntryId, summary: "x" },
      { type: "compact", firstKept: "f" as EntryId, summary: "x" },
    ],
    ["queue", { type: "deliver", submissions: ["s" as SubmissionId] }, { type: "deliver", submissions: ["t" as SubmissionId] }],
    ["submission:s", { type: "withdraw", submission: "s" as SubmissionId }, { type: "deliver", submissions: ["s" as SubmissionId] }],
  ])("of %s with different values: the later batch is refused whole, and both plugins are named", (key, first, second) => {
    const earlier = batch("a.one", [first]);
    const { accepted, refused } = mergeBatches([earlier, batch("b.two", [{ type: "notify", text: "hi" }, second])], anything);
    expect(accepted).toEqual([{ plugin: "a.one", invocation: earlier.invocation, action: first }]);
    expect(refused).toMatchObject([{ plugin: "b.two", error: { code: "plugin.action-conflict", severity: "warning" } }]);
    expect(refused[0]?.error.what).toContain("a.one");
    expect(refused[0]?.error.what).toContain("b.two");
    expect(refused[0]?.error.what).toContain(JSON.stringify(key));
  });

  test("with the same value do not conflict, and it is given once", () => {
    const { accepted, refused } = mergeBatches(
      [
        batch("a.one", [{ type: "rewrite-tool", call, args: { a: 1, b: 2 } }]),
        batch("b.two", [{ type: "rewrite-tool", call, args: { b: 2, a: 1 } }]),
      ],
      anything,
    );
    expect(accepted.map(({ plugin }) => plugin)).toEqual(["a.one"]);
    expect(refused).toEqual([]);
  });

  test("sections, state, options and status items of one name belong to each plugin for itself", () => {
    const own: readonly Action[] = [
      { type: "set-prompt", section: "s", text: "x" },
      { type: "set-state", scope: "session", key: "k", value: 1 },
      { type: "set-config", option: "o", value: 1 },
      { type: "set-status", key: "k", text: "x" },
    ];
    const other: readonly Action[] = [
      { type: "set-prompt", section: "s", text: "y" },
      { type: "set-state", scope: "session", key: "k", value: 2 },
      { type: "set-config", option: "o", value: 2 },
      { type: "set-status", key: "k", text: "y" },
    ];
    const { accepted, refused } = mergeBatches([batch("a.one", own), batch("b.two", other)], anything);
    expect(accepted.map(({ action }) => action)).toEqual([...own, ...other]);
    expect(refused).toEqual([]);
  });

  test("verdicts about a call, notes, messages and notices add up", () => {
    const actions: readonly Action[] = [
      { type: "allow-tool", call },
      { type: "ask-tool", call, why: "x" },
      { type: "deny-tool", call, why: "x" },
      { type: "append-result", call, text: "x" },
      { type: "add-message", text: "x" },
      { type: "notify", text: "x" },
    ];
    const { accepted } = mergeBatches([batch("a.one", actions), batch("b.two", actions)], anything);
    expect(accepted.map(({ action }) => action)).toEqual([...actions, ...actions]);
  });
});

describe("one batch", () => {
  test("that gives one thing two values contradicts itself and is refused", () => {
    const { accepted, refused } = mergeBatches(
      [
        batch("a.one", [
          { type: "set-model", model: "x" },
          { type: "set-model", model: "y" },
        ]),
      ],
      anything,
    );
    expect(accepted).toEqual([]);
    expect(refused).toMatchObject([{ plugin: "a.one", error: { code: "plugin.action-contradiction" } }]);
  });

  test("that could not be said is refused with why, and what stands instead of it is its own", () => {
    const failed: Batch = { plugin: "a.one", invocation: "i" as InvocationId, wanted: { ok: false, error: refusal("x.threw") } };
    const deny: Action = { type: "deny-tool", call, why: "no" };
    expect(mergeBatches([failed], { ...anything, instead: () => [deny] })).toEqual({
      accepted: [{ plugin: "a.one", invocation: "i", action: deny }],
      refused: [{ plugin: "a.one", invocation: "i", error: refusal("x.threw") }],
    });
  });

  test("is checked after those before it, and what the check says refuses all of it", () => {
    const seen: unknown[] = [];
    const first = batch("a.one", [{ type: "set-model", model: "x" }]);
    const second = batch("b.two", [
      { type: "set-thinking", level: "low" },
      { type: "notify", text: "x" },
    ]);
    const { accepted, refused } = mergeBatches([first, second], {
      ...anything,
      check: (actions, earlier) => {
        seen.push([actions.length, earlier.length]);
        return actions.length === 2 ? refusal("x.no") : undefined;
      },
    });
    expect(seen).toEqual([
      [1, 0],
      [2, 1],
    ]);
    expect(accepted).toHaveLength(1);
    expect(refused).toMatchObject([{ plugin: "b.two", error: { code: "x.no" } }]);
  });

  test("a transform that also appends is carried out even when what it changes was said before", () => {
    const transforms = [{ operation: "omit" as const, target: "e" as EntryId }];
    const { accepted } = mergeBatches(
      [
        batch("a.one", [{ type: "transform-context", transforms }]),
        batch("b.two", [{ type: "transform-context", transforms: [...transforms, { operation: "append", text: "more" }] }]),
      ],
      anything,
    );
    expect(accepted).toHaveLength(2);
  });
});
