import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPackage, type CheckStep } from "../../src/plugin/check/index.js";
import { loadPackage } from "../../src/plugin/package/index.js";
import { openStage, realClock, type Stage } from "../plugin/stage.js";
import { EXAMPLES } from "./packages.js";

let stage: Stage;
let cacheDir: string;
beforeAll(async () => {
  stage = await openStage();
  cacheDir = await realpath(await mkdtemp(join(tmpdir(), "smith-examples-")));
});
afterAll(async () => {
  await stage.close();
  await rm(cacheDir, { recursive: true, force: true });
});

test("every example is one that is checked here", async () => {
  const folders = await readdir(fileURLToPath(new URL("../../docs/examples", import.meta.url)), { withFileTypes: true });
  expect(
    folders
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
  ).toEqual(EXAMPLES.map(({ name }) => name).sort());
});

describe.each(EXAMPLES)("the example $name", ({ dir, brings, grants, tests }) => {
  test("is sound, without a warning, all its tests pass in the sandbox, and it asks for what it needs", async () => {
    const steps: CheckStep[] = [];
    const report = await checkPackage(dir, {
      others: [],
      ...stage.files,
      cacheDir,
      clock: realClock,
      signal: new AbortController().signal,
      report: (step) => steps.push(step),
    });
    const wrong = steps.filter(
      (step) =>
        (step.type === "test" && !step.passed) ||
        ("problems" in step && step.problems.length > 0) ||
        ("missing" in step && step.missing.length > 0),
    );
    expect(wrong).toEqual([]);
    const said = steps.flatMap((step) => (step.type === "grants" ? step.grants.map(({ facility }) => facility) : []));
    expect([...new Set(said)].sort()).toEqual(grants);
    expect(report).toEqual({ isSound: true, tests: { passed: tests, failed: 0 } });
  });

  test("brings what its folder is named for", async () => {
    const loaded = await loadPackage(dir, { cacheDir });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    const { compiled } = loaded.value;
    expect({
      tools: compiled.tools.map(({ name }) => name),
      commands: compiled.commands.map(({ name }) => name),
      providers: compiled.providers.map(({ id }) => id),
      handlers: compiled.handlers.map(({ event }) => event),
      themes: compiled.themes.map(({ name }) => name),
      keys: compiled.keys.length,
    }).toEqual({ tools: [], commands: [], providers: [], handlers: [], themes: [], keys: 0, ...brings });
  });
});
