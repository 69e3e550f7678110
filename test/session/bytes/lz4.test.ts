import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLz4Encoder, decodeLz4 } from "../../../src/session/bytes/index.js";

const encode = createLz4Encoder();

function pack(raw: Uint8Array): Buffer {
  const out = Buffer.alloc(raw.length + 1024);
  return out.subarray(0, encode(raw, 0, raw.length, { out, limit: out.length }));
}

describe("LZ4 blocks", () => {
  test.each([
    ["nothing", "", "00"],
    ["less than a match", "abc", "30616263"],
    ["one repeated letter", "a".repeat(40), "1f6101000f506161616161"],
    ["a repeated word", "hello world, hello world, hello world!", "df68656c6c6f20776f726c642c200d0001506f726c6421"],
  ])("have pinned bytes for %s", (_name, text, hex) => {
    expect(pack(Buffer.from(text)).toString("hex")).toBe(hex);
  });

  test("give back what was put in", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.array(fc.constantFrom("ab", "abc ", "x", "the fox "), { maxLength: 600 }).map((words) => Buffer.from(words.join(""))),
    );
    fc.assert(
      fc.property(bytes, (raw) => {
        expect(decodeLz4(pack(raw), raw.length)?.equals(raw)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("give back runs of every length, however their sequences stand to the ends", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ minLength: 200, maxLength: 600 }),
      fc
        .record({ word: fc.uint8Array({ minLength: 1, maxLength: 9 }), times: fc.integer({ min: 1, max: 90 }) })
        .map(({ word, times }) => Buffer.concat(Array.from({ length: times }, () => word))),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 4, maxLength: 30 }), (pieces) => {
        const raw = Buffer.concat([...pieces, ...pieces]);
        expect(decodeLz4(pack(raw), raw.length)?.equals(raw)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("are decoded into a buffer that is there, whatever was in it, and not beyond their length", () => {
    const into = Buffer.alloc(4000);
    const piece = fc.constantFrom(
      "a",
      "ab",
      "abc",
      "abcd",
      "0123456789",
      "the quick brown fox jumps over the lazy dog, and so on and on and on. ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (words) => {
        const raw = Buffer.from(words.join(""));
        into.fill(0xee);
        expect(decodeLz4(pack(raw), raw.length, into)?.equals(raw)).toBe(true);
        expect(into.subarray(raw.length).every((byte) => byte === 0xee)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("do not depend on where the input stands in its buffer, nor on inputs before it", () => {
    const raw = Buffer.from("some text, some more text, and some text again. ".repeat(20));
    const shifted = Buffer.concat([Buffer.alloc(13), raw]);
    const out = Buffer.alloc(2000);
    const length = encode(shifted, 13, shifted.length, { out, limit: 2000 });
    expect(out.subarray(0, length)).toEqual(pack(raw));
  });

  test("are refused when they would not fit the limit", () => {
    const raw = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * index * 7 + (index >> 3)) & 0xff));
    expect(encode(raw, 0, raw.length, { out: Buffer.alloc(100), limit: 100 })).toBe(0);
  });

  test("that are damaged never decode to more than was declared, and never throw", () => {
    const words = Array.from({ length: 300 }, (_, index) => `${(index * index) % 1009} and `);
    const raw = Buffer.from("abcdefgh".repeat(100) + words.join(""));
    const packed = pack(raw);
    for (let bit = 0; bit < packed.length * 8; bit += 1) {
      const flipped = Buffer.from(packed);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeLz4(flipped, raw.length)?.length ?? raw.length).toBe(raw.length);
    }
  });

  test.each([
    ["a distance of 0", "4061626364000000", 100],
    ["a distance before the beginning", "40616263640500" + "00", 100],
    ["a length beyond the declared one", "406162636401" + "00" + "00", 6],
    ["an unfinished length", "f0ffffff", 1000],
  ])("with %s are refused", (_name, hex, raw) => {
    expect(decodeLz4(Buffer.from(hex, "hex"), raw)).toBeUndefined();
  });
});
