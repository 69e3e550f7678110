import { describe, expect, test } from "vitest";
import { compiled, plugin, problems, tool } from "./stage.js";

const CORRECT = "Correct the value; the manifest reference has an example of each.";
const LOOK_UP = "Remove it, or look it up in the manifest reference.";
const bad = (place: string, what: string): string => `${place} manifest.bad-value ${what} | ${CORRECT}`;
const unknown = (place: string, what: string, next: string): string => `${place} manifest.unknown-word ${what} | ${next}`;

describe("tools", () => {
  test.each([
    ["capitals", plugin(`  tool "Read" { description "d"; }`), bad("3:8", `the name of tool is "Read"`)],
    ["a dot", plugin(`  tool "a.b" { description "d"; }`), bad("3:8", `the name of tool is "a.b"`)],
    ["a digit first", plugin(`  tool "1a" { description "d"; }`), bad("3:8", `the name of tool is "1a"`)],
    ["a name every object has", plugin(`  tool "constructor" { description "d"; }`), bad("3:8", `the name of tool is "constructor"`)],
    ["__proto__", plugin(`  tool "__proto__" { description "d"; }`), bad("3:8", `the name of tool is "__proto__"`)],
    ["no time at all", plugin(`  tool "a" timeout-ms=0 { description "d"; }`), bad("3:12", `timeout-ms of tool "a" is 0`)],
    ["over an hour", plugin(`  tool "a" timeout-ms=3600001 { description "d"; }`), bad("3:12", `timeout-ms of tool "a" is 3600001`)],
    ["a broken result summary", tool(`    result-summary "{count} found"`), bad("5:20", `result-summary is "{count} found"`)],
    ["a result summary of nothing", tool(`    result-summary`), `5:5 manifest.missing result-summary has no argument | Add argument.`],
  ])("%s", async (_name, text, expected) => {
    expect(await problems(text)).toEqual([expected]);
  });
});

describe("commands", () => {
  test.each([
    ["no help", `command "lint"`, `3:3 manifest.missing command "lint" has no help | Add help.`],
    ["a slash", `command "/lint" help="h"`, bad("3:11", `the name of command is "/lint"`)],
    ["a blank", `command "li nt" help="h"`, bad("3:11", `the name of command is "li nt"`)],
    ["an empty name", `command "" help="h"`, bad("3:11", 'an argument of command is ""')],
    ["a colon without each", `command "skill:" help="h"`, bad("3:11", `the name of command is "skill:"`)],
    ["an alias that is none", `command "a" help="h" aliases="b, C"`, bad("3:24", `aliases of command "a" is "b, C"`)],
    ["an alias twice", `command "a" help="h" aliases="b,b"`, bad("3:24", `aliases of command "a" is "b,b"`)],
    [
      "its own name as an alias",
      `command "a" help="h" aliases="a"`,
      `3:24 manifest.duplicate the command "a" is there twice | Rename or remove one of them.`,
    ],
    ["over ten minutes", `command "a" help="h" timeout-ms=600001`, bad("3:24", `timeout-ms of command "a" is 600001`)],
    ["help of two lines", `command "a" help="h\\nh"`, bad("3:15", `help of command "a" is "h\\nh"`)],
    ["files of no resource", `command "a:" help="h" each="skil"`, unknown("3:25", `the plugin's resources has no "skil"`, LOOK_UP)],
    [
      "a command twice",
      `command "a" help="h"; command "a" help="i"`,
      `3:25 manifest.duplicate command "a" is there twice | Rename or remove one of them.`,
    ],
  ])("%s", async (_name, body, expected) => {
    expect(await problems(plugin(`  ${body}`))).toEqual([expected]);
  });

  test("one for each resource may have no prefix, and has no alias", async () => {
    const resource = `  resource "skill" { from "plugin" path="*.md"; }\n`;
    expect((await compiled(plugin(`${resource}  command "" each="skill" help="h"`))).commands).toMatchObject([{ name: "", each: "skill" }]);
    expect(await problems(plugin(`${resource}  command "a:" each="skill" help="h" aliases="b"`))).toEqual([
      bad("4:38", `aliases of command "a:" is "b"`),
    ]);
    expect(await problems(plugin(`${resource}  command "a:" each="skil" help="h"`))).toEqual([
      unknown("4:16", `the plugin's resources has no "skil"`, "Did you mean skill?"),
    ]);
  });
});

describe("prompts", () => {
  test.each([
    ["no text", `prompt "p" order=1`, `3:3 manifest.missing prompt "p" has no text or file= | Add text or file=.`],
    ["two texts", `prompt "p" "t" order=1 file="system.md"`, bad("3:26", `file of prompt "p" is "system.md"`)],
    ["items of nothing", `prompt "p" "t" order=1 item="x"`, bad("3:26", `item of prompt "p" is "x"`)],
    ["a tool that cannot be", `prompt "p" "t" order=1 when-tool="A"`, bad("3:26", `when-tool of prompt "p" is "A"`)],
    ["__proto__", `prompt "__proto__" "t" order=1`, bad("3:10", `the name of prompt is "__proto__"`)],
  ])("%s", async (_name, body, expected) => {
    expect(await problems(plugin(`  ${body}`))).toEqual([expected]);
  });

  test("a resource that is a folder has one of its own: beside it must not be the whole workspace", async () => {
    const alone = (from: string, path: string) => plugin(`  resource "r" named="folder" format="text" { from "${from}" path="${path}"; }`);
    for (const from of ["user", "project", "ancestors"]) expect((await problems(alone(from, "package.json"))).length).toBe(1);
    expect(await problems(alone("project", "notes/*/NOTE.md"))).toEqual([]);
    expect(await problems(alone("plugin", "SKILL.md"))).toEqual([]);
  });

  test("an item has known words, and its resource is declared", async () => {
    const resource = `  resource "skill" { from "plugin" path="*.md"; }\n`;
    expect(await problems(plugin(`${resource}  prompt "p" "t" order=1 each="skill" item="{{nme}}"`))).toEqual([
      bad("4:39", `item is "{{nme}}"`),
    ]);
    expect(await problems(plugin(`${resource}  prompt "p" "t" order=1 each="skills" item="x"`))).toEqual([
      unknown("4:26", `the plugin's resources has no "skills"`, "Did you mean skill?"),
    ]);
    expect(await problems(plugin(`${resource}  prompt "p" "t" order=1 each="skill"`))).toEqual([
      `4:3 manifest.missing prompt "p" has no item | Add item.`,
    ]);
  });
});

describe("resources", () => {
  const from = (path: string): string => `  resource "r" { from "user" path="${path}"; }`;

  test.each(["../x.md", "/etc/passwd", "a/../../x", "a\\\\..\\\\x", "C:/x", "skills/**/x.md", "a//b", "a/", "a/b/c/d/e/f/g/h/i", ""])(
    "the path %j is refused",
    async (path) => {
      expect((await problems(plugin(from(path)))).map((problem) => problem.slice(0, 23))).toEqual(["3:30 manifest.bad-value"]);
    },
  );

  test.each([
    ["a place that is none", `resource "r" { from "usr" path="x"; }`, unknown("3:23", `from has no "usr"`, "Did you mean user?")],
    ["no place", `resource "r"`, `3:3 manifest.missing resource "r" has no from | Add from.`],
    ["no path", `resource "r" { from "user"; }`, `3:18 manifest.missing from "user" has no path | Add path.`],
    [
      "an unknown format",
      `resource "r" format="yaml" { from "user" path="x"; }`,
      unknown("3:16", `format of resource "r" has no "yaml"`, LOOK_UP),
    ],
    [
      "an unknown naming",
      `resource "r" named="foldr" { from "user" path="x"; }`,
      unknown("3:16", `named of resource "r" has no "foldr"`, "Did you mean folder?"),
    ],
    ["over a megabyte", `resource "r" max-kib=1025 { from "user" path="x"; }`, bad("3:16", `max-kib of resource "r" is 1025`)],
  ])("%s", async (_name, body, expected) => {
    expect(await problems(plugin(`  ${body}`))).toEqual([expected]);
  });
});

describe("themes", () => {
  test.each([
    ["nothing in it", `theme "t"`, `3:3 manifest.missing theme "t" has no style or file= | Add style or file=.`],
    ["a colour by name", `theme "t" { style "a" fg="red"; }`, bad("3:25", `fg of style "a" is "red"`)],
    ["a short colour", `theme "t" { style "a" bg="#abc"; }`, bad("3:25", `bg of style "a" is "#abc"`)],
    ["an unknown attribute", `theme "t" { style "a" bld=#true; }`, unknown("3:25", `style "a" has no "bld"`, "Did you mean bold?")],
    [
      "an unknown base",
      `theme "t" base="drk" { style "a" bold=#true; }`,
      unknown("3:13", `base of theme "t" has no "drk"`, "Did you mean dark?"),
    ],
    [
      "a style twice",
      `theme "t" { style "a"; style "a"; }`,
      `3:26 manifest.duplicate style "a" is there twice | Rename or remove one of them.`,
    ],
    ["__proto__", `theme "t" { style "__proto__" bold=#true; }`, bad("3:21", `the name of style is "__proto__"`)],
    ["a name every object has", `theme "t" { style "constructor" bold=#true; }`, bad("3:21", `the name of style is "constructor"`)],
    [
      "a file that is not there",
      `theme "t" file="no.kdl"`,
      `3:13 manifest.file "no.kdl" cannot be read | Create the file, or correct its name.`,
    ],
  ])("%s", async (_name, body, expected) => {
    expect(await problems(plugin(`  ${body}`))).toEqual([expected]);
  });

  test("problems of a theme's own file are told in that file", async () => {
    expect(await problems(plugin(`  theme "t" file="themes/broken.kdl"`))).toEqual([
      `p/themes/broken.kdl 1:16 manifest.bad-value fg of style "accent" is "red" | ${CORRECT}`,
      `p/themes/broken.kdl 2:1 manifest.unknown-word a theme has no "stile" | Did you mean style?`,
    ]);
    expect((await problems(plugin(`  theme "t" file="themes/cut.kdl"`)))[0]).toMatch(/^p\/themes\/cut\.kdl 1:\d+ config\.syntax /u);
  });
});

describe("keys", () => {
  test.each(["t", "ctrl", "ctrl+", "+t", "shift+a", "super+a", "ctrl+ctrl+a", "f13", "ctrl+ab", "ctrl + a", "ctrl+a b"])(
    "%j is no key",
    async (key) => {
      expect(await problems(plugin(`  key "${key}" command="x"`))).toEqual([bad("3:7", `the key is "${key}"`)]);
    },
  );

  test.each(["/lint", "@", "@A", "lint\\nx", "Lint"])("%j is no command", async (command) => {
    expect((await problems(plugin(`  key "f5" command="${command}"`))).map((problem) => problem.slice(0, 23))).toEqual([
      "3:12 manifest.bad-value",
    ]);
  });

  test("one key is bound once, however it is spelled", async () => {
    expect(await problems(plugin(`  key "ctrl+alt+x" command="a"\n  key "Alt+Ctrl+X" command="b"`))).toEqual([
      `4:3 manifest.duplicate key "ctrl+alt+x" is there twice | Rename or remove one of them.`,
    ]);
  });

  test("a key without a command is not a key that does nothing", async () => {
    expect(await problems(plugin(`  key "f5"`))).toEqual([`3:3 manifest.missing key "f5" has no command | Add command.`]);
  });
});

describe("options", () => {
  const option = (body: string): string => plugin(`  config { option ${body}; }`);

  test.each([
    ["no group", `"max" type="integer" help="h"`, bad("3:19", `the name of option is "max"`)],
    ["three words", `"a.b.c" type="integer" help="h"`, bad("3:19", `the name of option is "a.b.c"`)],
    ["a group of the program", `"limits.x" type="integer" help="h"`, bad("3:19", `the name of option is "limits.x"`)],
    ["a setting of the program", `"model.x" type="integer" help="h"`, bad("3:19", `the name of option is "model.x"`)],
    ["a variable of the program", `"max.turns" type="integer" help="h"`, bad("3:19", `the name of option is "max.turns"`)],
    ["__proto__", `"__proto__.x" type="integer" help="h"`, bad("3:19", `the name of option is "__proto__.x"`)],
    ["no type", `"a.b" help="h"`, `3:12 manifest.missing option "a.b" has no type | Add type.`],
    ["no help", `"a.b" type="string"`, `3:12 manifest.missing option "a.b" has no help | Add help.`],
    ["an unknown type", `"a.b" type="int" help="h"`, unknown("3:25", `type of option "a.b" has no "int"`, LOOK_UP)],
    ["a default of another type", `"a.b" type="integer" default="5" help="h"`, bad("3:40", `default of option "a.b" is "5"`)],
    ["a default out of bounds", `"a.b" type="integer" default=5 max=4 help="h"`, bad("3:40", `default of option "a.b" is 5`)],
    [
      "a default that is no word of it",
      `"a.b" type="string" enum="x,y" default="z" help="h"`,
      bad("3:50", `default of option "a.b" is "z"`),
    ],
    [
      "a default list with a wrong word",
      `"a.b" type="string[]" enum="x,y" default="x,z" help="h"`,
      bad("3:52", `default of option "a.b" is "x,z"`),
    ],
    ["a list that is none", `"a.b" type="string[]" default=5 help="h"`, bad("3:41", `default of option "a.b" is 5`)],
    [
      "a default that is mistyped",
      `"a.b" type="string" defualt="x" help="h"`,
      unknown("3:39", `option "a.b" has no "defualt"`, "Did you mean default?"),
    ],
    ["words of a number", `"a.b" type="number" enum="1,2" help="h"`, bad("3:39", `enum of option "a.b" is "1,2"`)],
    ["bounds of a boolean", `"a.b" type="boolean" min=1 help="h"`, bad("3:40", `min of option "a.b" is 1`)],
    ["bounds the wrong way round", `"a.b" type="number" min=2 max=1 help="h"`, bad("3:45", `max of option "a.b" is 1`)],
    [
      "two defaults",
      `"a.b" type="number" default=1 default=2 help="h"`,
      `3:49 manifest.duplicate default of option "a.b" is there twice | Rename or remove one of them.`,
    ],
  ])("%s", async (_name, body, expected) => {
    expect(await problems(option(body))).toEqual([expected]);
  });

  test("one twice", async () => {
    expect(await problems(option(`"a.b" type="string" help="h"; option "a.b" type="string" help="h"`))).toEqual([
      `3:49 manifest.duplicate option "a.b" is there twice | Rename or remove one of them.`,
    ]);
  });

  test.each([
    [`"a.b" type="boolean" default=#false help="h"`, { type: "boolean", default: false }],
    [`"a.b" type="number" default=-0.5 min=-1 help="h"`, { type: "number", default: -0.5, min: -1 }],
    [`"a.b" type="string" default="" help="h"`, { type: "string", default: "" }],
    [`"a.b" type="string" default="x" enum="x,y" help="h"`, { default: "x", enum: ["x", "y"] }],
    [`"a.b" type="string[]" default="none" help="h"`, { type: "string[]", default: [] }],
    [`"a.b" type="string[]" default="git status, npm test" help="h"`, { default: ["git status", "npm test"] }],
  ])("%s", async (body, expected) => {
    expect((await compiled(option(body))).options).toMatchObject([expected]);
  });
});

describe("handlers and state", () => {
  test.each([
    ["an unknown event", `handler "tool-propsed"`, unknown("3:11", `the lifecycle has no "tool-propsed"`, "Did you mean tool-proposed?")],
    ["a command is no event", `handler "command"`, unknown("3:11", `the lifecycle has no "command"`, LOOK_UP)],
    ["too patient", `handler "idle" timeout-ms=10001`, bad("3:18", `timeout-ms of handler "idle" is 10001`)],
    ["required elsewhere", `handler "idle" required=#true`, bad("3:18", `required of handler "idle" is #true`)],
    ["tools of no tool's event", `handler "idle" tools="a"`, bad("3:18", `tools of handler "idle" is "a"`)],
    ["a tool that cannot be", `handler "tool-settled" tools="A"`, bad("3:26", `tools of handler "tool-settled" is "A"`)],
    ["state that is not declared", `handler "idle" state="rules"`, unknown("3:18", `the declared state has no "rules"`, LOOK_UP)],
    [
      "two for one event",
      `handler "idle"; handler "idle"`,
      `3:19 manifest.duplicate handler "idle" is there twice | Rename or remove one of them.`,
    ],
    ["state without a scope", `state "s"`, `3:3 manifest.missing state "s" has no scope | Add scope.`],
    ["an unknown scope", `state "s" scope="projct"`, unknown("3:13", `scope of state "s" has no "projct"`, "Did you mean project?")],
    ["an unknown fork", `state "s" scope="user" fork="move"`, unknown("3:26", `fork of state "s" has no "move"`, LOOK_UP)],
    ["no version", `state "s" scope="user" version=0`, bad("3:26", `version of state "s" is 0`)],
    ["too large", `state "s" scope="user" max-kib=1025`, bad("3:26", `max-kib of state "s" is 1025`)],
    ["__proto__", `state "__proto__" scope="user"`, bad("3:9", `the name of state is "__proto__"`)],
    ["a name every object has", `state "constructor" scope="user"`, bad("3:9", `the name of state is "constructor"`)],
  ])("%s", async (_name, body, expected) => {
    expect(await problems(plugin(`  ${body}`))).toEqual([expected]);
  });

  test("state of one scope is granted together", async () => {
    const { grants } = await compiled(
      plugin(`  state "a" scope="user" max-kib=1\n  state "b" scope="user" max-kib=2\n  state "c" scope="branch"`),
    );
    expect(grants.state).toEqual([
      { scope: "branch", maxBytes: 65_536 },
      { scope: "user", maxBytes: 3_072 },
    ]);
  });
});

describe("names of files", () => {
  test.each(["/etc/passwd", "../x.md", "a/../../x.md", "..", "a\\\\x.md", "C:x.md", "file:///etc/passwd", "x\\n/../../y"])(
    "%j leads out of the folder, for texts, themes and the entry",
    async (file) => {
      const codes = async (text: string): Promise<readonly string[]> =>
        (await problems(text)).map((problem) => problem.replace(/ .*/su, ""));
      const outside = `manifest.file-outside`;
      const texts = await problems(plugin(`  prompt "p" order=1 file="${file}"\n  theme "t" file="${file}"`));
      expect(texts.map((problem) => problem.split(" ")[1])).toEqual([outside, outside]);
      expect(await codes(plugin("", `"a.b" version="0.1.0" sdk=1 entry="${file}"`))).toEqual(["1:36"]);
    },
  );

  test("a text far too long is refused", async () => {
    expect(await problems(plugin(`  prompt "p" order=1 file="long.md"`))).toEqual([
      `3:22 manifest.file-size "long.md" is longer than 262,144 characters | Shorten it; what is read on demand can be a resource.`,
    ]);
  });

  test("names every object has are no files", async () => {
    expect((await problems(plugin(`  prompt "p" order=1 file="constructor"`)))[0]).toMatch(/^3:22 manifest\.file /u);
  });
});
