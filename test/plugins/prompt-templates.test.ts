import { describe, expect, test } from "vitest";
import { fillTemplate, readArguments } from "../../plugins/prompt-templates/arguments.js";
import { template } from "../../plugins/prompt-templates/index.js";
import type { Action, CommandContext } from "../../src/plugin/sdk.js";

describe("arguments", () => {
  test.each<[string, readonly string[]]>([
    ["", []],
    ["  a   b\tc\n", ["a", "b", "c"]],
    [`'a b' c`, ["a b", "c"]],
    [`"a b" c`, ["a b", "c"]],
    [`a" b "c`, ["a b c"]],
    [`"it's" 'say "x"'`, ["it's", `say "x"`]],
    [`a\\ b`, ["a b"]],
    [`"a \\" b"`, [`a " b`]],
    [`'a \\ b'`, ["a \\ b"]],
    [`"open and on`, ["open and on"]],
    [`'open`, ["open"]],
    [`''`, [""]],
    [`a\\`, ["a\\"]],
  ])("%j are %j", (typed, words) => {
    expect(readArguments(typed).words).toEqual(words);
  });
});

describe("a template", () => {
  test.each<[string, string, string]>([
    ["Review $1.", "main", "Review main."],
    ["$1 and $2", "a", "a and "],
    ["$2$1", "a b", "ba"],
    ["All: $ARGUMENTS", `a "b c"`, `All: a "b c"`],
    ["All: $@", "a b", "All: a b"],
    ["${1:-HEAD}~ ${2}", "", "HEAD~ "],
    ["${1:-HEAD}", "x", "x"],
    ["${1:-HEAD}", `""`, "HEAD"],
    ["$1", "$2 $ARGUMENTS", "$2"],
    ["$ARGUMENTS", "$1 $& $$", "$1 $& $$"],
    ["$HOME ${x} $0 $ARGUMENTSX $", "", "$HOME ${x} $0 $ARGUMENTSX $"],
    ["No places.\n", "and more", "No places.\n\nand more"],
    ["No places.", "", "No places."],
  ])("%j with %j is %j", (text, typed, filled) => {
    expect(fillTemplate(text, readArguments(typed))).toBe(filled);
  });

  const run = async (text: string, args: string): Promise<readonly Action[]> => {
    const context = { item: { name: "x", path: "/home/prompts/x.md", text, attributes: {} } } as unknown as CommandContext;
    return (await template(args, context)) ?? [];
  };

  test("is sent as input", async () => {
    expect(await run("Look at $1.\n", "src")).toEqual([{ type: "enqueue", text: "Look at src." }]);
  });

  test("that comes to nothing is not sent, and its file is named", async () => {
    expect(await run(" \n", "")).toEqual([{ type: "notify", role: "error", text: "/home/prompts/x.md has no text to send." }]);
    expect(await run("$1", "")).toMatchObject([{ type: "notify" }]);
  });
});
