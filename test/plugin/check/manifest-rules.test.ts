import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPackage, type CheckStep } from "../../../src/plugin/check/index.js";
import { openStage, realClock, type Stage } from "../stage.js";

let stage: Stage;
let root: string;
let count = 0;
beforeAll(async () => {
  stage = await openStage();
  root = await realpath(await mkdtemp(join(tmpdir(), "smith-check-rules-")));
});
afterAll(async () => {
  await stage.close();
  await rm(root, { recursive: true, force: true });
});

type TestStep = Extract<CheckStep, { type: "test" }>;

/** Runs one test with this body in a package with these nodes in its manifest. */
async function runBody(nodes: string, body: string): Promise<TestStep> {
  count += 1;
  const dir = join(root, `package-${count}`);
  const files = {
    "manifest.kdl": `plugin "acme.rules" version="1.0.0" sdk=1 entry="main.js" {\n  description "Is held to its manifest"\n${nodes}\n}\n`,
    "main.js": "export default {};",
    "test/one.test.js": `import { test } from "smith-agent/plugin";
const codeOf = async (promise) => { try { await promise; return "no error"; } catch (error) { return error.code ?? error.message; } };
test("one", async (t) => { ${body} });`,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const steps: CheckStep[] = [];
  await checkPackage(dir, {
    others: [],
    ...stage.files,
    cacheDir: join(root, "cache"),
    clock: realClock,
    signal: new AbortController().signal,
    report: (step) => steps.push(step),
  });
  const [one] = steps.flatMap((step) => (step.type === "test" ? [step] : []));
  if (one === undefined) throw new Error(JSON.stringify(steps));
  return one;
}

const PASSED: TestStep = { type: "test", file: "test/one.test.js", name: "one", passed: true };

describe("operations in a test", () => {
  const OPERATIONS: readonly (readonly [operation: string, call: string, grant: string])[] = [
    ["fs.read", `fs.read({ path: "a" })`, `fs read="workspace"`],
    ["fs.stat", `fs.stat({ path: "a" })`, `fs read="workspace"`],
    ["fs.list", `fs.list({})`, `fs read="workspace"`],
    ["fs.write", `fs.write({ path: "a", content: "" })`, `fs write="workspace"`],
    ["fs.edit", `fs.edit({ path: "a", edits: [] })`, `fs write="workspace"`],
    ["search.find", `search.find({ pattern: "a" })`, `search "workspace"`],
    ["search.grep", `search.grep({ pattern: "a" })`, `search "workspace"`],
    ["process.run", `process.run({ program: "git" })`, `process "git"`],
    ["net.fetch", `net.fetch({ url: "https://a.example" })`, `net "https://a.example"`],
    ["evaluate.run", `evaluate.run({ source: "" })`, "evaluate"],
    ["vcs.status", `vcs.status({})`, "vcs"],
    ["vcs.diff", `vcs.diff({})`, "vcs"],
    ["ui.ask", `ui.ask({ text: "?" })`, `ui "ask"`],
    ["ui.choose", `ui.choose({ text: "?", options: [{ value: "a", label: "a" }] })`, `ui "choose"`],
    ["ui.confirm", `ui.confirm({ text: "?" })`, `ui "confirm"`],
  ];
  const answered = (ask: (operation: string, call: string) => string): string =>
    OPERATIONS.map(([operation, call]) => `codes.push(${ask(operation, call)});`).join("\n");

  test("are refused without a grant of the facility, also with an answer", async () => {
    const asked = answered((operation, call) => `await codeOf(t.context({ "${operation}": () => ({}) }).${call})`);
    const body = `const codes = []; ${asked} t.equal(codes, ${JSON.stringify(OPERATIONS.map(() => "grant.denied"))});`;
    expect(await runBody("", body)).toEqual(PASSED);
  });

  test("are answered by the test with it, and refused without an answer", async () => {
    const nodes = [...new Set(OPERATIONS.map(([, , grant]) => grant))].filter((grant) => !/^(ui|fs) /u.test(grant));
    const grants = `grants {\n${[...nodes, `fs read="workspace" write="workspace"`, `ui "ask" "choose" "confirm"`].join("\n")}\n}`;
    const asked = answered(
      (operation, call) => `[await codeOf(t.context({ "${operation}": () => ({}) }).${call}), await codeOf(t.context().${call})]`,
    );
    const body = `const codes = []; ${asked} t.equal(codes, ${JSON.stringify(OPERATIONS.map(() => ["no error", "grant.denied"]))});`;
    expect(await runBody(grants, body)).toEqual(PASSED);
  });

  test("say what is missing and how a manifest asks for it", async () => {
    const { passed, words } = await runBody("", `await t.context({ "fs.write": () => ({}) }).fs.write({ path: "a", content: "" });`);
    expect(passed).toBe(false);
    expect(words).toContain("acme.rules may not write files.");
    expect(words).toContain(`grants { fs write="workspace" }`);
  });

  test("read declared state alone, and inputs a session takes alone", async () => {
    const body = `
      const context = t.context({ "state.get": ({ key, scope }) => ({ value: key + " " + scope }), "clock.now": () => ({ now: 1 }) });
      t.equal(await context.state.get("known"), "known project");
      t.equal(await codeOf(context.state.get("other")), "plugin.unknown-state");
      t.equal(await codeOf(context.fs.read({ file: "a" })), "plugin.operation-input");
      t.equal(await context.clock.now(), 1);`;
    expect(await runBody(`state "known" scope="project"\ngrants { fs read="workspace"; }`, body)).toEqual(PASSED);
  });
});

describe("what is said to people in a test", () => {
  test.each([
    ["notify", `ui.notify("x")`],
    ["status", `ui.status("key", "x")`],
    ["progress", `ui.progress("x")`],
  ])("with %s fails it without the grant, and does not with it", async (intent, call) => {
    const { passed, words } = await runBody("", `t.context().${call};`);
    expect(passed).toBe(false);
    expect(words).toContain(`no grant ui "${intent}"`);
    expect(await runBody(`grants { ui "${intent}"; }`, `t.context().${call};`)).toEqual(PASSED);
  });

  test("in a way no session shows fails it", async () => {
    const { words } = await runBody(`grants { ui "notify"; }`, `t.context().ui.notify("x", "loud");`);
    expect(words).toContain("it.role must be one of");
  });
});

describe("t.actions", () => {
  const NODES = `grants { ui "notify"; }
state "seen" scope="session" max-kib=1
config { option "rules.level" type="integer" max=3 help="How much"; }
tool "count" { description "Counts" }`;

  test("gives back what a session takes, awaited, and an empty list for nothing", async () => {
    const body = `
      const call = t.event("tool-proposed");
      const denied = [{ type: "deny-tool", call: call.call, why: "no" }, { type: "notify", text: "no" }];
      t.equal(await t.actions(call, denied), denied);
      t.equal(await t.actions("command", Promise.resolve([{ type: "set-tools", disable: ["count"] }])), [{ type: "set-tools", disable: ["count"] }]);
      t.equal(await t.actions("command", undefined), []);
      const queue = t.event("queue-due", { queue: [{ text: "a" }, { text: "b" }] });
      t.equal((await t.actions(queue, [{ type: "deliver", submissions: [queue.queue[1].submission] }])).length, 1);
      t.equal((await t.actions("command", [{ type: "set-state", scope: "session", key: "seen", value: 1 }, { type: "set-config", option: "rules.level", value: 3 }])).length, 2);`;
    expect(await runBody(NODES, body)).toEqual(PASSED);
  });

  test.each([
    ["another event's action", `t.event("idle")`, `[{ type: "stop-turn", why: "x" }]`, "plugin.action-not-here"],
    ["a handler's action of a command", `"command"`, `[{ type: "stop-turn", why: "x" }]`, "plugin.action-not-here"],
    ["another call", `t.event("tool-proposed")`, `[{ type: "allow-tool", call: "other" }]`, "plugin.action-target"],
    ["a tool that is not there", `"command"`, `[{ type: "set-tools", enable: ["other"] }]`, "plugin.action-target"],
    [
      "input that does not wait",
      `t.event("queue-due")`,
      `[{ type: "deliver", submissions: [t.event("turn-started").submission] }]`,
      "plugin.action-target",
    ],
    ["no grant", `t.event("idle")`, `[{ type: "set-status", key: "k", text: "x" }]`, "plugin.action-grant"],
    ["undeclared state", `"command"`, `[{ type: "set-state", scope: "user", key: "seen", value: 1 }]`, "plugin.action-state"],
    [
      "too much state",
      `"command"`,
      `[{ type: "set-state", scope: "session", key: "seen", value: "x".repeat(2000) }]`,
      "plugin.action-state-size",
    ],
    ["an undeclared option", `"command"`, `[{ type: "set-config", option: "other", value: 1 }]`, "plugin.action-option"],
    [
      "a value the option does not take",
      `"command"`,
      `[{ type: "set-config", option: "rules.level", value: 4 }]`,
      "plugin.action-option-value",
    ],
    [
      "two values for one thing",
      `"command"`,
      `[{ type: "set-model", model: "a" }, { type: "set-model", model: "b" }]`,
      "plugin.action-contradiction",
    ],
    ["no action", `"command"`, `[{ type: "shout" }]`, "plugin.test-actions"],
    ["no list", `"command"`, `{ type: "notify", text: "x" }`, "plugin.test-actions"],
    ["no event", `{ type: "toString" }`, `[]`, "plugin.test-event"],
  ])("rejects %s as the session does", async (_what, event, actions, code) => {
    expect(await runBody(NODES, `t.equal(await codeOf(t.actions(${event}, ${actions})), "${code}");`)).toEqual(PASSED);
  });
});

describe("t.event", () => {
  test("fills in what is not given, ids of items included, and keeps what is", async () => {
    const body = `
      const event = t.event("request-prepared", { tokens: 9, context: [{ units: 5 }, { role: "tool", tool: "read", head: "x" }] });
      t.equal([event.type, event.round, event.tokens, event.context.length], ["request-prepared", 1, 9, 2]);
      const [first, second] = event.context;
      t.equal([first.role, first.units, second.role, second.tool, second.units], ["user", 5, "tool", "read", 0]);
      t.ok(first.entry !== second.entry);
      t.equal((await t.actions(event, [{ type: "transform-context", transforms: [{ operation: "omit", target: second.entry }] }])).length, 1);
      t.equal(t.event("tool-settled", { call: "c1", text: "done" }).call, "c1");
      t.equal(t.event("idle"), { type: "idle" });`;
    expect(await runBody("", body)).toEqual(PASSED);
  });

  test("tells which events there are when there is none of that name", async () => {
    const { words } = await runBody("", `t.event("tool-ended");`);
    expect(words).toContain("tool-settled");
  });
});
