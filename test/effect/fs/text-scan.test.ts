import { describe, expect, test } from "vitest";
import { createLineWindow } from "../../../src/effect/fs/read/line-window.js";
import { createTextScan, type ScannedText } from "../../../src/effect/fs/read/text-scan.js";
import { NO_VAULT } from "../../../src/effect/secrets/index.js";

const window = { firstLine: 1, maxLines: 3, maxBytes: 1000, maxLineCharacters: 5 };

function scan(encoding: "utf-8" | "utf-16le" | "utf-16be", pieces: readonly Buffer[], bounds = window): ScannedText {
  const made = createTextScan(encoding, { window: createLineWindow(bounds), concealing: NO_VAULT.stream() });
  for (const piece of pieces) made.push(piece);
  return made.end();
}

const cutAt = (bytes: Buffer, place: number): readonly Buffer[] => [bytes.subarray(0, place), bytes.subarray(place)];

describe("a text that comes in pieces", () => {
  test.each([
    ["characters of every width", Buffer.from("a\né€🙂\r\n\nend of it all\n")],
    ["a mark first", Buffer.from("\ufeffa\nb")],
    ["bytes of no character", Buffer.from([0x61, 0x0a, 0xff, 0x62, 0xc3, 0x0a, 0xe2, 0x82, 0x0a, 0xed, 0xa0, 0x80, 0x0a, 0xf0, 0x9f])],
    ["NULs", Buffer.from("a\n\0b\0\n\n\n\0")],
    ["more lines than are shown", Buffer.from("1\n2\n3\n4 é\n5\n6")],
  ])("is the same wherever it was cut: %s", (_name, bytes) => {
    const whole = scan("utf-8", [bytes]);
    for (let place = 0; place <= bytes.length; place += 1) expect(scan("utf-8", cutAt(bytes, place))).toEqual(whole);
    const single = [...bytes].map((byte) => Buffer.from([byte]));
    expect(scan("utf-8", single)).toEqual(whole);
  });

  test.each(["utf-16le", "utf-16be"] as const)("is the same in %s", (encoding) => {
    const little = Buffer.from("\ufeffa\nb🙂\ud800c\n\0\nlonger than five\n\udc00", "utf16le");
    const bytes = encoding === "utf-16le" ? little : Buffer.from(little).swap16();
    const whole = scan(encoding, [bytes]);
    expect(whole).toEqual({
      lines: ["a", "b🙂\ufffdc", "\u2400"],
      totalLines: 5,
      cutLines: [],
      truncated: true,
      invalid: { count: 4, firstLine: 2 },
      nul: { count: 1, firstLine: 3 },
    });
    for (let place = 0; place <= bytes.length; place += 1) expect(scan(encoding, cutAt(bytes, place))).toEqual(whole);
  });
});

describe("what is counted", () => {
  /** Broken bytes by the rule itself: what decoding and encoding does not give back. */
  const brokenIn = (bytes: Buffer): number => {
    let [at, count] = [0, 0];
    while (at < bytes.length) {
      const width = [1, 2, 3, 4].find((size) => {
        const piece = bytes.subarray(at, at + size);
        return piece.length === size && Buffer.from(piece.toString("utf8")).equals(piece) && [...piece.toString("utf8")].length === 1;
      });
      if (width === undefined) count += 1;
      at += width ?? 1;
    }
    return count;
  };

  test("any bytes: as many broken ones and lines as a trivial model finds", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const likely = [0x0a, 0x0d, 0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x99, 0x82, 0xed, 0xa0, 0xf4, 0x90, 0xff];
    for (let round = 0; round < 500; round += 1) {
      const bytes = Buffer.from(Array.from({ length: random(40) }, () => likely[random(likely.length)] ?? 0));
      const found = scan("utf-8", cutAt(bytes, random(bytes.length + 1)));
      const lines = bytes.length === 0 ? 0 : bytes.filter((byte) => byte === 0x0a).length + (bytes.at(-1) === 0x0a ? 0 : 1);
      expect([found.totalLines, found.invalid?.count ?? 0, bytes.toString("hex")]).toEqual([lines, brokenIn(bytes), bytes.toString("hex")]);
    }
  });

  test("lines behind the window count, and what is odd in them", () => {
    const bytes = Buffer.concat([Buffer.from("1\n2\n3\n4\n".repeat(1000)), Buffer.from([0xff, 0x0a]), Buffer.from("é\0")]);
    expect(scan("utf-8", [bytes.subarray(0, 100), bytes.subarray(100)])).toEqual({
      lines: ["1", "2", "3"],
      totalLines: 4002,
      cutLines: [],
      truncated: true,
      invalid: { count: 1, firstLine: 4001 },
      nul: { count: 1, firstLine: 4002 },
    });
  });
});
