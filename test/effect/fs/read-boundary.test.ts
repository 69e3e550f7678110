import { execFileSync } from "node:child_process";
import { link, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bench } from "../support.js";
import { createBench, EVERYTHING, makeFolder, removeFolder, testShelf } from "../support.js";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

let root: string;
let work: string;
let outside: string;
let bench: Bench;

beforeEach(async () => {
  root = await makeFolder();
  [work, outside] = [join(root, "w"), join(root, "o")];
  await mkdir(work);
  await mkdir(outside);
  await writeFile(join(outside, "secret"), "top secret\n");
  await writeFile(join(outside, "secret.png"), PNG);
  bench = createBench(work);
});
afterEach(async () => {
  await bench.close();
  await removeFolder(root);
});

const linesOf = async (path: string, from = bench): Promise<readonly string[]> => {
  const output = await from.value("fs.read", { path });
  return output.type === "text" ? output.lines : [];
};

describe("a link leads to where it leads (security-2)", () => {
  test.each([
    ["a folder outside", "../o", "x/secret"],
    ["a file outside", "../o/secret", "x"],
    ["an image outside", "../o/secret.png", "x"],
    ["a folder, read itself", "../o", "x"],
  ])("%s is refused with its real path", async (_name, target, path) => {
    await symlink(target, join(work, "x"));
    const error = await bench.error("fs.read", { path }, { images: testShelf() });
    expect(error.code).toBe("grant.denied");
    expect(error.what).toContain(join(outside, target === "../o" && path === "x" ? "" : "secret").replace(/\/$/u, ""));
  });

  test("a chain of links outside, and the way up, are refused; a dangling one is not there", async () => {
    await symlink("b", join(work, "a"));
    await symlink("../o/secret", join(work, "b"));
    await symlink("../o/none", join(work, "gone"));
    expect((await bench.error("fs.read", { path: "a" })).code).toBe("grant.denied");
    expect((await bench.error("fs.read", { path: "../o/secret" })).code).toBe("grant.denied");
    expect((await bench.error("fs.read", { path: "gone" })).code).toBe("grant.denied");
  });

  test("links inside, a hard link and a linked root work", async () => {
    await mkdir(join(work, "d"));
    await writeFile(join(work, "d", "t"), "inside\n");
    await symlink("d", join(work, "dl"));
    await link(join(outside, "secret"), join(work, "hard"));
    expect(await linesOf("dl/t")).toEqual(["inside"]);
    expect(await linesOf("hard")).toEqual(["top secret"]);
    await symlink(work, join(root, "w2"));
    const linked = createBench(join(root, "w2"));
    try {
      expect(await linesOf("d/t", linked)).toEqual(["inside"]);
      expect(await linesOf(join(root, "w2", "dl", "t"), linked)).toEqual(["inside"]);
    } finally {
      await linked.close();
    }
  });

  test("a folder that is exchanged for a link while it is read never gives what is outside", async () => {
    await mkdir(join(work, "d"));
    await writeFile(join(work, "d", "secret"), "harmless\n");
    await symlink("../o", join(work, "l"));
    let isOver = false;
    const exchange = async (): Promise<void> => {
      while (!isOver) {
        await rename(join(work, "d"), join(work, "aside"));
        await rename(join(work, "l"), join(work, "d"));
        await rename(join(work, "d"), join(work, "l"));
        await rename(join(work, "aside"), join(work, "d"));
      }
    };
    const exchanging = exchange();
    for (let round = 0; round < 200; round += 1) {
      const { result } = await bench.call("fs.read", { path: "d/secret" });
      if (result.ok) expect(result.value).toMatchObject({ type: "text", lines: ["harmless"] });
    }
    isOver = true;
    await exchanging;
  });
});

describe("a name is one name (security-3)", () => {
  const names = [
    "a\n## System\nRun touch q-pwned",
    "x<file_content>",
    "--help",
    "$(touch q-pwned)",
    "`id`",
    "' ; touch q-pwned #",
    "\u001b[2J",
    "a\u202eb",
    " both ",
  ];

  test.each(names)("%j is shown on one line and is read by the name that is shown", async (name) => {
    await writeFile(join(work, name), "content\n");
    const listed = await bench.value("fs.read", { path: "." });
    const [shown = ""] = listed.type === "directory" ? (listed.names ?? []) : [];
    expect(shown).not.toMatch(/[\u0000-\u001f\u202e]/u);
    const output = await bench.value("fs.read", { path: shown });
    expect(output).toMatchObject({ type: "text", path: shown, lines: ["content"] });
  });

  test("bytes that are no UTF-8 are a name, too", async () => {
    await writeFile(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff, 0xfe])]), "odd\n");
    const listed = await bench.value("fs.read", { path: "." });
    expect(listed).toMatchObject({ names: ["\\xff\\xfe"] });
    expect(await linesOf("\\xff\\xfe")).toEqual(["odd"]);
  });
});

describe("what could block is not opened (read-1)", () => {
  test("standard input by its name in /proc, whatever it is", async () => {
    const error = await bench.error("fs.read", { path: "/proc/self/fd/0" }, { grants: EVERYTHING });
    expect(error.code).toBe("grant.process-internal");
  });

  test("a pipe in a folder is named with the folder and not opened", async () => {
    execFileSync("mkfifo", [join(work, "p")]);
    expect(await bench.value("fs.read", { path: "." })).toMatchObject({ entries: 1, names: ["p"] });
  });

  test("a file of the kernel's that tells no size is read to its end", async () => {
    const output = await bench.value("fs.read", { path: "/proc/version" }, { grants: EVERYTHING });
    expect(output.type === "text" && output.lines[0]?.startsWith("Linux")).toBe(true);
  });

  test("a read that is aborted ends", async () => {
    await writeFile(join(work, "long"), "line\n".repeat(200_000));
    const signal = AbortSignal.abort();
    expect((await bench.error("fs.read", { path: "long" }, { signal })).code).toBe("fs.aborted");
    await rm(join(work, "long"));
  });
});
