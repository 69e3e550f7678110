import { describe, expect, test } from "vitest";
import type { JsonValue, WorkId } from "../../../src/base/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { ask, sample } from "../support/answers.js";
import { BUILT_ID, FileBuilder } from "../support/build.js";
import { everyEntry, laterEntries, seqIds, user } from "../support/entries.js";
import { imagePath } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { faultyOperations } from "../support/operations.js";
import { created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";
import { workEntries } from "../support/work-entries.js";

describe("live state", () => {
  test("of an observer is the writer's after every change, also across checkpoints", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const make = workEntries(ids);
      const writer = await created(store);
      const observer = await openedReader(store, writer.id);
      expect(await observer.live()).toEqual(await writer.live());
      const works: WorkId[] = [];
      for (let round = 0; round < 30; round += 1) {
        works.push(ids.next());
        const parent = works[round - 1];
        const [entries, later] = round === 5 ? [everyEntry(ids), laterEntries(ids)] : [[], []];
        const bulk = Array.from({ length: round === 10 ? 3000 : 3 }, () => user(ids, "x"));
        writer.commit({ entries: [...entries, ...later, ...bulk] });
        if (round < 10)
          writer.commit({
            entries: [make.work(works[round] ?? ids.next(), "running", parent === undefined ? {} : { parentWork: parent })],
          });
        else if (round > 20) writer.commit({ entries: [make.work(works[30 - round] ?? ids.next(), "settled")] });
        await writer.commit({ entries: [make.put(`${round % 7}`, round)] }).durable;
        expect(await observer.live()).toEqual(await writer.live());
      }
      await writer.close();
      const late = await openedReader(store, writer.id);
      expect(await late.live()).toEqual(await observer.live());
      await late.close();
      await observer.close();
    });
  });

  test("is what reached the file when storage fails, not what was still to be written", async () => {
    await withStore(async (_store, dir) => {
      let isBroken = false;
      const ops = faultyOperations(({ name }) => (isBroken && name === "write" ? { error: "EIO" } : undefined));
      const writer = await created(createStoreOn(depsFor(dir), ops, createLocker()));
      const make = workEntries(seqIds());
      const [written, lost] = [seqIds(5000).next<WorkId>(), seqIds(6000).next<WorkId>()];
      await writer.commit({ entries: [make.work(written, "running")] }).durable;
      isBroken = true;
      await writer.commit({ entries: [make.work(lost, "running")] }).durable.catch(() => undefined);
      expect([...(await writer.live()).works.keys()]).toEqual([written]);
      await writer.close();
    });
  });

  test("that does not fit a checkpoint is folded from where it did, and the index is there all the same", async () => {
    const ids = seqIds();
    const make = workEntries(ids);
    let deep: JsonValue = null;
    for (let level = 0; level < 126; level += 1) deep = [deep];
    for (const checkpoint of [deep, "x".repeat(1_100_000)]) {
      const builder = new FileBuilder();
      const work = ids.next<WorkId>();
      const early = user(ids, "early");
      builder.commit([early, make.submission(ids.next(), work, "k")]);
      builder.checkpoint();
      builder.commit([make.work(work, "running", { checkpoint })]);
      builder.checkpoint();
      builder.commit([user(ids, "late")]);
      const directory = new MemoryDirectory();
      directory.put(imagePath(BUILT_ID), builder.bytes());
      for (const open of [openedReader, openedWriter]) {
        const session = await open(directory.store(), BUILT_ID);
        expect((await session.live()).works.get(work)?.checkpoint).toEqual(checkpoint);
        expect((await session.live()).turns).toBe(2);
        expect((await session.get(early.id))?.id).toBe(early.id);
        expect((await session.admission("k"))?.work).toBe(work);
        await session.close();
      }
    }
  });

  test("is not touched by reading it: asking changes no byte", async () => {
    const { bytes, ids } = sample([1, 3], [], "acknowledged");
    const directory = new MemoryDirectory();
    directory.put(imagePath(BUILT_ID), bytes);
    const reader = await openedReader(directory.store(), BUILT_ID);
    const first = await reader.live();
    expect(await reader.live()).toBe(first);
    await reader.close();
    expect(directory.get(imagePath(BUILT_ID)).equals(bytes)).toBe(true);
    expect((await ask(bytes, ids)).reader.live).toEqual(first);
  });
});
