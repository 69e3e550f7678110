import { describe, expect, test } from "vitest";

import { approvalLines, pluginRows, projectLines, projectWords, type ProjectState } from "../../../src/tui/plugins/index.js";
import { isPrintable } from "../../../src/tui/text/index.js";
import { compiledPlugin, pluginRecord } from "../../support/fake-plugin-admin.js";

const grantsOf = (): readonly [{ readonly facility: string; readonly words: string; readonly isStrong: boolean }] => [
  { facility: "process", words: "run npx", isStrong: true },
];
const discovery = (...records: readonly ReturnType<typeof pluginRecord>[]) => ({ records, active: [], diagnostics: [] });

describe("plugins as rows", () => {
  test("what people brought comes before what came with smith, each by id", () => {
    const found = discovery(
      pluginRecord("smith.read", { origin: "bundled" }),
      pluginRecord("b", { origin: "user" }),
      pluginRecord("a", { origin: "user" }),
      pluginRecord("p", { origin: "project" }),
      pluginRecord("r", { origin: "run" }),
    );
    expect(pluginRows(found, grantsOf).map(({ id }) => id)).toEqual(["r", "p", "a", "b", "smith.read"]);
  });

  test.each([
    ["user", undefined, "in use", ["disable", "remove"]],
    ["user", "disabled", "disabled", ["enable", "remove"]],
    ["user", "not-approved", "not approved", ["approve", "remove"]],
    ["user", "grants-widened", "wants more than was approved", ["approve", "remove"]],
    ["user", "broken", "broken", ["remove"]],
    ["project", "project-untrusted", "its project is not trusted", ["trust"]],
    ["project", "changed", "changed since it was approved", ["trust"]],
    ["project", undefined, "in use", ["disable"]],
    ["bundled", undefined, "in use", ["disable"]],
    ["run", undefined, "in use", []],
  ] as const)("of %s, %s: it is %s and a person can %o", (origin, inactive, state, deeds) => {
    const [row] = pluginRows(discovery(pluginRecord("x", { origin, ...(inactive === undefined ? {} : { inactive }) })), grantsOf);
    expect([row?.state, row?.deeds]).toEqual([state, deeds]);
  });

  test("the details say what it may, what it brings, where it is from and what is wrong", () => {
    const compiled = compiledPlugin("acme.lint", {
      themes: [{ name: "ember", plugin: "acme.lint", base: "dark", styles: {} }],
      keys: [{ key: "f5", plugin: "acme.lint", command: "" }],
    });
    const problem = {
      code: "a.b",
      what: "It is odd.",
      why: "So.",
      next: "Fix it.",
      severity: "warning",
      retry: { type: "never" },
    } as const;
    const source = { type: "npm", name: "acme-lint", version: "0.3.1", registry: "https://r.example" } as const;
    const [row] = pluginRows(discovery(pluginRecord("acme.lint", { compiled, problems: [problem], source })), grantsOf);
    const texts = row?.details.map(({ text }) => text) ?? [];
    for (const text of ["! run npx", "Themes: ember", "Keys: f5 (nothing)", "It is odd.", "→ Fix it."]) expect(texts).toContain(text);
    expect(texts).toContainEqual(expect.stringContaining("npm:acme-lint@0.3.1 from https://r.example"));
    expect(row?.brings).toBe("1 theme, 1 key");
  });

  test("texts of a plugin hold no control character", () => {
    const evil = "a\x1b[2J\u202e\nb";
    const compiled = compiledPlugin(evil, { description: evil, version: evil });
    const problem = { code: "a.b", what: evil, why: evil, next: evil, severity: "warning", retry: { type: "never" } } as const;
    const [row] = pluginRows(discovery(pluginRecord(evil, { compiled, dir: evil, problems: [problem] })), grantsOf);
    for (const text of [row?.id, row?.version, ...(row?.details ?? []).map((line) => line.text)])
      expect(isPrintable(text ?? "")).toBe(true);
  });

  test("what approving would allow names what is new apart", () => {
    const texts = approvalLines({
      id: "a",
      version: "2.0.0",
      description: "d",
      grants: [...grantsOf(), { facility: "vcs", words: "see the repository", isStrong: false }],
      added: grantsOf(),
      tools: ["lint"],
      commands: [],
      handlers: ["idle", "idle"],
      replaces: { version: "1.0.0" },
    }).map(({ text }) => text);
    expect(texts.filter((text) => text !== "")).toEqual([
      "d",
      "version 2.0.0; version 1.0.0 was approved before",
      "New: it may now  (! reaches outside of the session)",
      "! run npx",
      "In all it may  (! reaches outside of the session)",
      "! run npx",
      "· see the repository",
      "Tools: lint",
      "Takes part in: idle",
    ]);
  });
});

describe("what a project waits for", () => {
  const state = (...paths: readonly string[]): ProjectState => ({
    state: "untrusted",
    behaviour: { root: "/p", hash: "h", items: paths.map((path) => ({ path, what: `does ${path}` })) },
  });

  test.each([
    [[".smith/plugins/a"], "1 plugin that is"],
    [[".smith/plugins/a", ".smith/plugins/b", ".mcp.json"], "2 plugins and servers that are"],
    [[".smith/config.kdl"], "settings that are"],
    [[".smith/skills/x", ".smith/prompts/y.md", ".smith/config.kdl"], "settings, 1 skill and 1 prompt that are"],
  ])("%o: %s not used", (paths, words) => {
    expect(projectWords(state(...paths))[0]).toBe(`this project has ${words} not used until you trust it: /trust`);
  });

  test("is said in fewer words where there is less room, and as a change where it was trusted before", () => {
    const words = projectWords({ ...state(".smith/config.kdl"), state: "changed" });
    expect(words[0]).toMatch(/^changed: /);
    expect([...words].sort((left, right) => right.length - left.length)).toEqual(words);
    expect(words.at(-1)?.length).toBeLessThan(22);
  });

  test("every item is named with what it would do", () => {
    const texts = projectLines(state(".mcp.json", ".smith/plugins/a")).map(({ text }) => text);
    for (const text of [".mcp.json", "does .mcp.json", ".smith/plugins/a", "does .smith/plugins/a"]) expect(texts).toContain(text);
  });
});
