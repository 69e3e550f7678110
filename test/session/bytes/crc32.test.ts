import { describe, expect, test } from "vitest";
import { crc32, crc32Sliced } from "../../../src/session/bytes/index.js";

describe("CRC-32", () => {
  test("is the one of zlib: the check value of '123456789' is cbf43926", () => {
    const bytes = Buffer.from("123456789");
    expect(crc32Sliced(bytes, 0, 9)).toBe(0xcbf43926);
    expect(crc32(bytes, 0, 9)).toBe(0xcbf43926);
  });

  test.each([100_000, 100_001, 0, 1, 7, 8, 9, 383, 384, 385, 5000])(
    "gives the same for %i bytes by table and by zlib, at any offset and seed",
    (length) => {
      const bytes = Buffer.from(Array.from({ length: length + 3 }, (_, index) => (index * 31 + 7) & 0xff));
      for (const seed of [0, 1, 0xdeadbeef]) expect(crc32(bytes, 3, 3 + length, seed)).toBe(crc32Sliced(bytes, 3, 3 + length, seed));
    },
  );

  test("continues: the checksum of a whole is that of its end seeded with that of its beginning", () => {
    const bytes = Buffer.from("the quick brown fox jumps over the lazy dog");
    expect(crc32(bytes, 10, bytes.length, crc32(bytes, 0, 10))).toBe(crc32(bytes, 0, bytes.length));
  });
});
