import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

let folder: string;
let bin: string;
let metafile: Metafile;

/** The program's own entry as the build splits it, without what lies behind the runtime and the interface. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smith-bin-"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const built = await build({
    absWorkingDir: root,
    entryPoints: { smith: "bin/smith.ts" },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    metafile: true,
    logLevel: "error",
    define: { SMITH_VERSION: '"1.2.3"' },
    external: ["../runtime/index.js", "../runtime/records.js", "../tui/index.js"],
    banner: { js: 'import{createRequire as smithRequire}from"node:module";const require=smithRequire(import.meta.url);' },
  });
  metafile = built.metafile;
  bin = join(folder, "smith.js");
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const smith = (argv: readonly string[], input = "") =>
  spawnSync(process.execPath, [bin, ...argv], {
    input,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], SMITH_HOME: join(folder, "home"), SMITH_DISCOVERY: "off" },
    cwd: folder,
    timeout: 10_000,
  });

/** Sources that are read to start a module of the bundle, without what is loaded only when reached. */
function loadedBy(source: string, built = metafile): readonly string[] {
  const outputs = Object.entries(built.outputs);
  const start = outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0];
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind, external } of built.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && external !== true) visit(next);
  };
  if (start !== undefined) visit(start);
  return [...seen].flatMap((path) => Object.keys(built.outputs[path]?.inputs ?? {}));
}

describe("what is loaded", () => {
  test("--version and --help read the entry and nothing behind it", () => {
    expect([...loadedBy("bin/smith.ts")].sort()).toEqual([
      "bin/rendered-help.ts",
      "bin/smith.ts",
      "src/cli/index.ts",
      "src/cli/main.ts",
      "src/cli/output/width.ts",
      "src/cli/version.ts",
    ]);
  });

  test("the dispatcher reads no parser, no settings and no command", () => {
    const loaded = loadedBy("src/cli/commands.ts");
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((path) => /node_modules|src\/config|eval\/|sessions\/|cli\/plugins\/|program|runtime|tui/u.test(path))).toEqual(
      [],
    );
  });

  test("help reads commander and the declarations, neither KDL nor zod", () => {
    const loaded = loadedBy("src/cli/program.ts");
    expect(loaded.some((path) => path.includes("commander"))).toBe(true);
    expect(loaded.filter((path) => /@bgotink|zod|runtime|tui/u.test(path))).toEqual([]);
  });

  test("commands on stored sessions read no plugin host, no provider and no effect", async () => {
    const { metafile: records } = await build({
      absWorkingDir: root,
      entryPoints: ["src/runtime/records.ts"],
      outdir: folder,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      metafile: true,
      external: ["fs-native-extensions"],
    });
    const loaded = loadedBy("src/runtime/records.ts", records);
    expect(loaded).toContain("src/session/store.ts");
    expect(loaded.filter((path) => /node_modules|src\/(plugin|provider|effect|tool|config)\//u.test(path))).toEqual([]);
  });

  test("the settings are read without the KDL parser", () => {
    expect(loadedBy("src/cli/prepare.ts").filter((path) => path.includes("node_modules"))).toEqual([]);
  });
});

describe("the process", () => {
  test.each([["--version"], ["-V"]])("%s is the version of the build", (flag) => {
    expect(smith([flag])).toMatchObject({ status: 0, stdout: "1.2.3\n", stderr: "" });
  });

  test("--help is on stdout, a usage error on stderr, without escapes", () => {
    const help = smith(["--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("Usage: smith");
    const wrong = smith(["eval", "--modle", "x"]);
    expect(wrong).toMatchObject({ status: 2, stdout: "" });
    expect(help.stdout + wrong.stderr).not.toContain("\u001b");
  });

  test("without a terminal the interface is refused with status 2, naming smith eval", () => {
    const { status, stderr } = smith([]);
    expect(status).toBe(2);
    expect(stderr).toContain("smith eval");
  });

  test("an empty prompt is refused with status 2, also on an empty pipe", () => {
    expect(smith(["eval"]).status).toBe(2);
    expect(smith(["eval", ""], "text").status).toBe(2);
  });

  test.runIf(process.platform === "linux").each([["--version"], ["--help"]])("%s on a full disk does not end with success", (flag) => {
    const full = openSync("/dev/full", "w");
    try {
      const { status } = spawnSync(process.execPath, [bin, flag], { stdio: ["ignore", full, "pipe"], timeout: 10_000 });
      expect(status).toBe(1);
    } finally {
      closeSync(full);
    }
  });

  test("a reader that is gone before the first byte ends it quietly", async () => {
    const child = spawn(process.execPath, [bin, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()));
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect([status, told]).toEqual([0, ""]);
  });

  test("a refused run ends although its standard input stays open", async () => {
    const child = spawn(process.execPath, [bin, "eval", "--mode", "nonsense", "hi"], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], SMITH_HOME: join(folder, "home"), SMITH_DISCOVERY: "off" },
    });
    const status = await new Promise((resolve) => child.on("exit", resolve));
    child.stdin.destroy();
    expect(status).toBe(2);
  });
});
