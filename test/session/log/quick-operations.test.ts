import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Clock } from "../../../src/base/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations, quickOperations } from "../../../src/session/log/index.js";
import { systemClock } from "../support/store.js";

/** Where each of some reads happens, when they take so many ms one after the other. */
async function placesOf(ms: readonly number[]): Promise<readonly (string | undefined)[]> {
  const dir = await mkdtemp(join(tmpdir(), "smith-quick-"));
  const path = join(dir, "file");
  let elapsed = 0;
  const clock: Clock = { ...systemClock, monotonic: () => elapsed };
  const places: (string | undefined)[] = [];
  const ops: FileOperations = {
    ...nodeFileOperations,
    read: (fd, into, position, where) => {
      elapsed += ms[places.length] ?? 0;
      places.push(where);
      return nodeFileOperations.read(fd, into, position, where);
    },
  };
  try {
    await writeFile(path, "some bytes");
    const quick = quickOperations(ops, clock);
    const fd = await quick.open(path, "r");
    for (let index = 0; index < ms.length; index += 1) {
      const into = Buffer.alloc(20);
      expect(into.subarray(0, await quick.read(fd, into, 5)).toString()).toBe("bytes");
    }
    await quick.close(fd);
    return places;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

test("reads from memory stay on this thread, however many they are", async () => {
  expect(await placesOf(Array.from({ length: 100 }, () => 1))).toEqual(Array.from({ length: 100 }, () => "here"));
});

test("after having waited too long in all, reads leave this thread alone", async () => {
  expect(await placesOf([12, 0, 11, 0, 0])).toEqual(["here", "here", "here", "pool", "pool"]);
});

test("what cannot be opened rejects, wherever it was tried", async () => {
  const quick = quickOperations(nodeFileOperations, systemClock);
  await expect(quick.open(join(tmpdir(), "smith-quick", "nowhere"), "r")).rejects.toMatchObject({ code: "ENOENT" });
});
