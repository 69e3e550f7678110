import { describe, expect, test } from "vitest";
import type { CallId, EffectId, WorkId } from "../../../src/base/index.js";
import { nothingRecovered, reportable, settleInterrupted } from "../../../src/agent/index.js";
import type { EffectIntentEntry } from "../../../src/schema/index.js";
import { seqIds } from "../../support/seq-ids.js";
import { answer, toolCall, Walk } from "../fixtures.js";

/** A turn of two calls, broken off with these operations begun for the first one. */
function brokenOff(operations: readonly string[]) {
  const walk = new Walk().submit("do both").round(answer("", [toolCall("one"), toolCall("two")]));
  const ids = seqIds();
  const pendingEffects = operations.map((operation, index): EffectIntentEntry => ({
    type: "effect-intent",
    id: ids.next(),
    time: 1,
    effect: `effect-${String(index)}` as EffectId,
    cause: "call-one" as CallId,
    operation,
    plugin: "toy",
    generation: 1,
    input: { path: "a.txt" },
  }));
  const turn = walk.state.turn?.work ?? ("" as WorkId);
  const recovered = { ...nothingRecovered, pendingEffects, unsettled: [{ work: turn, state: "running" as const }] };
  const { entries } = settleInterrupted(walk.state, recovered, { ids: seqIds(), time: 5000 });
  return { reported: reportable(recovered).map(({ operation }) => operation), entries };
}

describe("what an earlier process left open", () => {
  test.each([["process.run"], ["fs.write"], ["fs.edit"], ["future.operation"]])(
    "%s may have happened: the person and the model are told that it is unknown",
    (operation) => {
      const { reported, entries } = brokenOff([operation]);
      expect(reported).toEqual([operation]);
      expect(entries.filter(({ type }) => type === "tool-result")).toMatchObject([
        { call: "call-one", isError: true, mutation: "unknown", text: expect.stringContaining(`${operation} {"path":"a.txt"}`) as string },
        { call: "call-two", isError: true, mutation: "not-applied" },
      ]);
    },
  );

  test.each([["fs.read"], ["fs.list"], ["search.find"], ["search.grep"]])(
    "%s cannot have changed anything: its end is recorded as unknown, but nobody has to check it",
    (operation) => {
      const { reported, entries } = brokenOff([operation]);
      expect(reported).toEqual([]);
      expect(entries.filter(({ type }) => type === "effect-done")).toMatchObject([{ effect: "effect-0", outcome: "unknown" }]);
      expect(entries.filter(({ type }) => type === "tool-result")).toMatchObject([
        { call: "call-one", mutation: "not-applied" },
        { call: "call-two" },
      ]);
    },
  );

  test("the model's own response is not an effect a person is told of", () => {
    expect(brokenOff(["provider.respond"]).reported).toEqual([]);
  });
});
