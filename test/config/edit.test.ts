import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKdlCache, parseKdl, type Paths, setInUserConfig } from "../../src/config/index.js";

let home: string;
let paths: Paths;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "smith-edit-"));
  paths = { config: join(home, "config"), data: home, state: home, cache: join(home, "cache"), sessions: home };
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const file = (): string => join(paths.config, "config.kdl");

async function set(text: string) {
  const cache = createKdlCache({ dir: paths.cache, pid: 1, log: () => undefined });
  return await setInUserConfig({ paths, cache, unique: () => "1" }, "model", text);
}

async function write(text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(file()), { recursive: true });
  await writeFile(file(), text, { mode });
}

describe("setting the model in a person's configuration", () => {
  test("a file that is not there is made, for its owner alone", async () => {
    expect(await set("acme/m-1")).toEqual({ ok: true, value: file() });
    expect(await readFile(file(), "utf8")).toBe('model "acme/m-1"\n');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await readdir(paths.config)).toEqual(["config.kdl"]);
  });

  test.each([
    [
      "changes the value and nothing else",
      '// mine\nmodel "old" // why\nlog   "warn"\n',
      /^\/\/ mine\nmodel "?acme\/m-1"? \/\/ why\nlog {3}"warn"\n$/u,
    ],
    ["comes to the end when it was not said", 'log "warn" // keep', /^log "warn" \/\/ keep\nmodel "acme\/m-1"\n$/u],
    ["keeps a byte order mark and line ends", '\uFEFFlog "warn"\r\n', /^\uFEFFlog "warn"\r\nmodel "acme\/m-1"\r\n$/u],
  ])("%s", async (_name, before, after) => {
    await write(before, 0o640);
    await chmod(file(), 0o640);
    expect((await set("acme/m-1")).ok).toBe(true);
    expect(await readFile(file(), "utf8")).toMatch(after);
    expect((await stat(file())).mode & 0o777).toBe(0o640);
    expect((await set("acme/m-1")).ok).toBe(true);
  });

  test.each([
    "a\u0001b",
    'a"b\\c',
    "a\\u0041",
    "a\nb\r\t",
    "\u202ex",
    "#x;y{",
    "\u007f",
    "\ufeffx",
    "a\u2028b",
    "true",
    "\u0085\u000b",
    "ünï✓",
  ])("whatever the text is, the file stays one that can be read: %j", async (text) => {
    for (const before of ["", 'model "old"\n', "model old // mine\n"]) {
      await write(before);
      expect((await set(text)).ok).toBe(true);
      const read = await parseKdl(file(), await readFile(file(), "utf8"));
      expect(read.ok && read.value.at(-1)?.entries[0]?.value).toBe(text);
    }
  });

  test("half a character becomes the sign for one", async () => {
    expect((await set("a\ud800b")).ok).toBe(true);
    expect(await readFile(file(), "utf8")).toBe('model "a\ufffdb"\n');
  });

  test("a link stays one, and what it leads to is changed", async () => {
    await mkdir(paths.config, { recursive: true });
    const real = join(home, "dotfiles.kdl");
    await writeFile(real, 'log "warn"\n');
    await symlink(real, file());
    expect((await set("m")).ok).toBe(true);
    expect((await lstat(file())).isSymbolicLink()).toBe(true);
    expect(await readFile(real, "utf8")).toBe('log "warn"\nmodel "m"\n');
  });

  test("a file with an error is told and left as it is", async () => {
    await write("model {\n");
    const refused = await set("m");
    expect(!refused.ok && refused.error.map(({ code }) => code)).toEqual(["config.syntax"]);
    expect(await readFile(file(), "utf8")).toBe("model {\n");
  });

  test("a blank is no model", async () => {
    const refused = await set(" ");
    expect(!refused.ok && refused.error.map(({ code }) => code)).toEqual(["config.bad-value"]);
    await expect(stat(file())).rejects.toThrow(/ENOENT/u);
  });
});
