import { describe, expect, test } from "vitest";
import permissionsPlugin, { permissionAnswered, toolProposed } from "../../plugins/permissions/index.js";
import { MAX_REMEMBERED, withRules } from "../../plugins/permissions/remembered.js";
import { joinRules, parseRule, splitRules } from "../../plugins/permissions/rule.js";
import type { CallId, WorkId } from "../../src/base/index.js";
import type { Action, EventOf, HandlerContext, JsonObject, JsonValue, NamedValues } from "../../src/plugin/sdk.js";

type Proposed = EventOf<"tool-proposed">;

const call = "call-1" as CallId;
const unused = new Proxy({}, { get: (_target, name) => expect.unreachable(`the operation ${String(name)}`) });

/** A context with options, remembered values and state; any other part of it fails the test. */
function contextWith(config: NamedValues = {}, values: NamedValues = {}): HandlerContext {
  const state = { get: async (key: string): Promise<JsonValue> => values[key] ?? null };
  return { cwd: "/work", now: 0, config, values, invocation: "i", fs: unused, process: unused, state } as unknown as HandlerContext;
}

interface Rules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly project?: readonly JsonObject[];
  readonly session?: readonly JsonObject[];
}

const contextOf = ({ allow = [], ask = [], deny = [], project = [], session = [] }: Rules): HandlerContext =>
  contextWith(
    { "permissions.allow": allow, "permissions.ask": ask, "permissions.deny": deny },
    { rules: project, "rules-session": session },
  );

async function proposed(tool: string, args: JsonObject, rules: Rules, over: Partial<Proposed> = {}): Promise<Action | undefined> {
  const event: Proposed = {
    type: "tool-proposed",
    work: "work-1" as WorkId,
    call,
    tool,
    plugin: "a.tools",
    readOnly: false,
    args,
    cwd: "/work",
    mode: "ask-writes",
    interactive: true,
    ...over,
  };
  const actions = (await toolProposed(event, contextOf(rules))) ?? [];
  expect(actions.length).toBeLessThan(2);
  return actions[0];
}

/** The verdict in a word: `allow`, `ask`, `deny` or `-`. */
const verdict = async (...given: Parameters<typeof proposed>): Promise<string> =>
  (await proposed(...given))?.type.replace("-tool", "") ?? "-";

const shell = (command: string): [string, JsonObject] => ["shell", { command }];
const edit = (path: string): [string, JsonObject] => ["edit", { path, edits: [] }];

describe("without rules", () => {
  test.each<[Proposed["mode"], boolean, string]>([
    ["ask-writes", false, "ask"],
    ["ask-writes", true, "-"],
    ["auto", false, "-"],
    ["auto", true, "-"],
    ["read-only", false, "-"],
    ["plan", false, "-"],
  ])("the mode %s with a tool that is read-only: %s says %s", async (mode, readOnly, said) => {
    expect(await verdict(...edit("a.ts"), {}, { mode, readOnly })).toBe(said);
  });
});

describe("a read-only tool that names an address", () => {
  const page: [string, JsonObject] = ["fetch", { url: "https://docs.example.org/a?b=c" }];
  test.each<[Proposed["mode"], string]>([
    ["ask-writes", "ask"],
    ["read-only", "ask"],
    ["plan", "ask"],
    ["auto", "-"],
  ])("in the mode %s: %s", async (mode, said) => {
    expect(await verdict(...page, {}, { mode, readOnly: true })).toBe(said);
  });

  test("is agreed to host by host, once", async () => {
    const rule = "fetch(https://docs.example.org/*)";
    expect(await proposed(...page, {}, { readOnly: true })).toMatchObject({ type: "ask-tool", rule });
    expect(await verdict(...page, { session: [{ verdict: "allow", rule }] }, { readOnly: true })).toBe("allow");
    expect(await verdict("fetch", { url: "https://example.org/" }, { allow: [rule] }, { readOnly: true })).toBe("ask");
    expect(await verdict("fetch", { url: "https://docs.example.org.evil.com/" }, { allow: [rule] }, { readOnly: true })).toBe("ask");
  });

  test("of a resource of a server is none", async () => {
    expect(await verdict("mcp__s__read_resource", { uri: "file:///x" }, {}, { readOnly: true })).toBe("-");
  });
});

describe("a path that leads through a link", () => {
  const links = [
    { path: "docs/notes.md", real: "/work/secrets/key.md" },
    { path: "out", real: "/etc" },
  ];
  const linked = async (tool: string, args: JsonObject, rules: Rules) => await proposed(tool, args, rules, { links });

  test("is denied, and asked about, as what it leads to", async () => {
    expect(await linked(...edit("docs/notes.md"), { deny: ["edit(secrets/**)"] })).toMatchObject({ type: "deny-tool" });
    expect(await linked("read", { path: "docs/notes.md" }, { ask: ["read(**/key.md)"] })).toMatchObject({
      type: "ask-tool",
      why: "permissions.ask has read(**/key.md). Through links docs/notes.md leads to /work/secrets/key.md.",
    });
  });

  test("is allowed only where its name and what it leads to are; else the person is told, and no rule is made of it", async () => {
    expect(await linked(...edit("docs/notes.md"), { allow: ["edit(docs/**)"] })).toEqual({
      type: "ask-tool",
      call,
      why: "Through links docs/notes.md leads to /work/secrets/key.md.",
    });
    expect(await linked(...edit("docs/notes.md"), { allow: ["edit(docs/**)", "edit(secrets/**)"] })).toMatchObject({ type: "ask-tool" });
    expect(await linked(...edit("docs/notes.md"), { allow: ["edit(**)"] })).toMatchObject({ type: "allow-tool" });
    expect(await linked("shell", { command: "npm test", cwd: "out" }, { allow: ["shell(npm test)"] })).toMatchObject({ type: "ask-tool" });
  });
});

describe("the order of rules", () => {
  const every: Rules = { allow: ["shell"], ask: ["shell(git push *)"], deny: ["shell(git push --force*)"] };

  test.each<[string, Proposed["mode"], string]>([
    ["git push --force", "ask-writes", "deny"],
    ["git push --force", "auto", "deny"],
    ["git push --force", "read-only", "deny"],
    ["git push --force", "plan", "deny"],
    ["git push", "ask-writes", "ask"],
    ["git push", "auto", "ask"],
    ["git status", "ask-writes", "allow"],
    ["git status", "auto", "-"],
    ["git status", "plan", "-"],
  ])("%j in %s: %s", async (command, mode, said) => {
    expect(await verdict(...shell(command), every, { mode })).toBe(said);
  });

  test("read-only tools are denied and asked about by rules as well, in every mode", async () => {
    const rules: Rules = { ask: ["read(**/.env)"], deny: ["read(secret/)"] };
    expect(await verdict("read", { path: "a/.env" }, rules, { readOnly: true, mode: "auto" })).toBe("ask");
    expect(await verdict("read", { path: "secret/a" }, rules, { readOnly: true, mode: "plan" })).toBe("deny");
    expect(await verdict("read", { path: "src/a" }, rules, { readOnly: true })).toBe("-");
  });

  test("remembered rules of the session and of the project allow; remembered denials deny", async () => {
    expect(await verdict(...shell("npm test"), { session: [{ verdict: "allow", rule: "shell(npm test *)" }] })).toBe("allow");
    expect(await verdict(...shell("npm test"), { project: [{ verdict: "allow", rule: "shell(npm test *)" }] })).toBe("allow");
    expect(await verdict(...shell("npm test"), { allow: ["shell"], project: [{ verdict: "deny", rule: "shell(npm *)" }] })).toBe("deny");
  });

  test("a rule that asks is not outdone by an answer, so no rule is offered with it", async () => {
    const rules: Rules = { ask: ["shell(git push *)"], project: [{ verdict: "allow", rule: "shell(git push *)" }] };
    expect(await proposed(...shell("git push"), rules)).toEqual({
      type: "ask-tool",
      call,
      why: "permissions.ask has shell(git push *).",
    });
  });

  test("a denial says by which rule, from where, and what to do", async () => {
    expect(await proposed(...shell("git push"), { deny: ["shell(git push *)"] })).toEqual({
      type: "deny-tool",
      call,
      why: expect.stringMatching(/^The rule shell\(git push \*\) of permissions\.deny denies this\..*tell the person/u) as string,
    });
  });
});

describe("an entry that is no rule", () => {
  test("denies whatever changes something when it should have denied", async () => {
    const rules: Rules = { allow: ["shell"], deny: ["shell(rm"] };
    expect(await proposed(...shell("ls"), rules, { mode: "auto" })).toMatchObject({
      type: "deny-tool",
      why: expect.stringContaining('permissions.deny has an entry that is no rule: "shell(rm"') as string,
    });
    expect(await verdict("read", { path: "a" }, rules, { readOnly: true })).toBe("-");
  });

  test("asks when it should have asked, and allows nothing when it should have allowed", async () => {
    expect(await verdict(...shell("ls"), { allow: ["shell"], ask: ["shell(rm"] }, { mode: "auto" })).toBe("ask");
    expect(await verdict(...shell("ls"), { allow: ["shell(ls"] })).toBe("ask");
  });

  test.each(["", "shell(", "shell()", "shell( )", "she ll(x)", "(x)", "shell(x) y", "shell|(x)", `shell(${"x".repeat(500)})`])(
    "%j is none",
    (text) => {
      expect(parseRule(text)).toBeUndefined();
    },
  );
});

describe("commands", () => {
  const tests: Rules = { allow: ["shell(npm test *)", "shell(git status *)"] };

  test.each<[string, string]>([
    ["npm test", "allow"],
    ["npm test -- --watch=false 2>&1", "allow"],
    ["npm test && git status -s", "allow"],
    ["cd packages/a && npm test", "allow"],
    ["npm test && git push", "ask"],
    ["npm test; rm -rf /", "ask"],
    ["npm test & rm -rf /", "ask"],
    ["npm test\nrm -rf /", "ask"],
    ["npm test | sh", "ask"],
    ["npm test $(rm -rf /)", "ask"],
    ["npm test `rm -rf /`", "ask"],
    ["npm test > ~/.bashrc", "ask"],
    ["NODE_OPTIONS=--require=./x npm test", "ask"],
    ["cd .. && npm test", "ask"],
    ["npm testx", "ask"],
    ["/tmp/npm test", "ask"],
    [`"npm test"`, "ask"],
  ])("%j when tests are allowed: %s", async (command, said) => {
    expect(await verdict(...shell(command), tests)).toBe(said);
  });

  test("the bare name of the tool allows also what is complex", async () => {
    expect(await verdict(...shell("echo $(ls) > x"), { allow: ["shell"] })).toBe("allow");
    expect(await verdict(...shell("echo $(ls) > x"), { allow: ["shell(*)"] })).toBe("ask");
  });

  test("the folder a command runs in has to be in the workspace", async () => {
    expect(await verdict("shell", { command: "npm test", cwd: "packages/a" }, tests)).toBe("allow");
    expect(await verdict("shell", { command: "npm test", cwd: "../other" }, tests)).toBe("ask");
    expect(await verdict("shell", { command: "npm test", cwd: "/etc" }, tests)).toBe("ask");
  });

  test("a list of words is a command, too", async () => {
    expect(await verdict("run", { command: ["git", "push"] }, { deny: ["run(git push *)"] })).toBe("deny");
  });

  test("a rule for every tool finds the path it names among the words", async () => {
    const rules: Rules = { deny: ["*(**/.env)"] };
    for (const command of ["cat .env", "cat a/.env", "cat ./.env", "cat '.env'", "cat <.env", "x --file=.env", "echo $(cat .ENV)"])
      expect(await verdict(...shell(command), rules), command).toBe("deny");
    expect(await verdict(...shell("cat .environment"), rules)).toBe("ask");
    expect(await verdict("read", { path: ".env" }, rules, { readOnly: true })).toBe("deny");
  });
});

describe("paths", () => {
  test.each<[string, string, string]>([
    ["edit(src/**)", "src/a.ts", "allow"],
    ["edit(src/**)", "./src//x/../a.ts", "allow"],
    ["edit(src/**)", "/work/src/a.ts", "allow"],
    ["edit(src/**)", "src/../package.json", "ask"],
    ["edit(src/**)", "src/../../etc/passwd", "ask"],
    ["edit(src/**)", "SRC/a.ts", "ask"],
    ["edit(src/*)", "src/a.ts", "allow"],
    ["edit(src/*)", "src/a/b.ts", "ask"],
    ["edit(*.md)", "docs/a.md", "allow"],
    ["edit(./README.md)", "README.md", "allow"],
    ["edit(./README.md)", "docs/README.md", "ask"],
    ["edit(docs/)", "docs/a/b.md", "allow"],
    ["edit(**)", "anything", "allow"],
    ["edit(**)", "/etc/passwd", "ask"],
    ["edit(**)", "../other/a", "ask"],
    ["edit(**)", "~/.bashrc", "ask"],
    ["edit(**)", "file:///etc/passwd", "ask"],
    ["edit(/tmp/**)", "/tmp/a", "allow"],
    ["edit(/tmp/**)", "/tmp/../etc/passwd", "ask"],
    ["edit(src/a\\*b)", "src/a*b", "allow"],
    ["edit(src/a\\*b)", "src/axb", "ask"],
    ["edit|write(src/**)", "src/a.ts", "allow"],
    ["ed*(src/**)", "src/a.ts", "allow"],
    ["write(src/**)", "src/a.ts", "ask"],
  ])("%s of %j: %s", async (rule, path, said) => {
    expect(await verdict(...edit(path), { allow: [rule] })).toBe(said);
  });

  test.each([
    "secret/key",
    "./secret/key",
    "src/../secret/key",
    "/work/secret/key",
    "/work/./x/..//secret/key",
    "../work/secret/key",
    "SECRET/Key",
    "secret//key/",
    "\\x73ecret/key",
    "\\u{73}ecret/key",
    "secret/sub/deeper",
    "file:///work/secret/key",
  ])("a rule that denies a folder denies %j", async (path) => {
    for (const deny of ["edit(secret)", "edit(secret/)", "edit(secret/**)", "edit(./secret)", "edit(/work/secret)", "edit(secret/*)"])
      expect(await verdict(...edit(path), { deny: [deny] }, { mode: "auto" }), deny).toBe("deny");
  });

  test("a rule that denies names composed and decomposed alike", async () => {
    expect(await verdict(...edit("caf\u0065\u0301/a"), { deny: ["edit(caf\u00e9)"] })).toBe("deny");
  });

  test("a name in any folder is denied outside of the workspace as well", async () => {
    expect(await verdict("read", { path: "/home/me/.env" }, { deny: ["read(.env)"] }, { readOnly: true })).toBe("deny");
    expect(await verdict("read", { path: "../x/.env" }, { deny: ["read(**/.env)"] }, { readOnly: true })).toBe("deny");
  });

  test("of several paths each has to be allowed, and one denied is enough", async () => {
    const several = { paths: ["src/a", "docs/b"], edits: [{ file_path: "test/c" }] };
    expect(await verdict("patch", several, { allow: ["patch(src/**)", "patch(docs/**)"] })).toBe("ask");
    expect(await verdict("patch", several, { allow: ["patch(src/**)", "patch(docs/**)", "patch(test/**)"] })).toBe("allow");
    expect(await verdict("patch", several, { allow: ["patch"], deny: ["patch(test/**)"] })).toBe("deny");
  });

  test("a name that is escaped cannot be made to look like another", async () => {
    expect(await verdict(...edit("\\u{25}2e%2e"), { deny: ["edit(..)"] }, { mode: "auto" })).toBe("-");
    expect(await verdict(...edit("\\xff\\x41"), { deny: ["edit(*A)"] }, { mode: "auto" })).toBe("deny");
    expect(await verdict(...edit("\\x2e\\x2e/x"), { allow: ["edit(**)"] })).toBe("ask");
  });
});

describe("addresses", () => {
  test.each<[string, string]>([
    ["https://example.com/a", "allow"],
    ["HTTPS://EXAMPLE.com:443/a", "allow"],
    ["https://example.com", "allow"],
    ["https://example.com.evil.org/a", "ask"],
    ["https://example.com@evil.org/a", "ask"],
    ["https://evil.org/https://example.com/a", "ask"],
    ["https://example.com\\@evil.org/a", "ask"],
    ["http://example.com/a", "ask"],
    ["https://example.com:8443/a", "ask"],
    ["https://exa\tmple.com/a", "ask"],
    ["example.com/a", "ask"],
  ])("%j when one host is allowed: %s", async (url, said) => {
    expect(await verdict("fetch", { url }, { allow: ["fetch(https://example.com/*)"] })).toBe(said);
  });

  test.each<[string, string]>([
    ["https://example.com/public/a", "allow"],
    ["https://example.com/public/../private", "ask"],
    ["https://example.com/public/%2e%2e/private", "ask"],
    ["https://example.com/public/..%2fprivate", "ask"],
  ])("%j when one folder is allowed: %s", async (url, said) => {
    expect(await verdict("fetch", { url }, { allow: ["fetch(https://example.com/public/*)"] })).toBe(said);
  });

  test.each([
    "https://example.com/a",
    "https://EXAMPLE.COM./a",
    "https://me:pw@example.com/a",
    "example.com/a",
    "https://example.com:443/a",
  ])("a rule that denies a host denies %j", async (url) => {
    expect(await verdict("fetch", { url }, { deny: ["fetch(https://example.com/*)"] }, { readOnly: true })).toBe("deny");
  });
});

describe("texts", () => {
  test("are looked at by rules about what is searched for", async () => {
    const rules: Rules = { deny: ["grep(password*)"] };
    expect(await verdict("grep", { pattern: "password=" }, rules, { readOnly: true })).toBe("deny");
    expect(await verdict("grep", { pattern: ".env" }, { ask: ["read|grep(**/.env)"] }, { readOnly: true })).toBe("-");
    expect(await verdict("grep", { pattern: "x", glob: ".env" }, { ask: ["read|grep(**/.env)"] }, { readOnly: true })).toBe("ask");
  });
});

describe("the rule that is offered with a question", () => {
  test.each<[string, string | undefined]>([
    ["npm test", "shell(npm test *)"],
    ["npm run build", "shell(npm run build *)"],
    ["git status -s", "shell(git status *)"],
    ["git push origin main", "shell(git push origin main)"],
    ["git -c core.pager=x status", "shell(git -c core.pager=x status)"],
    ["eslint src", "shell(eslint *)"],
    ["bash -c 'npm test'", "shell(bash -c 'npm test')"],
    ["sudo npm test", "shell(sudo npm test)"],
    ["env npm test", "shell(env npm test)"],
    ["xargs npm test", "shell(xargs npm test)"],
    ["find . -exec npm test", "shell(find . -exec npm test)"],
    ["node -e 1", "shell(node -e 1)"],
    ["rm -rf build", "shell(rm -rf build)"],
    ["rm *.log", "shell(rm \\*.log)"],
    ["constructor x", "shell(constructor x)"],
    ["npm test && git status", "shell(npm test *) and shell(git status *)"],
    ["cd a && npm test", "shell(npm test *)"],
    ["npm test && npm test -- x", "shell(npm test *)"],
    ["a 1; b 2; c 3; d 4; e 5", undefined],
    ["npm test > out", undefined],
    ["echo 'x) and shell(rm *'", undefined],
    [`echo "a\nb"`, undefined],
    ["echo '\u202e'", undefined],
    ["echo '\u200f'", undefined],
    ["echo '\ud800'", undefined],
    [`echo ${"x".repeat(500)}`, undefined],
  ])("for %j", async (command, rule) => {
    const asked = await proposed(...shell(command), {});
    expect(asked?.type).toBe("ask-tool");
    expect(asked).toEqual({ type: "ask-tool", call, ...(rule === undefined ? {} : { rule }) });
  });

  test.each<[string, JsonObject, string | undefined]>([
    ["edit", { path: "src/plugin/a.ts" }, "edit(./src/plugin/**)"],
    ["edit", { path: "./README.md" }, "edit(./README.md)"],
    ["edit", { path: ".github/workflows/a.yml" }, "edit(./.github/workflows/a.yml)"],
    ["edit", { path: "/tmp/a/b" }, "edit(/tmp/a/b)"],
    ["edit", { path: "src/[a]*/b" }, "edit(./src/[a]\\*/**)"],
    ["fetch", { url: "https://Example.com/a?b" }, "fetch(https://example.com/*)"],
    ["fetch", { url: "https://a@example.com/" }, undefined],
    ["mcp__x__do", { anything: 1 }, "mcp__x__do"],
    ["websearch", { query: "what" }, "websearch"],
  ])("of %s with %j", async (tool, args, rule) => {
    expect(await proposed(tool, args, {})).toEqual({ type: "ask-tool", call, ...(rule === undefined ? {} : { rule }) });
  });

  test("is only about what nothing allows yet, which is told", async () => {
    expect(await proposed(...shell("npm test && git push"), { allow: ["shell(npm test *)"] })).toEqual({
      type: "ask-tool",
      call,
      why: "Not allowed yet: git push.",
      rule: "shell(git push)",
    });
  });

  test.each([
    ["shell", { command: "npm test" }],
    ["shell", { command: "rm *.log && git status | sort" }],
    ["shell", { command: `git commit -m "it's (done) and *"` }],
    ["edit", { path: "src/a*b/c.ts" }],
    ["edit", { path: "a b/c.ts" }],
    ["edit", { path: "/tmp/x" }],
    ["fetch", { url: "https://example.com" }],
    ["mcp__x__do", { anything: 1 }],
  ] as const)("allows the same call of %s with %j once it is remembered", async (tool, args) => {
    const asked = await proposed(tool, args, {});
    const rule = asked?.type === "ask-tool" ? asked.rule : undefined;
    expect(rule).toBeDefined();
    const actions = await permissionAnswered(
      { type: "permission-answered", call, tool, verdict: "project", rule: rule ?? "" },
      contextOf({}),
    );
    const [stored] = actions ?? [];
    const project = stored?.type === "set-state" ? (stored.value as readonly JsonObject[]) : [];
    expect(await verdict(tool, args, { project })).toBe("allow");
  });
});

describe("an answer", () => {
  const answer = async (given: "once" | "session" | "project" | "deny", rule: string, rules: Rules = {}) =>
    permissionAnswered({ type: "permission-answered", call, tool: "shell", verdict: given, rule }, contextOf(rules));
  const kept = { verdict: "allow", rule: "shell(ls *)" };

  test("for the session or the project is kept there, after what was there", async () => {
    expect(await answer("session", "shell(npm test *)", { session: [kept] })).toEqual([
      { type: "set-state", scope: "session", key: "rules-session", value: [kept, { verdict: "allow", rule: "shell(npm test *)" }] },
    ]);
    expect(await answer("project", "shell(a) and shell(b)")).toEqual([
      {
        type: "set-state",
        scope: "project",
        key: "rules",
        value: [
          { verdict: "allow", rule: "shell(a)" },
          { verdict: "allow", rule: "shell(b)" },
        ],
      },
    ]);
  });

  test.each(["once", "deny"] as const)("of %s changes nothing", async (given) => {
    expect(await answer(given, "shell(npm test *)")).toEqual([]);
  });

  test.each(["", "no rule (", "shell(a) and (b"])("with %j as its rule changes nothing", async (rule) => {
    expect(await answer("project", rule)).toEqual([]);
  });

  test("that is one too many lets go of the oldest that allows, never of a denial", () => {
    const full = [
      { verdict: "deny" as const, rule: "shell(rm *)" },
      ...Array.from({ length: MAX_REMEMBERED - 1 }, (_, index) => ({ verdict: "allow" as const, rule: `shell(${index})` })),
    ];
    const now = withRules(full, "allow", ["shell(new)"]);
    expect(now).toHaveLength(MAX_REMEMBERED);
    expect([now[0]?.rule, now[1]?.rule, now.at(-1)?.rule]).toEqual(["shell(rm *)", "shell(1)", "shell(new)"]);
  });

  test("rules that could not be told apart again are not joined", () => {
    expect(joinRules(["shell(a) and b)"])).toBeUndefined();
    expect(joinRules(["shell(a)", "tool"])).toBeUndefined();
    expect(joinRules(["tool"])).toBe("tool");
    expect(splitRules(joinRules(["shell(a (b)", "edit(c)"]) ?? "")?.map(({ text }) => text)).toEqual(["shell(a (b)", "edit(c)"]);
  });
});

describe("/permissions", () => {
  const run = async (args: string, rules: Rules = {}): Promise<readonly Action[]> => {
    const command = permissionsPlugin.commands?.["permissions"];
    expect(command).toBeDefined();
    return (await command?.(args, contextOf(rules))) ?? [];
  };
  const kept = { verdict: "allow", rule: "shell(ls *)" };
  const told = (actions: readonly Action[]): string => actions.flatMap((one) => (one.type === "notify" ? [one.text] : [])).join("\n");

  test("lists the rules in force, the strictest first, with where they are from", async () => {
    const text = told(
      await run("", {
        allow: ["shell(a)"],
        ask: ["shell(b)"],
        deny: ["shell(c)", "broken("],
        project: [kept],
        session: [{ verdict: "deny", rule: "shell(d)" }],
      }),
    );
    expect(text.split("\n")).toEqual([
      "Rules in force, the strictest first:",
      'unreadable "broken("  (permissions.deny)',
      "deny  shell(c)  (permissions.deny)",
      "deny  shell(d)  (this session)",
      "ask   shell(b)  (permissions.ask)",
      "allow shell(a)  (permissions.allow)",
      "allow shell(ls *)  (the project)",
    ]);
    expect(told(await run(""))).toContain("No rules");
  });

  test("lists as many as there may be, in notices that can be shown", async () => {
    const project = Array.from({ length: MAX_REMEMBERED }, (_, index) => ({ verdict: "allow", rule: `shell(${"x".repeat(380)}${index})` }));
    const actions = await run("", { project });
    expect(actions.length).toBeLessThan(64);
    for (const action of actions) expect(action.type === "notify" ? action.text.length : 0).toBeLessThan(4096);
    expect(told(actions).split("\n")).toHaveLength(MAX_REMEMBERED + 1);
  });

  test("allow and deny change the project's rules; of two contrary ones the new one stays", async () => {
    expect((await run("deny shell(ls *)", { project: [kept], session: [kept] })).filter(({ type }) => type === "set-state")).toEqual([
      { type: "set-state", scope: "project", key: "rules", value: [{ verdict: "deny", rule: "shell(ls *)" }] },
      { type: "set-state", scope: "session", key: "rules-session", value: null },
    ]);
    expect(await run("allow edit(src/**)")).toEqual([
      { type: "set-state", scope: "project", key: "rules", value: [{ verdict: "allow", rule: "edit(src/**)" }] },
      { type: "notify", text: "Allowed in this project: edit(src/**)", role: "success" },
    ]);
  });

  test("forget takes a rule away wherever it is remembered, and says when it is nowhere", async () => {
    expect((await run("forget shell(ls *)", { project: [kept], session: [kept] })).map(({ type }) => type)).toEqual([
      "set-state",
      "set-state",
      "notify",
    ]);
    expect(await run("forget shell(x)", { project: [kept] })).toMatchObject([{ type: "notify", role: "error" }]);
  });

  test.each(["allow", "allow shell(", "deny (x)", "what", "allow  "])("%j is answered with how it is written", async (args) => {
    expect(await run(args)).toMatchObject([
      { type: "notify", role: "error", text: expect.stringContaining("/permissions allow RULE") as string },
    ]);
  });
});
