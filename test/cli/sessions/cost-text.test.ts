import { describe, expect, test } from "vitest";
import type { EntryId, SessionId, WorkId } from "../../../src/base/index.js";
import { renderCost } from "../../../src/cli/sessions/cost-text.js";
import { formatUsd, spendWords } from "../../../src/schema/index.js";

const id = <Id extends string>(last: string): Id => `0190a0a0-0000-7000-8000-0000${last}` as Id;

describe("money for people", () => {
  test.each([
    [0, "$0"],
    [0.0099, "<$0.01"],
    [0.01, "$0.01"],
    [0.42, "$0.42"],
    [12.3, "$12.30"],
    [1234.5, "$1234.50"],
  ])("%d is %s", (cost, words) => {
    expect(formatUsd(cost)).toBe(words);
  });

  test("what is not known is said beside what is", () => {
    expect(spendWords({ cost: 0.42, unpriced: 3 })).toBe("$0.42 + 3 unpriced");
    expect(spendWords({ unpriced: 1 })).toBe("1 unpriced");
    expect(spendWords({})).toBeUndefined();
  });
});

describe("sessions get --cost", () => {
  test("shows the whole, models, turns with those they own, and branches", () => {
    const spend = { usage: { inputTokens: 12_345, outputTokens: 67, cacheReadTokens: 12_000 }, cost: 0.42, unpriced: 3 };
    const work = id<WorkId>("0000000a");
    const text = renderCost(
      {
        total: spend,
        inherited: { cost: 1 },
        models: [
          { model: { provider: "acme", model: "big\u001b" }, responses: 1, spend },
          { responses: 2, spend: { unpriced: 2 } },
        ],
        turns: [
          { work, time: 0, responses: 1, spend, total: { cost: 1 } },
          { work: id<WorkId>("0000000b"), parent: work, time: 0, responses: 2, spend: { cost: 0.58 }, total: { cost: 0.58 } },
          { time: 0, responses: 1, spend: { cost: 0.001 }, total: { cost: 0.001 } },
        ],
        branches: [{ leaf: id<EntryId>("0000000c"), isSelected: true, spend }],
        damage: [],
      },
      id<SessionId>("0000000d"),
    );
    expect(text.replaceAll(/ {2,}/gu, "  ").replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "TIME")).toMatchInlineSnapshot(`
      "Cost of session 0000000d
        total  $0.42 + 3 unpriced  12,345 in, 67 out  of these 12,000 from a cache
        inherited, not in the total  $1.00  -

      By model
        acme/big␛  $0.42 + 3 unpriced  12,345 in, 67 out  1 response
        not told by a tool  2 unpriced  -  2 responses

      By turn
        0000000a  $0.42 + 3 unpriced ($1.00 with the works it owns)  12,345 in, 67 out  TIME, 1 response
        0000000b for 0000000a  $0.58  -  TIME, 2 responses
        outside of turns  <$0.01  -  TIME, 1 response

      By branch, with what they share
        0000000c (selected)  $0.42 + 3 unpriced  12,345 in, 67 out
      "
    `);
  });
});
