import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallId, InvocationId, WorkId } from "../../src/base/index.js";
import { createLifecycle } from "../../src/plugin/index.js";
import { compileManifest, type CompiledManifest } from "../../src/plugin/manifest/index.js";
import type { Resource } from "../../src/plugin/types.js";
import type { LifecycleEvent } from "../../src/schema/index.js";
import { openStage, read, realClock, type Stage, type TestHost } from "../plugin/stage.js";

const ROOT = fileURLToPath(new URL("../../plugins/", import.meta.url));
const FOLDERS = ["permissions", "skills", "prompt-templates"] as const;

async function manifestOf(folder: string): Promise<CompiledManifest> {
  const readBeside = (name: string): Promise<string> => readFile(join(ROOT, folder, name), "utf8");
  const compiled = await compileManifest(await readBeside("manifest.kdl"), readBeside, { bundled: true });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value;
}

/** The module as it is built for the sandbox. */
async function bundle(folder: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, folder, "index.ts")],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    write: false,
    outfile: "guest.js",
    logLevel: "error",
    plugins: [
      {
        name: "sandbox-sdk",
        setup: ({ onResolve }) => onResolve({ filter: /^smith-agent\/plugin$/ }, () => ({ path: "smith:sdk", external: true })),
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

let stage: Stage;
let host: TestHost;

beforeAll(async () => {
  stage = await openStage();
  const all = await Promise.all(FOLDERS.map(async (folder) => ({ manifest: await manifestOf(folder), source: await bundle(folder) })));
  host = await stage.host({
    modules: Object.fromEntries(all.map(({ manifest, source }) => [manifest.id, source])),
    manifests: Object.fromEntries(all.map(({ manifest: { source: _source, files: _files, ...manifest } }) => [manifest.id, manifest])),
    gateway: (operation, input) => {
      if (operation === "state.get") return read({ value: null });
      if (operation === "resource.read") return read({ path: ".smith/skills/pdf/SKILL.md", text: "Fill forms." });
      if (operation === "fs.list") return read({ path: "x", items: [{ name: "a.md", kind: "file" }], truncated: false, ignoredCount: 0 });
      throw new Error(`${operation} ${JSON.stringify(input)}`);
    },
    more: { config: () => ({ "permissions.allow": [], "permissions.ask": [], "permissions.deny": ["edit(café/**)", "shell(rm *)"] }) },
  });
}, 60_000);

afterAll(async () => {
  await stage.close();
});

const proposed = (
  tool: string,
  args: LifecycleEvent & { type: "tool-proposed" } extends { args: infer A } ? A : never,
): LifecycleEvent => ({
  type: "tool-proposed",
  work: "work" as WorkId,
  call: "call" as CallId,
  tool,
  plugin: "a.tools",
  readOnly: false,
  args,
  cwd: "/project",
  mode: "ask-writes",
  interactive: true,
});

async function wanted(event: LifecycleEvent, state: Parameters<TestHost["handler"]>[2] = {}) {
  const lifecycle = createLifecycle({
    clock: realClock,
    nextInvocation: () => "invocation" as InvocationId,
    cwd: "/project",
    readState: async () => state.state ?? {},
    record: async () => undefined,
    onDiagnostic: () => undefined,
  });
  const { accepted, refused } = await lifecycle.run(host.lease, event, { signal: new AbortController().signal, check: () => undefined });
  expect(refused).toEqual([]);
  return accepted.map(({ action }) => action);
}

describe("in the sandbox, through the lifecycle", () => {
  test("the policy judges calls by its rules and by what is remembered", async () => {
    expect(await wanted(proposed("shell", { command: "npm test && git push" }))).toEqual([
      { type: "ask-tool", call: "call", rule: "shell(npm test *) and shell(git push)" },
    ]);
    const rules = [{ verdict: "allow", rule: "shell(npm test *)" }];
    expect(await wanted(proposed("shell", { command: "npm test" }), { state: { rules } })).toEqual([{ type: "allow-tool", call: "call" }]);
    expect(await wanted(proposed("shell", { command: "sudo sh -c 'rm -rf /'" }))).toMatchObject([{ type: "deny-tool" }]);
    expect(await wanted(proposed("edit", { path: "./cafe\u0301/\\x61" }))).toMatchObject([{ type: "deny-tool" }]);
  });

  test("an answer for the project becomes state that the manifest declares", async () => {
    const event: LifecycleEvent = {
      type: "permission-answered",
      call: "call" as CallId,
      tool: "shell",
      verdict: "project",
      rule: "shell(npm test *)",
    };
    expect(await wanted(event)).toEqual([
      { type: "set-state", scope: "project", key: "rules", value: [{ verdict: "allow", rule: "shell(npm test *)" }] },
    ]);
  });

  test("a large call is judged within the time of a handler", async () => {
    const content = "x".repeat(200_000);
    expect(await wanted(proposed("shell", { command: `cat > a <<'E'\n${"line of text; and more\n".repeat(1_000)}E` }))).toEqual([
      { type: "ask-tool", call: "call" },
    ]);
    expect(await wanted(proposed("write", { path: "src/a.ts", content }))).toMatchObject([{ rule: "write(./src/**)" }]);
  });
});

describe("commands in the sandbox", () => {
  const item: Resource = {
    kind: "template",
    plugin: "smith.prompt-templates",
    name: "review",
    description: "",
    from: "user",
    path: "/home/prompts/review.md",
    text: "Review ${1:-HEAD}.",
    attributes: {},
  };
  const run = async (name: string, args: string, resource?: Resource) => {
    const command = host.lease.generation.commands.find((one) => one.name === name);
    if (command === undefined) throw new Error(`no command ${name}`);
    return host.lease.command({
      invocation: "invocation" as InvocationId,
      plugin: command.plugin,
      cwd: "/project",
      signal: new AbortController().signal,
      record: async () => undefined,
      command,
      args,
      ...(resource === undefined ? {} : { resource }),
    });
  };

  test("/permissions lists the rules", async () => {
    expect(await run("permissions", "")).toEqual({
      ok: true,
      value: [
        {
          type: "notify",
          text: "Rules in force, the strictest first:\ndeny  edit(café/**)  (permissions.deny)\ndeny  shell(rm *)  (permissions.deny)",
        },
      ],
    });
  });

  test("a template is filled in and sent", async () => {
    expect(await run("", "'a b'", item)).toEqual({ ok: true, value: [{ type: "enqueue", text: "Review a b." }] });
  });

  test("a skill is sent, by its own command and by name", async () => {
    const skill = { ...item, kind: "skill", plugin: "smith.skills", name: "pdf", path: "/home/skills/pdf/SKILL.md" };
    expect(await run("skill:", "now", skill)).toMatchObject({ ok: true, value: [{ type: "enqueue" }] });
    expect(await run("skill", "pdf now")).toMatchObject({ ok: true, value: [{ type: "enqueue" }] });
  });

  test("the tool skill gives its text with the files beside it", async () => {
    expect(await host.run("smith.skills", { name: "pdf" })).toMatchObject({
      output: { isError: false, text: "Skill pdf, in .smith/skills/pdf\n\nFiles beside it, read with file:\n- a.md\n\nFill forms." },
    });
  });
});
