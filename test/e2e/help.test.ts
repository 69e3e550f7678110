import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.js";
import { parseLine } from "../../src/cli/program.js";

const rendered = JSON.parse(readFileSync(new URL("../../dist/help.json", import.meta.url), "utf8")) as Record<string, string>;

describe("help that the build rendered", () => {
  test("is there for every command", () => {
    expect(Object.keys(rendered)).toEqual(COMMANDS.map(({ id }) => (id === "interactive" ? "" : id)).sort());
  });

  test.each(Object.entries(rendered))("of %j says what the declarations say", (command, text) => {
    const words = command === "" ? [] : command.split(" ");
    expect(parseLine([...words, "--help"], undefined)).toMatchObject({ ok: true, value: { type: "help", text } });
  });
});
