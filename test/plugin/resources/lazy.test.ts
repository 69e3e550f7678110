import { expect, test, vi } from "vitest";
import { createScene, instructions, names, skills } from "./scene.js";

const loaded = vi.hoisted(() => ({ names: [] as string[] }));

vi.mock("yaml", async (original) => {
  loaded.names.push("yaml");
  return original();
});

test("the parser of front matter is loaded for a file that has some, and not before", async () => {
  const scene = await createScene();
  const wanted = [skills(["user skills/*/SKILL.md"]), instructions(["ancestors AGENTS.md"])];
  expect((await scene.collect(wanted)).resources).toEqual([]);
  await scene.write({ "config/skills/a/SKILL.md": "# Without any", "project/AGENTS.md": "---\na: 1\n---\n" });
  expect(names(await scene.collect(wanted))).toEqual(["a", "agents"]);
  expect(loaded.names).toEqual([]);
  await scene.write({ "config/skills/a/SKILL.md": "---\nname: a\n---\n" });
  expect(names(await scene.collect(wanted))).toEqual(["a", "agents"]);
  expect(loaded.names).toEqual(["yaml"]);
});
