import { mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadPackage, type LoadedPackage, packageTests } from "../../../src/plugin/package/index.js";
import { readModuleTable } from "../../../src/plugin/engine/index.js";
import { MAIN, MANIFEST, pluginFolder, temporaryFolder, writeFiles } from "./folder.js";

async function load(dir: string, cacheDir: string): Promise<LoadedPackage> {
  const loaded = await loadPackage(dir, { cacheDir });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value;
}

async function codes(dir: string, cacheDir?: string): Promise<readonly string[]> {
  const loaded = await loadPackage(dir, { cacheDir: cacheDir ?? (await temporaryFolder()) });
  return loaded.ok ? [] : loaded.error.map(({ code }) => code);
}

const pathOf = ({ modules }: LoadedPackage): string => (modules.type === "none" ? "" : modules.path);
const tableOf = async (loaded: LoadedPackage): Promise<unknown> => JSON.parse(await readFile(pathOf(loaded), "utf8"));

const signaturePath = (cache: string, dir: string): string =>
  join(cache, "plugins", "folders", `${createHash("sha256").update(dir).digest("hex")}.json`);

/** As if the signature had been written long after the files, which is when it proves something. */
async function settle(cache: string, dir: string): Promise<void> {
  const later = new Date(Date.now() + 3_600_000);
  await utimes(signaturePath(cache, dir), later, later);
}

describe("a package", () => {
  test("is its manifest as data and a file of modules", async () => {
    const [dir, cacheDir] = [await pluginFolder({ "src/a.ts": "export const a: number = 1;\n" }), await temporaryFolder()];
    const loaded = await load(dir, cacheDir);
    expect(loaded).toMatchObject({
      compiled: { id: "acme.demo", version: "0.1.0", sdk: 1, hash: loaded.treeHash, entry: "src/main.ts" },
      modules: { type: "tree", path: join(cacheDir, "plugins", loaded.treeHash, "modules.json"), entry: "src/main.ts" },
      dir,
    });
    expect(await tableOf(loaded)).toEqual({ entry: "src/main.ts", modules: { "src/main.ts": MAIN }, imports: { "src/main.ts": {} } });
  });

  test("is the folder a link leads to", async () => {
    const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
    const link = join(await temporaryFolder(), "link");
    await symlink(dir, link);
    expect((await load(link, cacheDir)).dir).toBe(dir);
  });

  test("takes texts of its manifest from its files, and from nowhere else", async () => {
    const manifest = (file: string): string =>
      `plugin "acme.demo" version="0.1.0" sdk=1 entry="src/main.ts" {\n  description file="${file}"\n}\n`;
    const dir = await pluginFolder({ "manifest.kdl": manifest("docs/about.md"), "docs/about.md": "About it" });
    expect((await load(dir, await temporaryFolder())).compiled.description).toBe("About it");
    await writeFiles(dir, { "manifest.kdl": manifest("../secret.md"), "../secret.md": "secret" });
    expect(await codes(dir)).not.toEqual([]);
    await writeFiles(dir, { "manifest.kdl": manifest(".hidden.md"), ".hidden.md": "hidden" });
    expect(await codes(dir)).toEqual(["manifest.file"]);
  });
});

describe("the hash of a tree", () => {
  const hashOf = async (files: Readonly<Record<string, string>>): Promise<string> =>
    (await load(await pluginFolder(files), await temporaryFolder())).treeHash;

  test("is the same on every machine", async () => {
    const lines = [MANIFEST, MAIN].map((text) => createHash("sha256").update(text).digest("hex"));
    const expected = createHash("sha256")
      .update("smith package 1\n")
      .update(`manifest.kdl\0${String(MANIFEST.length)}\0${lines[0] ?? ""}\n`)
      .update(`src/main.ts\0${String(MAIN.length)}\0${lines[1] ?? ""}\n`)
      .digest("hex");
    expect(await hashOf({})).toBe(expected);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["the content of a file", { "src/main.ts": `${MAIN}\n` }],
    ["a file that no module imports", { "notes.md": "" }],
    ["a test", { "test/a.test.ts": "" }],
    ["the manifest", { "manifest.kdl": `${MANIFEST}\n` }],
  ])("changes with %s", async (_, files) => {
    expect(await hashOf(files)).not.toBe(await hashOf({}));
  });

  test("tells the same bytes in other files apart", async () => {
    expect(await hashOf({ a: "1", b: "" })).not.toBe(await hashOf({ a: "", b: "1" }));
    expect(await hashOf({ "a/b": "1" })).not.toBe(await hashOf({ "a-b": "1" }));
  });

  test("does not change with what does not count", async () => {
    expect(await hashOf({ "node_modules/x/index.js": "1", ".git/HEAD": "ref", ".env": "A=1" })).toBe(await hashOf({}));
  });
});

describe("what is no package", () => {
  test("a folder that is not there, a file, a folder without manifest", async () => {
    const dir = await temporaryFolder();
    await writeFiles(dir, { file: "" });
    expect(await codes(join(dir, "none"))).toEqual(["package.no-folder"]);
    expect(await codes(join(dir, "file"))).toEqual(["package.no-folder"]);
    expect(await codes(dir)).toEqual(["package.no-manifest"]);
  });

  test("a manifest that is a folder", async () => {
    const dir = await temporaryFolder();
    await mkdir(join(dir, "manifest.kdl"));
    expect(await codes(dir)).toEqual(["package.no-manifest"]);
  });

  test("problems of the manifest name its file, line and column", async () => {
    const dir = await pluginFolder({ "manifest.kdl": MANIFEST.replace("\n}", '\n  tol "a"\n}') });
    const loaded = await loadPackage(dir, { cacheDir: await temporaryFolder() });
    expect(loaded).toMatchObject({
      ok: false,
      error: [{ code: "manifest.unknown-word", source: { path: join(dir, "manifest.kdl"), line: 3, column: 3 } }],
    });
  });

  test("nothing is left in the cache of a package that is none", async () => {
    const cacheDir = await temporaryFolder();
    expect(await codes(await pluginFolder({ "src/main.ts": "const = 1;" }), cacheDir)).toEqual(["package.syntax"]);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  test("a cache that cannot be written is told", async () => {
    const cacheDir = join(await temporaryFolder(), "file");
    await writeFile(cacheDir, "");
    expect(await codes(await pluginFolder(), cacheDir)).toEqual(["package.cache"]);
  });
});

describe("the cache", () => {
  /** Loads, runs `change` on the cached files and returns what the second load made of it. */
  const reload = async (change: (folder: string) => Promise<void>): Promise<{ readonly first: unknown; readonly second: unknown }> => {
    const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
    const loaded = await load(dir, cacheDir);
    const first = await tableOf(loaded);
    await settle(cacheDir, dir);
    await change(join(cacheDir, "plugins", loaded.treeHash));
    return { first, second: await tableOf(await load(dir, cacheDir)) };
  };

  test("is used while no file was touched", async () => {
    const { first, second } = await reload(async (folder) => {
      // Vouched for like any other, so that it is seen to be used.
      const table = JSON.stringify({ marked: true });
      const plugin = JSON.parse(await readFile(join(folder, "plugin.json"), "utf8")) as object;
      await writeFile(join(folder, "modules.json"), table);
      await writeFile(join(folder, "plugin.json"), JSON.stringify({ ...plugin, table: createHash("sha256").update(table).digest("hex") }));
    });
    expect(first).not.toEqual(second);
    expect(second).toEqual({ marked: true });
  });

  test.each<[string, (folder: string) => Promise<void>]>([
    ["is gone", async (folder) => rm(folder, { recursive: true })],
    ["has lost its modules", async (folder) => rm(join(folder, "modules.json"))],
    ["has cut modules", async (folder) => truncate(join(folder, "modules.json"), 10)],
    ["has other modules", async (folder) => writeFile(join(folder, "modules.json"), `{"entry":"x","modules":{},"imports":{}}`)],
    ["has an empty manifest", async (folder) => writeFile(join(folder, "plugin.json"), "")],
    ["has a manifest that is no object", async (folder) => writeFile(join(folder, "plugin.json"), "[1]")],
    [
      "has a changed manifest",
      async (folder) => {
        const path = join(folder, "plugin.json");
        await writeFile(path, (await readFile(path, "utf8")).replace("A plugin of", "Another of"));
      },
    ],
    [
      "is of another format",
      async (folder) => {
        const path = join(folder, "plugin.json");
        await writeFile(path, (await readFile(path, "utf8")).replace(/"format":\d+/u, `"format":999`));
      },
    ],
  ])("is made anew where it %s", async (_, change) => {
    const { first, second } = await reload(change);
    expect(second).toEqual(first);
  });

  test("of another program is made anew", async () => {
    const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
    const written = async (program: string): Promise<unknown> => {
      const loaded = await loadPackage(dir, { cacheDir, program });
      if (!loaded.ok) throw new Error("not loaded");
      return JSON.parse(await readFile(join(cacheDir, "plugins", loaded.value.treeHash, "plugin.json"), "utf8"));
    };
    expect(await written("1.0.0")).toMatchObject({ program: "1.0.0" });
    await settle(cacheDir, dir);
    expect(await written("1.0.1")).toMatchObject({ program: "1.0.1" });
  });

  test("holds nothing but finished files", async () => {
    const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
    const loaded = await Promise.all([load(dir, cacheDir), load(dir, cacheDir), load(dir, cacheDir)]);
    expect(new Set(loaded.map(({ treeHash }) => treeHash)).size).toBe(1);
    expect((await readdir(join(cacheDir, "plugins", loaded[0].treeHash))).sort()).toEqual(["modules.json", "plugin.json"]);
    expect(await readdir(join(cacheDir, "plugins", "folders"))).toHaveLength(1);
  });

  test("keeps a bounded number of packages, and the newest among them", async () => {
    const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
    const names = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(64, "0"));
    for (const [index, name] of names.entries()) {
      await mkdir(join(cacheDir, "plugins", name), { recursive: true });
      await utimes(join(cacheDir, "plugins", name), 1_000_000 + index, 1_000_000 + index);
    }
    const { treeHash } = await load(dir, cacheDir);
    const left = (await readdir(join(cacheDir, "plugins"))).filter((name) => name !== "folders").sort();
    expect(left).toEqual([...names.slice(-192), treeHash].sort());
  });
});

describe("a change is never missed", () => {
  const withChange = async (change: (dir: string) => Promise<void>, isSettled: boolean): Promise<boolean> => {
    const [dir, cacheDir] = [await pluginFolder({ "src/a.ts": "export const a = 1;\n" }), await temporaryFolder()];
    const before = await load(dir, cacheDir);
    if (isSettled) await settle(cacheDir, dir);
    await change(dir);
    return (await load(dir, cacheDir)).treeHash !== before.treeHash;
  };

  test.each<[string, (dir: string) => Promise<void>]>([
    ["other content", async (dir) => writeFile(join(dir, "src/a.ts"), "export const a = 22;\n")],
    ["other content of the same size", async (dir) => writeFile(join(dir, "src/a.ts"), "export const a = 2;\n")],
    [
      "other content of the same size and time",
      async (dir) => {
        const path = join(dir, "src/a.ts");
        const { atime, mtime } = await stat(path);
        await writeFile(path, "export const a = 2;\n");
        await utimes(path, atime, mtime);
      },
    ],
    ["a new file", async (dir) => writeFiles(dir, { "src/b.ts": "" })],
    ["a new file in a new folder", async (dir) => writeFiles(dir, { "lib/b.ts": "" })],
    ["a file less", async (dir) => rm(join(dir, "src/a.ts"))],
    ["another name", async (dir) => rename(join(dir, "src/a.ts"), join(dir, "src/b.ts"))],
  ])("%s", async (_, change) => {
    expect(await withChange(change, true)).toBe(true);
    expect(await withChange(change, false)).toBe(true);
  });

  test("a file that is touched is the same", async () => {
    expect(await withChange(async (dir) => utimes(join(dir, "src/a.ts"), 1, 1), true)).toBe(false);
  });

  test("a signature as young as the files proves nothing", async () => {
    const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
    const { treeHash } = await load(dir, cacheDir);
    const path = signaturePath(cacheDir, dir);
    await writeFile(path, (await readFile(path, "utf8")).replace(treeHash, "0".repeat(64)));
    expect((await load(dir, cacheDir)).treeHash).toBe(treeHash);
  });

  test("a folder that replaced another is another", async () => {
    const [dir, other, cacheDir] = [await pluginFolder(), await pluginFolder({ "src/a.ts": "" }), await temporaryFolder()];
    const before = await load(dir, cacheDir);
    await settle(cacheDir, dir);
    await rm(dir, { recursive: true });
    await rename(other, dir);
    expect((await load(dir, cacheDir)).treeHash).not.toBe(before.treeHash);
  });
});

describe("tests of a package", () => {
  test("are in a table of their own, with what they import", async () => {
    const dir = await pluginFolder({
      "test/main.test.ts": `import { test } from "smith-agent/plugin";\nimport main from "../src/main.js";\nimport { given } from "./given.js";\ntest("a", (t) => t.ok(main && given));\n`,
      "test/given.ts": "export const given = 1;",
      "test/deep/b.test.mjs": "",
      "test/notes.md": "",
      "src/not.test.ts": "",
    });
    const found = await packageTests(dir, { cacheDir: await temporaryFolder() });
    if (!found.ok) throw new Error(JSON.stringify(found.error));
    expect(found.value.tests).toEqual(["test/deep/b.test.mjs", "test/main.test.ts"]);
    expect(Object.keys(found.value.table.modules).sort()).toEqual([
      "src/main.ts",
      "test/deep/b.test.mjs",
      "test/given.ts",
      "test/main.test.ts",
    ]);
    expect(JSON.parse(await readFile(found.value.modules.path, "utf8"))).toEqual(found.value.table);
  });

  test("do not get in the way of the package when they are broken", async () => {
    const dir = await pluginFolder({ "test/a.test.ts": "const = 1;" });
    expect(await codes(dir)).toEqual([]);
    expect(await packageTests(dir, { cacheDir: await temporaryFolder() })).toMatchObject({
      ok: false,
      error: [{ code: "package.syntax" }],
    });
  });
});

test("the engine takes the table as it is written", async () => {
  const [dir, cacheDir] = [
    await pluginFolder({
      "src/main.ts": `import { definePlugin } from "smith-agent/plugin";\nimport { a } from "./__proto__.js";\nexport default definePlugin({ a } as never);\n`,
      "src/__proto__.ts": "export const a = 1;\n",
    }),
    await temporaryFolder(),
  ];
  const table = readModuleTable(await readFile(pathOf(await load(dir, cacheDir)), "utf8"), "src/main.ts");
  expect(table?.imports.get("src/main.ts")?.get("./__proto__.js")).toBe("src/__proto__.ts");
  expect([...(table?.modules.keys() ?? [])]).toEqual(["src/main.ts", "src/__proto__.ts"]);
});

test("a package of data alone is ready without a module, the second time from the cache", async () => {
  const [dir, cacheDir] = [
    await pluginFolder({
      "manifest.kdl": `plugin "acme.demo" version="0.1.0" sdk=1 {\n  description "Data"\n  prompt "p" "Be brief." order=1\n}\n`,
    }),
    await temporaryFolder(),
  ];
  for (let turn = 0; turn < 2; turn += 1) {
    const { compiled, modules } = await load(dir, cacheDir);
    expect([compiled.entry, modules]).toEqual(["", { type: "none" }]);
  }
});
