import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { chord, foldBurst, InputDecoder, type InputEvent } from "../../../src/tui/terminal/index.js";

/** Events in short: keys as `<chord>`, text as it is, pastes in braces. */
const short = (events: readonly InputEvent[]): string =>
  events
    .map((event) => {
      switch (event.type) {
        case "text":
          return event.text;
        case "key":
          return `<${chord(event.key)}>`;
        case "paste":
          return `{${event.text}}`;
        case "wheel":
          return `<wheel ${String(event.rows)}>`;
        case "focus":
          return event.focused ? "<in>" : "<out>";
        case "reply":
          return event.reply.type === "background" ? `<background ${event.reply.luminance.toFixed(2)}>` : "<reply>";
      }
    })
    .join("");

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new InputDecoder();
  const events = pieces.flatMap((piece) => [...decoder.push(piece)]);
  return short([...events, ...decoder.flush()]);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const SEQUENCES: readonly (readonly [string, string, string])[] = [
  ["letters", "hello", "hello"],
  ["wide characters", "漢字👩‍👩‍👧", "漢字👩‍👩‍👧"],
  ["enter and tab", "a\r\t", "a<enter><tab>"],
  ["control letters", "\x01\x17\x0a\x1f", "<ctrl+a><ctrl+w><ctrl+j><ctrl+_>"],
  ["backspace", "\x7f\x08", "<backspace><ctrl+backspace>"],
  ["arrows, normal and application", "\x1b[A\x1b[D\x1bOB\x1bOC", "<up><left><down><right>"],
  ["arrows with modifiers", "\x1b[1;5C\x1b[1;3D\x1b[1;2A", "<ctrl+right><alt+left><shift+up>"],
  [
    "home, end, pages, delete",
    "\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[5~\x1b[6~\x1b[3~\x1b[3;5~",
    "<home><end><home><end><pageup><pagedown><delete><ctrl+delete>",
  ],
  ["ctrl+end", "\x1b[1;5F", "<ctrl+end>"],
  ["alt with a letter and with backspace", "\x1bb\x1bF\x1b\x7f\x1b\r", "<alt+b><alt+shift+f><alt+backspace><alt+enter>"],
  ["escape alone", "\x1b", "<escape>"],
  ["escape before a mouse report", "\x1b\x1b[<64;3;4M", "<escape><wheel -3>"],
  ["shift+tab", "\x1b[Z", "<shift+tab>"],
  ["kitty: shift+enter, ctrl+c, escape, alt+y", "\x1b[13;2u\x1b[99;5u\x1b[27u\x1b[121;3u", "<shift+enter><ctrl+c><escape><alt+y>"],
  ["kitty: text, shifted and with associated text", "\x1b[97u\x1b[97:65;2u\x1b[97;;228u", "aAä"],
  ["kitty: the release of a key is nothing", "\x1b[97;1:3ub", "b"],
  ["kitty: keypad", "\x1b[57400u\x1b[57414u", "1<enter>"],
  ["modifyOtherKeys: shift+enter, ctrl+enter", "\x1b[27;2;13~\x1b[27;5;13~", "<shift+enter><ctrl+enter>"],
  ["wheel, and other buttons as nothing", "\x1b[<64;10;10M\x1b[<65;10;10M\x1b[<0;5;5M\x1b[<0;5;5m", "<wheel -3><wheel 3>"],
  ["focus", "\x1b[I\x1b[O", "<in><out>"],
  [
    "replies",
    "\x1b[?62;1c\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?1u\x1b]11;rgb:00/00/00\x1b\\",
    "<reply><background 1.00><reply><background 0.00>",
  ],
  ["DCS reply", "\x1bP>|xterm(390)\x1b\\a", "<reply>a"],
  ["a paste", "\x1b[200~two\nlines\x1b[201~x", "{two\nlines}x"],
  ["a paste with control codes is text", "\x1b[200~a\x03b\x1b[31mc\x1b[201~", "{a\x03b\x1b[31mc}"],
  ["a paste with the start marker inside", "\x1b[200~a\x1b[200~b\x1b[201~c", "{a\x1b[200~b}c"],
  ["a stray end marker is nothing", "a\x1b[201~b", "ab"],
  ["linux console function key is swallowed whole", "\x1b[[Ax", "x"],
  ["unknown sequences are swallowed", "\x1b[99;99;99X\x1b[?5$za", "<reply>a"],
];

describe("input decoder", () => {
  test.each(SEQUENCES)("%s", (_name, input, expected) => {
    expect(decode([bytes(input)])).toBe(expected);
  });

  test.each(SEQUENCES)("split at every byte: %s", (_name, input, expected) => {
    const all = bytes(input);
    for (let cut = 0; cut <= all.length; cut += 1) expect(decode([all.subarray(0, cut), all.subarray(cut)])).toBe(expected);
    expect(decode([...all].map((byte) => Uint8Array.of(byte)))).toBe(expected);
  });

  test("any bytes, however cut, give the same events", () => {
    const alphabet = fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "O",
      "P",
      "<",
      "6",
      "4",
      ";",
      "M",
      "m",
      "~",
      "u",
      "a",
      "é",
      "漢",
      "200~",
      "\x1b[201~",
      "\x07",
      "\\",
      "\r",
      "\x7f",
      "?",
      ":",
    );
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 24 }), fc.array(fc.nat(64), { maxLength: 6 }), (parts, cuts) => {
        const all = bytes(parts.join(""));
        const edges = [...new Set([0, ...cuts.map((cut) => Math.min(cut, all.length)), all.length])].sort((a, b) => a - b);
        const pieces = edges.slice(1).map((end, index) => all.subarray(edges[index], end));
        expect(decode(pieces)).toBe(decode([all]));
      }),
      { numRuns: 500 },
    );
  });

  test("text never holds a control character", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (raw) => {
        const decoder = new InputDecoder();
        const events = [...decoder.push(raw), ...decoder.flush()];
        for (const event of events) if (event.type === "text") expect(event.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
      }),
    );
  });

  test("a paste whose end never comes is handed over by flush, and keys work again", () => {
    const decoder = new InputDecoder();
    expect(decoder.push(bytes("\x1b[200~lost"))).toEqual([]);
    expect(decoder.pending).toBe("paste");
    expect(short(decoder.flush())).toBe("{lost}");
    expect(short(decoder.push(bytes("k\r")))).toBe("k<enter>");
  });

  test("300 kB in one paste arrive whole", () => {
    const text = "line of text\n".repeat(24_000);
    expect(decode([bytes(`\x1b[200~${text}\x1b[201~`)])).toBe(`{${text}}`);
  });
});

describe("unmarked paste", () => {
  const events = (text: string): readonly InputEvent[] => new InputDecoder().push(bytes(text));

  test.each([
    ["forty lines in one read are one paste", "line\r".repeat(40), false, true],
    ["one line with Enter is typed", "hello\r", false, false],
    ["two sent lines that fell into one read are typed", "one\rtwo\r", false, false],
    ["the rest of a paste in the next read belongs to it", "tail\r", true, true],
    ["an arrow key means a person", "a\rb\rc\r\x1b[A", false, false],
  ] as const)("%s", (_name, text, continuing, folded) => {
    expect(foldBurst(events(text), continuing).folded).toBe(folded);
  });

  test("lines and tabs are kept in order", () => {
    expect(foldBurst(events("a\r\tb\rc\r"), false).events).toEqual([{ type: "paste", text: "a\n\tb\nc\n" }]);
  });
});
