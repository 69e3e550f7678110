import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOutputFile } from "../../../../src/effect/process/output/output-file.js";
import { createOutputFolder, OUTPUT_FOLDER_BOUNDS } from "../../../../src/effect/process/output/output-folder.js";
import { realClock } from "../../support.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-outputs-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe("the file of an output", () => {
  test("is made only for more than is held back, and then holds all of it, in order", async () => {
    const path = join(dir, "new", "a.log");
    const small = createOutputFile({ path, holdBytes: 10 });
    small.push("0123456789");
    expect([await small.end(), await readdir(dir)]).toEqual([undefined, []]);
    const file = createOutputFile({ path, holdBytes: 10 });
    const pieces = Array.from({ length: 5000 }, (_, index) => `piece ${index} é\n`);
    for (const piece of pieces) file.push(piece);
    expect(await file.end()).toBe(path);
    expect(await readFile(path, "utf8")).toBe(pieces.join(""));
    expect(file.bytes()).toBe(Buffer.byteLength(pieces.join("")));
  });

  test("says where it stops", async () => {
    const file = createOutputFile({ path: join(dir, "a.log"), holdBytes: 0, maxBytes: 10 });
    for (const piece of ["12345678", "9abc", "never", "seen"]) file.push(piece);
    expect([await readFile((await file.end()) ?? "", "utf8"), file.bytes()]).toEqual([
      "123456789abc\n[what came after 10 bytes was not kept]\n",
      21,
    ]);
  });

  test("makes who is faster than the disk wait", async () => {
    const file = createOutputFile({ path: join(dir, "a.log"), holdBytes: 0 });
    file.push("x".repeat(100));
    expect(file.room()).toBeUndefined();
    file.push("x".repeat(2 * 1024 * 1024));
    const room = file.room();
    expect(room).toBeInstanceOf(Promise);
    await room;
    expect(file.room()).toBeUndefined();
    await file.end();
  });

  test("that cannot be written is none, and the command goes on", async () => {
    await writeFile(join(dir, "file"), "");
    await writeFile(join(dir, "taken.log"), "of somebody else");
    for (const path of [join(dir, "file", "a.log"), join(dir, "taken.log")]) {
      const file = createOutputFile({ path, holdBytes: 0 });
      file.push("text");
      await file.room();
      file.push("more");
      expect([await file.end(), file.bytes()]).toEqual([undefined, 8]);
    }
    expect(await readFile(join(dir, "taken.log"), "utf8")).toBe("of somebody else");
  });
});

describe("the folder of a session's outputs", () => {
  const DAY = 24 * 3_600_000;

  /** A folder of another session, last used so long ago. */
  async function other(name: string, ageMs: number): Promise<void> {
    await mkdir(join(dir, name));
    await writeFile(join(dir, name, "command-1.log"), "text");
    const at = new Date(realClock.now() - ageMs);
    await utimes(join(dir, name, "command-1.log"), at, at);
    await utimes(join(dir, name), at, at);
  }

  test("never names a file twice, in a later process neither", async () => {
    const folder = join(dir, "own");
    const first = createOutputFolder({ folder, clock: realClock });
    expect([(await first.next("job")).number, (await first.next("job")).number, (await first.next("command")).number]).toEqual([1, 2, 1]);
    await mkdir(folder);
    for (const name of ["job-7.log", "command-3.log", "job-x.log", "job-99.txt"]) await writeFile(join(folder, name), "");
    const later = createOutputFolder({ folder, clock: realClock });
    expect(await Promise.all([later.next("job"), later.next("job"), later.next("command")])).toEqual([
      { number: 8, path: join(folder, "job-8.log") },
      { number: 9, path: join(folder, "job-9.log") },
      { number: 4, path: join(folder, "command-4.log") },
    ]);
    expect([await later.former(7), await later.former(6)]).toEqual([join(folder, "job-7.log"), undefined]);
  });

  test("removes those of others that nobody has written to for a week, and no other", async () => {
    await other("old", 8 * DAY);
    await other("recent", 6 * DAY);
    await other("own", 30 * DAY);
    await mkdir(join(dir, "empty"));
    await writeFile(join(dir, "no-folder"), "");
    const folder = createOutputFolder({ folder: join(dir, "own"), clock: realClock });
    await folder.next("command");
    await folder.swept();
    expect((await readdir(dir)).toSorted()).toEqual(["empty", "no-folder", "own", "recent"]);
  });

  test("removes the oldest while all are too large together, but none that may be in use", async () => {
    const { truncate } = await import("node:fs/promises");
    for (const [name, ageMs] of [
      ["oldest", 3 * DAY],
      ["older", 2 * DAY],
      ["in-use", 1_000],
    ] as const) {
      await other(name, ageMs);
      const path = join(dir, name, "command-1.log");
      // It takes no room: nothing was written there.
      await truncate(path, OUTPUT_FOLDER_BOUNDS.totalBytes / 2 + 1);
      const at = new Date(realClock.now() - ageMs);
      await utimes(path, at, at);
    }
    const folder = createOutputFolder({ folder: join(dir, "own"), clock: realClock });
    await folder.next("command");
    await folder.swept();
    expect((await readdir(dir)).toSorted()).toEqual(["in-use"]);
  });
});
