import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { say } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { lastOf } from "../support/scripted.js";
import { type ScriptedScreens, scriptedScreens } from "./screens.js";

const START = "\x1b[200~";
const END = "\x1b[201~";

let here: ScriptedScreens;
let shell: PtyShell;
beforeEach(async () => {
  here = await scriptedScreens((_request, n) => say(`answer ${String(n)}`));
  shell = await here.smith();
});
afterEach(async () => {
  await here.close();
});

const lines = (count: number, newline = "\n"): string =>
  Array.from({ length: count }, (_, index) => `line ${String(index + 1)}`).join(newline);

/** Presses Enter and gives what the model was asked. */
async function sent(): Promise<string> {
  shell.type("\r");
  const prompt = lastOf(await here.server.request(0), "user");
  await shell.shows("answer 0");
  return prompt;
}

describe("a paste", () => {
  test("of 200 lines is one input, sent by Enter alone, whatever ends its lines", async () => {
    for (const [index, newline] of ["\n", "\r", "\r\n"].entries()) {
      shell.type(`${START}${lines(200, newline)}${END}`);
      await shell.shows(`[paste ${String(index + 1)}: 200 lines]`);
    }
    expect(here.server.requests).toHaveLength(0);
    expect(await sent()).toBe(lines(200).repeat(3));
    expect(here.server.requests).toHaveLength(1);
  });

  test("of 300 kB is complete and folded to a label", async () => {
    const text = Array.from({ length: 6000 }, (_, index) => `${String(index).padStart(8, "0")} ${"x".repeat(41)}`).join("\n");
    shell.type(`${START}${text}`);
    shell.type(END);
    await shell.shows("[paste 1: 6000 lines]");
    expect(await sent()).toBe(text);
  });

  test("of 40 lines without markers is not sent line by line", async () => {
    shell.type(lines(40, "\r"));
    await shell.shows("[paste 1: 40 lines]");
    expect(here.server.requests).toHaveLength(0);
    expect(await sent()).toBe(lines(40));
    expect(here.server.requests).toHaveLength(1);
  });

  test("whose markers come in two writes is whole", async () => {
    const { log } = shell;
    shell.type("before ");
    await shell.shows("› before");
    shell.type(START.slice(0, 3));
    shell.type(`${START.slice(3)}a\rb${END.slice(0, 4)}`);
    shell.type(`${END.slice(4)} after`);
    await shell.shows("b after");
    expect(shell.log.length).toBeGreaterThan(log.length);
    expect(await sent()).toBe("before a\nb after");
  });

  test("that holds escape codes acts on nothing: neither colours nor an early end nor a command", async () => {
    shell.type(`${START}red \x1b[31mtext \x1b[2J\x07 and ${END}rm -rf nothing\r`);
    await shell.shows("answer 0");
    const prompt = lastOf(await here.server.request(0), "user");
    expect(prompt).toContain("red text");
    expect(prompt).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/u);
    expect(shell.log).not.toContain("\x1b[31m");
    expect(shell.log).not.toContain("\x1b[2J");
    expect(shell.log).not.toContain("\x07");
  });

  test("whose end never comes does not lock the keyboard", async () => {
    shell.type(`${START}left open `);
    await shell.shows("› left open");
    shell.type("typed");
    await shell.shows("› left open typed");
    expect(await sent()).toBe("left open typed");
  });
});
