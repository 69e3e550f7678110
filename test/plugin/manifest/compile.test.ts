import { describe, expect, test } from "vitest";
import { compile, compiled, plugin, problems, told } from "./stage.js";

const WHOLE = plugin(`  grants {
    fs read="workspace, temp" write="plugin-data,path:/srv/x"
    search "workspace" "resources"
    process "git" "npm*" env="PATH, NODE_*"
    net "https://api.example.com" "https://*.example.org" methods="GET,POST" private=#true
    net "*"
    evaluate
    vcs
    ui "notify" "ask"
    secrets "ACME_KEY"
  }
  config {
    option "lint.max-findings" type="integer" default=50 min=1 max=500 help="Findings shown"
    option "lint.levels" type="string[]" default="error, warning" enum="error,warning,info" help="Levels"
    option "lint.token" type="string" secret=#true help="Token"
  }
  state "rules" scope="project" version=2 max-kib=16 fork="fresh"
  state "seen" scope="session"
  tool "read" read-only=#true timeout-ms=5000 {
    description file="description.md"
    summary "path" "offset"
    result-summary "{{count}} findings in {{files}} files"
    arg "path" type="string" required=#true help="File"
    arg "offset" type="integer" min=1
  }
  command "lint" aliases="l, check" usage="[paths]" help="Lint changed files" timeout-ms=60000
  command "skill:" each="skill" help="Use a skill"
  provider "acme" title="Acme" {
    connection "acme" rank=20 base-url-env="ACME_URL" credential-env="ACME_KEY, ACME_TOKEN" default-url="https://api.acme.com/v1" needs="credential" default-model="m" profile="q"
    connection "local" rank=30 needs="nothing"
  }
  prompt "system" order=10 file="system.md" when-tool="read"
  prompt "short" "Be brief." order=5
  prompt "skills" "Skills:" order=50 each="skill" item="- {{name}}: {{description}} ({{path}})"
  resource "skill" format="front-matter" named="folder" max-kib=128 cut=#true {
    from "user" path="skills/*/SKILL.md"
    from "project" path=".smith/skills/*/SKILL.md"
  }
  resource "note" { from "ancestors" path="NOTES.md"; from "plugin" path="notes/*.md"; }
  theme "acme-dark" base="light" file="themes/acme.kdl" { style "accent" fg="#112233" italic=#true; }
  key "shift+Ctrl+T" command="lint src"
  key "f5" command="@repaint"
  key "alt+enter" command=""
  handler "tool-proposed" order=-5 timeout-ms=500 required=#true tools="shell, write" state="rules"
  handler "idle"`);

describe("a whole manifest", () => {
  test("becomes plain JSON with the texts of its files", async () => {
    const { files, ...manifest } = await compiled(WHOLE);
    expect([...files.keys()].sort()).toEqual(["description.md", "system.md", "themes/acme.kdl"]);
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    expect(manifest).toMatchObject({ id: "acme.read", version: "0.1.0", sdk: 1, description: "Reads files", source: "index.ts" });
  });

  test("its grants, with those of state from what it declares", async () => {
    expect((await compiled(WHOLE)).grants).toEqual({
      fsRead: ["workspace", "temp"],
      fsWrite: ["plugin-data", { path: "/srv/x" }],
      search: ["workspace", "resources"],
      process: ["git", "npm*"],
      processEnv: ["PATH", "NODE_*"],
      net: [
        { origin: "https://api.example.com", methods: ["GET", "POST"], private: true },
        { origin: "https://*.example.org", methods: ["GET", "POST"], private: true },
        { origin: "*", methods: [], private: false },
      ],
      evaluate: true,
      vcs: true,
      state: [
        { scope: "session", maxBytes: 65_536 },
        { scope: "project", maxBytes: 16_384 },
      ],
      ui: ["notify", "ask"],
      secrets: ["ACME_KEY"],
      mcp: [],
      agent: false,
    });
  });

  test("its tools and commands", async () => {
    const { tools, commands } = await compiled(WHOLE);
    expect(tools).toEqual([
      {
        name: "read",
        plugin: "acme.read",
        description: "Reads a file.",
        readOnly: true,
        timeoutMs: 5000,
        summaryKeys: ["path", "offset"],
        resultSummary: "{{count}} findings in {{files}} files",
        parameters: {
          type: "object",
          properties: { path: { type: "string", description: "File" }, offset: { type: "integer", minimum: 1 } },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ]);
    expect(commands).toEqual([
      {
        name: "lint",
        plugin: "acme.read",
        aliases: ["l", "check"],
        description: "Lint changed files",
        usage: "[paths]",
        timeoutMs: 60_000,
      },
      { name: "skill:", plugin: "acme.read", aliases: [], description: "Use a skill", each: "skill", timeoutMs: 30_000 },
    ]);
  });

  test("its providers and prompts", async () => {
    const { providers, prompts } = await compiled(WHOLE);
    expect(providers).toEqual([
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
            credentialEnvs: ["ACME_KEY", "ACME_TOKEN"],
            profile: "q",
            defaultModel: "m",
          },
          { name: "local", rank: 30, needs: "nothing", credentialEnvs: [] },
        ],
      },
    ]);
    expect(prompts).toEqual([
      { name: "system", plugin: "acme.read", order: 10, text: "You are careful.", whenTool: "read" },
      { name: "short", plugin: "acme.read", order: 5, text: "Be brief." },
      {
        name: "skills",
        plugin: "acme.read",
        order: 50,
        text: "Skills:",
        each: { kind: "skill", item: "- {{name}}: {{description}} ({{path}})" },
      },
    ]);
  });

  test("its resources, themes and keys", async () => {
    const { resources, themes, keys } = await compiled(WHOLE);
    expect(resources).toEqual([
      {
        kind: "skill",
        plugin: "acme.read",
        format: "front-matter",
        named: "folder",
        maxBytes: 131_072,
        cut: true,
        sources: [
          { from: "user", path: "skills/*/SKILL.md" },
          { from: "project", path: ".smith/skills/*/SKILL.md" },
        ],
      },
      {
        kind: "note",
        plugin: "acme.read",
        format: "text",
        named: "file",
        maxBytes: 65_536,
        cut: false,
        sources: [
          { from: "ancestors", path: "NOTES.md" },
          { from: "plugin", path: "notes/*.md" },
        ],
      },
    ]);
    expect(themes).toEqual([
      {
        name: "acme-dark",
        plugin: "acme.read",
        base: "light",
        styles: { accent: { fg: "#112233", italic: true }, muted: { dim: true } },
      },
    ]);
    expect(keys).toEqual([
      { key: "ctrl+shift+t", plugin: "acme.read", command: "lint src" },
      { key: "f5", plugin: "acme.read", command: "@repaint" },
      { key: "alt+enter", plugin: "acme.read", command: "" },
    ]);
  });

  test("its options, handlers and state", async () => {
    const { options, handlers, states } = await compiled(WHOLE);
    expect(options).toEqual([
      {
        name: "lint.max-findings",
        plugin: "acme.read",
        type: "integer",
        default: 50,
        min: 1,
        max: 500,
        help: "Findings shown",
        secret: false,
      },
      {
        name: "lint.levels",
        plugin: "acme.read",
        type: "string[]",
        default: ["error", "warning"],
        enum: ["error", "warning", "info"],
        help: "Levels",
        secret: false,
      },
      { name: "lint.token", plugin: "acme.read", type: "string", help: "Token", secret: true },
    ]);
    expect(handlers).toEqual([
      {
        event: "tool-proposed",
        plugin: "acme.read",
        order: -5,
        timeoutMs: 500,
        required: true,
        tools: ["shell", "write"],
        state: ["rules"],
      },
      { event: "idle", plugin: "acme.read", order: 100, timeoutMs: 2_000, required: false, state: [] },
    ]);
    expect(states).toEqual([
      { key: "rules", plugin: "acme.read", scope: "project", version: 2, maxBytes: 16_384, fork: "fresh" },
      { key: "seen", plugin: "acme.read", scope: "session", version: 1, maxBytes: 65_536, fork: "copy" },
    ]);
  });

  test("grants nothing and contributes nothing that it does not name", async () => {
    expect(await compiled(plugin(""))).toEqual({
      id: "acme.read",
      version: "0.1.0",
      sdk: 1,
      description: "Reads files",
      source: "index.ts",
      grants: {
        ...{ fsRead: [], fsWrite: [], search: [], process: [], processEnv: [], net: [] },
        ...{ evaluate: false, vcs: false, state: [], ui: [], secrets: [], mcp: [], agent: false },
      },
      ...{
        tools: [],
        commands: [],
        providers: [],
        prompts: [],
        resources: [],
        themes: [],
        keys: [],
        options: [],
        handlers: [],
        states: [],
        toolSets: [],
      },
      files: new Map(),
    });
  });
});

describe("the id", () => {
  const withId = (id: string): string => plugin("", `${JSON.stringify(id)} version="0.1.0" sdk=1 entry="index.ts"`);

  test.each([
    "read",
    "Acme.read",
    "acme..read",
    ".acme.read",
    "acme.read.",
    "../acme.read",
    "acme/../../x.y",
    "acme\\x.y",
    "/etc.passwd",
    "acme.read/x",
    "acme.1read",
    "acme.read\n",
    "a cme.read",
    "c:acme.read",
    "acme.re\tad",
    `acme.${"x".repeat(96)}`,
    "__proto__.x",
  ])("%j is refused, so that it never leads out of a folder", async (id) => {
    expect((await problems(withId(id))).map((problem) => problem.replace(/ is .*/u, ""))).toEqual([
      "1:8 manifest.bad-value the name of plugin",
    ]);
  });

  test("one that begins with smith. is for bundled plugins", async () => {
    expect(await told(withId("smith.read"))).toEqual([
      `1:8 manifest.reserved-id the plugin's id is "smith.read" | Ids that begin with smith. are those of bundled plugins. | Begin it with a name of your own, such as acme.lint.`,
    ]);
    expect((await compiled(withId("smith.read"), { bundled: true })).id).toBe("smith.read");
    expect((await compiled(withId("smithy.read"))).id).toBe("smithy.read");
  });
});

describe("the SDK", () => {
  const withSdk = (sdk: string, body = ""): string => plugin(body, `"a.b" version="0.1.0" sdk=${sdk} entry="index.ts"`);

  test("a newer one says which smith it needs, and nothing about words of that SDK", async () => {
    expect(await told(withSdk("2", `  hologram "x"`))).toEqual([
      "1:30 manifest.newer-sdk the manifest is written for plugin SDK 2; this smith has SDK 1 | It needs a smith whose plugin SDK is 2 or 3. | Update smith, or take an older version of the plugin.",
    ]);
  });

  test.each(["0", "-1", "1.5", `"1"`])("%s is no SDK", async (sdk) => {
    expect((await problems(withSdk(sdk))).map((problem) => problem.slice(0, 23))).toEqual(["1:30 manifest.bad-value"]);
  });
});

describe("bounds", () => {
  test("a manifest far too long is refused before it is read", async () => {
    expect((await problems(`${plugin("")}// ${"x".repeat(256 * 1024)}`)).map((problem) => problem.slice(0, 17))).toEqual([
      "1:1 manifest.size",
    ]);
  });

  test("blocks inside of blocks end somewhere, with a place", async () => {
    const nested = (levels: number): string =>
      `  tool "t" { description "d"; ${`arg "a" type="object" {`.repeat(levels)} ${"}".repeat(levels)} }`;
    expect((await compile(plugin(nested(13)))).ok).toBe(true);
    expect((await problems(plugin(nested(20)))).map((problem) => problem.replace(/ p\/.*/u, ""))).toEqual(["3:353 manifest.depth"]);
    expect((await compile(plugin(nested(3_000)))).ok).toBe(false);
  });

  test("text that is not KDL has the parser's place", async () => {
    const result = await compile(`plugin "a.b" {\n  tool "x`);
    expect(result.ok ? [] : result.error.map(({ code, source }) => [code, source?.type === "file" && source.line])).toEqual([
      ["config.syntax", 2],
    ]);
  });
});
