import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundRecord, RECORD_BYTES } from "../../../src/effect/ledger/bounded-record.js";

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe("recorded inputs and outputs", () => {
  test("small ones are whole, without undefined members", () => {
    expect(boundRecord({ a: [1, "x", null], b: undefined })).toEqual({ a: [1, "x", null] });
    expect(boundRecord(undefined)).toBe(null);
  });

  test("a long text keeps its ends and the count of what is left out", () => {
    const content = `start${"é".repeat(100_000)}end`;
    const record = boundRecord({ path: "t", content });
    expect(record).toEqual({
      path: "t",
      content: {
        head: `start${"é".repeat(4093)}`,
        tail: `${"é".repeat(4093)}end`,
        omittedBytes: Buffer.byteLength(content) - 5 - 3 - 4093 * 4,
      },
    });
  });

  test("a long list keeps its ends", () => {
    const record = boundRecord(Array.from({ length: 20_000 }, (_, index) => `line ${index}`));
    expect(Array.isArray(record) && [record.length, record[0], record[50], record[100]]).toEqual([
      101,
      "line 0",
      { omittedItems: 19_900 },
      "line 19999",
    ]);
  });

  test("whatever is recorded fits", () => {
    const leaf = fc.oneof(
      fc.integer({ min: 0, max: 200_000 }).map((length) => "\u0001x".repeat(length / 2)),
      fc.constant("short"),
    );
    const tree = fc.oneof(leaf, fc.array(leaf, { maxLength: 200 }), fc.dictionary(fc.string(), fc.array(leaf, { maxLength: 20 })));
    fc.assert(
      fc.property(tree, (value) => {
        expect(sizeOf(boundRecord(value))).toBeLessThanOrEqual(RECORD_BYTES);
      }),
      { numRuns: 40 },
    );
  });
});
