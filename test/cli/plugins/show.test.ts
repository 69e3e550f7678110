import { describe, expect, test } from "vitest";
import type { PluginRecord } from "../../../src/cli/plugins/records.js";
import { diagnostic } from "../../../src/schema/index.js";
import { createFakeOutput } from "../fake-host.js";
import { record, smith, withRecords } from "./support.js";

const NO_GRANTS = {
  fsRead: [],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  ui: [],
  secrets: [],
  mcp: [],
  agent: false,
};

const compiled = (id: string, more: Partial<NonNullable<PluginRecord["compiled"]>> = {}): NonNullable<PluginRecord["compiled"]> => ({
  id,
  version: "0.3.1",
  sdk: 1,
  description: "Lints",
  hash: "ab12",
  entry: "src/main.ts",
  grants: NO_GRANTS,
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
  ...more,
});

const TOOL = {
  name: "lint",
  plugin: "acme.lint",
  description: "Runs it.\nLong.",
  parameters: {},
  readOnly: true,
  timeoutMs: 1,
  argKeys: [],
};

const used = record("acme.lint", {
  compiled: compiled("acme.lint", { tools: [TOOL] as never }),
  source: { type: "folder", path: "/home/a/src/lint" },
});
const broken = record("acme.bad", {
  inactive: "broken",
  dir: "/home/a/x",
  problems: [
    diagnostic({
      code: "manifest.unknown-word",
      what: 'plugin has no "tol"',
      why: "Known here: tool.",
      next: "Did you mean tool?",
      source: { type: "file", path: "/home/a/x/manifest.kdl", line: 3, column: 5 },
    }),
  ],
});

describe("plugins list", () => {
  test("columns, one's own first; below one that is not in use: its problem with its place, and what to do", async () => {
    const bundled = record("smith.read", { origin: "bundled", compiled: compiled("smith.read"), inactive: "disabled" });
    const { status, out, err } = await smith("plugins list", withRecords(bundled, used, broken));
    expect([status, err]).toEqual([0, ""]);
    expect(out.split("\n")).toEqual([
      "ID          VERSION  ORIGIN   STATE     TOOLS",
      "acme.bad    -        user     broken    -",
      '  /home/a/x/manifest.kdl:3:5: plugin has no "tol". Did you mean tool?',
      "acme.lint   0.3.1    user     in use    lint",
      "smith.read  0.3.1    bundled  disabled  -",
      "  It was disabled. To use it: smith plugins enable smith.read",
      "",
    ]);
  });

  test.each([
    ["not-approved", "not approved", "smith plugins trust a.b"],
    ["changed", "changed", "smith plugins trust"],
    ["grants-widened", "wants more", "smith plugins trust a.b"],
    ["project-untrusted", "not trusted", "smith plugins trust"],
    ["overridden", "overridden", "Another plugin of this id is used."],
    ["sdk-mismatch", "other SDK", "Update it, or smith."],
  ] as const)("a plugin that is %s says so, and what to do", async (inactive, state, next) => {
    const { out } = await smith("plugins list", withRecords(record("a.b", { inactive })));
    expect(out).toContain(state);
    expect(out).toContain(next);
  });

  test("--json has one record a plugin", async () => {
    const { out } = await smith("plugins list --json", withRecords(used, broken));
    const records = out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(records).toMatchObject([
      { id: "acme.bad", version: null, origin: "user", state: "broken", tools: [], problems: [{ code: "manifest.unknown-word" }] },
      { id: "acme.lint", version: "0.3.1", state: "in-use", tools: ["lint"], source: { type: "folder" }, problems: [] },
    ]);
  });

  test("nothing of a name acts on the terminal", async () => {
    const { out } = await smith("plugins list", withRecords(record("a\u001b[31mb", { inactive: "broken" })));
    expect(out).toContain("a␛[31mb");
    expect(out).not.toContain("\u001b");
  });

  test("a row fits a terminal", async () => {
    const { out } = await smith("plugins list", withRecords(used), { stdout: createFakeOutput({ isTerminal: true, columns: 30 }) });
    expect(out.split("\n").every((line) => line.replace(/\u001b\[\d+m/gu, "").length <= 30)).toBe(true);
  });

  test("what is wrong beside any plugin is told on standard error", async () => {
    const problem = diagnostic({ code: "plugin.record-broken", what: "r", why: "w", next: "n" });
    const discover = () => Promise.resolve({ records: [], active: [], diagnostics: [problem] });
    expect((await smith("plugins list", { discover })).err).toContain("plugin.record-broken");
  });
});

describe("plugins info", () => {
  test("everything the manifest says, grants in words with the strong ones marked", async () => {
    const own = compiled("acme.lint", {
      tools: [TOOL] as never,
      grants: { ...NO_GRANTS, process: ["npx"], fsRead: ["workspace"] },
      commands: [{ name: "lint", plugin: "acme.lint", aliases: [], description: "Lint files", usage: "[paths]", timeoutMs: 1 }],
      handlers: [{ event: "tool-settled", plugin: "acme.lint", order: 40, timeoutMs: 1, required: true, tools: ["edit"], state: [] }],
      states: [{ key: "ignored", plugin: "acme.lint", scope: "project", version: 1, maxBytes: 16_384, fork: "copy" }],
    });
    const { status, out } = await smith("plugins info acme.lint", withRecords({ ...used, compiled: own, integrity: "sha512-x" }));
    expect(status).toBe(0);
    for (const line of [
      "acme.lint 0.3.1: Lints",
      "  state       in use",
      "  from        the folder ~/src/lint",
      "  integrity   sha512-x",
      "  files       sha256 ab12",
      "  tools       lint (only reads): Runs it.",
      "  commands    /lint [paths]: Lint files",
      "  handlers    tool-settled, of edit, order 40, required",
      "  keeps       ignored, for the project, up to 16 KiB",
      "    ! run npx",
      "      read files of the workspace",
    ])
      expect(out.split("\n")).toContain(line);
  });

  test("options have their value and where it is from; a secret one is not shown", async () => {
    const option = (name: string, more: object) =>
      ({ name, plugin: "acme.lint", type: "integer", help: "h", secret: false, ...more }) as never;
    const options = [
      option("lint.max", { default: 50 }),
      option("lint.level", { type: "string" }),
      option("lint.token", { type: "string", secret: true }),
      option("lint.rest", { default: 3 }),
    ];
    const shown = withRecords({ ...used, compiled: compiled("acme.lint", { options }) });
    const { out } = await smith("plugins info acme.lint --config lint.max=10", shown, {
      env: { SMITH_HOME: "/home/a/smith", SMITH_LINT_TOKEN: "hunter2hunter2" },
    });
    expect(out).toContain("lint.max = 10 (--config)");
    expect(out).toContain("lint.level is not set");
    expect(out).toContain('lint.token = "***" (SMITH_LINT_TOKEN)');
    expect(out).toContain("lint.rest = 3 (default)");
    expect(out).not.toContain("hunter2");
  });

  test("of several with one id the one in use is shown, and the others named", async () => {
    const other = record("acme.lint", { origin: "bundled", inactive: "overridden", compiled: compiled("acme.lint", { version: "0.1.0" }) });
    const { out } = await smith("plugins info acme.lint", withRecords(other, used));
    expect(out).toContain("acme.lint 0.3.1");
    expect(out).toContain("also        0.1.0 (bundled, overridden)");
  });

  test("a broken one shows its problem", async () => {
    const { status, out } = await smith("plugins info acme.bad", withRecords(broken));
    expect(status).toBe(0);
    expect(out).toContain("/home/a/x/manifest.kdl:3:5");
  });

  test("an unknown id ends with status 2 and names the nearest", async () => {
    const { status, out, err } = await smith("plugins info acme.lnt", withRecords(used));
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain("Did you mean acme.lint?");
  });

  test("--json is one record with options and grants in words", async () => {
    const { out } = await smith("plugins info acme.lint --json", withRecords(used));
    expect(JSON.parse(out)).toMatchObject({
      id: "acme.lint",
      hash: "ab12",
      grants: [],
      options: [],
      tools: [{ name: "lint", readOnly: true }],
    });
  });
});
