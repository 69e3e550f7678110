import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bench } from "../support.js";
import { createBench, EVERYTHING, makeFolder, removeFolder, testShelf } from "../support.js";

let folder: string;
let bench: Bench;

beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder);
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

const put = (name: string, content: string | Buffer): Promise<void> => writeFile(join(folder, name), content);

async function text(path: string, window: { offset?: number; limit?: number; lineCharacters?: number } = {}) {
  const output = await bench.value("fs.read", { path, ...window });
  if (output.type !== "text") throw new Error(`expected text, got ${output.type}`);
  return output;
}

describe("what is no regular file is refused at once (read-1)", () => {
  test("named pipe, link to one, and an edit of it", async () => {
    execFileSync("mkfifo", [join(folder, "p")]);
    await symlink("p", join(folder, "ok.txt"));
    for (const path of ["p", "ok.txt"]) {
      const error = await bench.error("fs.read", { path });
      expect([error.code, error.what]).toEqual(["fs.not-regular", "p is not a regular file but a named pipe."]);
    }
    expect((await bench.error("fs.edit", { path: "p", edits: [{ old: "a", new: "b" }] })).code).toBe("fs.not-regular");
    expect((await bench.error("fs.write", { path: "p", content: "" })).code).toBe("fs.not-regular");
  });

  test("socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "s"), resolve));
    try {
      expect((await bench.error("fs.read", { path: "s" })).what).toBe("s is not a regular file but a socket.");
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test.each(["/dev/zero", "/dev/tty"])("%s", async (path) => {
    const error = await bench.error("fs.read", { path }, { grants: EVERYTHING });
    expect(["fs.not-regular", "fs.not-found"]).toContain(error.code);
  });

  test("missing file, and what is no path", async () => {
    expect((await bench.error("fs.read", { path: "none" })).code).toBe("fs.not-found");
    expect((await bench.error("fs.read", { path: "" })).code).toBe("fs.bad-path");
    expect((await bench.error("fs.read", { path: "a\0b" })).code).toBe("fs.bad-path");
  });

  test("a missing file is answered with the names beside it that may have been meant", async () => {
    await mkdir(join(folder, "src/a\nb"), { recursive: true });
    for (const name of ["src/index.ts", "src/index.test.ts", "src/session-store.ts", "src/a\nb/x.js", "src/a\nb/x.d.ts"])
      await put(name, "");
    const next = async (path: string) => (await bench.error("fs.read", { path })).next;
    expect(await next("src/index.tsx")).toBe("Did you mean src/index.ts?");
    expect(await next("src/sesion-store.ts")).toBe("Did you mean src/session-store.ts?");
    expect(await next("src/Index.JS")).toBe("Did you mean src/index.ts?");
    expect(await next("src/a\\nb/x.ts")).toBe("Did you mean src/a\\nb/x.js?");
    await writeFile(Buffer.from(`${join(folder, "bad")}\xffname`, "latin1"), "");
    expect(await next("bad?name")).toBe("Did you mean bad\\xffname?");
    expect(await bench.value("fs.read", { path: "bad\\xffname" })).toMatchObject({ totalBytes: 0 });
    const edits = [{ old: "a", new: "b" }];
    expect((await bench.error("fs.edit", { path: join(folder, "src/index.tsx"), edits })).next).toBe("Did you mean src/index.ts?");
    expect((await bench.error("search.grep", { pattern: "x", path: "scr" })).next).toBe("Did you mean src?");
    expect(await next("src/nothing-like-it.ts")).toBe("List the folder or find the file by a part of its name.");
    expect(await next("src/no/such/folder.ts")).toBe("List the folder or find the file by a part of its name.");
  });
});

describe("encodings (read-2)", () => {
  const line = "Größe = 5\r\nende\r\n";
  test.each([
    { encoding: "utf-16le", bytes: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(line, "utf16le")]) },
    { encoding: "utf-16be", bytes: Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(line, "utf16le").swap16()]) },
    { encoding: "utf-8", bytes: Buffer.from(`\ufeff${line}`) },
  ])("$encoding with its mark", async ({ encoding, bytes }) => {
    await put("n.txt", bytes);
    expect(await text("n.txt")).toEqual({
      type: "text",
      path: "n.txt",
      lines: ["Größe = 5", "ende"],
      firstLine: 1,
      totalLines: 2,
      totalBytes: bytes.length,
      cutLines: [],
      truncated: false,
      encoding,
    });
  });

  test.each([
    { bytes: Buffer.from(line, "utf16le"), what: "UTF-16 text without a byte order mark, little-endian" },
    { bytes: Buffer.from(line, "utf16le").swap16(), what: "UTF-16 text without a byte order mark, big-endian" },
    { bytes: Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), what: "UTF-32 text" },
    { bytes: Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0]), what: "zip archive" },
    { bytes: Buffer.from("PK\x03\x04\x14\0\0\0\0\0word/document.xml", "latin1"), what: "Word document (zip)" },
    { bytes: Buffer.from("%PDF-1.7\nall of it is text here\n"), what: "PDF document" },
    { bytes: Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1"), what: "ELF program or library" },
    { bytes: Buffer.from("SQLite format 3\0\x10\0\x01\x01", "latin1"), what: "SQLite database" },
    { bytes: Buffer.from([...deflateSync(Buffer.from(line.repeat(9)))].map((byte) => byte || 1)), what: undefined },
    {
      bytes: Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0]),
      what: "text in an older 8-bit encoding, not UTF-8",
    },
    { bytes: Buffer.concat([Buffer.from("#!/bin/sh\n".repeat(1000)), Buffer.alloc(20_000, 0xfe)]), what: "text with binary data in it" },
  ])("$what is binary, with its size and none of its bytes", async ({ bytes, what }) => {
    await put("b", bytes);
    expect(await bench.value("fs.read", { path: "b" })).toEqual({
      type: "binary",
      path: "b",
      totalBytes: bytes.length,
      ...(what === undefined ? {} : { what }),
    });
  });

  test("a NUL in a text is shown and told with its line", async () => {
    await put("n", `${"line\n".repeat(499)}a\0b\n${"line\n".repeat(100_000)}\0\n`);
    const output = await text("n", { offset: 500, limit: 1 });
    expect([output.lines, output.nul, output.totalLines]).toEqual([["a\u2400b"], { count: 2, firstLine: 500 }, 100_501]);
  });

  test("a few bytes of another encoding are marked and told, not guessed", async () => {
    await put("l", Buffer.from("eins\nzwei\nun caf\xe9 noir\nGr\xf6\xdfe\n", "latin1"));
    expect(await text("l")).toMatchObject({
      lines: ["eins", "zwei", "un caf\ufffd noir", "Gr\ufffd\ufffde"],
      invalid: { count: 3, firstLine: 3 },
    });
    await put(
      "m",
      Buffer.concat([Buffer.from("a".repeat(262_143)), Buffer.from("é\nend of it \xc3", "latin1").subarray(0, 0), Buffer.from("é\n€ end")]),
    );
    expect((await text("m")).invalid).toBeUndefined();
    await put("o", Buffer.concat([Buffer.from("a line\nand one\n"), Buffer.from([0xe2, 0x82])]));
    expect(await text("o")).toMatchObject({ invalid: { count: 2, firstLine: 3 }, totalLines: 3 });
  });

  test("half a unit and half a pair of UTF-16 are told", async () => {
    await put("u", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\nb\ud800c\n", "utf16le"), Buffer.from([0x41])]));
    expect(await text("u")).toMatchObject({ lines: ["a", "b\ufffdc", "\ufffd"], totalLines: 3, invalid: { count: 3, firstLine: 2 } });
  });
});

describe("what is shown of what (read-3)", () => {
  test("400 lines of 300 characters are cut by bytes, told, and can be gone on with", async () => {
    await put("a", `${"x".repeat(299)}\n`.repeat(400));
    const first = await text("a");
    expect([first.lines.length, first.totalLines, first.truncated]).toEqual([170, 400, true]);
    const rest = await text("a", { offset: 171 });
    expect([rest.firstLine, rest.lines.length, rest.truncated]).toEqual([171, 170, true]);
    const last = await text("a", { offset: 341 });
    expect([last.lines.length, last.truncated]).toEqual([60, false]);
  });

  test("one line of a megabyte is cut between characters, with its length", async () => {
    await put("b", `${"x".repeat(1999)}${"🙂".repeat(250_000)}`);
    const output = await text("b");
    expect(output.lines).toEqual([`${"x".repeat(1999)}🙂`]);
    expect(output.cutLines).toEqual([{ line: 1, length: 251_999 }]);
    expect(output.truncated).toBe(false);
  });

  test("who asks for longer lines gets them whole, up to the bound of the operation", async () => {
    const line = `${"x".repeat(1999)}${"🙂".repeat(250_000)}`;
    await put("b", `${line}\nshort\n`);
    expect(await text("b", { lineCharacters: 251_999 })).toMatchObject({ lines: [line], cutLines: [], totalLines: 2, truncated: true });
    expect((await text("b", { lineCharacters: 10 })).lines).toEqual(["x".repeat(10), "short"]);
    expect((await text("b", { lineCharacters: 0 })).lines).toEqual(["x", "s"]);
    await put("c", "y".repeat(2 * 1024 * 1024 + 1));
    const most = await text("c", { lineCharacters: 1e9 });
    expect([most.lines[0]?.length, most.cutLines]).toEqual([2 * 1024 * 1024, [{ line: 1, length: 2 * 1024 * 1024 + 1 }]]);
  });

  test("a character across two chunks of the file stays whole", async () => {
    await put("c", `${"y".repeat(99)}\n`.repeat(2621).concat("y".repeat(43), "€uro\n"));
    const output = await text("c", { offset: 2622 });
    expect(output.lines).toEqual([`${"y".repeat(43)}€uro`]);
  });

  test("a file of exactly the line limit is not called cut, one more is", async () => {
    await put("c", "l\n".repeat(2000));
    expect(await text("c")).toMatchObject({ totalLines: 2000, truncated: false });
    await put("c", "l\n".repeat(2001));
    expect(await text("c")).toMatchObject({ totalLines: 2001, truncated: true });
  });

  test.each([
    { name: "empty", content: "", lines: [], totalLines: 0 },
    { name: "no final newline", content: "a\nb", lines: ["a", "b"], totalLines: 2 },
    { name: "an empty last line is none", content: "a\n\n", lines: ["a", ""], totalLines: 2 },
    { name: "a lone return is content", content: "a\rb\r\n\r", lines: ["a\rb", "\r"], totalLines: 2 },
  ])("$name", async ({ content, lines, totalLines }) => {
    await put("t", content);
    expect(await text("t")).toMatchObject({ lines, totalLines, truncated: false });
  });

  test("a line exactly at the bound that ends in \\r\\n is whole", async () => {
    await put("t", `${"é".repeat(2000)}\r\n${"é".repeat(2001)}\r\n`);
    const output = await text("t");
    expect(output.cutLines).toEqual([{ line: 2, length: 2001 }]);
    expect(output.lines.map((line) => line.length)).toEqual([2000, 2000]);
  });

  test("offset and limit choose the window; past the end it is empty", async () => {
    await put("t", "1\n2\n3\n4\n");
    expect(await text("t", { offset: 2, limit: 2 })).toMatchObject({ lines: ["2", "3"], firstLine: 2, truncated: true });
    expect(await text("t", { offset: 9 })).toMatchObject({ lines: [], totalLines: 4, truncated: false });
  });
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const WEBP = Buffer.from("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64");
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]),
  Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]),
  Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34, 0xff, 0xd9]),
]);

describe("an image is one by its bytes (read-4)", () => {
  test.each([
    { name: "photo.png", bytes: JPEG, mediaType: "image/jpeg" },
    { name: "a.png", bytes: PNG, mediaType: "image/png" },
    { name: "a.gif", bytes: GIF, mediaType: "image/gif" },
    { name: "a.webp", bytes: WEBP, mediaType: "image/webp" },
    { name: "no-extension", bytes: PNG, mediaType: "image/png" },
  ])("$name is $mediaType", async ({ name, bytes, mediaType }) => {
    await put(name, bytes);
    const images = testShelf();
    expect(await bench.value("fs.read", { path: name }, { images })).toEqual({
      type: "image",
      path: name,
      image: { ref: "image-1", mediaType, bytes: bytes.length, width: 1, height: 1 },
      totalBytes: bytes.length,
    });
    expect(images.take("image-1")).toEqual({ mediaType, base64: bytes.toString("base64") });
  });

  test.each([
    { name: "logo.png", bytes: Buffer.from("<!doctype html>nope"), found: 'text that starts with "<!doctype html>nope"' },
    { name: "empty.jpg", bytes: Buffer.alloc(0), found: "it is empty" },
    { name: "cut.png", bytes: PNG.subarray(0, 40), found: "cut off" },
    { name: "cut.jpeg", bytes: JPEG.subarray(0, -2), found: "cut off" },
    { name: "cut.gif", bytes: GIF.subarray(0, -1), found: "cut off" },
    { name: "cut.webp", bytes: WEBP.subarray(0, -4), found: "cut off" },
  ])("$name is an error without an image", async ({ name, bytes, found }) => {
    await put(name, bytes);
    const error = await bench.error("fs.read", { path: name });
    expect(error.code).toBe("fs.image-invalid");
    expect(error.what).toContain(found);
  });

  test("a cut-off image under another name is just binary", async () => {
    await put("blob", PNG.subarray(0, 40));
    expect(await bench.value("fs.read", { path: "blob" })).toEqual({
      type: "binary",
      path: "blob",
      totalBytes: 40,
      what: "damaged PNG image",
    });
  });

  test("an image no provider takes is refused by bytes and by pixels, with what to do", async () => {
    await put("big.png", Buffer.concat([PNG, Buffer.alloc(4 * 1024 * 1024)]));
    const big = await bench.error("fs.read", { path: "big.png" }, { images: testShelf() });
    expect([big.code, big.next]).toEqual(["fs.image-too-large", expect.stringContaining("smaller copy")]);
    const wide = Buffer.from(PNG);
    wide.writeUInt32BE(8001, 16);
    await put("wide.png", wide);
    const error = await bench.error("fs.read", { path: "wide.png" }, { images: testShelf() });
    expect([error.code, error.what]).toEqual(["fs.image-too-wide", "wide.png is an image of 8001 x 1 pixels."]);
    const none = Buffer.from(PNG);
    none.writeUInt32BE(0, 20);
    await put("none.png", none);
    expect((await bench.error("fs.read", { path: "none.png" }, { images: testShelf() })).code).toBe("fs.image-invalid");
  });

  test("where no image can be handed on, or no more of them, that is said", async () => {
    await put("a.png", PNG);
    expect((await bench.error("fs.read", { path: "a.png" })).code).toBe("fs.image-no-room");
  });
});

describe("a folder is read as what it holds", () => {
  test("names in order, folders with a slash, the first forty", async () => {
    await mkdir(join(folder, "d", "sub"), { recursive: true });
    for (let index = 0; index < 50; index += 1) await put(`d/f${String(index).padStart(2, "0")}`, "");
    await put("d/a\nb", "");
    const output = await bench.value("fs.read", { path: "d" });
    expect(output).toMatchObject({ type: "directory", path: "d", entries: 52 });
    const names = output.type === "directory" ? (output.names ?? []) : [];
    expect([names.length, names[0], names[1], names.includes("sub/")]).toEqual([40, "a\\nb", "f00", false]);
    expect(await bench.value("fs.read", { path: "d/sub" })).toEqual({ type: "directory", path: "d/sub", entries: 0, names: [] });
  });

  test("through a link it is the real one, inside of what is granted only", async () => {
    const outside = await makeFolder();
    try {
      await mkdir(join(folder, "real"));
      await symlink("real", join(folder, "in"));
      await symlink(outside, join(folder, "out"));
      expect(await bench.value("fs.read", { path: "in" })).toMatchObject({ type: "directory", path: "real" });
      expect((await bench.error("fs.read", { path: "out" })).code).toBe("grant.denied");
    } finally {
      await removeFolder(outside);
    }
  });
});
