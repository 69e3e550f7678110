import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPlace, type Place } from "../support/place.js";
import { STACK } from "../support/smith.js";
import { recordsOf, SAYING, writePlugin } from "./support.js";

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

const installedIn = (id: string): string => join(place.home, "config", "plugins", id);

describe("the life of an installed plugin", () => {
  test("installed, used, disabled, enabled, changed, trusted again, removed", async () => {
    writePlugin(place, "say", { id: "acme.say", ...SAYING });
    const installed = await place.run(["plugins", "install", "say", "--yes"]);
    expect(installed).toMatchObject({ status: 0, stdout: "installed acme.say 0.1.0\n" });
    expect(installed.stderr).toContain("show notices");
    expect((await place.run(["eval", "/say", "hi"])).stderr).toContain("acme.say: said hi");

    expect((await place.run(["plugins", "disable", "acme.say"])).stdout).toBe("disabled acme.say\n");
    expect((await place.run(["eval", "/say", "hi"])).stderr).not.toContain("said hi");
    expect((await place.run(["plugins", "list"])).stdout).toMatch(/^acme\.say +0\.1\.0 +user +disabled/mu);
    expect((await place.run(["plugins", "enable", "acme.say"])).stdout).toBe("enabled acme.say\n");

    writeFileSync(join(installedIn("acme.say"), "extra.md"), "changed");
    const changed = await place.run(["plugins", "list"]);
    expect(changed.stdout).toMatch(/^acme\.say +0\.1\.0 +user +changed/mu);
    expect(changed.stdout).toContain("smith plugins trust acme.say");
    expect(await place.run(["plugins", "trust", "acme.say"])).toMatchObject({ status: 2, stdout: "" });
    expect(await place.run(["plugins", "trust", "acme.say", "--yes"])).toMatchObject({ status: 0, stdout: "trusted acme.say 0.1.0\n" });
    expect((await place.run(["eval", "/say", "again"])).stderr).toContain("acme.say: said again");

    expect(await place.run(["plugins", "remove", "acme.say", "--yes"])).toMatchObject({ status: 0, stdout: "removed acme.say\n" });
    expect(existsSync(installedIn("acme.say"))).toBe(false);
    expect((await place.run(["plugins", "info", "acme.say"])).status).toBe(2);
  });

  test("an update says what it replaces, what is new, and takes its place whole", async () => {
    writePlugin(place, "say", { id: "acme.say", ...SAYING });
    await place.run(["plugins", "install", "say", "--yes"]);
    writePlugin(place, "say", { id: "acme.say", version: "0.2.0", ...SAYING, nodes: `grants { ui "notify"; net "https://x.example"; }` });
    const updated = await place.run(["plugins", "install", "say", "--yes"]);
    expect(updated.stdout).toBe("installed acme.say 0.2.0\n");
    expect(updated.stderr).toContain("acme.say 0.2.0 (now 0.1.0)");
    expect(updated.stderr).toMatch(/! fetch from https:\/\/x\.example \(GET, HEAD\) \(new\)/u);
    const [shown] = recordsOf((await place.run(["plugins", "info", "acme.say", "--json"])).stdout);
    expect(shown).toMatchObject({ version: "0.2.0", state: "in-use", source: { type: "folder", path: join(place.work, "say") } });
  });

  test("one that was put there by hand waits until it is trusted", async () => {
    writePlugin(place, "../home/config/plugins/acme.say", { id: "acme.say", ...SAYING });
    const listed = await place.run(["plugins", "list"]);
    expect(listed.stdout).toMatch(/^acme\.say .*not approved/mu);
    expect((await place.run(["eval", "/say", "hi"])).stderr).not.toContain("said hi");
    await place.run(["plugins", "trust", "acme.say", "--yes"]);
    expect((await place.run(["eval", "/say", "hi"])).stderr).toContain("said hi");
  });

  test("two installs at once leave one whole plugin and nothing beside it", async () => {
    const more = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`data/${String(index)}.md`, "x".repeat(2_000)]));
    writePlugin(place, "one", { id: "acme.say", ...SAYING, more });
    writePlugin(place, "two", { id: "acme.say", version: "0.2.0", ...SAYING, more });
    const ended = await Promise.all(["one", "two"].map((dir) => place.run(["plugins", "install", dir, "--yes"])));
    expect(ended.map(({ status, stderr }) => [status, STACK.test(stderr)])).toEqual([
      [0, false],
      [0, false],
    ]);
    expect(readdirSync(join(place.home, "config", "plugins"))).toEqual(["acme.say"]);
    const [shown] = recordsOf((await place.run(["plugins", "info", "acme.say", "--json"])).stdout);
    expect(shown).toMatchObject({ state: "in-use" });
    expect(readFileSync(join(installedIn("acme.say"), "manifest.kdl"), "utf8")).toContain(`version="${String(shown?.["version"])}"`);
  });
});

describe("what cannot be installed leaves nothing", () => {
  test.each([
    ["nowhere", 2, "plugin.source"],
    ["empty", 1, "there is no manifest.kdl"],
    ["broken", 1, "broken/manifest.kdl:3:3"],
    ["npm:UPPER", 2, "plugin.source"],
  ])("%s", async (spec, expected, words) => {
    place.file("empty/readme.md", "x");
    writePlugin(place, "broken", { id: "acme.broken", nodes: 'comand "x"' });
    const { status, stdout, stderr } = await place.run(["plugins", "install", spec, "--yes"]);
    expect([status, stdout]).toEqual([expected, ""]);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(STACK);
    const dir = join(place.home, "config", "plugins");
    expect(existsSync(dir) ? readdirSync(dir) : []).toEqual([]);
  });

  test("without a terminal it is not even fetched", async () => {
    writePlugin(place, "say", { id: "acme.say", ...SAYING });
    const { status, stderr } = await place.run(["plugins", "install", "say"]);
    expect(status).toBe(2);
    expect(stderr).toContain("--yes");
    expect(existsSync(join(place.home, "config", "plugins"))).toBe(false);
  });
});

describe("ids that are not there end with status 2 and name the nearest", () => {
  test.each([["info"], ["remove"], ["enable"], ["disable"], ["trust"]])("%s", async (command) => {
    const yes = command === "remove" || command === "trust" ? ["--yes"] : [];
    const { status, stdout, stderr } = await place.run(["plugins", command, "smith.reed", ...yes]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Did you mean smith.read?");
    expect(stderr).not.toMatch(STACK);
  });
});

describe("a reader of the output who goes away", () => {
  test.each([[["plugins", "list"]], [["plugins", "list", "--json"]], [["plugins", "info", "smith.shell"]]])(
    "%j ends quietly",
    async (args) => {
      const { stderr } = await place.start(args, { input: "", script: '{ "$@"; echo "status $?" >&2; } | true' }).ended;
      expect(stderr).toBe("status 0\n");
    },
  );

  test("ends a check that still runs", async () => {
    const test_ =
      'import { test } from "smith-agent/plugin";\nfor (let n = 0; n < 40; n += 1) test(`t${n}`, () => { for (let i = 0; i < 3e5; i += 1); });\n';
    writePlugin(place, "say", { id: "acme.say", ...SAYING, more: { "test/a.test.ts": test_ } });
    const { stdout, stderr } = await place.start(["plugins", "check", "say"], { input: "", script: '"$@" | head -n 1' }).ended;
    expect([stdout, stderr]).toEqual(["✓ manifest and sources\n", ""]);
    await place.quiet();
  });
});
