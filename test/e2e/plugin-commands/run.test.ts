import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPlace, type Place } from "../support/place.js";
import { eventsOfType, lastEvent, STACK } from "../support/smith.js";
import { SAYING, writePlugin } from "./support.js";

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

describe("--plugin", () => {
  test("brings a tool to one run and to no other", async () => {
    const nodes = 'tool "shout" read-only=#true {\n description "x"\n arg "words" type="string"\n }';
    writePlugin(place, "mine", { id: "acme.shout", nodes, main: 'tools: { shout: () => result("!") }' });
    const listed = await place.run(["plugins", "list", "--plugin", "mine"]);
    expect(listed.stdout).toMatch(/^acme\.shout +0\.1\.0 +run +in use +shout$/mu);
    expect((await place.run(["plugins", "list"])).stdout).not.toContain("acme.shout");
  });

  test("a broken one ends the run before anything, with file, line and column", async () => {
    writePlugin(place, "mine", { id: "acme.mine", nodes: 'comand "x"' });
    const { status, stdout, stderr } = await place.run(["eval", "--plugin", "mine", "list ."]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${join(place.work, "mine", "manifest.kdl")}:3:3`);
  });

  test("what is no plugin is refused, in the same words with --json", async () => {
    const { status, stdout, stderr } = await place.run(["eval", "--json", "--plugin", "nowhere", "hi"]);
    expect(status).toBe(2);
    expect(stderr).toContain("nowhere is no plugin");
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "error", error: { code: "usage.not-a-plugin" } });
  });

  test("what it writes with console is in the log at debug, with who wrote it, and nowhere else", async () => {
    const main = 'commands: { say: (args) => { console.warn("heard", { args }); return []; } }';
    writePlugin(place, "mine", { id: "acme.say", nodes: 'command "say" usage="[x]" help="h"', main });
    const log = join(place.home, "state/log/smith.jsonl");
    const { stdout, stderr } = await place.run(["eval", "--log", "debug", "--plugin", "mine", "/say hi"]);
    expect(stdout + stderr).not.toContain("heard");
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ level: "debug", what: "console", plugin: "acme.say", console: "warn", text: 'heard {"args":"hi"}' }),
    );
    await place.run(["eval", "--log", "info", "--plugin", "mine", "/say secret"]);
    expect(readFileSync(log, "utf8")).not.toContain("secret");
  });

  test("--watch is for the interface", async () => {
    const { status, stderr } = await place.run(["eval", "--watch", "hi"]);
    expect(status).toBe(2);
    expect(stderr).toContain("--watch does not belong to smith eval");
  });
});

describe("commands in eval", () => {
  test("one that asks the model makes the run; its notice is on standard error", async () => {
    const main = 'commands: { ask: (args) => [{ type: "notify", text: "asking" }, { type: "enqueue", text: `list ${args}` }] }';
    writePlugin(place, "mine", { id: "acme.ask", nodes: 'grants { ui "notify"; }\n command "ask" usage="[x]" help="h"', main });
    const { status, stdout, stderr } = await place.run(["eval", "--plugin", "mine", "/ask", "."]);
    expect(status).toBe(0);
    expect(stdout).toContain("mine/");
    expect(stderr).toContain("acme.ask: asking\n");
  });

  test("one that asks nothing ends with status 0, and with --json with run_end without a receipt", async () => {
    writePlugin(place, "mine", { id: "acme.say", ...SAYING });
    const { status, stdout } = await place.run(["eval", "--json", "--plugin", "mine", "/say hi"]);
    expect(status).toBe(0);
    expect(eventsOfType(stdout, "notice")).toMatchObject([{ text: "said hi", plugin: "acme.say" }]);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "ok", receipt: null });
  });

  test("a question is refused, since nobody is there to answer it", async () => {
    const main = 'commands: { ask: async (_args, context) => { await context.ui.ask({ text: "Why?" }); } }';
    writePlugin(place, "mine", { id: "acme.ask", nodes: 'grants { ui "ask"; }\n command "ask" help="h"', main });
    const { status, stderr } = await place.run(["eval", "--plugin", "mine", "/ask"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/nobody|no one|cannot be asked/iu);
    expect(stderr).not.toMatch(STACK);
  });

  test("a batch that is refused is told with its plugin, and nothing of it is done", async () => {
    const main = 'commands: { bad: () => [{ type: "notify", text: "half" }, { type: "set-state", scope: "user", key: "nope", value: 1 }] }';
    writePlugin(place, "mine", { id: "acme.bad", nodes: 'grants { ui "notify"; }\n command "bad" help="h"', main });
    const { status, stderr } = await place.run(["eval", "--plugin", "mine", "/bad"]);
    expect(status).toBe(1);
    expect(stderr).toContain("acme.bad");
    expect(stderr).not.toContain("acme.bad: half");
  });
});

describe("what a project brings", () => {
  test("is told of once while it is unused, used once it is trusted, and unused again when it changes", async () => {
    place.file(".smith/prompts/hi.md", "list $1\n");
    place.file(".smith/config.kdl", 'mode "read-only"\n');
    writePlugin(place, ".smith/plugins/acme.say", { id: "acme.say", ...SAYING });
    const before = await place.run(["eval", "/say hi"]);
    expect(before.stderr.match(/not used/gu)).toHaveLength(1);
    expect(before.stderr).toContain("smith plugins trust");
    expect(before.stderr).not.toContain("said hi");
    expect((await place.run(["eval", "--no-trust", "list ."])).stderr).toBe("");

    const shown = await place.run(["plugins", "trust"]);
    expect(shown.status).toBe(2);
    for (const what of ["runs the plugin acme.say 0.1.0", 'sets mode "read-only"', "adds the prompt hi.md"])
      expect(shown.stderr).toContain(what);
    expect(await place.run(["plugins", "trust", "--yes"])).toMatchObject({ status: 0, stdout: `trusted ${place.work}\n` });
    expect((await place.run(["eval", "/say hi"])).stderr).toBe("acme.say: said hi\n");
    expect((await place.run(["eval", "/hi", "."])).stdout).toContain("In the working directory");

    appendFileSync(join(place.work, ".smith/prompts/hi.md"), "more\n");
    const changed = await place.run(["eval", "/say hi"]);
    expect(changed.stderr).toContain("not what it was when you trusted it");
    expect(changed.stderr).not.toContain("said hi");
    await place.run(["plugins", "trust", "--yes"]);
    expect((await place.run(["plugins", "trust", "--revoke"])).status).toBe(0);
    expect((await place.run(["eval", "/say hi"])).stderr).toContain("trust.project-unused");
  });

  test("its settings count from the moment it is trusted on record, without a flag, until they change", async () => {
    place.file(".smith/config.kdl", 'model "nowhere/none"\n');
    place.file(".claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys\n---\nDo it.\n");
    const before = await place.run(["eval", "list ."]);
    expect(before).toMatchObject({ status: 0 });
    expect(before.stderr).toContain("is not used: settings, 1 skill (deploy)");
    await place.run(["plugins", "trust", "--yes"]);
    const trusted = await place.run(["eval", "list ."]);
    expect(trusted.status).toBe(2);
    expect(trusted.stderr).toContain("nowhere");
    expect(await place.run(["eval", "--no-trust", "list ."])).toMatchObject({ status: 0, stderr: "" });
    place.file(".smith/config.kdl", 'model "nowhere/other"\n');
    expect(await place.run(["eval", "list ."])).toMatchObject({ status: 0 });
  });
});
