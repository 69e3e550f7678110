import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createValueFiles, MAX_VALUE_FILE_BYTES, type ValueFiles, type ValuePlace } from "../../../src/effect/values/index.js";
import { createRealClock } from "../../support/real-clock.js";

const user: ValuePlace = { plugin: "acme.lint", scope: "user" };
const project: ValuePlace = { plugin: "acme.lint", scope: "project", project: "ab12" };

let dir = "";
let count = 0;
const files = (): ValueFiles =>
  createValueFiles({
    dir,
    clock: createRealClock(),
    unique: () => {
      count += 1;
      return String(count);
    },
  });

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-values-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe("values in files", () => {
  test("a value is there for whoever reads the file next, with the version that wrote it", async () => {
    expect(await files().put(user, "rules", { version: 2, value: ["a"] })).toEqual({ ok: true, value: undefined });
    expect(await files().get(user, "rules")).toEqual({ ok: true, value: { version: 2, value: ["a"] } });
    expect(await files().get(project, "rules")).toEqual({ ok: true, value: undefined });
    expect(await files().get(user, "toString")).toEqual({ ok: true, value: undefined });
  });

  test("each scope has a file of its own, for its owner alone, and leaves no other", async () => {
    await files().put(user, "k", { version: 1, value: 1 });
    await files().put(project, "k", { version: 1, value: 2 });
    const folder = join(dir, "acme.lint");
    expect((await readdir(folder)).filter((name) => !name.endsWith(".lock"))).toEqual(["project-ab12.json", "user.json"]);
    expect((await stat(join(folder, "user.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test("changes of two stores at once keep each other's values", async () => {
    const one = files();
    const other = files();
    const puts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : other).put(user, `k${String(index)}`, { version: 1, value: index }),
    );
    expect((await Promise.all(puts)).every((done) => done.ok)).toBe(true);
    const stored = JSON.parse(await readFile(join(dir, "acme.lint", "user.json"), "utf8")) as { readonly values: object };
    expect(Object.keys(stored.values)).toHaveLength(20);
  });

  test("deleting tells whether there was a value, and writes nothing when there was none", async () => {
    await files().put(user, "k", { version: 1, value: null });
    expect(await files().delete(user, "k")).toEqual({ ok: true, value: true });
    expect(await files().delete(user, "k")).toEqual({ ok: true, value: false });
    expect(await files().delete(project, "k")).toEqual({ ok: true, value: false });
    expect((await readdir(join(dir, "acme.lint"))).includes("project-ab12.json")).toBe(false);
  });

  test.each([
    ["no JSON", "{"],
    ["another format", '{"format":2,"values":{}}'],
    ["a value without a version", '{"format":1,"values":{"k":{"value":1}}}'],
  ])("a file that holds %s is reported by its path and kept", async (_, text) => {
    const path = join(dir, "acme.lint", "user.json");
    await mkdir(join(dir, "acme.lint"));
    await writeFile(path, text);
    expect(await files().get(user, "k")).toMatchObject({ ok: false, error: { code: "state.file-broken", source: { type: "file", path } } });
    expect(await files().put(user, "k", { version: 1, value: 1 })).toMatchObject({ ok: false, error: { code: "state.file-broken" } });
    expect(await readFile(path, "utf8")).toBe(text);
  });

  test("a file over its bound is not written, and what was stored stays", async () => {
    await files().put(user, "k", { version: 1, value: 1 });
    const done = await files().put(user, "big", { version: 1, value: "x".repeat(MAX_VALUE_FILE_BYTES) });
    expect(done).toMatchObject({ ok: false, error: { code: "state.file-too-large" } });
    expect(await files().get(user, "k")).toEqual({ ok: true, value: { version: 1, value: 1 } });
    expect((await readdir(join(dir, "acme.lint"))).some((name) => name.endsWith(".tmp"))).toBe(false);
  });

  test("a folder that cannot be made is told as why nothing was stored", async () => {
    await writeFile(join(dir, "acme.lint"), "a file in the way");
    expect(await files().put(user, "k", { version: 1, value: 1 })).toMatchObject({ ok: false, error: { code: "state.file-unwritten" } });
  });

  test("a name that leads out of the folder is a bug, not a path", async () => {
    await expect(files().get({ plugin: "../x", scope: "user" }, "k")).rejects.toThrow("no name of a folder");
  });
});
