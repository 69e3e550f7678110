import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codes, createScene, instructions, names, skills } from "./scene.js";

const SKILLS = ["user skills/*/SKILL.md", "project .smith/skills/*/SKILL.md"];
const skill = (name: string, description = "does it"): string => `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;

test("where there is nothing, nothing is collected and nothing is wrong", async () => {
  const scene = await createScene();
  expect(await scene.collect([skills(SKILLS), instructions(["ancestors AGENTS.md"])])).toEqual({ resources: [], diagnostics: [] });
  expect(await scene.collect([])).toEqual({ resources: [], diagnostics: [] });
});

test("a collected file has its name, description, place, text and attributes", async () => {
  const scene = await createScene();
  await scene.write({ "config/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews code\nlicense: MIT\n---\n\nText\n" });
  expect(await scene.collect([skills(SKILLS)])).toEqual({
    resources: [
      {
        kind: "skill",
        plugin: "smith.skills",
        name: "review",
        description: "Reviews code",
        from: "user",
        path: join(scene.configDir, "skills/review/SKILL.md"),
        text: "Text\n",
        attributes: { name: "review", description: "Reviews code", license: "MIT" },
      },
    ],
    diagnostics: [],
  });
});

describe("order and precedence", () => {
  test("sources as declared, then paths", async () => {
    const scene = await createScene();
    for (const name of ["b", "a", "z"]) await scene.write({ [`config/skills/${name}/SKILL.md`]: skill(name) });
    await scene.write({ "project/.smith/skills/c/SKILL.md": skill("c") });
    expect(names(await scene.collect([skills(SKILLS)]))).toEqual(["a", "b", "z", "c"]);
    expect(names(await scene.collect([skills([...SKILLS].reverse())]))).toEqual(["c", "a", "b", "z"]);
  });

  test("the project's own replaces the user's, and both places are told", async () => {
    const scene = await createScene();
    await scene.write({
      "config/skills/a/SKILL.md": skill("a", "of the user"),
      "project/.smith/skills/a/SKILL.md": skill("a", "of the project"),
    });
    const collected = await scene.collect([skills(SKILLS)]);
    expect(collected.resources.map(({ description }) => description)).toEqual(["of the project"]);
    expect(codes(collected)).toEqual(["collect.duplicate"]);
    expect(collected.diagnostics[0]?.what).toContain(join(scene.cwd, ".smith/skills/a/SKILL.md"));
    expect(collected.diagnostics[0]?.what).toContain(join(scene.configDir, "skills/a/SKILL.md"));
  });

  test("what a package brings along is replaced by everybody's own, whatever the order of plugins", async () => {
    const scene = await createScene();
    await scene.write({ "package/skills/a/SKILL.md": skill("a", "of a package"), "config/skills/a/SKILL.md": skill("a", "of the user") });
    const ofPackage = skills(["plugin skills/*/SKILL.md"], { plugin: "acme.more" });
    for (const order of [
      [ofPackage, skills(SKILLS)],
      [skills(SKILLS), ofPackage],
    ]) {
      expect((await scene.collect(order)).resources.map(({ description }) => description)).toEqual(["of the user"]);
    }
  });

  test("names of different kinds have nothing to do with each other", async () => {
    const scene = await createScene();
    await scene.write({ "config/skills/a/SKILL.md": skill("a"), "config/prompts/a.md": "text" });
    const collected = await scene.collect([skills(SKILLS), skills(["user prompts/*.md"], { kind: "prompt", named: "file" })]);
    expect(collected.resources.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["skill a", "prompt a"]);
    expect(codes(collected)).toEqual([]);
  });

  test("plain texts are all kept", async () => {
    const scene = await createScene();
    await scene.write({ "config/AGENTS.md": "one", "project/AGENTS.md": "two" });
    const collected = await scene.collect([instructions(["user AGENTS.md", "ancestors AGENTS.md"])]);
    expect(collected.resources.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(codes(collected)).toEqual([]);
  });

  test("a file two sources lead to is one file", async () => {
    const scene = await createScene();
    await scene.write({ "project/AGENTS.md": "one" });
    await symlink("AGENTS.md", join(scene.cwd, "CLAUDE.md"));
    const collected = await scene.collect([instructions(["ancestors AGENTS.md", "ancestors CLAUDE.md", "project *.md"])]);
    expect(collected.resources.map(({ text }) => text)).toEqual(["one"]);
    expect(codes(collected)).toEqual([]);
  });

  test("names that are properties of every object are names", async () => {
    const scene = await createScene();
    await scene.write({ "config/skills/constructor/SKILL.md": skill("constructor"), "config/skills/valueof/SKILL.md": skill("valueOf") });
    const collected = await scene.collect([skills(SKILLS)]);
    expect(names(collected)).toEqual(["constructor", "valueof"]);
    expect(codes(collected)).toEqual([]);
  });
});

describe("a project", () => {
  test("that is not trusted has no say; its instructions are read all the same", async () => {
    const scene = await createScene();
    await scene.write({ "project/.smith/skills/a/SKILL.md": skill("a"), "project/AGENTS.md": "text" });
    expect(names(await scene.collect([skills(SKILLS), instructions(["ancestors AGENTS.md"])], { trusted: false }))).toEqual(["agents"]);
  });

  test("speaks from its root alone, which is what was trusted, and not from the folder the person is in", async () => {
    const scene = await createScene();
    await scene.write({ "project/.smith/skills/a/SKILL.md": skill("a"), "project/inner/.smith/skills/b/SKILL.md": skill("b") });
    const options = { cwd: join(scene.cwd, "inner"), root: scene.cwd };
    expect(names(await scene.collect([skills(SKILLS)], options))).toEqual(["a"]);
  });

  test("takes nothing from outside of it", async () => {
    const scene = await createScene();
    await scene.write({ "outside/SKILL.md": skill("a"), "project-2/SKILL.md": skill("b") });
    await mkdir(join(scene.cwd, ".smith/skills"), { recursive: true });
    await symlink(join(scene.root, "outside"), join(scene.cwd, ".smith/skills/a"));
    await symlink("../../../project-2", join(scene.cwd, ".smith/skills/b"));
    const collected = await scene.collect([skills(SKILLS)]);
    expect(names(collected)).toEqual([]);
    expect(codes(collected)).toEqual(["collect.outside", "collect.outside"]);
  });

  test("may have links to its own files", async () => {
    const scene = await createScene();
    await scene.write({ "project/shared/a/SKILL.md": skill("a") });
    await mkdir(join(scene.cwd, ".smith"));
    await symlink("../shared", join(scene.cwd, ".smith/skills"));
    const collected = await scene.collect([skills(SKILLS)]);
    expect(collected.resources.map(({ path }) => path)).toEqual([join(scene.cwd, "shared/a/SKILL.md")]);
  });

  test("the user's own files may lie anywhere", async () => {
    const scene = await createScene();
    await scene.write({ "dotfiles/a/SKILL.md": skill("a") });
    await symlink(join(scene.root, "dotfiles"), join(scene.configDir, "skills"));
    expect(names(await scene.collect([skills(SKILLS)]))).toEqual(["a"]);
  });

  test("behind a link is the folder it leads to", async () => {
    const scene = await createScene();
    await scene.write({ "project/.smith/skills/a/SKILL.md": skill("a") });
    await symlink(scene.cwd, join(scene.root, "workspace"));
    const collected = await scene.collect([skills(SKILLS)], { cwd: join(scene.root, "workspace") });
    expect(names(collected)).toEqual(["a"]);
    expect(codes(collected)).toEqual([]);
  });

  test.each(["../secret", "skills/../../secret", "/etc/passwd", "..", ""])("the pattern %j leads nowhere else", async (path) => {
    const scene = await createScene();
    await scene.write({ secret: "secret", "project/skills/x": "" });
    expect(await scene.collect([instructions([`user ${path}`, `project ${path}`, `plugin ${path}`])])).toEqual({
      resources: [],
      diagnostics: [],
    });
  });
});

describe("ancestors", () => {
  const AGENTS = [instructions(["ancestors AGENTS.md"])];
  const textsOf = async (
    files: Readonly<Record<string, string>>,
    folders: readonly string[],
    workspace: string,
  ): Promise<readonly string[]> => {
    const scene = await createScene(workspace);
    for (const folder of folders) await mkdir(join(scene.root, folder), { recursive: true });
    await scene.write(files);
    return (await scene.collect(AGENTS, { trusted: false })).resources.map(({ text }) => text);
  };
  const files = { "AGENTS.md": "above", "repo/AGENTS.md": "repo", "repo/a/AGENTS.md": "a", "repo/a/b/AGENTS.md": "b" };

  test("are those of the repository, outermost first", async () => {
    expect(await textsOf(files, ["repo/.git"], "repo/a/b")).toEqual(["repo", "a", "b"]);
  });

  test("are those of the nearest repository", async () => {
    expect(await textsOf(files, [".git", "repo/.git", "repo/a/.git"], "repo/a/b")).toEqual(["a", "b"]);
  });

  test("are those of a worktree, whose .git is a file", async () => {
    expect(await textsOf({ ...files, "repo/.git": "gitdir: elsewhere" }, [], "repo/a")).toEqual(["repo", "a"]);
  });

  test("are the workspace alone where there is no repository", async () => {
    expect(await textsOf(files, [], "repo/a/b")).toEqual(["b"]);
  });

  test("may be links within the repository, and not out of it", async () => {
    const scene = await createScene("repo/a");
    await scene.write({ secret: "secret", "repo/.git/HEAD": "", "repo/docs/agents.md": "docs" });
    await symlink("../docs/agents.md", join(scene.root, "repo/a/AGENTS.md"));
    await symlink("../secret", join(scene.root, "repo/AGENTS.md"));
    const collected = await scene.collect(AGENTS, { trusted: false });
    expect(collected.resources.map(({ text }) => text)).toEqual(["docs"]);
    expect(codes(collected)).toEqual(["collect.outside"]);
  });
});

describe("what is in the place of a file", () => {
  test("a named pipe is told of and not waited for", async () => {
    const scene = await createScene();
    await scene.write({ "config/skills/b/SKILL.md": skill("b") });
    await mkdir(join(scene.configDir, "skills/a"));
    execFileSync("mkfifo", [join(scene.configDir, "skills/a/SKILL.md")]);
    const collected = await scene.collect([skills(SKILLS)]);
    expect(names(collected)).toEqual(["b"]);
    expect(codes(collected)).toEqual(["collect.not-a-file"]);
  });

  test("a folder is told of", async () => {
    const scene = await createScene();
    await mkdir(join(scene.configDir, "skills/a/SKILL.md"), { recursive: true });
    expect(codes(await scene.collect([skills(SKILLS)]))).toEqual(["collect.not-a-file"]);
  });

  test("a link to itself is told of, one to nothing is nothing", async () => {
    const scene = await createScene();
    for (const name of ["a", "b"]) await mkdir(join(scene.configDir, "skills", name), { recursive: true });
    await symlink("SKILL.md", join(scene.configDir, "skills/a/SKILL.md"));
    await symlink("nowhere", join(scene.configDir, "skills/b/SKILL.md"));
    expect(codes(await scene.collect([skills(SKILLS)]))).toEqual(["collect.unreadable"]);
  });

  test("binary content is told of", async () => {
    const scene = await createScene();
    await scene.write({ "config/skills/a/SKILL.md": Buffer.from([0x50, 0x4b, 0, 1]) });
    expect(codes(await scene.collect([skills(SKILLS)]))).toEqual(["collect.binary"]);
  });

  test("a file over its bound is left out, or cut between two characters", async () => {
    const scene = await createScene();
    await scene.write({ "config/skills/a/SKILL.md": "ääääää" });
    const [left, cut] = [
      await scene.collect([skills(SKILLS, { maxBytes: 5 })]),
      await scene.collect([skills(SKILLS, { maxBytes: 5, cut: true })]),
    ];
    expect([names(left), codes(left)]).toEqual([[], ["collect.too-large"]]);
    expect([cut.resources[0]?.text, codes(cut)]).toEqual(["ää", ["collect.cut"]]);
  });

  test("a file of exactly its bound is whole", async () => {
    const scene = await createScene();
    await scene.write({ "config/skills/a/SKILL.md": "12345" });
    const collected = await scene.collect([skills(SKILLS, { maxBytes: 5 })]);
    expect([collected.resources[0]?.text, codes(collected)]).toEqual(["12345", []]);
  });

  test("more than two hundred files are too many", async () => {
    const scene = await createScene();
    await scene.write(
      Object.fromEntries(Array.from({ length: 203 }, (_, index) => [`config/prompts/${String(index).padStart(3, "0")}.md`, "text"])),
    );
    const collected = await scene.collect([skills(["user prompts/*.md"], { kind: "prompt", named: "file" })]);
    expect(names(collected)).toHaveLength(200);
    expect(names(collected).at(-1)).toBe("199");
    expect(codes(collected)).toEqual(["collect.too-many"]);
  });
});
