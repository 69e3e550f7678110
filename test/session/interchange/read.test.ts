import { describe, expect, test } from "vitest";
import type { EntryId, WorkId } from "../../../src/base/index.js";
import type { Diagnostic } from "../../../src/schema/index.js";
import type { ImportItem } from "../../../src/session/index.js";
import { readDump } from "../../../src/session/index.js";
import { everyEntry, seqIds } from "../support/entries.js";
import { SESSION } from "./fake-reader.js";

const ids = seqIds();
const id = (): EntryId => ids.next<EntryId>();
const HEADER = `{"type":"session","format":1,"session":"${SESSION}","created":5}`;
const counted = (seq: number): string => `{"type":"session","format":1,"session":"${SESSION}","created":5,"seq":${String(seq)}}`;
const message = (more: object = {}): string =>
  JSON.stringify({ type: "user-message", id: id(), time: 10, source: "prompt", text: "hi", ...more });

async function* each(lines: readonly string[]): AsyncIterable<string> {
  for (const line of lines) yield line;
}

interface Outcome {
  readonly items: readonly ImportItem[];
  readonly error?: Diagnostic;
}

async function read(lines: readonly string[], maxLineCharacters?: number): Promise<Outcome> {
  const dump = await readDump(each(lines), maxLineCharacters === undefined ? {} : { maxLineCharacters });
  if (!dump.ok) return { items: [], error: dump.error };
  const items: ImportItem[] = [];
  let error: Diagnostic | undefined;
  for await (const item of dump.value.items) {
    expect(error, "nothing follows an error").toBeUndefined();
    if (item.ok) items.push(item.value);
    else error = item.error;
  }
  return { items, ...(error === undefined ? {} : { error }) };
}

const failure = async (lines: readonly string[], max?: number): Promise<string> => {
  const { error } = await read(lines, max);
  return error === undefined ? "none" : `${error.code}: ${error.what} ${error.why}`;
};

const shape = (items: readonly ImportItem[]) =>
  items.map((item) => (item.type !== "change" ? item.type : { entries: item.entries.length, time: item.time, leaf: item.leaf }));

describe("entries of other programs", () => {
  test("without change numbers every line is a change of its own, and the last history entry is selected", async () => {
    const [a, b] = [id(), id()];
    const work = ids.next<WorkId>();
    const { items, error } = await read([
      HEADER,
      message({ id: a }),
      JSON.stringify({ type: "work", id: id(), time: 11, work, state: "settled" }),
      message({ id: b, parent: a, time: 12 }),
    ]);
    expect(error).toBeUndefined();
    expect(shape(items)).toEqual([
      { entries: 1, time: 10, leaf: a },
      { entries: 1, time: 11, leaf: a },
      { entries: 1, time: 12, leaf: b },
    ]);
  });

  test("lines with the same change are one; leaf and time of the change are the last line's", async () => {
    const [a, b] = [id(), id()];
    const { items } = await read([
      counted(3),
      message({ id: a, change: 2 }),
      message({ change: 2, committed: 99, leaf: null }),
      message({ id: b, change: 3, leaf: a }),
    ]);
    expect(shape(items)).toEqual([
      { entries: 2, time: 99, leaf: null },
      { entries: 1, time: 10, leaf: a },
    ]);
  });

  test("blank lines, carriage returns and a byte order mark do not count", async () => {
    const { items, error } = await read(["\ufeff", " \t", `${HEADER}\r`, "", `${message()}\r`, "\r"]);
    expect({ error, count: items.length }).toEqual({ error: undefined, count: 1 });
  });

  test("a header alone is a dump of nothing", async () => {
    expect(await read([HEADER])).toEqual({ items: [] });
  });

  test("the header says what it says, and only that", async () => {
    const leaf = id();
    const full = { type: "session", format: 1, session: SESSION, created: 5, epoch: 3, seq: 0, origin: { session: SESSION, seq: 4 }, leaf };
    const dump = await readDump(each([JSON.stringify(full)]));
    const { type: _type, format: _format, ...header } = full;
    expect(dump.ok && dump.value.header).toEqual(header);
  });

  test("an entry of 20 million characters is read", async () => {
    const { items } = await read([HEADER, message({ text: "x".repeat(20_000_000) })]);
    expect(items).toHaveLength(1);
  });
});

describe("what is wrong is said with its line and field, and ends the reading", () => {
  const frame = { type: "frame", frame: 200, flags: 0, seq: 0, tableLen: 1, after: 0, base64: "AAAA" };
  const without = (type: string, field: string): string => {
    const entry = everyEntry(seqIds()).find((sample) => sample.type === type);
    return JSON.stringify({ ...entry, [field]: undefined });
  };

  test.each<readonly [rule: string, lines: readonly string[], said: RegExp]>([
    ["an empty input", [], /^session\.dump-header: Line 1 .* empty/u],
    ["only blank lines", ["", " "], /^session\.dump-header: /u],
    ["a first line that is no JSON", ["# hello"], /^session\.dump-header: Line 1 .* not whole JSON/u],
    ["an entry without a header", [message()], /^session\.dump-header: Line 1 .*"user-message", not "session"/u],
    ["a header without its session", [`{"type":"session","format":1,"created":1}`], /^session\.dump-header: .*"session" is missing/u],
    ["a header with a field of its own", [HEADER.replace("}", `,"extra":1}`)], /^session\.dump-header: .*not known: "extra"/u],
    ["a later format", [HEADER.replace(`"format":1`, `"format":2`)], /^session\.dump-format: Line 1 .*format 2/u],
    ["no format", [HEADER.replace(`"format":1,`, "")], /^session\.dump-format: Line 1 .*format null/u],
    ["a line that is no JSON", [HEADER, "", "{", message()], /^session\.dump-line: Line 3 .*not whole JSON/u],
    ["a last line that is not whole", [HEADER, message(), message().slice(0, -9)], /^session\.dump-cut: .*line 3\. /u],
    ["a last line that is not whole before blank ones", [HEADER, message().slice(0, -9), ""], /^session\.dump-cut: /u],
    ["lines that are missing at the end", [counted(3), message({ change: 2 })], /^session\.dump-cut: .*up to 3, the last one here is 2/u],
    ["a list", [HEADER, "[1]"], /^session\.dump-line: Line 2 .*not an object/u],
    ["an unknown type", [HEADER, `{"type":"poem"}`], /^session\.dump-line: Line 2 .*no type "poem"/u],
    ["a type named like a method", [HEADER, `{"type":"toString"}`], /no type "toString"/u],
    ["no type", [HEADER, "{}"], /no type null/u],
    ["an unknown field", [HEADER, message({ colour: 1 })], /^session\.dump-line: Line 2 .*not known: "colour"/u],
    ["a field named __proto__", [HEADER, message().replace("{", `{"__proto__":{},`)], /not known: "__proto__"/u],
    [
      "an unknown field further in",
      [HEADER, message({ images: [{ mediaType: "image/png", base64: "", alt: 1 }] })],
      /"images\[0\]" has a field that is not known: "alt"/u,
    ],
    ["a missing time", [HEADER, message({ time: undefined })], /Line 2 .*"time" is missing/u],
    ["a time before 1970", [HEADER, message({ time: -1 })], /"time": /u],
    ["a time that is no whole number", [HEADER, message({ time: 1.5 })], /"time": /u],
    ["an id that is none", [HEADER, message({ id: "1" })], /"id": is not an id/u],
    ["the id of zeros", [HEADER, message({ id: "00000000-0000-0000-0000-000000000000" })], /"id": is not an id/u],
    ["an id in capitals", [HEADER, message({ parent: "0190A0A0-0000-7000-8000-0000000000AA" })], /"parent": is not an id/u],
    ["a word that has no meaning", [HEADER, message({ source: "me" })], /"source": .*"prompt"/u],
    ["an effect without its input", [HEADER, without("effect-intent", "input")], /"input" is missing/u],
    ["an answer without its model", [HEADER, without("assistant", "dispatch")], /"dispatch" is missing/u],
    ["arguments that are a list", [HEADER, JSON.stringify({ ...everyEntry(ids)[8], args: [] })], /"args": is not an object/u],
    ["a digest that is no hex", [HEADER, JSON.stringify({ ...everyEntry(ids)[6], digest: "abc" })], /"digest": is not hex/u],
    [
      "an unknown record without its content",
      [HEADER, JSON.stringify({ type: "unknown", id: id(), time: 1, kind: 99, flags: 0 })],
      /"raw" is missing/u,
    ],
    [
      "a change that goes back",
      [HEADER, message({ change: 2 }), message({ change: 1 })],
      /^session\.dump-line: Line 3 .*1 does not come after change 2/u,
    ],
    ["a change that comes again", [HEADER, message({ change: 2 }), message(), message({ change: 2 })], /Line 4 .*does not come after/u],
    ["a change of no number", [HEADER, message({ change: 0 })], /"change": /u],
    [
      "a leaf in the middle of a change",
      [HEADER, message({ change: 1, leaf: null }), message({ change: 1 })],
      /Line 3 .*only the last line/u,
    ],
    [
      "a first line with a leaf that is not there",
      [HEADER.replace("}", `,"leaf":"${id()}"}`), message()],
      /^session\.dump-line: Line 1 .*is no entry of the dump/u,
    ],
    ["a leaf that is no id", [HEADER, message({ leaf: "x" })], /"leaf": /u],
    ["a frame of a known type", [HEADER, JSON.stringify({ ...frame, frame: 1 })], /^session\.dump-line: Line 2 .*"frame": /u],
    ["a frame that is no base64", [HEADER, JSON.stringify({ ...frame, base64: "AAA" })], /"base64": is not base64/u],
    ["a gap", [counted(4), `{"type":"gap","firstSeq":1,"lastSeq":4}`], /^session\.dump-gap: Line 2 .*changes 1 to 4 are missing/u],
    [
      "a repaired gap over a change that is there",
      [HEADER, message({ id: id(), change: 2 }), `{"type":"gap","firstSeq":2,"lastSeq":3,"repaired":true}`],
      /"firstSeq" 2 does not come after change 2/u,
    ],
    ["a gap that ends before it begins", [counted(4), `{"type":"gap","firstSeq":3,"lastSeq":2}`], /is before firstSeq/u],
    ["a gap of one", [counted(4), `{"type":"gap","firstSeq":2,"lastSeq":2}`], /change 2 is missing/u],
    ["a gap without its end", [counted(4), `{"type":"gap","firstSeq":2}`], /"lastSeq" is missing/u],
  ])("%s", async (_rule, lines, said) => {
    expect(await failure(lines)).toMatch(said);
  });

  test("a line longer than any entry", async () => {
    expect(await failure([HEADER, message(), message({ text: "x".repeat(300) })], 200)).toMatch(
      /^session\.dump-line-too-long: Line 3 .*more than 200 characters/u,
    );
    expect(await failure([" ".repeat(300)], 200)).toMatch(/^session\.dump-line-too-long: Line 1 /u);
  });

  test("more entries in a change than a change can have", async () => {
    const line = message({ change: 1 });
    expect(await failure([HEADER, ...Array.from({ length: 4097 }, () => line)])).toMatch(/Line 4098 .*more than 4096 entries/u);
  });

  test("what is whole before the wrong line was given; its own change was not", async () => {
    const { items, error } = await read([HEADER, message({ change: 1 }), message({ change: 2 }), message({ change: 2, x: 1 })]);
    expect({ items: items.length, code: error?.code }).toEqual({ items: 1, code: "session.dump-line" });
  });

  test("every diagnostic says what to do", async () => {
    for (const lines of [[], [HEADER.replace("1", "2")], [HEADER, "{", ""], [counted(9)], [HEADER, "{", "{}"]]) {
      const { error } = await read(lines);
      expect(error?.next).toMatch(/\w{4}/u);
    }
  });
});

describe("the source of lines", () => {
  const closing = (lines: readonly string[]) => {
    const state = { closed: 0, taken: 0 };
    async function* source(): AsyncIterable<string> {
      try {
        for (const line of lines) {
          state.taken += 1;
          yield line;
        }
      } finally {
        state.closed += 1;
      }
    }
    return { state, source: source() };
  };

  test("is read one change at a time", async () => {
    const { state, source } = closing([HEADER, message(), message(), message(), message()]);
    const dump = await readDump(source);
    expect(state.taken).toBe(1);
    if (!dump.ok) throw new Error(dump.error.what);
    const items = dump.value.items[Symbol.asyncIterator]();
    await items.next();
    expect(state.taken).toBe(3);
    await items.return?.();
    expect(state.closed).toBe(1);
  });

  test.each([
    ["its end", [HEADER, message()]],
    ["a wrong line", [HEADER, "[]", message()]],
    ["a wrong header", ["[]", message()]],
  ])("is closed at %s", async (_at, lines) => {
    const { state, source } = closing(lines);
    const dump = await readDump(source);
    if (dump.ok) for await (const item of dump.value.items) if (!item.ok) expect(item.error.code).toBe("session.dump-line");
    expect(state.closed).toBe(1);
  });
});
