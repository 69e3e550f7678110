import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EffectContext, Grants } from "../../../src/effect/index.js";
import { realDenied } from "../../../src/effect/paths/index.js";
import { type Bench, createBench, makeFolder, NOTHING, removeFolder } from "../support.js";

let top: string;
let w: string;
let data: string;
let bench: Bench;

beforeEach(async () => {
  top = await makeFolder();
  w = join(top, "w");
  data = join(top, "plugins-data", "acme.test");
  await mkdir(w);
  bench = createBench(w, { denied: [join(top, "store")] });
});
afterEach(async () => {
  await bench.close();
  await removeFolder(top);
});

const withGrants = (grants: Partial<Grants>, extra: Partial<EffectContext> = {}): Partial<EffectContext> => ({
  grants: { ...NOTHING, ...grants },
  dataDir: data,
  ...extra,
});

describe("plugin-data", () => {
  const own = (): Partial<EffectContext> => withGrants({ fsRead: ["plugin-data"], fsWrite: ["plugin-data"] });

  test("is made at the first write, for its user only", async () => {
    expect(await bench.value("fs.stat", { path: data }, own())).toEqual({ path: data, kind: "missing" });
    expect((await bench.error("fs.edit", { path: join(data, "x"), edits: [{ old: "a", new: "b" }] }, own())).code).toBe("fs.not-found");
    expect(await readdir(top)).toEqual(["w"]);
    await bench.value("fs.write", { path: join(data, "deep", "x"), content: "1\n" }, own());
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect(await bench.value("fs.read", { path: join(data, "deep", "x") }, own())).toMatchObject({ lines: ["1"] });
  });

  test("a write elsewhere does not make it", async () => {
    await bench.value("fs.write", { path: "x", content: "" }, withGrants({ fsWrite: ["workspace", "plugin-data"] }));
    expect(await readdir(top)).toEqual(["w"]);
  });

  test("the folder of another plugin is outside, and a link does not lead out", async () => {
    const other = join(top, "plugins-data", "other");
    await mkdir(other, { recursive: true });
    await mkdir(data);
    await symlink(other, join(data, "link"));
    for (const path of [join(other, "x"), join(data, "link", "x"), join(data, "..", "other", "x")]) {
      const error = await bench.error("fs.write", { path, content: "" }, own());
      expect([error.code, error.what]).toEqual(["grant.denied", expect.stringContaining(join(other, "x"))]);
    }
  });
});

describe("resources", () => {
  test("are folders and files that are read and searched, never written", async () => {
    const skill = join(top, "skills", "one");
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, "SKILL.md"), "s\n");
    await writeFile(join(top, "AGENTS.md"), "a\n");
    await writeFile(join(top, "secret"), "x\n");
    const given = withGrants(
      { fsRead: ["resources"], fsWrite: ["resources"], search: ["resources"] },
      { resources: [skill, join(top, "AGENTS.md")] },
    );
    expect(await bench.value("fs.read", { path: join(skill, "SKILL.md") }, given)).toMatchObject({ lines: ["s"] });
    expect(await bench.value("fs.read", { path: join(top, "AGENTS.md") }, given)).toMatchObject({ lines: ["a"] });
    expect((await bench.error("fs.read", { path: join(top, "secret") }, given)).code).toBe("grant.denied");
    expect(await bench.error("fs.write", { path: join(skill, "SKILL.md"), content: "" }, given)).toMatchObject({
      code: "grant.denied",
      why: expect.stringContaining("Resources are only read") as string,
    });
  });
});

describe("denied places win over every grant", () => {
  test.each<readonly [string, Partial<Grants>]>([
    ["anywhere", { fsRead: ["anywhere"], fsWrite: ["anywhere"] }],
    ["a path", { fsRead: [{ path: "/" }], fsWrite: [{ path: "/" }] }],
    ["plugin-data in it", { fsRead: ["plugin-data"], fsWrite: ["plugin-data"] }],
    ["resources in it", { fsRead: ["resources"], fsWrite: ["anywhere"] }],
  ])("%s", async (_name, grants) => {
    const store = join(top, "store");
    await mkdir(store);
    await writeFile(join(store, "x"), "");
    const given = withGrants(grants, { dataDir: store, resources: [store] });
    for (const op of ["fs.read", "fs.stat", "fs.list"] as const)
      expect((await bench.error(op, { path: join(store, "x") }, given)).code).toBe("grant.internal");
    expect((await bench.error("fs.write", { path: join(store, "x"), content: "1" }, given)).code).toBe("grant.internal");
  });
});

describe("the insides of running programs", () => {
  test.each(["self/environ", "thread-self/environ", `${String(process.pid)}/environ`, `${String(process.ppid)}/environ`, "self/maps"])(
    "are out of reach of every grant: /proc/%s",
    async (name) => {
      const path = `/proc/${name}`;
      const given = withGrants({ fsRead: ["anywhere", { path: "/proc" }], search: ["anywhere"], fsWrite: ["anywhere"] });
      await symlink(path, join(w, "link"));
      for (const asked of [path, "link"]) {
        for (const op of ["fs.read", "fs.stat", "fs.list"] as const)
          expect((await bench.error(op, { path: asked }, given)).code).toBe("grant.process-internal");
        expect((await bench.error("search.grep", { pattern: "KEY", path: asked }, given)).code).toBe("grant.process-internal");
      }
    },
  );

  test("are not searched on the way either; what is of no process is read", async () => {
    expect((await realDenied({ tempDir: top, denied: [] })).map(String)).toContain("/proc");
    expect(await bench.value("fs.read", { path: "/proc/version" }, withGrants({ fsRead: ["anywhere"] }))).toMatchObject({ type: "text" });
  });
});

describe("the internals of git", () => {
  const write = { grants: { ...NOTHING, fsRead: ["anywhere"], fsWrite: ["anywhere"] } } as const;

  test.each([
    ["a hook", ".git/hooks/pre-commit"],
    ["settings", ".git/config"],
    ["a new file in a folder below", "sub/module/.git/config"],
    ["a file that names a repository", "new/.git"],
    ["another spelling", "sub/../.git/config"],
    ["upper case", ".GIT/config"],
    ["through a link", "innocent/config"],
  ])("are not written: %s", async (_name, path) => {
    await mkdir(join(w, ".git", "hooks"), { recursive: true });
    await writeFile(join(w, ".git", "config"), "[core]\n");
    await symlink(".git", join(w, "innocent"));
    const wrote = await bench.error("fs.write", { path, content: "x" }, write);
    const edited = await bench.error("fs.edit", { path, edits: [{ old: "core", new: "alias" }] }, write);
    expect([wrote.code, edited.code]).toEqual(["grant.git-internal", "grant.git-internal"]);
    expect(wrote.next).toContain("git");
    expect(await readFile(join(w, ".git", "config"), "utf8")).toBe("[core]\n");
    expect(await readdir(w)).toEqual([".git", "innocent"]);
  });

  test("are read", async () => {
    await mkdir(join(w, ".git"));
    await writeFile(join(w, ".git", "HEAD"), "ref: refs/heads/main\n");
    expect(await bench.value("fs.read", { path: ".git/HEAD" }, write)).toMatchObject({ lines: ["ref: refs/heads/main"] });
  });

  test.each([".gitignore", ".github/workflows/ci.yml", "x.git/config", ".gitconfig"])("%s is none of them", async (path) => {
    expect(await bench.value("fs.write", { path, content: "x" }, write)).toMatchObject({ path });
  });
});

describe("fs.stat", () => {
  test("tells what is at a path; nothing is an answer", async () => {
    await writeFile(join(w, "f"), "12345");
    await mkdir(join(w, "d"));
    await symlink("f", join(w, "link"));
    const read = withGrants({ fsRead: ["workspace"] });
    const file = await bench.value("fs.stat", { path: "f" }, read);
    expect(file).toEqual({ path: "f", kind: "file", bytes: 5, modified: Math.round((await stat(join(w, "f"))).mtimeMs) });
    expect(await bench.value("fs.stat", { path: "link" }, read)).toEqual(file);
    expect(await bench.value("fs.stat", { path: "d" }, read)).toMatchObject({ path: "d", kind: "directory" });
    expect(await bench.value("fs.stat", { path: "none/at/all" }, read)).toEqual({ path: "none/at/all", kind: "missing" });
    expect((await bench.error("fs.stat", { path: "../x" }, read)).code).toBe("grant.denied");
    expect((await bench.error("fs.stat", { path: "f/x" }, read)).code).toBe("fs.not-a-directory");
  });
});

test.each<readonly [string, "read" | "write", string]>([
  ["in the workspace", "read", 'fs read="workspace"'],
  ["in the workspace", "write", 'fs write="workspace"'],
])("a refusal %s says how the manifest asks for %s", async (_name, access, node) => {
  const error =
    access === "read"
      ? await bench.error("fs.read", { path: "a" }, withGrants({}))
      : await bench.error("fs.write", { path: "a", content: "" }, withGrants({}));
  expect(error.next).toContain(`grants { ${node} }`);
});

test("a refusal outside names the folder", async () => {
  const error = await bench.error("fs.read", { path: "/etc/hosts" }, withGrants({ fsRead: ["workspace"] }));
  expect(error.next).toContain('grants { fs read="path:/etc" }');
});
