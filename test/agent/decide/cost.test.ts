import { describe, expect, test } from "vitest";
import type { Price, ToolDetails } from "../../../src/schema/index.js";
import { answer, noLimits, outcome, toolCall, Walk } from "../fixtures.js";

const price: Price = { input: 1000, output: 2000 };
/** 10 in, 5 out: $0.02. */
const priced = { facts: { price } };
const limited = (maxCostUsd: number): Walk => new Walk({ ...noLimits, maxCostUsd }).submit("go");
const ended = (walk: Walk) => walk.requests.find(({ type }) => type === "turn-ended");
const reporting = (usage: ToolDetails["usage"]): ReturnType<typeof outcome> => {
  const output = { text: "ok", isError: false, ...(usage === undefined ? {} : { details: { usage } }) };
  return outcome("ok", { output });
};

describe("what a turn costs", () => {
  test("answers are priced as they are recorded, and the turn sums them up", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a")]), priced)
      .settle("a")
      .round(answer("done"), priced);
    expect(walk.entries.filter(({ type }) => type === "assistant")).toMatchObject([{ cost: 0.02 }, { cost: 0.02 }]);
    expect(ended(walk)).toMatchObject({ end: { spend: { usage: { inputTokens: 20, outputTokens: 10 }, cost: 0.04 } } });
  });

  test("an answer without a known price is counted as that, never as free", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a")]), priced)
      .settle("a")
      .round(answer("done"));
    expect(ended(walk)).toMatchObject({ end: { spend: { cost: 0.02, unpriced: 1 } } });
    expect(walk.entries.findLast(({ type }) => type === "assistant")).not.toHaveProperty("cost");
  });

  test("a tool's report is added once, and only as far as it can be true", () => {
    const walk = new Walk().submit("go").round(answer("", [toolCall("a"), toolCall("b"), toolCall("c")]), priced);
    walk.settle("a", reporting({ usage: { inputTokens: 7 }, cost: 0.5 }));
    walk.settle("b", reporting({ usage: { inputTokens: -7, outputTokens: Number.NaN }, cost: Number.NaN }));
    walk.settle("c", reporting({ usage: {}, cost: -1 }));
    walk.round(answer("done"), priced);
    const details = walk.entries.flatMap((entry) => (entry.type === "tool-result" ? [entry.details?.usage] : []));
    expect(details).toEqual([{ usage: { inputTokens: 7 }, cost: 0.5 }, { usage: {} }, { usage: {} }]);
    expect(ended(walk)).toMatchObject({ end: { spend: { usage: { inputTokens: 27 }, cost: 0.54, unpriced: 2 } } });
  });

  test("the limit of cost forbids another round once it is reached, and says what could not be counted", () => {
    expect(
      limited(0.03)
        .round(answer("", [toolCall("a")]), priced)
        .settle("a").requests,
    ).toEqual([{ type: "start-round" }]);
    const walk = limited(0.02)
      .round(answer("", [toolCall("a")]), priced)
      .settle("a", reporting({ usage: {} }));
    expect(ended(walk)).toMatchObject({ end: { status: "limit", reason: "cost" } });
    const what = ended(walk)?.type === "turn-ended" ? JSON.stringify(ended(walk)) : "";
    expect(what).toContain("$0.02 was spent, and 1 response of unknown cost came on top; the limit is $0.02");
  });

  test("work without a known cost does not reach the limit", () => {
    expect(
      limited(0)
        .round(answer("", [toolCall("a")]))
        .settle("a").requests,
    ).toEqual([{ type: "start-round" }]);
  });

  test("the limit holds also where input waits after an answer", () => {
    const walk = limited(0.01).submit("more", "follow-up").round(answer("done"), priced);
    expect(ended(walk)).toMatchObject({ end: { status: "limit", reason: "cost" } });
  });
});
