import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { walkPackage } from "../../../src/plugin/package/walk.js";
import { temporaryFolder, writeFiles } from "./folder.js";

const codesOf = (root: string): readonly string[] => walkPackage(root).problems.map(({ code }) => code);
const namesOf = (root: string): readonly string[] => walkPackage(root).files.map(({ name }) => name);

test("every file counts, by name, but node_modules and what begins with a dot", async () => {
  const root = await temporaryFolder();
  await writeFiles(root, {
    "manifest.kdl": "",
    "src/b.ts": "",
    "src/a.ts": "",
    "src.ts": "",
    "test/a.test.ts": "",
    "src/node_modules/x/index.js": "",
    "node_modules/x/index.js": "",
    ".git/config": "",
    ".env": "",
    "src/.a.ts.swp": "",
    "docs/Ünicode name.md": "",
  });
  expect(namesOf(root)).toEqual(["docs/Ünicode name.md", "manifest.kdl", "src.ts", "src/a.ts", "src/b.ts", "test/a.test.ts"]);
  expect(codesOf(root)).toEqual([]);
});

describe("links", () => {
  test("to files and folders of the package are followed", async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { "src/a.ts": "", "manifest.kdl": "" });
    await symlink("src/a.ts", join(root, "file.ts"));
    await symlink(join(root, "src"), join(root, "folder"));
    expect(namesOf(root)).toEqual(["file.ts", "folder/a.ts", "manifest.kdl", "src/a.ts"]);
    expect(codesOf(root)).toEqual([]);
  });

  test.each<[string, string]>([
    ["to a file outside", "/etc/passwd"],
    ["to a folder outside", ".."],
    ["to a folder beside with the same beginning", "../package-2"],
  ])("%s are refused", async (_, target) => {
    const around = await temporaryFolder();
    await writeFiles(around, { "package/manifest.kdl": "", "package-2/secret": "" });
    await symlink(target, join(around, "package", "link"));
    expect(codesOf(join(around, "package"))).toEqual(["package.link-outside"]);
    expect(namesOf(join(around, "package"))).toEqual(["manifest.kdl"]);
  });

  test.each<[string, string]>([
    ["to nothing", "nowhere"],
    ["to themselves", "link"],
    ["to a folder they are in", "."],
  ])("%s are refused", async (_, target) => {
    const root = await temporaryFolder();
    await symlink(target, join(root, "link"));
    expect(codesOf(root)).toEqual(["package.link-broken"]);
  });

  test("in two folders to each other end", async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, "a"));
    await mkdir(join(root, "b"));
    await symlink("../b", join(root, "a", "to-b"));
    await symlink("../a", join(root, "b", "to-a"));
    expect(codesOf(root)).toEqual(["package.link-broken", "package.link-broken"]);
  });
});

describe("what is no file", () => {
  test("a named pipe is refused without waiting for it", async () => {
    const root = await temporaryFolder();
    execFileSync("mkfifo", [join(root, "main.ts")]);
    expect(codesOf(root)).toEqual(["package.not-a-file"]);
  });

  test("a socket is refused", async () => {
    const root = await temporaryFolder();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "s"), resolve));
    onTestFinished(async () => new Promise((resolve) => server.close(() => resolve())));
    expect(codesOf(root)).toEqual(["package.not-a-file"]);
  });
});

test.each<[string, string | Buffer]>([
  ["a line break", "a\nb"],
  ["an escape", "a\u001b[31m"],
  ["a backslash", "a\\b"],
  ["a change of direction", "a\u202etxt.ts"],
  ["bytes that are no UTF-8", Buffer.from([0x61, 0xff])],
])("a name with %s is refused", async (_, name) => {
  const root = await temporaryFolder();
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name as string)]), "");
  expect(codesOf(root)).toEqual(["package.odd-name"]);
});

describe("bounds", () => {
  test("of files", async () => {
    const root = await temporaryFolder();
    await writeFiles(root, Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`a${String(index)}`, ""])));
    expect(codesOf(root)).toEqual([]);
    await writeFiles(root, { more: "" });
    expect(codesOf(root)).toEqual(["package.too-large"]);
  });

  test("of bytes, without reading them", async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { a: Buffer.alloc(6 * 1024 * 1024), b: Buffer.alloc(4 * 1024 * 1024) });
    expect(codesOf(root)).toEqual([]);
    await writeFiles(root, { c: "1" });
    expect(codesOf(root)).toEqual(["package.too-large"]);
  });

  test("of folders", async () => {
    const root = await temporaryFolder();
    for (let index = 0; index < 500; index += 1) await mkdir(join(root, String(index)));
    expect(codesOf(root)).toEqual(["package.too-large"]);
  });

  test("of depth", async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, ...Array.from({ length: 33 }, () => "d")), { recursive: true });
    expect(codesOf(root)).toEqual(["package.too-large"]);
  });

  test("of problems that are told", async () => {
    const root = await temporaryFolder();
    for (let index = 0; index < 40; index += 1) await symlink("/etc/passwd", join(root, String(index)));
    expect(codesOf(root)).toHaveLength(20);
  });
});
