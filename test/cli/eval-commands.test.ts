import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { err } from "../../src/base/index.js";
import { runCommandLine } from "../../src/cli/commands.js";
import type { PluginAdmin } from "../../src/runtime/index.js";
import { createFakeHost, createFakeInput, type FakeHostOptions } from "./fake-host.js";
import { answer, createFakeRuntime, event, failure, type Script, SUBMISSION } from "./fake-runtime.js";

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "smith-eval-commands-")));
  mkdirSync(join(home, "project"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

async function smith(argv: readonly string[], script: Script = {}, more: FakeHostOptions = {}) {
  const host = createFakeHost({ cwd: join(home, "project"), ...more, env: { SMITH_HOME: join(home, "smith"), ...more.env } });
  const runtime = createFakeRuntime(script);
  const status = await runCommandLine(argv, host, runtime);
  return { status, out: host.stdout.text, err: host.stderr.text, runtime };
}

const commands = [{ name: "review", aliases: ["r"], plugin: "acme.review", description: "Reviews" }];
const asked = (calls: readonly string[]): readonly string[] => calls.filter((call) => call.startsWith("/"));

describe("a first word that is a command of a plugin", () => {
  test("runs the command with everything after it; what it asks the model is the run", async () => {
    const { status, out, runtime } = await smith(["eval", "/review", "src/a.ts", "now"], {
      commands,
      commandAsks: true,
      events: answer("fine"),
    });
    expect([status, out, asked(runtime.calls)]).toEqual([0, "fine\n", ["/review src/a.ts now"]]);
    expect(runtime.prompts).toEqual(["review: src/a.ts now"]);
  });

  test.each([
    [["/review a b"], "/review a b"],
    [["/review"], "/review "],
    [["/r", "a"], "/review a"],
    [["/review\n  a"], "/review a"],
  ])("%j", async (words, call) => {
    expect(asked((await smith(["eval", ...words], { commands })).runtime.calls)).toEqual([call]);
  });

  test("files and standard input that are attached are part of its arguments", async () => {
    const stdin = createFakeInput("file", "piped\n");
    const { runtime } = await smith(["eval", "/review", "this"], { commands }, { stdin });
    expect(asked(runtime.calls)).toEqual(["/review this\n\n<stdin>\npiped\n</stdin>"]);
  });

  test("when it asks nothing, the run ends with status 0 and its notices on standard error, with who says them", async () => {
    const notice = event({ type: "notice", text: "first\nsmith: second", plugin: "acme.review" });
    const { status, out, err: told, runtime } = await smith(["eval", "/review"], { commands, events: [notice] });
    expect([status, out, told, runtime.prompts]).toEqual([0, "", "acme.review: first\n  smith: second\n", []]);
    expect(runtime.calls).toContain("session closed clean");
  });

  test("with --json the last record is run_end, without a receipt when nothing was asked", async () => {
    const last = (out: string): unknown => JSON.parse(out.trimEnd().split("\n").at(-1) ?? "");
    expect(last((await smith(["eval", "--json", "/review"], { commands })).out)).toMatchObject({
      type: "run_end",
      status: "ok",
      receipt: null,
    });
    const asks = await smith(["eval", "--json", "/review"], { commands, commandAsks: true, withoutRunEnd: true });
    expect(last(asks.out)).toMatchObject({ type: "run_end", status: "ok", receipt: SUBMISSION });
  });

  test("a batch that was refused ends the run with its words and status", async () => {
    const command = err(failure({ code: "plugin.batch-refused", what: "acme.review wants too much" }));
    const { status, err: told } = await smith(["eval", "/review"], { commands, command });
    expect(status).toBe(1);
    expect(told).toContain("acme.review wants too much");
  });
});

describe("what is a prompt all the same", () => {
  test.each([
    ["a path", ["/etc/hosts", "what is it"], "/etc/hosts what is it"],
    ["a word after --", ["--", "/review", "a"], "/review a"],
    ["a command that is not the first word", ["see", "/review"], "see /review"],
    ["a slash alone", ["/", "a"], "/ a"],
  ])("%s", async (_name, words, prompt) => {
    const { runtime, err: told } = await smith(["eval", ...words], { commands });
    expect([runtime.prompts, asked(runtime.calls), told]).toEqual([[prompt], [], ""]);
  });

  test("what standard input brings runs no command: who writes it is not who typed", async () => {
    const { runtime } = await smith(["eval"], { commands }, { stdin: createFakeInput("file", "/review a\n") });
    expect([runtime.prompts, asked(runtime.calls)]).toEqual([["/review a"], []]);
  });

  test("a mistyped command is sent, with a notice that names the nearest", async () => {
    const { runtime, err: told } = await smith(["eval", "/reveiw", "a"], { commands });
    expect(runtime.prompts).toEqual(["/reveiw a"]);
    expect(told).toContain("did you mean /review?");
  });
});

describe("--plugin", () => {
  const plugin = (name: string): string => {
    mkdirSync(join(home, "project", name));
    writeFileSync(join(home, "project", name, "manifest.kdl"), "");
    return join(home, "project", name);
  };
  /** The fake host says of every path that it is there. */
  const real = { isDirectory: (path: string) => !path.endsWith("nowhere"), manifest: (path: string) => !path.includes("empty") };
  const hosted = async (argv: readonly string[]) => {
    const host = createFakeHost({ cwd: join(home, "project"), env: { SMITH_HOME: join(home, "smith") } });
    const runtime = createFakeRuntime();
    const looking = {
      ...host,
      isDirectory: (path: string) => Promise.resolve(real.isDirectory(path)),
      realPath: (path: string) => Promise.resolve(real.manifest(path) ? path : undefined),
    };
    const status = await runCommandLine(argv, looking, runtime);
    return { status, err: host.stderr.text, runtime };
  };

  test("folders reach the runtime absolute, each once, relative to the folder worked in", async () => {
    const [one, two] = [plugin("one"), plugin("two")];
    const { status, runtime } = await hosted(["eval", "--plugin", "one", "--plugin", "./two", "--plugin", "one", "x"]);
    expect(status).toBe(0);
    expect(runtime.prepared).toMatchObject([{ pluginDirs: [one, two], watch: false }]);
  });

  test.each([
    ["nowhere", "There is no such folder"],
    ["empty", "It holds no manifest.kdl."],
  ])("%s is refused with status 2 before anything is started", async (dir, why) => {
    const { status, err: told, runtime } = await hosted(["eval", "--plugin", dir, "x"]);
    expect([status, runtime.prepared]).toEqual([2, []]);
    expect(told).toContain(why);
    expect(told).toContain("smith plugins new DIR");
  });
});

describe("what a project brings", () => {
  beforeEach(() => {
    mkdirSync(join(home, "project", ".smith"));
    writeFileSync(join(home, "project", ".smith", "config.kdl"), 'mode "read-only"\n');
  });

  type Look = Awaited<ReturnType<PluginAdmin["trust"]["look"]>>;
  const looking = (...answers: readonly Look[]): { readonly trust: Pick<PluginAdmin["trust"], "look">; readonly asked: () => number } => {
    let count = 0;
    const look = (): Promise<Look> => Promise.resolve(answers[Math.min(count++, answers.length - 1)] ?? { state: "nothing-to-trust" });
    return { trust: { look }, asked: () => count };
  };
  const at = (state: Look["state"], hash = "h"): Look => ({
    state,
    hash,
    root: join(home, "project"),
    brings: ["settings", "1 skill (a)"],
  });
  const modes = ({ runtime }: Awaited<ReturnType<typeof smith>>): unknown => runtime.options.map(({ mode }) => mode);

  test.each(["untrusted", "changed"] as const)("is not used while it is %s, and that is told once, with what to do", async (state) => {
    const ran = await smith(["eval", "x"], { admin: looking(at(state)) });
    expect([ran.status, modes(ran)]).toEqual([0, ["auto"]]);
    expect(ran.err.match(/trust\.project-unused/gu)).toHaveLength(1);
    expect(ran.err).toContain("smith plugins trust");
    expect(ran.err).toContain("is not used: settings, 1 skill (a) (");
    expect(ran.runtime.prepared).toMatchObject([{ toldOfProject: state }]);
  });

  test("is used when it is trusted on record, without a word", async () => {
    const ran = await smith(["eval", "x"], { admin: looking(at("trusted")) });
    expect([modes(ran), ran.err]).toEqual([["read-only"], ""]);
    expect(ran.runtime.prepared[0]).not.toHaveProperty("trusted");
  });

  test("that changes while it is read is not used", async () => {
    const ran = await smith(["eval", "x"], { admin: looking(at("trusted", "one"), at("changed", "two")) });
    expect(modes(ran)).toEqual(["auto"]);
    expect(ran.err).toContain("not what it was when you trusted it");
  });

  test.each([
    ["--trust", "read-only"],
    ["--no-trust", "auto"],
  ])("%s decides for the run: nobody asks the record, nothing is told", async (flag, mode) => {
    const admin = looking(at("untrusted"));
    const ran = await smith(["eval", flag, "x"], { admin });
    expect([modes(ran), ran.err, admin.asked()]).toEqual([[mode], "", 0]);
  });

  test.each([".smith", ".mcp.json", ".agents", ".claude"])("%s is enough for it", async (place) => {
    rmSync(join(home, "project", ".smith"), { recursive: true });
    const host = createFakeHost({ cwd: join(home, "project"), env: { SMITH_HOME: join(home, "smith") } });
    const realPath = (path: string): Promise<string | undefined> => Promise.resolve(path.endsWith(place) ? path : undefined);
    await runCommandLine(["eval", "x"], { ...host, realPath }, createFakeRuntime({ admin: looking(at("untrusted")) }));
    expect(host.stderr.text).toContain("trust.project-unused");
  });

  test("a project without any of it loads no record", async () => {
    rmSync(join(home, "project", ".smith"), { recursive: true });
    const admin = looking(at("untrusted"));
    const host = createFakeHost({ cwd: join(home, "project"), env: { SMITH_HOME: join(home, "smith") } });
    await runCommandLine(["eval", "x"], { ...host, realPath: () => Promise.resolve(undefined) }, createFakeRuntime({ admin }));
    expect(admin.asked()).toBe(0);
  });
});
