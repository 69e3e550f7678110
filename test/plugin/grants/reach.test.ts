import { describe, expect, test } from "vitest";
import { describeReach } from "../../../src/plugin/grants/index.js";
import type { CompiledPlugin, HandlerContribution } from "../../../src/plugin/index.js";
import { ACTIONS_OF_EVENT, type LifecycleEventType } from "../../../src/schema/index.js";
import { compiled, noGrants } from "../../runtime/plugins/fixtures.js";

const shown = (plugin: CompiledPlugin, others: readonly CompiledPlugin[] = []): readonly string[] =>
  describeReach(plugin, others).map(({ words, isStrong }) => `${isStrong ? "! " : ""}${words}`);

const handler = (event: LifecycleEventType, more: Partial<HandlerContribution> = {}): HandlerContribution => ({
  event,
  plugin: "a.b",
  order: 0,
  timeoutMs: 1_000,
  required: false,
  state: [],
  ...more,
});

const STEERS = "! by itself add to the conversation, send input, and choose the model, its tools and its instructions";

describe("what a plugin reaches by listening", () => {
  test.each<readonly [string, readonly HandlerContribution[], readonly string[]]>([
    ["every call", [handler("tool-proposed")], ["! see every call of a tool before it runs, and allow, rewrite or stop it"]],
    [
      "calls of some tools",
      [handler("tool-proposed", { tools: ["write", "edit"] }), handler("tool-proposed", { tools: ["edit"] })],
      ["! see every call of write, edit before it runs, and allow, rewrite or stop it"],
    ],
    ["results", [handler("tool-settled")], ["! see and change the result of every call of a tool", STEERS]],
    ["requests", [handler("request-prepared")], ["! see and change what the model is sent", STEERS]],
    ["the queue", [handler("queue-due")], ["hold back and take away what you typed ahead"]],
    ["what is said, told once", [handler("input-admitted"), handler("turn-started")], [STEERS, "see what you send"]],
    ["its end", [handler("closing")], ["be told of the session"]],
  ])("%s", (_name, handlers, words) => {
    expect(shown(compiled("a.b", { handlers }))).toEqual(words);
  });

  test("is said for every event there is", () => {
    for (const event of Object.keys(ACTIONS_OF_EVENT).filter((name) => name !== "command") as readonly LifecycleEventType[])
      expect(shown(compiled("a.b", { handlers: [handler(event)] })), event).not.toEqual([]);
  });
});

test("what reaches furthest comes first, whatever it comes by", () => {
  const resource = { kind: "k", plugin: "a.b", format: "text", maxBytes: 1, cut: false } as const;
  const plugin = compiled("a.b", {
    grants: { ...noGrants, fsRead: ["workspace"], fsWrite: ["workspace"] },
    resources: [
      {
        ...resource,
        named: "folder",
        sources: [
          { from: "user", path: "notes/*" },
          { from: "plugin", path: "x" },
        ],
      },
    ],
    handlers: [handler("closing")],
  });
  expect(shown(plugin)).toEqual([
    "! create, change and delete files of the workspace",
    "be told of the session",
    "read notes/* of smith's configuration folder, with what lies beside it",
    "read files of the workspace",
  ]);
});
