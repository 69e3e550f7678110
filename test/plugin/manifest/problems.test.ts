import { describe, expect, test } from "vitest";
import { compile, plugin, problems, tool } from "./stage.js";

describe("problems", () => {
  test.each([
    [`tool "read"`, `{ description "d"; }`],
    [`command "lint"`, `help="h"`],
    [`provider "p"`, `title="P" { connection "p" rank=1 needs="nothing" default-url="https://p.example"; }`],
    [`handler "idle"`, ""],
  ])("%s without an entry is named with its place", async (node, rest) => {
    const text = plugin(`  prompt "p" "t" order=1\n  ${node} ${rest}`, `"acme.read" version="0.1.0" sdk=1`);
    expect(await problems(text)).toEqual([
      `4:3 manifest.entry ${node} is declared, and the plugin has no entry | Add entry="src/main.ts" to the plugin node, and the module.`,
    ]);
  });

  test.each([
    ["an unknown node", plugin(`  tol "x"`), `3:3 manifest.unknown-word plugin "acme.read" has no "tol" | Did you mean tool?`],
    [
      "an unknown property",
      tool(`    arg "a" type="string" requird=#true`),
      `5:27 manifest.unknown-word arg "a" has no "requird" | Did you mean required?`,
    ],
    [
      "an unknown type",
      tool(`    arg "a" type="strng"`),
      `5:13 manifest.unknown-word type of arg "a" has no "strng" | Did you mean string?`,
    ],
    [
      "a name of the language",
      plugin(`  constructor "x"`),
      `3:3 manifest.unknown-word plugin "acme.read" has no "constructor" | Remove it, or look it up in the manifest reference.`,
    ],
    [
      "a property of the wrong type",
      plugin(`  prompt "p" "t" order="ten"`),
      `3:18 manifest.bad-value order of prompt "p" is "ten" | Correct the value; the manifest reference has an example of each.`,
    ],
    ["a missing property", plugin(`  prompt "p" "t"`), `3:3 manifest.missing prompt "p" has no order | Add order.`],
    [
      "a file that is not there",
      plugin(`  prompt "p" order=1 file="no.md"`),
      `3:22 manifest.file "no.md" cannot be read | Create the file, or correct its name.`,
    ],
    [
      "a file outside of the folder",
      plugin(`  prompt "p" order=1 file="../x.md"`),
      `3:22 manifest.file-outside "../x.md" is no file of the plugin's folder | Move the file into the folder, and name it from there.`,
    ],
    [
      "a tool twice",
      tool("").replace(/\n\}\n$/u, `\n  tool "read" { description "d" }\n}\n`),
      `7:3 manifest.duplicate tool "read" is there twice | Rename or remove one of them.`,
    ],
    [
      "a summary of no argument",
      tool(`    summary "pth"\n    arg "path" type="string"`),
      `5:13 manifest.unknown-word the tool's arguments has no "pth" | Did you mean path?`,
    ],
    [
      "an id without an owner",
      plugin("", `"read" version="0.1.0" sdk=1 entry="index.ts"`),
      `1:8 manifest.bad-value the name of plugin is "read" | Correct the value; the manifest reference has an example of each.`,
    ],
    [
      "an origin with a path",
      plugin(`  grants { net "https://x.com/v1" }`),
      `3:16 manifest.bad-value an argument of net is "https://x.com/v1" | Correct the value; the manifest reference has an example of each.`,
    ],
    [
      "an unknown root",
      plugin(`  grants { fs read="home" }`),
      `3:15 manifest.bad-value read of fs is "home" | Correct the value; the manifest reference has an example of each.`,
    ],
    [
      "a need without its source",
      plugin(`  provider "p" title="P" { connection "c" rank=1 needs="base-url"; }`),
      `3:28 manifest.missing connection "c" has no base-url-env | Add base-url-env.`,
    ],
    [
      "members of what is no object",
      tool(`    arg "a" type="string" { arg "b" type="string" }`),
      `5:29 manifest.unknown-word arg "a", which is no object, has no "arg" | Remove it, or look it up in the manifest reference.`,
    ],
    [
      "a minimum over its maximum",
      tool(`    arg "a" type="integer" min=3 max=2`),
      `5:34 manifest.bad-value max of arg "a" is 2 | Correct the value; the manifest reference has an example of each.`,
    ],
    ["no plugin at all", ``, `1:1 manifest.missing a manifest has no plugin | Add plugin.`],
    ["another root", `plugn "a.b"`, `1:1 manifest.unknown-word a manifest has no "plugn" | Did you mean plugin?`],
  ])("%s is named with its place", async (_name, text, expected) => {
    expect(await problems(text)).toEqual([expected]);
  });

  test("all of them come back, in the order of the file", async () => {
    expect(
      (await problems(plugin(`  prompt "p"\n  tol "x"\n  grants { net "x" }`))).map((problem) => problem.slice(0, problem.indexOf(" "))),
    ).toEqual(["3:3", "3:3", "4:3", "5:16"]);
  });

  test("text that is not KDL has the parser's place", async () => {
    const compiled = await compile(`plugin "a.b" {\n  tool "x`);
    expect(compiled.ok ? [] : compiled.error.map(({ code, source }) => [code, source?.type === "file" && source.line])).toEqual([
      ["config.syntax", 2],
    ]);
  });
});
