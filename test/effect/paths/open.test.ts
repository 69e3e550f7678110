import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bytesOf, fromText, holdFolder, joinPath, openRegular } from "../../../src/effect/paths/index.js";
import { errorOf, makeFolder, removeFolder, valueOf } from "../support.js";

let top: string;

beforeEach(async () => {
  top = await makeFolder();
  await mkdir(join(top, "outside"));
  await mkdir(join(top, "inside", "a"), { recursive: true });
});
afterEach(() => removeFolder(top));

describe("opening what was checked", () => {
  test("a file behind a link that was not there at the check is not opened", async () => {
    await writeFile(join(top, "outside", "t"), "x");
    await symlink("../outside", join(top, "inside", "l"));
    expect(errorOf(await openRegular(fromText(join(top, "inside", "l", "t")), "t")).code).toBe("fs.moved");
    await symlink("../outside/t", join(top, "inside", "t"));
    expect(errorOf(await openRegular(fromText(join(top, "inside", "t")), "t")).code).toBe("fs.not-regular");
  });

  test("a folder that is a link is not held, and nothing is made behind it", async () => {
    await symlink("../outside", join(top, "inside", "l"));
    for (const path of ["l", "l/new/deep"]) {
      const held = await holdFolder(fromText(join(top, "inside", path)), "l");
      expect(held.ok).toBe(false);
    }
    expect(await readdir(join(top, "outside"))).toEqual([]);
  });

  test("names in a held folder stay in it when the folder above is exchanged", async () => {
    const held = valueOf(await holdFolder(fromText(join(top, "inside", "a")), "a"));
    try {
      await rename(join(top, "inside", "a"), join(top, "inside", "b"));
      await symlink("../outside", join(top, "inside", "a"));
      await writeFile(bytesOf(joinPath(held.base, "t")), "x");
    } finally {
      await held.close();
    }
    expect([await readdir(join(top, "outside")), await readdir(join(top, "inside", "b"))]).toEqual([[], ["t"]]);
  });
});
