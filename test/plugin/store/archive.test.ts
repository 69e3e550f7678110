import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createTarGzip } from "nanotar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readArchive } from "../../../src/plugin/store/source/archive.js";
import { readTar } from "../../../src/plugin/store/source/tar.js";
import { pack, packTree, pax, type RawEntry, rawTar } from "./tarballs.js";
import { codes, createWorld, install, listAll, plugin, signal, summary, type World } from "./world.js";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.remove();
});

const archive = async (bytes: Uint8Array): Promise<string> => {
  await writeFile(join(world.work, "p.tgz"), bytes);
  return "p.tgz";
};

const good: readonly RawEntry[] = Object.entries(plugin()).map(([name, data]) => ({ name: `package/${name}`, data }));

describe("an archive", () => {
  test("is installed from its one folder, whatever that is called, with its integrity on record", async () => {
    for (const folder of ["package/", "acme-lint-1a2b3c/", "./package/", ""]) {
      await install(world.store(), await archive(packTree(plugin(), folder)), world.work);
      expect(await listAll(world.plugins)).toEqual(["acme.lint/manifest.kdl", "acme.lint/src/main.ts"]);
    }
    const [record] = (await world.discover()).records;
    expect(record?.integrity).toMatch(/^sha512-/u);
    expect(record?.source).toEqual({ type: "archive", path: join(world.work, "p.tgz") });
  });

  test("of another writer is read as well", async () => {
    const entries = Object.entries(plugin()).map(([name, data]) => ({ name: `package/${name}`, data }));
    await install(world.store(), await archive(await createTarGzip([{ name: "package/" }, ...entries])), world.work);
    expect(summary(await world.discover())).toEqual(["user acme.lint 1.0.0: used"]);
  });

  test("may use a name in two parts, a pax path, a GNU long name and a global comment", async () => {
    const long = `${"d".repeat(90)}/${"f".repeat(90)}.md`;
    const entries: readonly RawEntry[] = [
      { name: "pax_global_header", type: "g", data: pax("comment", "abc").data ?? "" },
      ...good,
      { name: `${"f".repeat(90)}.md`, prefix: `package/${"d".repeat(90)}`, data: "prefix" },
      pax("path", `package/p${long}`),
      { name: "package/short", data: "pax" },
      { name: "././@LongLink", type: "L", data: `package/g${long}\0` },
      { name: "package/short", data: "gnu" },
    ];
    await install(world.store(), await archive(pack(entries)), world.work);
    expect(await listAll(join(world.plugins, "acme.lint"))).toEqual([long, `g${long}`, "manifest.kdl", `p${long}`, "src/main.ts"]);
  });
});

const escapes: readonly (readonly [string, readonly RawEntry[]])[] = [
  ["a name that leads upwards", [{ name: "package/../../evil.ts", data: "x" }]],
  ["a name that begins upwards", [{ name: "../evil.ts", data: "x" }]],
  ["an absolute name", [{ name: "/tmp/evil.ts", data: "x" }]],
  ["a drive", [{ name: "C:/evil.ts", data: "x" }]],
  ["backslashes", [{ name: "package\\..\\..\\evil.ts", data: "x" }]],
  ["a folder that leads upwards", [{ name: "package/../../evil/", type: "5" }]],
  ["a name that leads upwards in a pax header", [pax("path", "../../evil.ts"), { name: "package/ok.ts", data: "x" }]],
  [
    "a name that leads upwards in a GNU header",
    [
      { name: "@", type: "L", data: "../../evil.ts\0" },
      { name: "package/ok.ts", data: "x" },
    ],
  ],
  ["a name in two parts that leads upwards", [{ name: "evil.ts", prefix: "package/../..", data: "x" }]],
  ["a path for all in a global header", [{ name: "g", type: "g", data: pax("path", "evil.ts").data ?? "" }]],
  ["a symbolic link", [{ name: "package/evil.ts", type: "2", linkName: "/etc/passwd" }]],
  ["a hard link", [{ name: "package/evil.ts", type: "1", linkName: "/etc/passwd" }]],
  ["a link by its long target", [{ name: "@", type: "K", data: "/etc/passwd\0" }]],
  ["a link in a pax header", [pax("linkpath", "/etc/passwd"), { name: "package/evil.ts", data: "x" }]],
  ["a character device", [{ name: "package/evil", type: "3" }]],
  ["a block device", [{ name: "package/evil", type: "4" }]],
  ["a pipe", [{ name: "package/evil", type: "6" }]],
  ["a sparse file", [{ name: "package/evil", type: "S", data: "x" }]],
  ["a type nobody knows", [{ name: "package/evil", type: "Z" }]],
  [
    "a file twice",
    [
      { name: "package/a.md", data: "1" },
      { name: "package/a.md", data: "2" },
    ],
  ],
  [
    "a file twice by case",
    [
      { name: "package/a.md", data: "1" },
      { name: "package/A.md", data: "2" },
    ],
  ],
  [
    "a file twice by composition",
    [
      { name: "package/\u00e9.md", data: "1" },
      { name: "package/e\u0301.md", data: "2" },
    ],
  ],
  [
    "a folder twice by case",
    [
      { name: "package/a/1.md", data: "1" },
      { name: "package/A/2.md", data: "2" },
    ],
  ],
  [
    "a file that is a folder as well",
    [
      { name: "package/a", data: "1" },
      { name: "package/a/b.md", data: "2" },
    ],
  ],
  [
    "a folder that is a file as well",
    [
      { name: "package/a/b.md", data: "2" },
      { name: "package/A", data: "1" },
    ],
  ],
  ["a control character in a name", [{ name: "package/a\u001b[2J.md", data: "x" }]],
  ["a line end in a name", [{ name: "package/a\nb.md", data: "x" }]],
  ["a character that turns the text around", [{ name: "package/a\u202egnp.md", data: "x" }]],
  ["a name that ends in a dot", [{ name: "package/a.", data: "x" }]],
  ["a stream of a file", [{ name: "package/manifest.kdl:evil", data: "x" }]],
  ["a very deep name", [{ name: `package/${"d/".repeat(40)}a.md`, data: "x" }]],
  ["a negative size", [{ name: "package/a.md", size: "-0000001000\0", data: "x" }]],
  ["a binary size", [{ name: "package/a.md", size: "\x80\0\0\0\0\0\0\0\0\0\x02\0", data: "x" }]],
  ["no size", [{ name: "package/a.md", size: "\0\0\0\0\0\0\0\0\0\0\0\0", data: "x" }]],
  ["a wrong checksum", [{ name: "package/a.md", checksum: 1, data: "x" }]],
  ["a size of its own in a pax header", [pax("size", "5000"), { name: "package/a.md", data: "x" }]],
  [
    "a broken pax header",
    [
      { name: "x", type: "x", data: "999 path=a\n" },
      { name: "package/a.md", data: "x" },
    ],
  ],
  [
    "a pax header of zero length",
    [
      { name: "x", type: "x", data: "0 path=a\n" },
      { name: "package/a.md", data: "x" },
    ],
  ],
  ["501 files", Array.from({ length: 500 }, (_, index) => ({ name: `package/f${String(index)}.md`, data: "x" }))],
  ["nothing but headers", Array.from({ length: 3000 }, () => pax("path", "package/a.md"))],
  ["a module of more than 2 MiB", [{ name: "package/big.js", data: new Uint8Array(2 * 1024 * 1024 + 1) }]],
  ["more than 10 MiB", [{ name: "package/big.bin", data: new Uint8Array(10 * 1024 * 1024) }]],
];

describe("refused as a whole, with nothing written", () => {
  test.each(escapes)("%s", async (_title, entries) => {
    const plan = await world.store().plan(await archive(pack([...good, ...entries])), { cwd: world.work, signal });
    expect(plan.ok ? [] : codes(plan.error)).toEqual(["plugin.package"]);
    expect(await listAll(world.home)).toEqual(["work/p.tgz"]);
  });

  test.each(["../package/a.md", "__proto__/constructor", "package/constructor"])("or taken as a plain name: %s", async (name) => {
    const read = await readArchive(pack([{ name, data: "x" }]));
    expect(read.ok ? [...read.value.keys()].every((key) => !key.includes("..")) : true).toBe(true);
  });

  test("a bomb, which is not inflated beyond what a package may hold", async () => {
    const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().rss;
    const read = await readArchive(bomb);
    expect(read.ok ? "" : read.error).toBe("it unpacks to more than 10485760 bytes");
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test("an archive of more than 10 MiB as it is", async () => {
    const read = await readArchive(randomBytes(10 * 1024 * 1024 + 1));
    expect(read.ok ? "" : read.error).toContain("larger than");
  });

  test("one cut anywhere", async () => {
    const whole = packTree(plugin());
    for (let length = 0; length < whole.length; length += 7) {
      const read = await readArchive(whole.subarray(0, length));
      expect(read.ok).toBe(false);
    }
    const tar = rawTar(good, { end: false });
    for (let length = 0; length <= tar.length; length += 64) expect(readTar(tar.subarray(0, length), 100).ok).toBe(false);
  });

  test("any byte of a header turned over is an error or a plain name, and never hangs", () => {
    const tar = rawTar(good);
    for (let offset = 0; offset < 512; offset += 1) {
      const broken = Uint8Array.from(tar);
      broken[offset] = (broken[offset] ?? 0) ^ 0xff;
      expect(readTar(broken, 100).ok).toBe(false);
    }
  });
});
