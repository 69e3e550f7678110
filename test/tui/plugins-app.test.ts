import { afterEach, describe, expect, test } from "vitest";

import type { CallId, EntryId } from "../../src/base/index.js";
import { type Diagnostic, diagnostic, type RenderNode } from "../../src/schema/index.js";
import { FRESH_KEYS_MS } from "../../src/tui/store/index.js";
import { answer, asks, exchange, FakeSession, fakeId, question, runStart } from "../support/fake-session.js";
import { compiledPlugin, FakePluginAdmin, FakePluginRuntime, pluginRecord } from "../support/fake-plugin-admin.js";
import { createManualClock } from "../support/manual-clock.js";
import { createApps, type RunningApp } from "../support/tui-app.js";
import { until } from "../support/virtual-screen.js";

const { start, end } = createApps();

afterEach(end);

const SIZES = [
  { columns: 40, rows: 12 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
] as const;

const LINT = { name: "lint", aliases: [], plugin: "acme.lint", description: "Lint changed files", usage: "[paths]" };

function plugins(): { readonly admin: FakePluginAdmin; readonly runtime: FakePluginRuntime } {
  const [admin, runtime] = [new FakePluginAdmin(), new FakePluginRuntime()];
  admin.records = [
    pluginRecord("acme.lint", { inactive: "grants-widened" }),
    pluginRecord("local.hello", { origin: "project", inactive: "project-untrusted" }),
    pluginRecord("smith.read", { origin: "bundled", compiled: compiledPlugin("smith.read") }),
  ];
  admin.project = {
    state: "untrusted",
    behaviour: {
      root: "/home/me/src/shop",
      hash: "h",
      items: [
        { path: ".smith/config.kdl", what: "sets model" },
        { path: ".smith/plugins/local.hello", what: "runs the plugin local.hello 0.1.0: fetch from https://api.example.com (GET)" },
      ],
    },
  };
  return { admin, runtime };
}

const golden = async (name: string, app: RunningApp): Promise<void> => {
  await until(() => app.screen.settled);
  const { columns, rows } = app.screen;
  const still = app.screen.text().replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \d+ s/, "⠋ 0 s");
  await expect(`${still}\n`).toMatchFileSnapshot(`../golden/tui/${name}-${String(columns)}x${String(rows)}.txt`);
};

describe("commands of plugins", () => {
  test("are listed while they are typed, run with their arguments, and say that they are done", async () => {
    const { runtime } = plugins();
    runtime.set({ commands: [LINT] });
    const app = await start(undefined, { plugins: () => runtime });
    await app.shows("ask-writes");
    app.type("/li");
    await app.shows("/lint [paths]  Lint changed files  acme.lint");
    app.type("\t");
    await app.shows("│ › /lint");
    app.type("src\r");
    await until(() => app.session.called("runCommand").length === 1);
    expect(app.session.called("runCommand")).toEqual([["lint", "src"]]);
    await app.shows("/lint is done");
    app.type("?");
    await app.shows("keys and commands");
    app.type("\x1b[6~".repeat(8));
    await app.shows(/\/lint +Lint changed files: \[paths\] {2}acme\.lint/);
  });

  test("that come later are there without a restart; at the end nobody listens any more", async () => {
    const { runtime } = plugins();
    const app = await start(undefined, { plugins: () => runtime });
    await until(() => runtime.observers === 1);
    app.session.emit({ type: "generation", number: 2, changed: ["acme.lint"] });
    runtime.set({ commands: [LINT], plugins: [{ id: "acme.lint", version: "1.0.0", origin: "run" }] });
    await app.shows("plugins changed: acme.lint new; in use from the next request");
    app.type("/lin");
    await app.shows("/lint [paths]");
    await app.quit();
    expect(runtime.observers).toBe(0);
  });

  test("a plugin that does not load again is told where it is to be mended, for as long as it is read; what has no file, for some seconds", async () => {
    const problem = diagnostic({ code: "a.b", what: "manifest.kdl is broken.", why: "w", next: "Mend line 3.", severity: "warning" });
    const heard: ((told: Diagnostic) => void)[] = [];
    const problems: NonNullable<Parameters<typeof start>[1]>["problems"] = (listener) => {
      heard.push(listener);
      return () => heard.splice(0);
    };
    const app = await start(undefined, { problems });
    await until(() => heard.length === 1);
    heard[0]?.(problem);
    await app.shows("manifest.kdl is broken. Mend line 3.");
    heard[0]?.({ ...problem, what: "main.ts cannot be parsed.", source: { type: "file", path: "/p/main.ts", line: 3, column: 9 } });
    await app.shows("   ⚠ main.ts cannot be parsed.\n     /p/main.ts:3:9\n     w\n   → Mend line 3.");
    await app.quit();
    expect(heard).toEqual([]);
  });

  test("a list longer than the screen shows what is around the chosen one", async () => {
    const { runtime } = plugins();
    runtime.set({ commands: Array.from({ length: 40 }, (_, index) => ({ ...LINT, name: `task-${String(index).padStart(2, "0")}` })) });
    const app = await start(undefined, { plugins: () => runtime });
    await app.shows("ask-writes");
    app.type("/task");
    await app.shows("… 32 more, type on to find one");
    app.type("\x1b[B".repeat(20));
    await app.shows(" › /task-20");
    await app.lacks("task-00");
  });
});

describe("a call that wants to run", () => {
  test.each(SIZES)("says what a verdict for longer allows ($columns columns)", async (size) => {
    const clock = createManualClock();
    const app = await start(size, { clock });
    const why = "no rule allows it yet";
    app.session.emit(runStart(), { ...question("npm test -- --watch"), why, rule: "shell(npm test *)" } as ReturnType<typeof question>);
    await app.shows("shell(npm test *)");
    await golden("approval-rule", app);
    await clock.advance(FRESH_KEYS_MS);
    app.type("p");
    await app.lacks("wants to run");
    expect(app.session.called("answer").map(([, verdict]) => verdict)).toEqual(["project"]);
  });

  test("a rule with control characters is spelled out", async () => {
    const app = await start();
    app.session.emit(runStart(), { ...question("x"), rule: "shell(x\x1b[8m*)\u202e" } as ReturnType<typeof question>);
    await app.shows("shell(x␛[8m*)<U+202E>");
  });

  test("is denied with what a person writes, in the place of the editor, with the caret there", async () => {
    const clock = createManualClock();
    const app = await start(undefined, { clock });
    app.type("my draft");
    app.session.emit(runStart(), question("rm -rf build"));
    await app.shows("shell wants to run");
    await clock.advance(FRESH_KEYS_MS);
    app.type("n");
    await app.shows("why not, or what to do instead");
    app.type("use make clean");
    await app.shows("› use make clean");
    const { row, column } = app.screen.caret;
    expect(app.screen.lines()[row]?.slice(0, column)).toMatch(/› use make clean$/);
    app.type("\r");
    await app.shows("│ › my draft");
    expect(app.session.called("answer").map((args) => args.slice(1))).toEqual([["deny", "use make clean"]]);
  });
});

const OPTIONS = Array.from({ length: 12 }, (_, index) => ({ value: String(index), label: `region ${String(index)}`, hint: "far away" }));

describe("a question of a plugin", () => {
  test.each(SIZES)("names who asks, fits, and leaves the draft ($columns columns)", async (size) => {
    const clock = createManualClock();
    const app = await start(size, { clock });
    app.type("half a prompt");
    await app.shows("half a prompt");
    app.session.emit(asks("acme.deploy", { type: "choose", text: "Where should it go? There are some places.", options: OPTIONS }));
    await app.shows("acme.deploy asks");
    await golden("question-choose", app);
    await clock.advance(FRESH_KEYS_MS);
    app.type("\x1b[B".repeat(11));
    await app.shows("region 11");
    app.type("\r");
    await app.shows("half a prompt");
    expect(app.session.called("answerQuestion")).toEqual([[{ type: "chosen", values: ["11"] }]]);
  });

  test("long text is read to its end without answering", async () => {
    const clock = createManualClock();
    const app = await start({ columns: 40, rows: 16 }, { clock });
    const text = Array.from({ length: 20 }, (_, index) => `line ${String(index)}`).join("\n");
    app.session.emit(asks("acme.deploy", { type: "confirm", text, yes: "go", no: "stay" }));
    await app.shows("16 more rows");
    await clock.advance(FRESH_KEYS_MS);
    app.type("\x1b[B".repeat(60));
    await app.shows("line 19");
    // Beyond the end nothing is counted: one step back shows.
    app.type("\x1b[A");
    await app.lacks("line 19");
    app.type("y");
    await app.lacks("acme.deploy asks");
    expect(app.session.called("answerQuestion")).toEqual([[{ type: "confirmed", yes: true }]]);
  });

  test("cannot move the cursor, whatever it says", async () => {
    const evil = "a\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\u202e\rY";
    const app = await start({ columns: 40, rows: 12 });
    const from = app.screen.log.length;
    app.session.emit(
      asks(`acme${evil}`, { type: "choose", text: evil, options: [{ value: "v", label: evil, hint: evil }] }),
      { type: "status", item: { plugin: "p", key: "k", text: evil } },
      { type: "notice", text: evil, plugin: evil, role: "warning" },
      { type: "generation", number: 2, changed: [evil] },
      { type: "model", model: { provider: evil, model: evil }, by: evil },
    );
    await app.shows("acmea");
    await until(() => app.screen.settled);
    const log = app.screen.log.slice(from);
    expect(log).not.toContain("\x1b]52;");
    expect(log).not.toContain("\x1b[2J");
    expect(log).not.toMatch(/[\x07\x80-\x9f\u202e\r]/);
    for (const line of app.screen.lines().filter((each) => each.startsWith("│"))) expect(line.trimEnd()).toMatch(/│$/);
  });
});

const FINDINGS: RenderNode = {
  type: "group",
  title: "2 findings",
  children: [
    {
      type: "table",
      columns: ["file", "rule"],
      rows: [
        ["src/a.ts", "no-var"],
        ["src/b.ts", "eqeqeq"],
      ],
    },
    { type: "text", spans: [{ text: "how to fix", href: "https://lint.example/no-var" }] },
    { type: "code", language: "ts", text: "const a = 1;" },
    { type: "progress", label: "checked", done: 3, total: 4 },
    { type: "image", mediaType: "image/png", base64: "AAAA", alt: "a graph" },
    {
      type: "list",
      items: [
        { type: "text", spans: [{ text: "one" }] },
        { type: "text", spans: [{ text: "two" }] },
      ],
    },
  ],
};

describe("what a plugin shows of a result", () => {
  test("is there in a session that is opened again, folded and unfolded", async () => {
    const session = new FakeSession();
    const call = fakeId<CallId>();
    const stamp = { session: session.id, time: 0 };
    session.past = [
      ...exchange(session, "lint it", "I'll look."),
      { ...stamp, type: "tool_start", id: call, name: "lint", args: {}, argsSummary: "src" },
      {
        ...stamp,
        type: "tool_end",
        id: call,
        name: "lint",
        result: "for the model",
        isError: false,
        resultSummary: "2 findings in 2 files",
        mutation: "not-applied",
        durationMs: 12,
        view: FINDINGS,
      },
      { ...stamp, type: "assistant", entry: fakeId<EntryId>(), text: "Done.", stop: "stop", model: { provider: "f", model: "m" } },
    ];
    const app = await start({ columns: 80, rows: 40 }, { session });
    await app.shows("src/b.ts  eqeqeq");
    await app.shows("how to fix (https://lint.example/no-var)");
    await app.shows("3 more lines · ctrl+o");
    app.type("\x0f");
    await app.shows("▣ a graph · image/png");
    await golden("view-unfolded", app);
    expect(app.screen.text()).not.toContain("for the model");
  });
});

describe("what plugins keep on the screen", () => {
  const item = (key: string, text: string) => ({ plugin: "acme.lint", key, text });

  test.each([
    [120, /lint ok {2}coverage 91 % {2}3 open {2}sonnet/],
    [80, /lint ok {2}coverage 91 % {2}3 open {2}sonnet/],
    [40, /ask-writes/],
  ])("items of the status line give way where there is no room (%i columns)", async (columns, shown) => {
    const session = new FakeSession();
    session.set({ statusItems: [item("a", "lint ok"), item("b", "coverage 91 %"), item("c", "3 open")] });
    const app = await start({ columns, rows: 12 }, { session });
    await app.shows(shown);
    const last = app.screen.lines().at(-1) ?? "";
    expect(last).toContain("Enter send");
    expect(last.trimEnd()).toMatch(/ask-writes$/);
  });

  test("a notice names its plugin", async () => {
    const app = await start();
    app.session.emit(answer("hi"), { type: "notice", text: "found nothing\nat all", plugin: "acme.lint", role: "success" });
    await app.shows("   · acme.lint  found nothing\n     at all");
  });

  test("a theme that is named is used from when it is known, and /theme changes it at once", async () => {
    const { runtime } = plugins();
    runtime.set({ themes: [{ name: "ember", plugin: "acme.look", base: "dark", styles: { header: { fg: "#010203" } } }] });
    const env = { TERM: "xterm-256color", COLORTERM: "truecolor", HOME: "/home/me" };
    const app = await start(undefined, { plugins: () => runtime, theme: "ember", env });
    await until(() => app.screen.log.includes("38;2;1;2;3"));
    const from = app.screen.log.length;
    app.type("/theme dark\r");
    await app.shows("theme is dark for this run");
    expect(app.screen.log.slice(from)).not.toContain("38;2;1;2;3");
  });
});

describe("looking after plugins", () => {
  const open = async (size: (typeof SIZES)[number]) => {
    const { admin, runtime } = plugins();
    const app = await start(size, { admin: admin.port, plugins: () => runtime });
    await app.shows("ask-writes");
    app.type("/plugins\r");
    await app.shows("acme.lint");
    return { app, admin, runtime };
  };

  test.each(SIZES)("the list and what one may do ($columns columns)", async (size) => {
    const { app } = await open(size);
    await golden("plugins", app);
    app.type("\x1b[B\r");
    await app.shows("Esc back");
    await golden("plugins-detail", app);
  });

  test("approving shows what is new, asks, is done, and plugins are read again", async () => {
    const clock = createManualClock();
    const { admin, runtime } = plugins();
    const app = await start(undefined, { admin: admin.port, plugins: () => runtime, clock });
    await app.shows("ask-writes");
    app.type("/plugins\r");
    await app.shows("acme.lint");
    app.type("\x1b[B");
    app.type("a");
    await app.shows("Approve acme.lint?");
    await app.shows("New: it may now");
    await clock.advance(FRESH_KEYS_MS);
    app.type("y");
    await app.shows("acme.lint is approved");
    expect(admin.called("approve")).toEqual([["acme.lint"]]);
    expect(runtime.reloads).toBe(1);
  });
});

describe("a project that is not trusted", () => {
  test.each(SIZES)("is told in a line that blocks nothing; /trust shows all of it, and Enter is no ($columns columns)", async (size) => {
    const clock = createManualClock();
    const { admin, runtime } = plugins();
    const app = await start(size, { admin: admin.port, plugins: () => runtime, project: "untrusted", clock });
    await app.shows("/trust");
    app.type("hello\r");
    await until(() => app.session.called("submit").length === 1);
    app.type("/trust\r");
    await app.shows("Trust this project?");
    await golden("trust", app);
    await clock.advance(FRESH_KEYS_MS);
    app.type("\r");
    await app.lacks("Trust this project?");
    expect(admin.called("trust")).toEqual([]);
    await app.lacks("/trust");
  });

  test("y trusts it, and the line is gone", async () => {
    const clock = createManualClock();
    const { admin, runtime } = plugins();
    const app = await start(undefined, { admin: admin.port, plugins: () => runtime, project: "untrusted", clock });
    await app.shows("1 plugin and settings of this project are not used until you trust it: /trust");
    app.type("/trust\r");
    await app.shows("Trust this project?");
    await clock.advance(FRESH_KEYS_MS);
    app.type("y");
    await app.shows("this project is trusted");
    await app.lacks("/trust");
    expect([admin.called("trust").length, runtime.reloads]).toEqual([1, 1]);
  });
});
