import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { row, rowText, span } from "../../../src/tui/text/index.js";
import { FOLLOW, look, type RowSource, scroll, scrollTo, type Viewport } from "../../../src/tui/transcript/index.js";

/** Items with so many rows each; row `3.1` is the second of item 3. */
class Items implements RowSource {
  first = 0;
  width = 80;
  readonly heights: number[];
  constructor(heights: readonly number[]) {
    this.heights = [...heights];
  }
  get end(): number {
    return this.first + this.heights.length;
  }
  rows(seq: number) {
    const height = this.heights[seq - this.first] ?? 0;
    return Array.from({ length: height }, (_, index) => ({ ...row(span(`${String(seq)}.${String(index)}`)), block: 0, at: index * 10 }));
  }
}

const visible = (source: RowSource, viewport: Viewport, height: number): readonly string[] =>
  look(source, viewport, height).rows.map(rowText);

describe("viewport", () => {
  test("following shows the newest rows", () => {
    expect(visible(new Items([3, 2, 4]), FOLLOW, 5)).toEqual(["1.1", "2.0", "2.1", "2.2", "2.3"]);
  });

  test("fewer rows than fit are all shown", () => {
    expect(visible(new Items([1, 1]), FOLLOW, 5)).toEqual(["0.0", "1.0"]);
  });

  test("what comes below does not move what is looked at, and is counted", () => {
    const items = new Items([5, 5, 5]);
    const held = scroll(items, FOLLOW, 4, -6);
    const before = visible(items, held, 4);
    items.heights[2] = 9;
    items.heights.push(7, 3);
    const after = look(items, held, 4);
    expect(after.rows.map(rowText)).toEqual(before);
    expect(after.newRows).toBe(14);
  });

  test("what changes or comes above does not move it either", () => {
    const items = new Items([5, 5, 5]);
    const held = scroll(items, FOLLOW, 4, -6);
    const before = visible(items, held, 4);
    items.heights.unshift(10, 20);
    items.first -= 2;
    items.heights[2] = 1;
    expect(visible(items, held, 4)).toEqual(before);
  });

  test("scrolling down to the end follows again", () => {
    const items = new Items([5, 5, 5]);
    const up = scroll(items, FOLLOW, 4, -3);
    expect(up.follow).toBe(false);
    expect(scroll(items, up, 4, 2).follow).toBe(false);
    expect(scroll(items, up, 4, 3).follow).toBe(true);
  });

  test("scrolling up stops at the first row", () => {
    const items = new Items([5, 5]);
    const top = scroll(items, FOLLOW, 4, -1000);
    expect(visible(items, top, 4)).toEqual(["0.0", "0.1", "0.2", "0.3"]);
    expect(look(items, top, 4).atTop).toBe(true);
  });

  test("nothing to scroll stays following", () => {
    expect(scroll(new Items([2]), FOLLOW, 4, -1).follow).toBe(true);
    expect(scroll(new Items([]), FOLLOW, 4, -1).follow).toBe(true);
  });

  test("to an item", () => {
    const items = new Items([5, 5, 5]);
    expect(visible(items, scrollTo(items, FOLLOW, 4, 1), 4)[0]).toBe("1.0");
  });

  test("any walk there and back shows the same rows", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (heights, height, up, by) => {
          const items = new Items(heights);
          const total = heights.reduce((sum, each) => sum + each, 0);
          const all = visible(items, FOLLOW, total);
          const held = scroll(items, FOLLOW, height, -up);
          const start = Math.max(0, total - height - up);
          expect(visible(items, held, height)).toEqual(all.slice(start, start + height));
          const further = scroll(items, held, height, -by);
          const back = Math.max(0, start - by);
          expect(visible(items, further, height)).toEqual(all.slice(back, back + height));
        },
      ),
    );
  });
});
