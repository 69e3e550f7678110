import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFile, fileChunks } from "../../bin/files.js";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smith-files-"));
  path = join(folder, "a.txt");
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("a file that is made whole or not at all", () => {
  test("is not there before it is published, and nothing else is after", async () => {
    const file = await createFile(path, false);
    await file.write("one ");
    await file.write("two");
    expect(readdirSync(folder)).not.toContain("a.txt");
    await file.publish();
    await file.discard();
    expect(readdirSync(folder)).toEqual(["a.txt"]);
    expect(readFileSync(path, "utf8")).toBe("one two");
  });

  test("leaves nothing when it is discarded", async () => {
    const file = await createFile(path, false);
    await file.write("half");
    await file.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("does not replace what is there, also when that came meanwhile", async () => {
    const file = await createFile(path, false);
    writeFileSync(path, "theirs");
    await expect(file.publish()).rejects.toMatchObject({ code: "EEXIST" });
    await file.discard();
    await expect(createFile(path, false)).rejects.toMatchObject({ code: "EEXIST" });
    expect(readdirSync(folder)).toEqual(["a.txt"]);
    expect(readFileSync(path, "utf8")).toBe("theirs");
  });

  test("replaces when that is asked for, keeping the mode and a link to it", async () => {
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    const link = join(folder, "link");
    symlinkSync(path, link);
    const file = await createFile(link, true);
    await file.write("new");
    await file.publish();
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777, lstatSync(link).isSymbolicLink()]).toEqual(["new", 0o640, true]);
  });

  test.each([
    ["a folder", () => folder],
    ["a device", () => "/dev/null"],
  ])("never takes the place of %s", async (_name, target) => {
    await expect(createFile(target(), true)).rejects.toMatchObject({ code: "ERR_NO_FILE" });
  });
});

describe("a file in pieces", () => {
  test("is all of it in order, and is closed when the reader stops", async () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
    writeFileSync(path, bytes);
    const pieces: Uint8Array[] = [];
    for await (const piece of fileChunks(path)) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    const open = readdirSync("/proc/self/fd").length;
    for await (const piece of fileChunks(path)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(readdirSync("/proc/self/fd").length).toBe(open);
  });

  test.each([
    ["nothing there", () => path, "ENOENT"],
    ["a folder", () => folder, "EISDIR"],
  ])("%s rejects with the system's code", async (_name, target, code) => {
    await expect(fileChunks(target()).next()).rejects.toMatchObject({ code });
  });
});
