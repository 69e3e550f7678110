import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls, say } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { lastOf } from "../support/scripted.js";
import { type ScriptedScreens, scriptedScreens } from "./screens.js";

let here: ScriptedScreens;
let shell: PtyShell;
beforeEach(async () => {
  here = await scriptedScreens([
    calls(
      [
        { name: "read", args: { path: "wide.txt" } },
        { name: "shell", args: { command: "cat wide.txt" } },
      ],
      { text: "漢字かな 한국어 🇩🇪 and ｱﾊﾞ" },
    ),
    say("ok"),
  ]);
});
afterEach(async () => {
  await here.close();
});

/** Cells before the caret in the row of the editor, after frame and mark. */
const cells = (): number => shell.caret.column - 4;
const isAt = async (column: number): Promise<void> => {
  await shell.holds(() => cells() === column, `the caret at ${String(column)}`);
};

/** No cell of a frame may have moved: each row of the box ends where the first does. */
function expectBoxWhole(columns: number): void {
  const { active } = shell.terminal.buffer;
  const lines = shell.lines();
  const top = lines.findIndex((line) => line.startsWith("╭"));
  const bottom = lines.findIndex((line) => line.startsWith("╰"));
  expect(bottom).toBeGreaterThan(top);
  for (let row = top + 1; row < bottom; row += 1) {
    const line = active.getLine(active.viewportY + row);
    expect(line?.getCell(0)?.getChars(), `left of row ${String(row)}`).toBe("│");
    expect(line?.getCell(columns - 1)?.getChars(), `right of row ${String(row)}`).toBe("│");
  }
}

describe("characters of all widths", () => {
  test("the caret stands behind the cells, one backspace takes one visible character", async () => {
    shell = await here.smith();
    const words: readonly (readonly [text: string, width: number, characters: number])[] = [
      ["漢字かな", 8, 4],
      ["🇩🇪x", 3, 2],
      ["e\u0301", 1, 1],
      ["ｱﾊ", 2, 2],
    ];
    for (const [text, width, characters] of words) {
      shell.type(text);
      await isAt(width);
      expectBoxWhole(80);
      shell.type("\x1b[H");
      await isAt(0);
      shell.type("\x1b[F");
      await isAt(width);
      for (let left = characters; left > 0; left -= 1) shell.type("\x7f");
      await isAt(0);
      shell.type("z");
      await shell.shows("│ › z ");
      expectBoxWhole(80);
      shell.type("\x7f");
      await isAt(0);
    }
  });

  test("a family of emoji goes with one backspace, and what is before it stays", async () => {
    shell = await here.smith();
    shell.type("a👩‍👩‍👧");
    await shell.holds(() => cells() > 1, "the family");
    shell.type("\x7f");
    await isAt(1);
    shell.type("!\r");
    expect(lastOf(await here.server.request(0), "user")).toBe("a!");
  });

  test("drafts, answers and tool output wrap without breaking a frame, down to 12 columns and back", async () => {
    const text = "漢字かな👩‍👩‍👧x🇩🇪e\u0301☀️ｱﾊﾞกำ مرحبا ".repeat(4);
    here.file("wide.txt", `${text}\n`);
    shell = await here.smith("--mode auto", { columns: 40, rows: 30 });
    await shell.prompt("看看漢字");
    await shell.shows("   ok");
    await shell.shows("漢字かな");
    shell.type(text.trim());
    await shell.holds(() => cells() !== 0, "the draft");
    for (const columns of [40, 20, 12, 13, 61, 40]) {
      shell.resize(columns, 30);
      await shell.holds(() => shell.lines().some((line) => line.startsWith("╭") && line.length === columns), `a box of ${String(columns)}`);
      expectBoxWhole(columns);
      for (const line of shell.lines()) expect(line).not.toContain("\ufffd");
    }
    shell.type("\x15".repeat(12));
    shell.type("\x04");
    expect(await shell.aftermath()).toMatchObject({ status: 0 });
  });
});
