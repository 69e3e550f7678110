import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallId, EntryId, RequestId, WorkId } from "../../../src/base/index.js";
import { MISSING_RESULT, project } from "../../../src/agent/index.js";
import type { HistoryEntry } from "../../../src/schema/index.js";
import { answer, dispatch, outcome, toolCall, Walk } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";

const id = (text: string): EntryId => text as EntryId;
const work = "w" as WorkId;

const user = (text: string, entry = text): HistoryEntry => ({ type: "user-message", id: id(entry), time: 1, source: "prompt", text });
const assistant = (text: string, entry = text): HistoryEntry => ({
  type: "assistant",
  id: id(entry),
  time: 1,
  work,
  request: "r" as RequestId,
  stop: "stop",
  text,
  thinking: [],
  dispatch,
});
const call = (name: string, ordinal: number): HistoryEntry => ({
  type: "tool-call",
  id: id(`c-${name}`),
  time: 1,
  work,
  call: name as CallId,
  ordinal,
  name,
  providerId: name,
  argsText: "{}",
  args: {},
});
const result = (name: string): HistoryEntry => ({
  type: "tool-result",
  id: id(`r-${name}`),
  time: 1,
  work,
  call: name as CallId,
  name,
  text: `${name} ok`,
  isError: false,
  mutation: "not-applied",
  omittedBytes: 0,
});

describe("projection", () => {
  test("results come in call order, whatever order they settled in", () => {
    const messages = project([user("go"), assistant("", "a"), call("x", 0), call("y", 1), result("y"), result("x")]);
    expect(messages.slice(2)).toMatchObject([{ call: "x" }, { call: "y" }]);
  });

  test("a call without a recorded result gets one that says so", () => {
    const messages = project([user("go"), assistant("", "a"), call("x", 0), call("y", 1), result("x"), user("on")]);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(messages[3]).toMatchObject({ text: MISSING_RESULT, isError: true });
  });

  test("an empty answer without calls is not sent", () => {
    expect(project([user("go"), assistant("", "a"), user("on")]).map((message) => message.role)).toEqual(["user", "user"]);
  });

  test("a compaction replaces what is before its first kept entry", () => {
    const messages = project([
      user("old"),
      assistant("older"),
      user("kept"),
      { type: "compaction", id: id("k"), time: 1, firstKept: id("kept"), summary: "sum", tokensBefore: 9 },
      assistant("new"),
    ]);
    expect(messages.map((message) => message.text)).toEqual([expect.stringContaining("sum"), "kept", "new"]);
  });

  test("the newest edit of a message wins and raw history stays", () => {
    const edit = (operation: "omit" | "replace", entry: string, text?: string): HistoryEntry => ({
      type: "context-edit",
      id: id(entry),
      time: 1,
      target: id("secret"),
      operation,
      ...(text === undefined ? {} : { text }),
    });
    const history = [user("go"), user("secret"), assistant("ok"), edit("omit", "e1"), edit("replace", "e2", "redacted")];
    expect(project(history).map((message) => message.text)).toEqual(["go", "redacted", "ok"]);
    expect(project(history.slice(0, 4)).map((message) => message.text)).toEqual(["go", "ok"]);
    expect(project(history.slice(0, 3)).map((message) => message.text)).toEqual(["go", "secret", "ok"]);
    expect(history[1]).toMatchObject({ text: "secret" });
  });

  test("pairing is whole for any walk of the policy, cut at any entry", () => {
    const step = fc.constantFrom("round", "steer", "settle", "abort");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(), (steps, cut) => {
        const walk = new Walk({ stallThreshold: 100 }).submit("start");
        let count = 0;
        for (const one of steps) {
          count += 1;
          const open = walk.state.turn?.batch?.calls.filter((entry) => walk.state.turn?.batch?.settled.has(entry.call) !== true) ?? [];
          if (walk.state.turn === undefined) walk.submit(`more ${String(count)}`);
          else if (one === "steer") walk.submit(`steer ${String(count)}`);
          else if (one === "abort") walk.input({ type: "stop-requested", cause: "abort" });
          else if (open[0] !== undefined) walk.settle(open[open.length - 1]?.name ?? "", outcome("ok"));
          else walk.round(answer("", [toolCall(`t${String(count)}a`), toolCall(`t${String(count)}b`)]));
        }
        const history = walk.state.history.slice(0, cut % (walk.state.history.length + 1));
        expect(pairingProblem(project(history))).toBeUndefined();
      }),
    );
  });
});
