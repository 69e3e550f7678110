import { expect, test } from "vitest";
import { readBacklog } from "../../src/runtime/session/view/index.js";
import { user } from "../session/support/entries.js";
import { seqIds } from "../session/support/entries.js";
import { imagePath } from "../session/support/images.js";
import { MemoryDirectory } from "../session/support/memory.js";
import { created, openedReader } from "../session/support/store.js";

test("a backlog shows what is before and after a damaged entry, and says where it was, repaired or not", async () => {
  const directory = new MemoryDirectory();
  const store = directory.store();
  const writer = await created(store);
  const ids = seqIds();
  const before = user(ids, "before it");
  const damaged = user(ids, "in the middle", before.id);
  const after = user(ids, "after it", damaged.id);
  for (const entry of [before, damaged, after]) await writer.commit({ entries: [entry], leaf: entry.id }).durable;
  await writer.close();
  const bytes = Buffer.from(directory.get(imagePath(writer.id)));
  bytes[bytes.indexOf("in the middle")] = 0;
  directory.put(imagePath(writer.id), bytes);
  for (const isRepaired of [false, true]) {
    if (isRepaired) expect(await store.repair(writer.id)).toMatchObject({ ok: true, value: { marked: [damaged.id] } });
    const reader = await openedReader(store, writer.id);
    const { events } = await readBacklog(reader, { limit: 10 }, { session: writer.id, tool: () => undefined });
    expect(events).toMatchObject([
      { type: "user", text: "before it" },
      { type: "notice", text: "An entry was lost to damage here." },
      { type: "user", text: "after it" },
    ]);
    expect(reader.damage().map(({ next }) => next)).toEqual(isRepaired ? [] : [expect.stringContaining("smith sessions repair")]);
    await reader.close();
  }
});
