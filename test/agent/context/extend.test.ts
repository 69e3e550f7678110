import { describe, expect, test } from "vitest";
import { emptyProjection, extendProjection, project, type Projection } from "../../../src/agent/context/index.js";
import type { HistoryEntry } from "../../../src/schema/index.js";
import { answer, noLimits, toolCall, Walk } from "../fixtures.js";

/** Rounds with calls, a call without a result, edits, a compaction, and more after each. */
function eventful(): readonly HistoryEntry[] {
  const walk = new Walk({ ...noLimits, stallThreshold: 1000 });
  const rounds = (name: string): void => {
    walk.submit(name);
    for (const round of [1, 2, 3]) {
      const [one, two] = [1, 2].map((index) => toolCall(`${name}${String(round)}${String(index)}`));
      if (one === undefined || two === undefined) throw new Error("no calls");
      walk
        .round(answer("on it", [one, two]))
        .settle(two.name)
        .settle(one.name);
    }
    walk.round(answer(`${name} done`));
  };
  rounds("a");
  walk.input({ type: "context-edited", edits: [{ target: walk.entry("user-message", "a"), operation: "replace", text: "A" }] });
  rounds("b");
  const edits = [walk.entry("tool-call", "b11"), walk.entry("tool-result", "b11")].map(
    (target) => ({ target, operation: "omit" }) as const,
  );
  walk.input({ type: "context-edited", edits });
  rounds("c");
  const compaction: HistoryEntry = {
    type: "compaction",
    id: walk.ids.next(),
    time: 1,
    firstKept: walk.entry("user-message", "c"),
    summary: "a and b",
    tokensBefore: 1,
  };
  walk.take({ state: { ...walk.state, history: [...walk.state.history, compaction], leaf: compaction.id }, entries: [] });
  rounds("d");
  return walk.state.history;
}

describe("a projection that goes on from the one before", () => {
  test.each([1, 2, 3, 7])("is the whole projection at every length of the history, %i entries at a time", (step) => {
    const history = eventful();
    let known: Projection = emptyProjection;
    for (let length = 0; length <= history.length; length += step) {
      const part = history.slice(0, length);
      const before = known;
      known = extendProjection(before, part);
      expect(known.messages).toEqual(project(part));
      for (let index = 0; index < known.shared; index += 1) expect(known.messages[index]).toBe(before.messages[index]);
    }
    expect(known.messages.length).toBeGreaterThan(10);
  });

  test("shares all but the newest exchange when entries were appended, and nothing of another branch", () => {
    const walk = new Walk({ ...noLimits, stallThreshold: 1000 });
    walk.submit("go");
    for (let round = 0; round < 20; round += 1) walk.round(answer("", [toolCall(`t${String(round)}`)])).settle(`t${String(round)}`);
    const before = extendProjection(emptyProjection, walk.state.history);
    walk.round(answer("", [toolCall("more")])).settle("more");
    const after = extendProjection(before, walk.state.history);
    expect([before.messages.length, after.messages.length, after.shared]).toEqual([41, 43, 39]);
    const other = walk.state.history.map((entry) => ({ ...entry }));
    expect(extendProjection(after, other).shared).toBe(0);
  });
});
