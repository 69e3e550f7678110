import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPlace, type Place } from "../support/place.js";
import { STACK } from "../support/smith.js";
import { recordsOf, writePlugin } from "./support.js";

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

describe("plugins new and check", () => {
  test.each(["tool", "command", "policy", "provider", "theme"])("a new %s plugin is sound and installs", async (kind) => {
    const made = await place.run(["plugins", "new", "mine", "--kind", kind]);
    expect(made.status).toBe(0);
    expect(made.stdout.split("\n")).toContain("mine/manifest.kdl");
    const checked = await place.run(["plugins", "check", "mine"]);
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
    expect(checked.stdout).toMatch(/^sound: \d+ tests? passed$/mu);
    expect(await place.run(["plugins", "install", "mine", "--yes"])).toMatchObject({ status: 0, stdout: "installed my.mine 0.1.0\n" });
  });

  test("a folder that holds something is left as it is", async () => {
    place.file("mine/notes.md", "keep me");
    const { status, stdout, stderr } = await place.run(["plugins", "new", "mine"]);
    expect([status, stdout, place.read("mine/notes.md")]).toEqual([2, "", "keep me"]);
    expect(stderr).toContain("plugin.new-folder-in-use");
  });

  test.each([["Acme"], ["smith.mine"], ["../x.y"]])("the id %s is refused", async (id) => {
    const { status, stderr } = await place.run(["plugins", "new", "mine", "--id", id]);
    expect(status).toBe(2);
    expect(stderr).toContain("plugin.new-id");
  });

  test("a mistyped node is told with its line and column, and what was meant", async () => {
    await place.run(["plugins", "new", "mine", "--kind", "command"]);
    const path = join(place.work, "mine", "manifest.kdl");
    writeFileSync(path, readFileSync(path, "utf8").replace('  command "', '  comand "'));
    const { status, stdout, stderr } = await place.run(["plugins", "check", "mine"]);
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toContain(`${path}:4:3`);
    expect(stdout).toContain("Did you mean command?");
    const [step, report] = recordsOf((await place.run(["plugins", "check", "mine", "--json"])).stdout);
    expect(step).toMatchObject({ type: "manifest", problems: [{ code: "manifest.unknown-word", source: { line: 4, column: 3 } }] });
    expect(report).toEqual({ type: "report", isSound: false, tests: { passed: 0, failed: 0 } });
  });

  test("a test that fails is told with the author's own line", async () => {
    const test_ = 'import { test } from "smith-agent/plugin";\n\ntest("adds", (t) => {\n  t.equal(1 + 1, 3);\n});\n';
    writePlugin(place, "mine", { id: "acme.mine", more: { "test/add.test.ts": test_ } });
    const { status, stdout } = await place.run(["plugins", "check", "mine"]);
    expect(status).toBe(1);
    expect(stdout).toContain("✗ adds (test/add.test.ts)");
    expect(stdout).toMatch(/test\/add\.test\.ts:4/u);
    expect(stdout).toContain("not sound: 0 tests passed, 1 failed");
  });

  test.each([["nowhere"], ["file.txt"]])("%s is no folder: status 2", async (dir) => {
    place.file("file.txt", "x");
    const { status, stderr } = await place.run(["plugins", "check", dir]);
    expect(status).toBe(2);
    expect(stderr).not.toMatch(STACK);
  });

  test("a folder without a manifest is not sound", async () => {
    mkdirSync(join(place.work, "empty"));
    const { status, stdout } = await place.run(["plugins", "check", "empty"]);
    expect(status).toBe(1);
    expect(stdout).toContain("manifest.kdl");
  });
});
