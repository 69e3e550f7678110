import { link, mkdir, readFile, rename, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SdkOperation, SdkOperations } from "../../../src/schema/index.js";
import type { Bench } from "../support.js";
import { contextFor, createBench, errorOf, makeFolder, NOTHING, removeFolder, testFacilities, valueOf } from "../support.js";

let top: string;
let w: string;
let o: string;
let bench: Bench;

beforeEach(async () => {
  top = await makeFolder();
  w = join(top, "w");
  o = join(top, "o");
  await mkdir(join(w, "sub"), { recursive: true });
  await mkdir(o);
  await writeFile(join(o, "secret"), "secret one\n");
  await writeFile(join(w, "in.txt"), "one\n");
  const links = { out: "../o", f: "../o/secret", new: "../o/created", chain1: "chain2", chain2: "f", inner: "in.txt", "sub/up": "../../o" };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(w, name));
  await link(join(o, "secret"), join(w, "hard"));
  await symlink("w", join(top, "w2"));
  await mkdir(join(top, "wx"));
  await writeFile(join(top, "wx", "t"), "sibling\n");
  bench = createBench(w, { denied: [join(w, "state")] });
});
afterEach(async () => {
  await bench.close();
  await removeFolder(top);
});

const OUTSIDE = [
  { name: "link to a folder", path: "out/secret", real: "o/secret" },
  { name: "link to a file", path: "f", real: "o/secret" },
  { name: "dangling link", path: "new", real: "o/created" },
  { name: "chain of links", path: "chain1", real: "o/secret" },
  { name: "link below a folder", path: "sub/up/secret", real: "o/secret" },
  { name: "..", path: "../o/secret", real: "o/secret" },
  { name: ".. behind a folder", path: "sub/../../o/secret", real: "o/secret" },
  { name: "new file behind a link", path: "out/made/deep", real: "o/made/deep" },
  { name: "sibling with the same beginning", path: "../wx/t", real: "wx/t" },
];

const REQUESTS: readonly { readonly op: SdkOperation; readonly inputOf: (path: string) => SdkOperations[SdkOperation]["input"] }[] = [
  { op: "fs.read", inputOf: (path) => ({ path }) },
  { op: "fs.write", inputOf: (path) => ({ path, content: "pwned" }) },
  { op: "fs.edit", inputOf: (path) => ({ path, edits: [{ old: "one", new: "pwned" }] }) },
  { op: "fs.list", inputOf: (path) => ({ path }) },
  { op: "search.find", inputOf: (path) => ({ pattern: "*", path }) },
  { op: "search.grep", inputOf: (path) => ({ pattern: "one", path }) },
];

describe("what ends outside the granted roots is refused with its real path (security-2)", () => {
  test.each(OUTSIDE)("$name", async ({ path, real }) => {
    for (const { op, inputOf } of REQUESTS) {
      const error = await bench.error(op, inputOf(path));
      expect([op, error.code]).toEqual([op, "grant.denied"]);
      expect(error.what).toContain(join(top, real));
      expect(error.why).toMatch(/grant is (?:fs read|fs write|search)=workspace/u);
    }
    expect(await readFile(join(o, "secret"), "utf8")).toBe("secret one\n");
    await expect(stat(join(o, "created"))).rejects.toThrow("ENOENT");
    await expect(stat(join(o, "made"))).rejects.toThrow("ENOENT");
  });

  test("an absolute path is checked like any other", async () => {
    expect((await bench.error("fs.read", { path: join(o, "secret") })).code).toBe("grant.denied");
    expect(await bench.value("fs.read", { path: join(w, "in.txt") })).toMatchObject({ path: "in.txt", lines: ["one"] });
  });
});

describe("what ends inside works", () => {
  test("a link inside the workspace", async () => {
    expect(await bench.value("fs.read", { path: "inner" })).toMatchObject({ path: "in.txt", lines: ["one"] });
  });

  test("a workspace reached by a link", async () => {
    const linked = createBench(join(top, "w2"));
    try {
      expect(await linked.value("fs.edit", { path: "in.txt", edits: [{ old: "one", new: "two" }] })).toMatchObject({ path: "in.txt" });
      expect(await linked.value("fs.read", { path: join(w, "in.txt") })).toMatchObject({ path: "in.txt", lines: ["two"] });
      expect((await linked.error("fs.read", { path: "f" })).code).toBe("grant.denied");
    } finally {
      await linked.close();
    }
  });

  test("a hard link counts where its name is, and an edit replaces the name, not the other file", async () => {
    await bench.value("fs.edit", { path: "hard", edits: [{ old: "secret", new: "open" }] });
    expect([await readFile(join(w, "hard"), "utf8"), await readFile(join(o, "secret"), "utf8")]).toEqual(["open one\n", "secret one\n"]);
  });

  test("a granted path root, itself a link, and no grant at all", async () => {
    const grants = { ...NOTHING, fsRead: [{ path: join(w, "out") }] };
    expect(await bench.value("fs.read", { path: "f" }, { grants })).toMatchObject({ path: join(o, "secret"), lines: ["secret one"] });
    const error = await bench.error("fs.write", { path: "in.txt", content: "" }, { grants });
    expect(error.why).toContain("it has no grant fs write");
  });
});

test("smith's own places are refused whatever is granted", async () => {
  await mkdir(join(w, "state"));
  await writeFile(join(w, "state", "auth"), "key");
  await symlink("state/auth", join(w, "innocent"));
  for (const path of ["state/auth", "innocent", "state/../state/new"]) {
    expect((await bench.error("fs.read", { path })).code).toBe("grant.internal");
    expect((await bench.error("fs.write", { path, content: "" })).code).toBe("grant.internal");
  }
});

describe("a link put in between check and use", () => {
  const set = () => testFacilities({ policy: { tempDir: top, denied: [] } }).table;

  test("the last name: nothing is read or written through it", async () => {
    const table = set();
    const context = contextFor(w);
    const read = valueOf(await table["fs.read"].authorize({ path: "in.txt" }, context));
    const write = valueOf(await table["fs.write"].authorize({ path: "in.txt", content: "pwned" }, context));
    await unlink(join(w, "in.txt"));
    await symlink("../o/secret", join(w, "in.txt"));
    expect(errorOf((await table["fs.read"].run(read, context)).result).code).toBe("fs.moved");
    expect(errorOf((await table["fs.write"].run(write, context)).result).code).toBe("fs.moved");
    expect(await readFile(join(o, "secret"), "utf8")).toBe("secret one\n");
  });

  test("a folder on the way", async () => {
    await writeFile(join(w, "sub", "secret"), "mine\n");
    const table = set();
    const context = contextFor(w);
    const write = valueOf(await table["fs.write"].authorize({ path: "sub/secret", content: "pwned" }, context));
    await rename(join(w, "sub"), join(w, "moved"));
    await symlink("../o", join(w, "sub"));
    expect(errorOf((await table["fs.write"].run(write, context)).result).code).toBe("fs.moved");
    expect(await readFile(join(o, "secret"), "utf8")).toBe("secret one\n");
  });
});
