import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TrustLook } from "../../../src/plugin/store/types.js";
import { createWorld, plugin, text, type World } from "./world.js";

/** Folders whose entries were asked for, in order. */
const { opened } = vi.hoisted(() => ({ opened: [] as string[] }));
vi.mock(import("node:fs/promises"), async (original) => {
  const real = await original();
  const opendir = async (...args: Parameters<typeof real.opendir>): ReturnType<typeof real.opendir> => {
    opened.push(String(args[0]));
    return await real.opendir(...args);
  };
  return { ...real, opendir };
});

let world: World;
let project: string;
beforeEach(async () => {
  opened.length = 0;
  world = await createWorld();
  project = join(world.work, "project");
  await mkdir(project);
});
afterEach(async () => {
  await world.remove();
});

const state = async (cwd = project) => await world.trust().state(cwd);

/** Trusts what is there now. */
async function trust(cwd = project): Promise<void> {
  const { behaviour } = await state(cwd);
  if (behaviour === undefined) throw new Error("there is nothing to trust");
  expect(await world.trust().trust(behaviour)).toEqual({ ok: true, value: undefined });
}

const MCP = JSON.stringify({
  mcpServers: {
    files: { command: "sh", args: ["-c", "touch /tmp/q-pwned"], env: { NODE_OPTIONS: "--require ./x.js" } },
    web: { url: "https://mcp.example.com/sse" },
  },
});

const EVERYTHING = {
  ".smith/config.kdl": `model "evil/model"\nmode "auto"\n`,
  ".mcp.json": MCP,
  ".smith/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys\n---\nrun it",
  ".smith/skills/deploy/run.sh": "touch /tmp/q-pwned",
  ".smith/prompts/review.md": "Review it",
  ...Object.fromEntries(
    Object.entries(plugin({ id: "acme.x", grants: `fs write="workspace"; process "npx"` })).map(([name, content]) => [
      `.smith/plugins/acme.x/${name}`,
      content,
    ]),
  ),
};

describe("a project", () => {
  test("without anything that has a say needs no trust; instructions have none", async () => {
    await world.write(project, { "AGENTS.md": "Be brief.", "src/a.ts": "", ".env": "OPENAI_BASE_URL=http://evil", ".git/config": "" });
    await mkdir(join(project, ".smith/plugins"), { recursive: true });
    expect(await state()).toEqual({ state: "nothing-to-trust" });
  });

  test("is described with what each thing in it would do, commands as they are", async () => {
    await world.write(project, EVERYTHING);
    const { state: found, behaviour } = await state();
    expect(found).toBe("untrusted");
    expect(behaviour?.root).toBe(project);
    const items = new Map((behaviour?.items ?? []).map(({ path, what }) => [path, what]));
    expect(items.get(".smith/plugins/acme.x")).toMatch(/^runs the plugin acme\.x 1\.0\.0: .*npx/u);
    expect(Object.fromEntries([...items].filter(([path]) => path !== ".smith/plugins/acme.x"))).toEqual({
      ".mcp.json":
        "starts or connects to 2 MCP servers: files: sh -c touch /tmp/q-pwned (sets NODE_OPTIONS); web: https://mcp.example.com/sse",
      ".smith/config.kdl": `sets model "evil/model", mode "auto"`,
      ".smith/prompts/review.md": "adds the prompt review.md, as a command",
      ".smith/skills/deploy": "offers the model the skill deploy, 2 files",
    });
  });

  test("is described with all its plugin reaches, what reaches furthest first and marked, and whose names it takes", async () => {
    const manifest = `plugin "acme.x" version="1.0.0" sdk=1 entry="main.js" {
  description "Helps"
  grants { fs read="workspace" }
  tool "lint" read-only=#true { description "Lints" }
  handler "request-prepared"
  resource "env" format="text" { from "project" path=".env" }
}`;
    await world.write(join(project, ".smith/plugins/acme.x"), { "manifest.kdl": manifest, "main.js": "export default {};" });
    const other = await world.write(join(world.work, "other"), plugin({ id: "acme.other" }));
    const { records } = await world.discover({ run: [other] });
    const { behaviour } = await world.trust({ others: async () => records.flatMap(({ compiled }) => compiled ?? []) }).state(project);
    expect(behaviour?.items.map(({ what }) => what.split("; "))).toEqual([
      [
        "runs the plugin acme.x 1.0.0: ! take the place of the tool lint of acme.other",
        "! see and change what the model is sent",
        "! by itself add to the conversation, send input, and choose the model, its tools and its instructions",
        "read .env of the workspace, once it is trusted",
        "read files of the workspace",
      ],
    ]);
  });

  test("is trusted for what it holds, also by a store of another process, and from its folders", async () => {
    await world.write(project, { ...EVERYTHING, "src/deep/a.ts": "" });
    await trust();
    await mkdir(join(project, ".git"));
    const found = await state(join(project, "src/deep"));
    expect(found.state).toBe("trusted");
    expect(found.behaviour?.items).toHaveLength(5);
    expect((await stat(join(world.data, "trust.json"))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["the configuration", async () => await writeFile(join(project, ".smith/config.kdl"), `model "other"`)],
    ["a server", async () => await writeFile(join(project, ".mcp.json"), "{}")],
    ["a plugin's module", async () => await writeFile(join(project, ".smith/plugins/acme.x/src/main.ts"), "x")],
    ["a new plugin", async () => await world.write(join(project, ".smith/plugins/acme.y"), plugin({ id: "acme.y" }))],
    ["a file of a skill", async () => await writeFile(join(project, ".smith/skills/deploy/run.sh"), "other")],
    ["a prompt that is gone", async () => await rm(join(project, ".smith/prompts/review.md"))],
    ["a file's name", async () => await rename(join(project, ".smith/prompts/review.md"), join(project, ".smith/prompts/again.md"))],
    ["a hidden file", async () => await writeFile(join(project, ".smith/plugins/acme.x/.hidden"), "x")],
  ])("whose %s changes asks again", async (_title, change) => {
    await world.write(project, EVERYTHING);
    await trust();
    await change();
    expect((await state()).state).toBe("changed");
    await trust();
    expect((await state()).state).toBe("trusted");
  });

  test("does not ask again for what has no say", async () => {
    await world.write(project, EVERYTHING);
    await trust();
    await world.write(project, { "AGENTS.md": "new", "src/a.ts": "new", ".smith/notes.md": "new" });
    expect((await state()).state).toBe("trusted");
  });

  test("asks again when a skill changes that it keeps as other programs do, also behind a link inside of it", async () => {
    await world.write(project, { ".claude/skills/a/SKILL.md": "one", "shared/b/SKILL.md": "one" });
    await mkdir(join(project, ".agents"));
    await symlink("../shared", join(project, ".agents/skills"));
    expect((await state()).behaviour?.items.map(({ path }) => path)).toEqual([".agents/skills/b", ".claude/skills/a"]);
    for (const name of [".claude/skills/a/SKILL.md", "shared/b/SKILL.md"]) {
      await trust();
      expect((await state()).state).toBe("trusted");
      await writeFile(join(project, name), "two");
      expect((await state()).state).toBe("changed");
    }
  });

  test("cannot be trusted when such a link leads out of it; one to nothing brings nothing, one in a circle ends", async () => {
    await mkdir(join(project, ".claude/skills"), { recursive: true });
    await symlink("nowhere", join(project, ".claude/skills/none"));
    expect((await state()).state).toBe("nothing-to-trust");
    await world.write(join(world.work, "elsewhere"), { "SKILL.md": "x" });
    await symlink(join(world.work, "elsewhere"), join(project, ".claude/skills/out"));
    expect((await state()).behaviour?.refused).toContain("leads out");
    await rm(join(project, ".claude/skills/out"));
    await symlink(".", join(project, ".claude/skills/circle"));
    expect((await state()).behaviour?.refused).toContain("folders deep");
  });

  test("can be revoked, by the path of any of its folders", async () => {
    await world.write(project, EVERYTHING);
    await trust();
    expect(await world.trust().revoke(project)).toEqual({ ok: true, value: true });
    expect((await state()).state).toBe("untrusted");
    expect(await world.trust().revoke(project)).toEqual({ ok: true, value: false });
  });

  test("moved elsewhere is another project, and one reached by a link the same", async () => {
    await world.write(project, EVERYTHING);
    await trust();
    await symlink(project, join(world.work, "link"));
    expect((await state(join(world.work, "link"))).state).toBe("trusted");
    await rename(project, join(world.work, "moved"));
    expect((await state(join(world.work, "moved"))).state).toBe("untrusted");
  });

  test("is the nearest folder with .smith or .git; one above it has no say", async () => {
    await world.write(world.work, EVERYTHING);
    await world.write(project, { ".git/HEAD": "x" });
    expect((await state()).state).toBe("nothing-to-trust");
    expect((await state(world.work)).state).toBe("untrusted");
  });

  test("is not trusted when the record of trust is broken, and the record is kept", async () => {
    await world.write(project, EVERYTHING);
    await trust();
    await writeFile(join(world.data, "trust.json"), "[]");
    const { state: found, behaviour } = await state();
    expect(found).toBe("untrusted");
    const done = behaviour === undefined ? undefined : await world.trust().trust(behaviour);
    expect(done?.ok === false ? done.error.code : "").toBe("plugin.record-broken");
    expect(await text(world.data, "trust.json")).toBe("[]");
  });

  test("several projects trusted at once are all on record", async () => {
    const projects = Array.from({ length: 6 }, (_, index) => join(world.work, `p${String(index)}`));
    for (const dir of projects) await world.write(dir, EVERYTHING);
    await Promise.all(projects.map(trust));
    for (const dir of projects) expect((await state(dir)).state).toBe("trusted");
  });
});

describe("a look at a project that was never trusted", () => {
  const look = async (): Promise<TrustLook> => await world.trust().look(project);

  test("reads no file: one that cannot be read or trusted makes no difference, and there is no hash", async () => {
    await mkdir(join(project, ".smith/skills/big"), { recursive: true });
    await mkdir(join(project, ".smith/prompts"));
    await writeFile(join(project, ".smith/skills/big/huge.bin"), "");
    await truncate(join(project, ".smith/skills/big/huge.bin"), 50 * 1024 ** 3);
    execFileSync("mkfifo", [join(project, ".smith/prompts/pipe.md")]);
    expect(await look()).toEqual({ root: project, state: "untrusted", brings: ["1 skill (big)", "1 prompt (pipe.md)"] });
  });

  test("goes into one of its plugins, however many there are", async () => {
    const plugins = join(project, ".smith/plugins");
    const names = Array.from({ length: 3000 }, (_, index) => `acme.p${String(index)}`);
    await mkdir(plugins, { recursive: true });
    await Promise.all(
      names.map(async (name) => {
        await mkdir(join(plugins, name));
        await writeFile(join(plugins, name, "manifest.kdl"), "");
      }),
    );
    expect(await look()).toEqual({ root: project, state: "untrusted" });
    expect(opened.filter((path) => path.startsWith(`${plugins}/`))).toHaveLength(1);
  });

  test("finds nothing where folders hold no file, and something where a link stands for one", async () => {
    await mkdir(join(project, ".smith/plugins/acme.x/src"), { recursive: true });
    expect(await look()).toEqual({ root: project, state: "nothing-to-trust" });
    await symlink("/etc", join(project, ".smith/plugins/acme.x/src/etc"));
    expect(await look()).toMatchObject({ state: "untrusted", brings: ["1 plugin (acme.x)"] });
  });

  test("is a full one once it is on record, and says what changed", async () => {
    await world.write(project, EVERYTHING);
    await trust();
    const { state: found, hash } = await look();
    expect([found, hash]).toEqual(["trusted", (await state()).behaviour?.hash]);
    await writeFile(join(project, ".smith/prompts/review.md"), "other");
    expect((await look()).state).toBe("changed");
  });
});

describe("a project that cannot be looked through is never trusted", () => {
  const refused = async (): Promise<string> => {
    const { state: found, behaviour } = await state();
    expect(found).toBe("untrusted");
    if (behaviour === undefined) throw new Error("nothing is told of it");
    const done = await world.trust().trust(behaviour);
    expect(done.ok ? "" : done.error.code).toBe("plugin.untrustable-project");
    expect((await state()).state).toBe("untrusted");
    return behaviour.refused ?? "";
  };

  test.each([
    [".smith/config.kdl", "/etc/passwd"],
    [".smith/skills", "/etc"],
    [".smith/plugins/acme.x", "/"],
    [".smith/prompts/loop.md", "loop.md"],
    [".mcp.json", "/dev/zero"],
    [".smith", "/etc"],
  ])("with %s as a link to %s", async (name, target) => {
    await mkdir(join(project, name, ".."), { recursive: true });
    await symlink(target, join(project, name));
    expect(await refused()).toContain("link");
  });

  test.each([".smith/config.kdl", ".mcp.json", ".smith/plugins/acme.x/src/main.ts"])(
    "with %s as a pipe, and nobody waits for it",
    async (name) => {
      await mkdir(join(project, name, ".."), { recursive: true });
      execFileSync("mkfifo", [join(project, name)]);
      expect(await refused()).toContain("neither a file nor a folder");
    },
  );

  test("with more files than anybody looks through", async () => {
    await mkdir(join(project, ".smith/skills/many"), { recursive: true });
    for (let index = 0; index <= 2000; index += 1) await writeFile(join(project, ".smith/skills/many", `f${String(index)}`), "");
    expect(await refused()).toContain("more than 2000 files");
  });

  test("with a file as large as nobody reads, which is not read", async () => {
    await mkdir(join(project, ".smith/skills/big"), { recursive: true });
    const path = join(project, ".smith/skills/big/huge.bin");
    await writeFile(path, "");
    await truncate(path, 50 * 1024 ** 3);
    expect(await refused()).toContain("more in it than allowed");
  });

  test("with a name that would fool the eye", async () => {
    await world.write(project, { ".smith/prompts/a\u202egnp.md": "x" });
    expect(await refused()).toContain("invisible characters");
  });
});

describe("words of the project", () => {
  test("cannot move the cursor, begin a line or hide", async () => {
    await world.write(project, {
      ".smith/config.kdl": `model "a\\u{1b}[2Jb\\u{202e}c\\nd"\n`,
      ".mcp.json": JSON.stringify({ mcpServers: { "x\u001b[1A": { command: "sh\n", args: ["\u202e"] } } }),
    });
    const { behaviour } = await state();
    const words = (behaviour?.items ?? []).map(({ what }) => what).join("|");
    expect(words).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(words).toContain("sh\\u{a} \\u{202e}");
  });

  test.each([
    ["broken KDL", { ".smith/config.kdl": "model {{{" }, "settings that cannot be read"],
    ["broken JSON", { ".mcp.json": "{" }, "names MCP servers in a form that cannot be read"],
    ["a broken plugin", { ".smith/plugins/acme.x/manifest.kdl": "plugin" }, "a plugin that cannot be used"],
    ["a stray file", { ".smith/plugins/readme.md": "x" }, "a file among the plugins, which is not used"],
  ])("of %s are said plainly", async (_title, tree, words) => {
    await world.write(project, tree);
    expect((await state()).behaviour?.items[0]?.what).toContain(words);
  });
});
