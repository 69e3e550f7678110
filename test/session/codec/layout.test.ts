import { describe, expect, test } from "vitest";
import { BLOCK_BYTES, blockOf, blockStart, cutAt, logicalOf, logicalSize, physicalOf } from "../../../src/session/codec/index.js";

/** The definition, byte by byte: every file byte that is not part of a header is the next byte of the stream. */
function streamPositions(size: number): readonly number[] {
  const positions: number[] = [];
  for (let at = 0; at < size; at += 1) {
    const inBlock = at % BLOCK_BYTES;
    if (inBlock >= (at < BLOCK_BYTES ? 256 : 32)) positions.push(at);
  }
  return positions;
}

describe("addressing", () => {
  const size = BLOCK_BYTES * 3 + 100;
  const positions = streamPositions(size);

  test("every stream byte is where counting puts it", () => {
    positions.forEach((position, logical) => {
      if (physicalOf(logical) !== position || blockOf(logical) !== Math.floor(position / BLOCK_BYTES)) expect.fail(`offset ${logical}`);
    });
    expect(logicalSize(size)).toBe(positions.length);
  });

  test("block starts are consistent with both directions, and cutting there drops the header", () => {
    for (const block of [0, 1, 2, 3]) {
      const start = blockStart(block);
      expect(blockOf(start)).toBe(block);
      expect(logicalOf(block, block === 0 ? 256 : 32)).toBe(start);
      expect(cutAt(start)).toBe(block === 0 ? 256 : block * BLOCK_BYTES);
      expect(cutAt(start + 1)).toBe(physicalOf(start + 1));
      expect(logicalSize(cutAt(start))).toBe(start);
    }
  });

  test("a file that ends inside a block header has no stream byte of that block", () => {
    for (const rest of [0, 1, 31, 32]) expect(logicalSize(BLOCK_BYTES + rest)).toBe(blockStart(1));
    expect(logicalSize(0)).toBe(0);
    expect(logicalSize(255)).toBe(0);
  });
});
