import { afterEach, describe, expect, test } from "vitest";
import { call, calls, delta, say, sse } from "../../support/model-server.js";
import { appears, linesOf } from "../support/place.js";
import { lastOf, messagesOf } from "../support/scripted.js";
import { type ScriptedScreens, scriptedScreens, READY } from "./screens.js";

let here: ScriptedScreens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const BROKEN = "export const add = (a, b) => a - b;\n";
const TEST =
  'import test from "node:test";\nimport { equal } from "node:assert/strict";\nimport { add } from "./add.mjs";\ntest("adds", () => equal(add(2, 3), 5));\n';

describe("a small broken repository", () => {
  test("is read, edited with consent and tested until it works; leaving says how to come back, and coming back shows it all", async () => {
    here = await scriptedScreens([
      calls([{ name: "read", args: { path: "add.mjs" } }], { text: "I look at the code first." }),
      call("edit", { path: "add.mjs", edits: [{ old: "a - b", new: "a + b" }] }),
      call("shell", { command: "node --test add.test.mjs" }),
      call("shell", { command: "echo checked > checked.txt" }),
      say("The subtraction is an **addition** now, and the test passes."),
    ]);
    here.file("add.mjs", BROKEN);
    here.file("add.test.mjs", TEST);
    const shell = await here.smith("", { columns: 100, rows: 40 });
    await shell.prompt("make the test pass");

    await shell.shows("edit wants to run");
    expect(shell.text()).toContain("I look at the code first.");
    expect(shell.text()).toMatch(/✓ read add\.mjs/u);
    expect(shell.text()).toMatch(/edit add\.mjs +waiting for you/u);
    expect(here.read("add.mjs")).toBe(BROKEN);
    await shell.answer("y");

    await shell.shows("shell wants to run");
    expect(here.read("add.mjs")).toBe("export const add = (a, b) => a + b;\n");
    expect(shell.text()).toMatch(/✓ edit add\.mjs +\+1 −1 · applied/u);
    expect(shell.text()).toContain("-export const add = (a, b) => a - b;");
    expect(shell.text()).toContain("+export const add = (a, b) => a + b;");
    expect(shell.text()).toContain("node --test add.test.mjs");
    await shell.answer("s");

    // What was allowed for the session is that command and no other.
    await shell.shows("│ echo checked > checked.txt");
    await shell.answer("y");

    await shell.shows("The subtraction is an addition now, and the test passes.");
    expect(shell.text()).toMatch(/✓ shell node --test add\.test\.mjs +exit 0 · [0-9.]+ m?s · applied/u);
    expect(here.read("checked.txt")).toBe("checked\n");
    await shell.shows(READY);

    shell.type("\x04");
    const after = await shell.aftermath();
    expect(after).toMatchObject({ status: 0, buffer: "normal" });
    expect(shell.text()).toContain("The subtraction is an addition now, and the test passes.");
    const resume = /resume: {2}smith -r ([0-9a-f]+)/u.exec(shell.text());
    expect(resume).not.toBeNull();
    expect(shell.text()).toContain("1 file changed");
    expect(here.server.complaints).toEqual([]);
    expect(here.server.requests).toHaveLength(5);
    await here.quiet();

    shell.type("clear; smith -c\r");
    await shell.shows(READY);
    expect(shell.text()).toContain("› make the test pass");
    expect(shell.text()).toContain("+export const add = (a, b) => a + b;");
    expect(shell.text()).toContain("The subtraction is an addition now, and the test passes.");
    shell.type("\x04");
    await shell.aftermath();
    shell.type(`clear; smith -r ${resume?.[1] ?? ""}\r`);
    await shell.shows("› make the test pass");
  });

  test("a declined edit is not made, and the model is told", async () => {
    here = await scriptedScreens([call("edit", { path: "add.mjs", edits: [{ old: "a - b", new: "a + b" }] }), say("As you wish.")]);
    here.file("add.mjs", BROKEN);
    const shell = await here.smith();
    await shell.prompt("change it");
    await shell.shows("edit wants to run");
    await shell.answer("n\r");
    await shell.shows("As you wish.");
    expect(here.read("add.mjs")).toBe(BROKEN);
    expect(lastOf(await here.server.request(1), "tool")).toContain("the user declined it");
    expect(here.server.complaints).toEqual([]);
  });
});

describe("reopening with -c", () => {
  test("shows the name of the session and that its last turn was stopped, before any prompt", async () => {
    here = await scriptedScreens([sse([delta({ content: "It begins well." })], "hang")]);
    const shell = await here.smith();
    await shell.prompt("tell me a story");
    await shell.shows("It begins well.");
    shell.type("\x1b");
    await shell.shows("■ stopped");
    await shell.shows(READY);
    shell.type("/name bed time\r");
    await shell.shows("called bed time now");
    shell.type("\x04");
    await shell.aftermath();
    shell.type("clear; smith -c\r");
    await shell.shows("■ stopped");
    await shell.shows(/smith .* bed time\n/u);
    expect(here.server.requests).toHaveLength(1);
  });
});

describe("kill -9 in the middle of a shell command", () => {
  const COMMAND = "echo begun >> marker; exec sleep 600";

  test("reopening names the effect whose outcome is unknown; going on sends a valid request and runs nothing again", async () => {
    here = await scriptedScreens((_request, n) =>
      n === 0
        ? calls([
            { name: "read", args: { path: "a.txt" } },
            { name: "shell", args: { command: COMMAND } },
          ])
        : say("I look at the state first."),
    );
    here.file("a.txt", "a\n");
    const shell = await here.smith();
    await shell.prompt("start the long job");
    await shell.shows("shell wants to run");
    await shell.answer("y");
    await appears(`${here.work}/marker`);
    process.kill(shell.childPid(), "SIGKILL");
    await shell.gone();

    const again = await here.smith("-c", { rows: 40 });
    await again.shows("outcome is unknown");
    expect(again.text()).toContain("process.run");
    expect(again.text()).toMatch(/process\.run {2}echo begun >> marker; exec sleep 600\n/u);
    expect(again.text()).toContain("nothing was run again");
    expect(again.text()).not.toMatch(/running \d/u);
    expect(here.server.requests).toHaveLength(1);

    await again.prompt("go on");
    await again.shows("I look at the state first.");
    expect(again.text().match(/; its outcome is unknown/gu)).toHaveLength(1);
    expect(linesOf(`${here.work}/marker`)).toEqual(["begun"]);
    const request = await here.server.request(1);
    expect(lastOf(request, "user")).toBe("go on");
    expect(lastOf(request, "tool")).toContain("outcome is unknown");
    expect(messagesOf(request).map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool", "assistant", "user"]);
    expect(here.server.complaints).toEqual([]);
  });
});
