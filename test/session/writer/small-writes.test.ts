import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Clock } from "../../../src/base/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createLocker } from "../../../src/session/lock.js";
import { createStoreOn } from "../../../src/session/store.js";
import { seqIds, user } from "../support/entries.js";
import { created, depsFor, systemClock } from "../support/store.js";

/** Where each change is written, when writing one takes so many ms. */
async function placesOf(texts: readonly string[], msOfWrite: (index: number) => number): Promise<readonly (string | undefined)[]> {
  const dir = await mkdtemp(join(tmpdir(), "smith-small-"));
  let elapsed = 0;
  const clock: Clock = { ...systemClock, monotonic: () => elapsed };
  const places: (string | undefined)[] = [];
  const ops: FileOperations = {
    ...nodeFileOperations,
    write: (fd, bytes, position, where) => {
      elapsed += msOfWrite(places.length);
      places.push(where);
      return nodeFileOperations.write(fd, bytes, position, where);
    },
  };
  try {
    const writer = await created(createStoreOn(depsFor(dir, { clock }), ops, createLocker()));
    // The header of the file is no change.
    places.length = 0;
    const ids = seqIds();
    for (const text of texts) await writer.commit({ entries: [user(ids, text)] }).durable;
    const seen = [...places];
    await writer.close();
    return seen;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

test("small groups are written on this thread, large ones are not", async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => String(index * index)).join(" ");
  expect(await placesOf(["short", long, "short"], () => 0)).toEqual(["here", "pool", "here"]);
});

test("after one write that had to wait, a writer leaves this thread alone", async () => {
  expect(await placesOf(["a", "b", "c", "d"], (index) => (index === 1 ? 11 : 10))).toEqual(["here", "here", "pool", "pool"]);
});
