import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLeftovers } from "../../../src/effect/fs/leftovers.js";
import { commitAll } from "../../../src/effect/fs/patch/commit-all.js";
import type { VirtualFile } from "../../../src/effect/fs/patch/virtual-files.js";
import { confirmPlace } from "../../../src/effect/paths/index.js";
import { contextFor, makeFolder, removeFolder, testIds, valueOf } from "../support.js";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

/** A file as a patch leaves it; `after` left out: it goes. */
async function virtual(name: string, after?: string): Promise<VirtualFile> {
  const place = valueOf(await confirmPlace(join(folder, name), contextFor(folder)));
  const path = join(folder, name);
  const before = place.exists ? { bytes: await readFile(path), stats: await stat(path) } : undefined;
  return { place, before, after: after === undefined ? undefined : Buffer.from(after), hunks: 1 };
}

const commit = (files: readonly VirtualFile[], signal = new AbortController().signal) =>
  commitAll(files, signal, { ids: testIds(), leftovers: createLeftovers() });

test("when one cannot be put in place, those before it are put back with their modes, new ones and their folders are gone, and all are named", async () => {
  await writeFile(join(folder, "a"), "1");
  await chmod(join(folder, "a"), 0o640);
  await writeFile(join(folder, "b"), "1");
  await writeFile(join(folder, "c"), "1");
  const files = [await virtual("a", "2"), await virtual("new/n", "x"), await virtual("b", "2"), await virtual("c")];
  await writeFile(join(folder, "b"), "somebody else");
  const done = await commit(files);
  if (done.outcome === "applied") throw new Error("it was applied");
  expect([done.outcome, done.changed]).toEqual(["not-applied", []]);
  expect(done.error).toMatchObject({
    code: "fs.patch-broken",
    what: "b could not be changed after other files of the patch were. Put back: a, new/n. Never changed: b, c.",
    causes: [{ code: "fs.stale" }],
  });
  expect((await readdir(folder)).toSorted()).toEqual(["a", "b", "c"]);
  expect(await Promise.all(["a", "b", "c"].map((name) => readFile(join(folder, name), "utf8")))).toEqual(["1", "somebody else", "1"]);
  expect((await stat(join(folder, "a"))).mode & 0o777).toBe(0o640);
});

test("a file that went comes back as it was, the same file", async () => {
  await writeFile(join(folder, "a"), "1");
  await writeFile(join(folder, "b"), "1");
  const { ino } = await stat(join(folder, "a"));
  const files = [await virtual("a"), await virtual("b")];
  await writeFile(join(folder, "b"), "somebody else");
  const done = await commit(files);
  expect(done.outcome).toBe("not-applied");
  expect((await stat(join(folder, "a"))).ino).toBe(ino);
  expect((await readdir(folder)).toSorted()).toEqual(["a", "b"]);
});

test("a call that was stopped before the first change changes nothing", async () => {
  await writeFile(join(folder, "a"), "1");
  const done = await commit([await virtual("a", "2"), await virtual("n/m", "2")], AbortSignal.abort());
  expect(done).toMatchObject({ outcome: "not-applied", error: { code: "fs.aborted" }, changed: [] });
  expect([await readFile(join(folder, "a"), "utf8"), await readdir(folder)]).toEqual(["1", ["a"]]);
});
