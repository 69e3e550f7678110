import { describe, expect, test } from "vitest";
import { plainLine, readContent } from "../../../src/plugin/resources/content.js";
import { readFrontMatter } from "../../../src/plugin/resources/front-matter.js";
import { fits } from "../../../src/plugin/resources/pattern.js";
import { codes, createScene, instructions, names, skills } from "./scene.js";

describe("front matter", () => {
  test.each<[string, string, object]>([
    ["none", "# Title\n", { text: "# Title\n", attributes: {} }],
    ["empty", "---\n---\ntext", { text: "text", attributes: {} }],
    ["of comments", "---\n# nothing\n---\ntext", { text: "text", attributes: {} }],
    ["ended by dots", "---\na: 1\n...\ntext", { text: "text", attributes: { a: 1 } }],
    ["at the end of the file", "---\na: 1\n---", { text: "", attributes: { a: 1 } }],
    ["with blanks after its dashes", "--- \na: 1\n---\t\ntext", { text: "text", attributes: { a: 1 } }],
    ["with a rule in the text after it", "---\na: 1\n---\ntext\n---\nmore", { text: "text\n---\nmore", attributes: { a: 1 } }],
    ["that is a rule further down", "text\n---\na: 1\n---\n", { text: "text\n---\na: 1\n---\n", attributes: {} }],
    ["with lists and blocks", "---\na: [x, y]\nb: >\n  one\n  two\n---\n", { text: "", attributes: { a: ["x", "y"], b: "one two\n" } }],
    ["with dashes inside of a value", "---\na: x --- y\n---\ntext", { text: "text", attributes: { a: "x --- y" } }],
    [
      "with what JSON does not have",
      "---\na: .inf\nb: 2001-01-01\n? [c]\n: 1\n---\n",
      { attributes: { a: null, b: "2001-01-01", "[ c ]": 1 } },
    ],
    ["with a name of its own in every object", "---\n__proto__:\n  x: 1\nconstructor: 2\n---\n", { attributes: { constructor: 2 } }],
  ])("%s", async (_, text, expected) => {
    const found = await readFrontMatter(text);
    expect(found).toMatchObject(expected);
    expect(found.problem).toBeUndefined();
    expect(Object.getPrototypeOf(found.attributes)).toBe(Object.prototype);
  });

  test.each<[string, string, number]>([
    ["a colon in a value", "---\nname: a\ndescription: Use this: always\n---\ntext", 3],
    ["an open bracket", "---\nname: a\nlist: [1, 2\n---\ntext", 4],
    ["a tab for indenting", "---\nname: a\nb:\n\t- 1\n---\ntext", 4],
    ["a list instead of names", "---\n- a\n---\ntext", 2],
    ["a name twice", "---\nname: a\nname: b\n---\ntext", 3],
    ["too many aliases", `---\na: &a [1, 1]\nb: [${"*a, ".repeat(200)}]\n---\ntext`, 2],
    ["deep nesting", `---\na: ${"[".repeat(8_000)}\n---\ntext`, 2],
    ["too much of it", `---\na: ${"x".repeat(20_000)}\n---\ntext`, 2],
  ])("with %s costs its attributes and not the text", async (_, text, line) => {
    const found = await readFrontMatter(text);
    expect(found.text).toBe("text");
    expect(found.problem?.line).toBe(line);
    expect(found.problem?.reason).toMatch(/\.$/u);
  });

  test("without an end is text, and told", async () => {
    expect(await readFrontMatter("---\nname: a\n")).toMatchObject({ text: "---\nname: a\n", attributes: {}, problem: { line: 1 } });
  });

  test("that is broken keeps a name and a description on lines of their own", async () => {
    const { attributes } = await readFrontMatter(`---\nname: "a"\ndescription: Use this: always\nother: x: y\n---\n`);
    expect(attributes).toEqual({ name: "a", description: "Use this: always" });
  });
});

describe("JSON", () => {
  test("has name and description in an object", async () => {
    const text = `{ "name": "a", "description": "b", "__proto__": { "x": 1 }, "deep": { "list": [1] } }`;
    expect(await readContent(text, "/skill.json", "json")).toEqual({
      content: { name: "a", description: "b", text, attributes: { name: "a", description: "b", deep: { list: [1] } } },
    });
  });

  test.each<[string, string, object]>([
    ["a list", "[]", { path: "/skill.json" }],
    ["null", "null", { path: "/skill.json" }],
    ["broken", `{\n "a": 1,\n "b" 2 }`, { path: "/skill.json", line: 3 }],
  ])("that is %s cannot be used", async (_, text, source) => {
    expect(await readContent(text, "/skill.json", "json")).toMatchObject({ problem: { code: "collect.json", source } });
  });
});

describe("descriptions", () => {
  test.each<[string, string, string]>([
    ["control sequences", "a\u001b[31mred\u001b[0m\u0007 b\u0000c", "ared b c"],
    ["line breaks", "one\r\ntwo\u2028three\tfour", "one two three four"],
    ["changes of direction", "a\u202eb\u2066c\u200b", "abc"],
    ["halves of characters", "a\ud800b", "a\ufffdb"],
    ["emoji of several parts, which stay", "👩\u200d💻 é ü 漢", "👩\u200d💻 é ü 漢"],
  ])("lose %s", (_, text, expected) => {
    expect(plainLine(text)).toBe(expected);
  });

  test("are cut at 1,024 characters, not within one", () => {
    expect(plainLine("x".repeat(2_000))).toBe(`${"x".repeat(1_023)}…`);
    expect(plainLine(`${"x".repeat(1_022)}😀😀`)).toBe(`${"x".repeat(1_022)}\ufffd…`);
  });

  test("are the first line of the text where there is none", async () => {
    expect(await readContent("\n\n## Reviews *code*\n\nmore", "/a.md", "front-matter")).toMatchObject({
      content: { description: "Reviews *code*" },
    });
    expect(await readContent("---\ndescription: 12\n---\ntext", "/a.md", "front-matter")).toMatchObject({ content: { description: "12" } });
    expect(await readContent("", "/a.md", "front-matter")).toMatchObject({ content: { description: "" } });
  });
});

test("a byte order mark and the line ends of Windows are no part of a text", async () => {
  const scene = await createScene();
  await scene.write({ "config/skills/a/SKILL.md": "\uFEFF---\r\nname: a\r\ndescription: one\r\n---\r\n\r\ntext\r\nmore\r\n" });
  const collected = await scene.collect([skills(["user skills/*/SKILL.md"])]);
  expect(collected).toMatchObject({ resources: [{ name: "a", description: "one", text: "text\nmore\n" }], diagnostics: [] });
});

describe("names", () => {
  const named = async (folder: string, name?: string): Promise<readonly [readonly string[], readonly string[]]> => {
    const scene = await createScene();
    await scene.write({ [`config/skills/${folder}/SKILL.md`]: name === undefined ? "text" : `---\nname: ${name}\n---\ntext` });
    const collected = await scene.collect([skills(["user skills/*/SKILL.md"])]);
    return [names(collected), codes(collected)];
  };

  test.each<[string, readonly [folder: string, name?: string], string | undefined, string | undefined]>([
    ["that of the folder where the file has none", ["code-review"], "code-review", undefined],
    ["lower case", ["Code_Review"], "code_review", undefined],
    ["that of the file", ["review", "review"], "review", undefined],
    ["that of the file against the folder's, which is told", ["review", "audit"], "audit", "collect.folder-name"],
    ["that of the folder where the file's cannot be one", ["review", "Über review"], "review", "collect.name"],
    ["none where neither can be one", ["prüfung"], undefined, "collect.name"],
    ["none where both cannot be one", ["prüfung", "a b"], undefined, "collect.name"],
    ["none of 65 characters", ["a".repeat(65)], undefined, "collect.name"],
    ["a number as it was written", ["2048", "2048"], "2048", undefined],
  ])("%s", async (_, [folder, name], expected, code) => {
    expect(await named(folder, name)).toEqual([expected === undefined ? [] : [expected], code === undefined ? [] : [code]]);
  });

  test("of files are without their extension, and those of plain texts are made fit", async () => {
    const scene = await createScene();
    await scene.write({
      "config/prompts/fix.bug.md": "text",
      "config/prompts/review.md": "text",
      "project/CLAUDE.local.md": "text",
      "project/漢.md": "x",
    });
    const prompts = await scene.collect([skills(["user prompts/*.md"], { kind: "prompt", named: "file" })]);
    expect([names(prompts), codes(prompts)]).toEqual([["review"], ["collect.name"]]);
    const texts = await scene.collect([instructions(["ancestors *.md"])]);
    expect([names(texts), codes(texts)]).toEqual([["claude-local", "text"], []]);
  });
});

test("broken front matter is told with its line, and the file is used by the name of its folder", async () => {
  const scene = await createScene();
  await scene.write({ "config/skills/review/SKILL.md": "---\ntitle: [\n---\n# Reviews\n" });
  const collected = await scene.collect([skills(["user skills/*/SKILL.md"])]);
  expect(collected).toMatchObject({
    resources: [{ name: "review", description: "Reviews", text: "# Reviews\n" }],
    diagnostics: [{ code: "collect.front-matter", severity: "warning", source: { line: expect.any(Number) as number } }],
  });
});

describe("patterns", () => {
  test.each<[string, string, boolean]>([
    ["abc", "*", true],
    ["abc", "a*", true],
    ["abc", "*c", true],
    ["abc", "a*c", true],
    ["abc", "*b*", true],
    ["abc", "abc*", true],
    ["aba", "aba*a", false],
    ["ab", "a*b*", true],
    ["abcbd", "a*b*d", true],
    ["abd", "a*bd*d", false],
    ["x.md", "*.md", true],
    [".md", "*.md", false],
    [".a.md", ".*.md", true],
    ["x.mdx", "*.md", false],
    ["abc", "**", true],
    ["abc", "b*", false],
  ])("%s against %s: %s", (name, segment, expected) => {
    expect(fits(name, segment)).toBe(expected);
  });

  test("with many stars do not take long", () => {
    expect(fits("a".repeat(250), `${"a*".repeat(120)}b`)).toBe(false);
  });

  test("may have stars in several places", async () => {
    const scene = await createScene();
    await scene.write({
      "config/packs/a/skills/x/SKILL.md": "x",
      "config/packs/b/skills/y/SKILL.md": "y",
      "config/packs/file": "",
      "config/other/SKILL.md": "",
    });
    expect(names(await scene.collect([skills(["user p*s/*/skills/*/SKILL.md"])]))).toEqual(["x", "y"]);
  });
});
