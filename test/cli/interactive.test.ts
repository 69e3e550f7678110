import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/commands.js";
import { plain } from "../../src/cli/output/colour.js";
import { createWriter } from "../../src/cli/output/writer.js";
import { type InterfaceOptions, runInteractive } from "../../src/cli/interactive.js";
import type { InteractiveInvocation } from "../../src/cli/invocation.js";
import { createLog } from "../../src/cli/output/log.js";
import { prepare } from "../../src/cli/prepare.js";
import type { TerminalPort } from "../../src/cli/index.js";
import type { Diagnostic } from "../../src/schema/index.js";
import { createFakeHost, createFakeInput, createFakeOutput, type FakeHost, type FakeHostOptions } from "./fake-host.js";
import { createFakeRuntime, failure, type Script, SESSION } from "./fake-runtime.js";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "smith-interactive-"));
  mkdirSync(join(home, "config"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const TERMINAL = { stdin: () => createFakeInput("terminal"), stdout: () => createFakeOutput({ isTerminal: true, columns: 80 }) };

const NO_FLAGS: InteractiveInvocation["common"] = {
  settings: [],
  pairs: [],
  trusted: undefined,
  cwd: undefined,
  plugins: [],
  watch: false,
};

const invocation = (more: Partial<InteractiveInvocation> = {}): InteractiveInvocation => ({
  type: "interactive",
  common: NO_FLAGS,
  prompt: undefined,
  target: { type: "new" },
  ...more,
});

interface Started {
  readonly status: number;
  readonly options: InterfaceOptions | undefined;
  readonly problems: readonly Diagnostic[];
  readonly order: readonly string[];
  readonly out: string;
  readonly runtime: ReturnType<typeof createFakeRuntime>;
}

async function start(
  given: InteractiveInvocation,
  script: Script = {},
  more: FakeHostOptions = {},
  whileOpen: (options: InterfaceOptions) => void = () => undefined,
): Promise<Started> {
  const host: FakeHost = createFakeHost({
    cwd: home,
    env: { SMITH_HOME: home },
    stdin: TERMINAL.stdin(),
    stdout: TERMINAL.stdout(),
    ...more,
  });
  const runtime = createFakeRuntime(script);
  const out = createWriter(host.stdout);
  const problems: Diagnostic[] = [];
  const log = createLog(host);
  const order: string[] = [];
  let options: InterfaceOptions | undefined;
  // The streams themselves are the interface's business: it is a double here.
  const context = {
    host: { ...host, terminal: (): TerminalPort => ({ input: {}, output: {}, process: {} }) as unknown as TerminalPort },
    out,
    errors: {
      isTerminal: true,
      diagnostic: (problem: Diagnostic) => problems.push(problem),
      line: () => undefined,
      flush: () => Promise.resolve(),
    },
    paint: plain,
    runtime,
    log,
    prepare: (common: InteractiveInvocation["common"], lenient: boolean) => prepare({ host, log, runtime }, common, lenient),
  };
  const status = await runInteractive(context, given, () => {
    order.push(`loaded, ${String(runtime.prepared.length)} runtimes`);
    return Promise.resolve(async (passed) => {
      options = passed;
      const opened = await passed.open();
      order.push(opened.ok ? "opened" : `not opened: ${opened.error.code}`);
      whileOpen(passed);
      return { status: 0, farewell: "bye\n" };
    });
  });
  await out.flush();
  return { status, options, problems, order, out: host.stdout.text, runtime };
}

describe("starting the interface", () => {
  test("it is loaded before the runtime is made; the farewell goes to the terminal; the runtime is closed", async () => {
    const { status, order, out, runtime, options } = await start(invocation({ prompt: "hello" }));
    expect([status, order, out]).toEqual([0, ["loaded, 0 runtimes", "opened"], "bye\n"]);
    expect(runtime.calls).toEqual(["create", "runtime closed"]);
    expect(runtime.options).toMatchObject([{ mode: "ask-writes", interactive: true }]);
    expect(options).toMatchObject({ cwd: home, initialPrompt: "hello" });
    expect(options).not.toHaveProperty("farewellRows");
  });

  test.each<[string, InteractiveInvocation["target"], readonly string[]]>([
    ["the newest session of the folder", { type: "newest" }, [`open ${SESSION}`]],
    ["a named session", { type: "named", id: "8057" }, [`open ${SESSION}`]],
  ])("%s is opened for writing, or for reading when another process writes it", async (_name, target, calls) => {
    const { runtime } = await start(invocation({ target }));
    expect(runtime.calls.slice(0, -1)).toEqual(calls);
    expect(runtime.options).toMatchObject([{ want: "any", interactive: true }]);
  });

  test("problems are told again after it; not what a person asked for, nor what was to be mended in a file while it was open", async () => {
    const told = (code: string, source?: Diagnostic["source"]) => failure({ code, ...(source === undefined ? {} : { source }) });
    const file = { type: "file", path: "/p/main.ts", line: 1 } as const;
    let tell: (problem: Diagnostic) => void = () => undefined;
    const heard: string[] = [];
    const { problems } = await start(
      invocation(),
      { found: [told("a.found", file), told("plugin.used-for-run")], onOpen: (given) => (tell = given) },
      {},
      (passed) => {
        passed.problems(({ code }) => heard.push(code));
        tell(told("b.file", file));
        tell(told("c.plugin", { type: "plugin", id: "acme.lint" }));
      },
    );
    expect(problems.map(({ code }) => code)).toEqual(["a.found", "c.plugin"]);
    expect(heard).toEqual(["b.file", "c.plugin"]);
  });

  test("a fork that cannot be made is the interface's to show", async () => {
    const target = { type: "fork", source: { id: "8057", entry: undefined } } as const;
    const { order, runtime } = await start(invocation({ target }));
    expect([order.at(-1), runtime.calls]).toEqual(["not opened: session.unknown", ["runtime closed"]]);
  });

  test.each<[string, InteractiveInvocation["target"]]>([
    ["session", { type: "named", id: "x" }],
    ["session to fork", { type: "fork", source: { id: "x", entry: undefined } }],
    ["entry to fork at", { type: "fork", source: { id: "8057", entry: "9999" } }],
  ])("a %s that does not exist is told before anything is loaded", async (_what, target) => {
    const { status, order, problems } = await start(invocation({ target }));
    expect([status, order, problems.map(({ code }) => code)]).toEqual([1, [], ["session.unknown"]]);
  });

  test("a runtime that cannot be made leaves nothing to close", async () => {
    const { order, runtime } = await start(invocation(), { openError: failure({ code: "model.unknown" }) });
    expect([order.at(-1), runtime.calls]).toEqual(["not opened: model.unknown", []]);
  });

  test("mode and print-on-exit come from the settings", async () => {
    writeFileSync(join(home, "config", "config.kdl"), 'mode "plan"\nui { print-on-exit #false; }\n');
    const { runtime, options } = await start(invocation());
    expect(runtime.options).toMatchObject([{ mode: "plan" }]);
    expect(options?.farewellRows).toBe(0);
  });
});

describe("what keeps it from starting, and what does not", () => {
  test("a broken configuration file is a warning, told inside and after", async () => {
    writeFileSync(join(home, "config", "config.kdl"), "model {");
    const { status, problems, runtime } = await start(invocation());
    expect(status).toBe(0);
    expect(runtime.options).toMatchObject([{ notices: [{ code: "config.syntax", severity: "warning" }] }]);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([["config.syntax", "warning"]]);
  });

  test("a wrong flag or variable stops it with status 2", async () => {
    const wrong = invocation({
      common: { ...NO_FLAGS, settings: [{ setting: "mode", name: "--mode", text: "yolo" }] },
    });
    const { status, order, problems } = await start(wrong);
    expect([status, order, problems.map(({ code }) => code)]).toEqual([2, [], ["config.bad-value"]]);
  });

  test.each<[string, FakeHostOptions, string]>([
    ["standard input", { stdin: createFakeInput("file", "") }, "standard input is not a terminal"],
    ["standard output", { stdout: createFakeOutput() }, "standard output is not a terminal"],
  ])("without a terminal on %s: status 2, and smith eval is named", async (_name, more, why) => {
    const { status, order, problems } = await start(invocation(), {}, more);
    expect([status, order]).toEqual([2, []]);
    expect(problems[0]?.why).toContain(why);
    expect(problems[0]?.next).toContain("smith eval");
  });

  test("no home folder anywhere is a configuration error", async () => {
    const host = createFakeHost({ env: {}, stdin: TERMINAL.stdin(), stdout: TERMINAL.stdout() });
    expect(await runCommandLine([], host, createFakeRuntime())).toBe(2);
    expect(host.stderr.text).toContain("config.no-home");
  });
});
