import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { argumentLinks } from "../../../src/effect/index.js";

let top: string;
let work: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "smith-links-")));
  work = join(top, "work");
  await mkdir(join(work, "secrets"), { recursive: true });
  await writeFile(join(work, "secrets", "key"), "k");
  await symlink("../work/secrets", join(work, "docs"));
  await symlink("secrets/key", join(work, "file"));
  await symlink("/nowhere/at/all", join(work, "dangling"));
  await symlink(work, join(top, "alias"));
});
afterEach(async () => {
  await rm(top, { recursive: true, force: true });
});

describe("where arguments of a call lead", () => {
  test("is told of every text that goes through a link, at any level, and of no other", async () => {
    const args = {
      path: "file",
      more: [{ file: "docs/new.txt" }, "dangling"],
      plain: "secrets/key",
      text: "hello world",
      count: 1,
      none: "x\ny",
    };
    expect(await argumentLinks(args, work)).toEqual([
      { path: "file", real: join(work, "secrets/key") },
      { path: "docs/new.txt", real: join(work, "secrets/new.txt") },
      { path: "dangling", real: "/nowhere/at/all" },
    ]);
  });

  test("is spelled as the workspace is, which may be a link itself", async () => {
    const alias = join(top, "alias");
    expect(await argumentLinks({ path: "file", other: "secrets/key", whole: join(alias, "secrets/key") }, alias)).toEqual([
      { path: "file", real: join(alias, "secrets/key") },
    ]);
  });

  test("names are read as the file tools read them, and what no system opens is none", async () => {
    expect(await argumentLinks({ path: "f\\x69le" }, work)).toEqual([{ path: "f\\x69le", real: join(work, "secrets/key") }]);
    expect(await argumentLinks({ path: "a".repeat(5_000), nul: "a\0b", empty: "" }, work)).toEqual([]);
  });
});
