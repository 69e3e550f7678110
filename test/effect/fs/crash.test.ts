import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBench, EVERYTHING, makeFolder, removeFolder } from "../support.js";

let built: string;
let folder: string;

const bundle = async (source: string, name: string): Promise<string> => {
  const outfile = join(built, name);
  const entry = fileURLToPath(new URL(source, import.meta.url));
  const banner = { js: 'import{createRequire as smithRequire}from"node:module";const require=smithRequire(import.meta.url);' };
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
    banner,
  });
  return outfile;
};

beforeAll(async () => {
  built = await makeFolder();
});
afterAll(() => removeFolder(built));
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

const leftovers = async (): Promise<readonly string[]> => (await readdir(folder)).filter((name) => name.startsWith(".smith-"));

describe("a process killed while it writes", () => {
  const SIZE = 256 * 1024;

  test("leaves the file whole each time, and what it left beside it goes with the next write", async () => {
    const program = await bundle("../fixtures/write-forever.ts", "write-forever.mjs");
    await writeFile(join(folder, "t"), "");
    for (let kills = 1; kills <= 10; kills += 1) {
      const child = spawn(process.execPath, [program, folder, String(SIZE)], { stdio: ["ignore", "pipe", "inherit"] });
      const closed = once(child, "close");
      let begun = 0;
      for await (const chunk of child.stdout) {
        begun += String(chunk).split("\n").length - 1;
        if (begun >= kills) break;
      }
      child.kill("SIGKILL");
      await closed;
      const text = await readFile(join(folder, "t"), "latin1");
      if (text !== "" || kills > 1) {
        expect(text.length).toBe(SIZE);
        expect(text).toBe(`${(text[0] ?? "").repeat(63)}\n`.repeat(SIZE / 64));
      }
    }
    await writeFile(join(folder, ".smith-999999999-0198c0de.tmp"), "of a process that is gone");
    await writeFile(join(folder, `.smith-${process.ppid}-0198c0de.tmp`), "of one that lives");
    const bench = createBench(folder);
    await bench.value("fs.write", { path: "other", content: "x" });
    await bench.close();
    expect(await leftovers()).toEqual([`.smith-${process.ppid}-0198c0de.tmp`]);
  }, 60_000);
});

describe("a large file", () => {
  const LINES = 200_000;
  const before = Array.from({ length: LINES }, (_, index) => `line ${index} of a large file\n`).join("");

  test("is edited, written and patched in a thread, with the same outcome and a diff of what changed, while others go on", async () => {
    const worker = pathToFileURL(await bundle("../../../src/effect/fs/compute/worker.ts", "change-worker.mjs"));
    const bench = createBench(folder, { changeWorkerUrl: worker });
    await writeFile(join(folder, "big"), before);
    const beats: number[] = [];
    const timer = setInterval(() => beats.push(performance.now()), 5);
    const edit = await bench.value("fs.edit", {
      path: "big",
      edits: [
        { old: "line 7 of", new: "LINE 7 of" },
        { old: `line ${LINES - 7} of`, new: "LAST of" },
      ],
    });
    clearInterval(timer);
    expect(beats.length).toBeGreaterThan(3);
    expect([edit.addedLines, edit.removedLines, edit.diff.split("\n@@").length]).toEqual([2, 2, 3]);
    const patch = `--- a/big\n+++ b/big\n@@ -1,3 +1,3 @@\n line 99999 of a large file\n-line 100000 of a large file\n+middle\n line 100001 of a large file\n`;
    const { files } = await bench.value("fs.patch", { patch });
    expect(files[0]).toMatchObject({ action: "changed", addedLines: 1, removedLines: 1 });
    const expected = before
      .replace("line 7 of", "LINE 7 of")
      .replace(`line ${LINES - 7} of`, "LAST of")
      .replace("line 100000 of a large file", "middle");
    expect((await readFile(join(folder, "big"), "utf8")) === expected).toBe(true);
    expect((await bench.error("fs.edit", { path: "big", edits: [{ old: "line  9 of", new: "x" }] })).why).toContain(
      "line 10, which differs only in blanks",
    );
    await bench.close();
  }, 60_000);

  test("is not changed when the call is stopped meanwhile", async () => {
    const worker = pathToFileURL(await bundle("../../../src/effect/fs/compute/worker.ts", "change-worker.mjs"));
    const bench = createBench(folder, { changeWorkerUrl: worker });
    await writeFile(join(folder, "big"), before);
    const stop = new AbortController();
    const call = bench.call("fs.edit", { path: "big", edits: [{ old: "line", new: "LINE", all: true }] }, { signal: stop.signal });
    setImmediate(() => {
      stop.abort();
    });
    const { outcome, result } = await call;
    expect([outcome, result.ok, (await readFile(join(folder, "big"), "utf8")) === before, await leftovers()]).toEqual([
      "not-applied",
      false,
      true,
      [],
    ]);
    await bench.close();
  }, 60_000);

  test("whose thread fails is left as it is, and that is said", async () => {
    const bench = createBench(folder, { changeWorkerUrl: pathToFileURL(join(built, "no-such-worker.mjs")) });
    await writeFile(join(folder, "big"), before);
    const error = await bench.error("fs.edit", { path: "big", edits: [{ old: "line 7 of", new: "x" }] });
    expect([error.code, (await readFile(join(folder, "big"), "utf8")) === before]).toEqual(["fs.change-failed", true]);
    await bench.close();
  }, 60_000);
});

describe("what cannot be written", () => {
  test.each([
    { name: "a name that is too long", path: "n".repeat(300), code: "fs.name-too-long" },
    { name: "a folder", path: "d", code: "fs.not-regular" },
    { name: "a file used as a folder", path: "f/x", code: "fs.not-a-directory" },
    { name: "a file system that takes none", path: "/proc/sys/smith/x", code: "fs.not-found" },
  ])("$name is refused, and nothing is left behind", async ({ path, code }) => {
    await mkdir(join(folder, "d"));
    await writeFile(join(folder, "f"), "x");
    const bench = createBench(folder);
    const { outcome, result } = await bench.call("fs.write", { path, content: "x" }, { grants: EVERYTHING });
    expect([outcome, result.ok ? "" : result.error.code]).toEqual(["not-applied", code]);
    expect((await readdir(folder)).toSorted()).toEqual(["d", "f"]);
    await bench.close();
  });
});

test("a disk without room leaves the old content, nothing beside it, and says so", async () => {
  const program = await bundle("../fixtures/write-once.ts", "write-once.mjs");
  await writeFile(join(folder, "t"), "old\n");
  // The largest size a file may have stands in for a full disk: 8 blocks of 512 or 1024 bytes. A signal would come first.
  const line = `trap "" XFSZ; ulimit -f 8; exec "$0" "$1" "$2" 1048576`;
  const child = spawn("bash", ["-c", line, process.execPath, program, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let said = "";
  for await (const chunk of child.stdout) said += String(chunk);
  await closed;
  expect(said).toBe("not-applied fs.no-space\n");
  expect([await readFile(join(folder, "t"), "utf8"), await leftovers()]).toEqual(["old\n", []]);
}, 60_000);
