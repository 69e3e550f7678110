import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KINDS } from "../../../src/session/codec/index.js";
import type { ImportItem } from "../../../src/session/index.js";
import { dumpLines, readDump } from "../../../src/session/index.js";
import { collect, created, openedReader, withStore } from "../support/store.js";

const DOCUMENT = readFileSync(new URL("../../../docs/reference/session-dump.md", import.meta.url), "utf8");
const [EXAMPLE = [], GAP = [], REPAIRED = [], SMALLEST = []] = [...DOCUMENT.matchAll(/```jsonl\n([^`]*)```/gu)].map(([, text = ""]) =>
  text.trimEnd().split("\n"),
);

async function* each(lines: readonly string[]): AsyncIterable<string> {
  for (const line of lines) yield line;
}

async function read(lines: readonly string[]) {
  const dump = await readDump(each(lines));
  if (!dump.ok) throw new Error(dump.error.why);
  const items = await collect(dump.value.items);
  return { header: dump.value.header, items };
}

test("the example of the document is what a session with these entries is dumped as", async () => {
  const { header, items } = await read(EXAMPLE);
  const changes = items.flatMap((item): readonly ImportItem[] => (item.ok ? [item.value] : []));
  expect(changes).toHaveLength(items.length);
  await withStore(async (store) => {
    const writer = await created(store, header.session);
    let last;
    for (const item of changes) if (item.type === "change") last = writer.commit({ entries: item.entries, leaf: item.leaf ?? null });
    await last?.durable;
    await writer.close();
    const reader = await openedReader(store, header.session);
    const lines = (await collect(dumpLines(reader))).map((line) => (line.ok ? line.value : ""));
    await reader.close();
    // Only when it is made and committed is the clock's.
    const timeless = (line: string): string => line.replace(/,"(?:created|committed)":\d+/gu, "");
    expect(lines.map(timeless)).toEqual(EXAMPLE.map(timeless));
  });
});

test("the smallest dump of the document is read", async () => {
  const { items } = await read(SMALLEST);
  expect(items.map((item) => item.ok && item.value.type)).toEqual(["change"]);
});

test("a gap as the document shows it is refused", async () => {
  const { items } = await read([...SMALLEST.slice(0, 1), ...GAP]);
  expect(items.map((item) => !item.ok && item.error.code)).toEqual(["session.dump-gap"]);
});

test("a gap of a repair as the document shows it is gone over", async () => {
  const { items } = await read([...SMALLEST.slice(0, 1), ...REPAIRED]);
  expect(items).toEqual([{ ok: true, value: { type: "gap", firstSeq: 12, lastSeq: 14 } }]);
});

test("the document names every type of the history", () => {
  const history = Object.entries(KINDS).flatMap(([type, { flags }]) => ((flags & 1) === 0 ? [] : [type]));
  expect(history.filter((type) => !DOCUMENT.includes(`\`${type}\``))).toEqual([]);
});
