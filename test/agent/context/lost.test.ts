import { describe, expect, test } from "vitest";
import type { CallId, EntryId, RequestId, SessionId, WorkId } from "../../../src/base/index.js";
import { emptyState, loadState, MISSING_RESULT, nothingRecovered, project } from "../../../src/agent/index.js";
import type { HistoryEntry, LostEntry } from "../../../src/schema/index.js";
import type { SessionReader } from "../../../src/session/index.js";
import { answer, dispatch, toolCall, Walk } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";
import { problem, value } from "../stored.js";

const KINDS: Readonly<Partial<Record<HistoryEntry["type"], number>>> = {
  "user-message": 1,
  assistant: 2,
  "tool-call": 3,
  "tool-result": 4,
};

/** Two turns, the first with two calls. */
function conversation(): readonly HistoryEntry[] {
  const walk = new Walk()
    .submit("go")
    .round(answer("", [toolCall("x"), toolCall("y")]))
    .settle("x")
    .settle("y")
    .round(answer("", [toolCall("z")]))
    .settle("z")
    .round(answer("done"));
  return walk.submit("on").round(answer("well")).state.history;
}

const lose = (entry: HistoryEntry, kind = KINDS[entry.type] ?? 0): LostEntry => ({
  type: "lost",
  id: entry.id,
  ...(entry.parent === undefined ? {} : { parent: entry.parent }),
  time: entry.time,
  kind,
});

const without = (history: readonly HistoryEntry[], lost: readonly HistoryEntry[], kind?: number): readonly HistoryEntry[] =>
  history.map((entry) => (lost.includes(entry) ? lose(entry, kind) : entry));

describe("what the model sees of a history with lost entries", () => {
  const history = conversation();

  test("is valid whatever is lost: it begins with input and every call has its result", () => {
    for (const one of history) {
      for (const other of history) {
        for (const kind of [undefined, 0]) {
          const messages = project(without(history, [one, other], kind));
          expect(pairingProblem(messages)).toBeUndefined();
          expect(messages[0]?.role ?? "user").toBe("user");
        }
      }
    }
  });

  test("a lost answer takes its calls and results with it, and none of them joins the answer before", () => {
    const second = history.filter(({ type }) => type === "assistant")[1];
    if (second === undefined) throw new Error("no second answer");
    const messages = project(without(history, [second]));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "user", "assistant"]);
    expect(messages[1]).toMatchObject({ toolCalls: [{ name: "x" }, { name: "y" }] });
  });

  test("a lost result leaves words in its place, a lost call nothing, a lost input is not there", () => {
    const of = (type: HistoryEntry["type"]): HistoryEntry => {
      const found = history.find((entry) => entry.type === type);
      if (found === undefined) throw new Error(`no ${type}`);
      return found;
    };
    expect(project(without(history, [of("tool-result")]))[2]).toMatchObject({ name: "x", text: MISSING_RESULT, isError: true });
    expect(project(without(history, [of("tool-call")])).filter((message) => message.role === "tool" && message.name === "x")).toEqual([]);
    expect(project(without(history, [of("user-message")]))).toMatchObject([{ role: "user", text: "on" }, { role: "assistant" }]);
  });

  test("is the same when it is extended entry by entry", () => {
    for (const one of history) {
      const damaged = without(history, [one]);
      const state = { ...emptyState, leaf: damaged.at(-1)?.id, history: damaged };
      const walk = new Walk(undefined, { state }).submit("more").round(answer("yes"));
      walk.submit("again").prepare();
      expect(walk.sent).toEqual(project(walk.state.history));
    }
  });
});

describe("a branch with a lost entry", () => {
  const id = (text: string): EntryId => text as EntryId;
  const input: HistoryEntry = { type: "user-message", id: id("u"), time: 1, source: "prompt", text: "go" };
  const call = { type: "tool-call", call: "c" as CallId, ordinal: 0, name: "x", providerId: "x", argsText: "" } as const;
  const said = {
    type: "assistant",
    work: "w" as WorkId,
    request: "r" as RequestId,
    stop: "stop",
    text: "a",
    thinking: [],
    dispatch,
  } as const;
  const reading = (entries: readonly HistoryEntry[]): SessionReader =>
    ({
      id: "0190a0a0-0000-7000-8000-000000000001" as SessionId,
      leaf: () => entries.at(-1)?.id,
      branch: async function* () {
        await Promise.resolve();
        yield* [...entries].reverse();
      },
      // Loading a branch asks for nothing else.
    }) as Partial<SessionReader> as SessionReader;
  const lost: LostEntry = { type: "lost", id: id("l"), parent: id("u"), time: 1, kind: 2 };
  const after: HistoryEntry = { ...said, id: id("a"), parent: id("l"), time: 1 };

  test("is gone on with after a repair; before it that is refused, and the word names the repair", async () => {
    const repaired = value(await loadState(reading([input, lost, after]), nothingRecovered));
    expect(repaired.history).toHaveLength(3);
    const refused = problem(await loadState(reading([input, { ...lost, unrepaired: true }, after]), nothingRecovered));
    expect(refused).toMatchObject({
      code: "agent.damaged-history",
      next: expect.stringContaining("smith sessions repair 0190a0a0") as string,
    });
  });

  test("has no open calls of an answer before it", async () => {
    const before: HistoryEntry = { ...call, work: "w" as WorkId, id: id("c"), parent: id("u"), time: 1 };
    const state = value(await loadState(reading([input, { ...said, id: id("s"), time: 1 }, before, lost]), nothingRecovered));
    expect(state.interrupted).toBeUndefined();
  });
});
