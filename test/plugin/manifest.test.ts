import { describe, expect, test } from "vitest";
import { compileManifest, compilePluginFolder } from "../../src/plugin/manifest/index.js";

const files: { readonly [name: string]: string } = { "description.md": "Reads a file.\n\n", "system.md": "You are careful.\n" };
const readFile = (name: string) => files[name];

const plugin = (body: string, head = `"acme.read" version="0.1.0" sdk=1 entry="index.ts"`) =>
  `plugin ${head} {\n  description "Reads files"\n${body}\n}\n`;
const compile = (text: string) => compileManifest(text, readFile, "p/manifest.kdl");
const tool = (body: string) => plugin(`  tool "read" {\n    description "d"\n${body}\n  }`);

/** Problems as `line:column code what | next`. */
async function problems(text: string): Promise<readonly string[]> {
  const compiled = await compile(text);
  if (compiled.ok) return [];
  return compiled.error.map(({ code, what, next, source }) => {
    if (source?.type !== "file") throw new Error("no place");
    expect(source.path).toBe("p/manifest.kdl");
    return `${source.line}:${source.column} ${code} ${what} | ${next}`;
  });
}

async function schemaOf(args: string): Promise<unknown> {
  const compiled = await compile(tool(args));
  return compiled.ok ? compiled.value.tools[0]?.parameters : compiled.error;
}

describe("a whole manifest", () => {
  test("becomes plain JSON with the texts of its files", async () => {
    const compiled = await compile(
      plugin(`  grants { fs read="workspace, temp" write="path:/srv/x"; search "workspace"; process "*"; net "https://api.example.com" }
  tool "read" read-only=#true timeout-ms=5000 {
    description file="description.md"
    summary "path" "offset"
    arg "path" type="string" required=#true help="File"
    arg "offset" type="integer" min=1
  }
  provider "acme" title="Acme" {
    connection "acme" rank=20 base-url-env="ACME_URL" credential-env="ACME_KEY" default-url="https://api.acme.com/v1" needs="credential" default-model="m" profile="q"
    connection "local" rank=30 needs="nothing"
  }
  prompt "system" order=10 file="system.md" when-tool="read"
  prompt "short" "Be brief." order=5`),
    );
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
    const { files: taken, ...manifest } = compiled.value;
    expect([...taken.keys()].sort()).toEqual(["description.md", "system.md"]);
    expect(manifest).toEqual({
      id: "acme.read",
      version: "0.1.0",
      description: "Reads files",
      source: "index.ts",
      grants: {
        fsRead: ["workspace", "temp"],
        fsWrite: [{ path: "/srv/x" }],
        search: ["workspace"],
        process: ["*"],
        net: ["https://api.example.com"],
      },
      tools: [
        {
          name: "read",
          plugin: "acme.read",
          description: "Reads a file.",
          readOnly: true,
          timeoutMs: 5000,
          summaryKeys: ["path", "offset"],
          parameters: {
            type: "object",
            properties: { path: { type: "string", description: "File" }, offset: { type: "integer", minimum: 1 } },
            required: ["path"],
            additionalProperties: false,
          },
        },
      ],
      providers: [
        {
          id: "acme",
          plugin: "acme.read",
          title: "Acme",
          connections: [
            {
              name: "acme",
              rank: 20,
              needs: "credential",
              baseUrlEnv: "ACME_URL",
              defaultUrl: "https://api.acme.com/v1",
              credentialEnv: "ACME_KEY",
              profile: "q",
              defaultModel: "m",
            },
            { name: "local", rank: 30, needs: "nothing" },
          ],
        },
      ],
      prompts: [
        { name: "system", order: 10, text: "You are careful.", whenTool: "read" },
        { name: "short", order: 5, text: "Be brief." },
      ],
    });
  });

  test("grants nothing and contributes nothing that it does not name", async () => {
    const compiled = await compile(plugin(""));
    expect(compiled.ok && compiled.value).toMatchObject({
      tools: [],
      providers: [],
      prompts: [],
      grants: { fsRead: [], fsWrite: [], search: [], process: [], net: [] },
    });
  });
});

describe("arguments", () => {
  test.each([
    [`arg "a" type="string"`, { a: { type: "string" } }],
    [`arg "a" type="string" enum="x, y"`, { a: { type: "string", enum: ["x", "y"] } }],
    [`arg "a" type="string" min=1 max=9`, { a: { type: "string", minLength: 1, maxLength: 9 } }],
    [`arg "a" type="number" min=-0.5 max=2`, { a: { type: "number", minimum: -0.5, maximum: 2 } }],
    [`arg "a" type="boolean" help="h"`, { a: { type: "boolean", description: "h" } }],
    [`arg "a" type="integer[]" max-items=3 min=0`, { a: { type: "array", items: { type: "integer", minimum: 0 }, maxItems: 3 } }],
    [
      `arg "a" type="object" { arg "b" type="string" }`,
      { a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: false } },
    ],
    [
      `arg "a" type="object[]" help="h" { arg "b" type="string" required=#true }`,
      {
        a: {
          type: "array",
          description: "h",
          items: { type: "object", properties: { b: { type: "string" } }, required: ["b"], additionalProperties: false },
        },
      },
    ],
  ])("%s is %j", async (line, properties) => {
    expect(await schemaOf(line)).toEqual({ type: "object", properties, additionalProperties: false });
  });
});

describe("problems", () => {
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
      `3:22 manifest.file "../x.md" cannot be read | Create the file, or correct its name.`,
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
      "another SDK",
      plugin("", `"a.b" version="0.1.0" sdk=2 entry="index.ts"`),
      `1:30 manifest.bad-value sdk of plugin "a.b" is 2 | Correct the value; the manifest reference has an example of each.`,
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

describe("a plugin folder", () => {
  const folder = { manifestText: plugin(`  prompt "p" order=1 file="system.md"`), readFile, bundledSource: "export default {};" };
  const hashOf = async (more: object) => {
    const compiled = await compilePluginFolder({ ...folder, ...more });
    return compiled.ok ? compiled.value.hash : "";
  };

  test("has an entry beside the index and a hash of everything in it", async () => {
    const compiled = await compilePluginFolder(folder);
    expect(compiled.ok && Object.keys(compiled.value).sort()).toEqual([
      "description",
      "entry",
      "grants",
      "hash",
      "id",
      "prompts",
      "providers",
      "tools",
      "version",
    ]);
    expect(compiled.ok && compiled.value).toMatchObject({
      entry: "acme.read.js",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
    });
    const hashes = await Promise.all([
      hashOf({}),
      hashOf({ bundledSource: "export default { };" }),
      hashOf({ readFile: () => "Other." }),
      hashOf({ manifestText: `${folder.manifestText}\n` }),
    ]);
    expect(new Set(hashes).size).toBe(4);
    expect(await hashOf({})).toBe(hashes[0]);
  });

  test("must have the id it is expected to have", async () => {
    const compiled = await compilePluginFolder({ ...folder, id: "acme.write" });
    expect(compiled.ok ? "" : compiled.error[0]?.what).toBe(`the plugin's id is "acme.read"`);
  });
});
