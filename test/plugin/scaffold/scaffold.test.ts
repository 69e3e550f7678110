import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPackage, type CheckStep } from "../../../src/plugin/check/index.js";
import { loadPackage } from "../../../src/plugin/package/index.js";
import { type ScaffoldKind, scaffoldPackage } from "../../../src/plugin/scaffold/index.js";
import { openStage, realClock, type Stage } from "../stage.js";

const KINDS: readonly ScaffoldKind[] = ["tool", "command", "policy", "provider", "theme"];

let stage: Stage;
let root: string;
beforeAll(async () => {
  stage = await openStage();
  root = await realpath(await mkdtemp(join(tmpdir(), "smith-scaffold-")));
  for (const kind of KINDS) {
    const made = await scaffoldPackage(join(root, kind), { id: `acme.my-${kind}`, kind, version: "0.1.0" });
    expect(made.ok).toBe(true);
  }
});
afterAll(async () => {
  await stage.close();
  await rm(root, { recursive: true, force: true });
});

describe("a new package", () => {
  test.each(KINDS)("of the kind %s loads as it stands, and brings what it is named for", async (kind) => {
    const loaded = await loadPackage(join(root, kind), { cacheDir: join(root, "cache") });
    expect(loaded.ok ? [] : loaded.error).toEqual([]);
    const compiled = loaded.ok ? loaded.value.compiled : undefined;
    const brings = {
      tool: compiled?.tools,
      command: compiled?.commands,
      policy: compiled?.handlers,
      provider: compiled?.providers,
      theme: compiled?.themes,
    };
    expect(brings[kind]).toHaveLength(1);
    expect(compiled?.id).toBe(`acme.my-${kind}`);
  });

  test.each(KINDS)("of the kind %s is sound, and its tests pass in the sandbox", async (kind) => {
    const steps: CheckStep[] = [];
    const report = await checkPackage(join(root, kind), {
      others: [],
      ...stage.files,
      cacheDir: join(root, "cache"),
      clock: realClock,
      signal: new AbortController().signal,
      report: (step) => steps.push(step),
    });
    expect(steps.filter((step) => (step.type === "test" && !step.passed) || (step.type === "module" && step.problems.length > 0))).toEqual(
      [],
    );
    expect(report.isSound).toBe(true);
    expect(report.tests.passed > 0).toBe(kind !== "theme");
  });

  test("of a theme is data: no module, no tests, nothing to install", async () => {
    expect((await readdir(join(root, "theme"))).sort()).toEqual(["README.md", "manifest.kdl", "package.json"]);
    for (const name of ["README.md", "package.json"])
      expect(await readFile(join(root, "theme", name), "utf8")).not.toMatch(/main\.ts|npm install|devDependencies|"src"/u);
  });

  test("has the types of the SDK", () => {
    const sdk = fileURLToPath(new URL("../../../src/plugin/sdk.ts", import.meta.url));
    const program = ts.createProgram({
      rootNames: KINDS.filter((kind) => kind !== "theme").flatMap((kind) => [
        join(root, kind, "src/main.ts"),
        join(root, kind, "test/main.test.ts"),
      ]),
      options: {
        target: ts.ScriptTarget.ES2023,
        lib: ["lib.es2023.d.ts"],
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        noEmit: true,
        types: [],
        paths: { "smith-agent/plugin": [sdk] },
      },
    });
    const found = ts.getPreEmitDiagnostics(program).filter(({ file }) => file?.fileName.startsWith(root) === true);
    expect(found.map(({ file, messageText }) => `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`)).toEqual(
      [],
    );
  }, 60_000);

  test("may be written to an empty folder", async () => {
    await mkdir(join(root, "empty"));
    expect((await scaffoldPackage(join(root, "empty"), { id: "acme.x", kind: "tool", version: "0.1.0" })).ok).toBe(true);
  });

  test("overwrites nothing", async () => {
    await mkdir(join(root, "full"));
    await writeFile(join(root, "full/notes.txt"), "mine");
    await writeFile(join(root, "file"), "mine");
    await symlink(join(root, "full"), join(root, "link"));
    for (const name of ["full", "file", "link", "tool"]) {
      const made = await scaffoldPackage(join(root, name), { id: "acme.x", kind: "tool", version: "0.1.0" });
      expect(made.ok ? "" : made.error.code).toBe("plugin.new-folder-in-use");
    }
  });

  test.each(["smith.x", "acme", "Acme.x", "../x", "acme.x/../y", "acme..x", "", `acme.${"x".repeat(50)}`])(
    "is not called %j",
    async (id) => {
      const made = await scaffoldPackage(join(root, "never"), { id, kind: "tool", version: "0.1.0" });
      expect(made.ok ? "" : made.error.code).toBe("plugin.new-id");
    },
  );
});
