import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import type { CheckStep } from "../../../src/cli/plugins/records.js";
import type { PluginAdmin } from "../../../src/runtime/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { failure } from "../fake-runtime.js";
import { smith } from "./support.js";

const problem = diagnostic({
  code: "manifest.unknown-word",
  what: 'plugin has no "tol"',
  why: "Known here: tool.",
  next: "Did you mean tool?",
  source: { type: "file", path: "/home/a/p/lint/manifest.kdl", line: 3, column: 5 },
});

function checking(steps: readonly CheckStep[], isSound: boolean): Pick<PluginAdmin, "check"> & { readonly dirs: string[] } {
  const dirs: string[] = [];
  const tests = steps.filter((step) => step.type === "test");
  const passed = tests.filter((step) => step.passed).length;
  return {
    dirs,
    check: (dir, { report }) => {
      dirs.push(dir);
      for (const step of steps) report(step);
      return Promise.resolve({ isSound, tests: { passed, failed: tests.length - passed } });
    },
  };
}

const SOUND: readonly CheckStep[] = [
  { type: "manifest", problems: [] },
  { type: "module", problems: [], missing: [] },
  { type: "test", file: "test/main.test.ts", name: "counts", passed: true },
  { type: "grants", grants: [{ facility: "process", words: "run npx", isStrong: true }] },
];

describe("plugins check", () => {
  test("steps, tests, grants, then the verdict; nothing on standard error", async () => {
    const admin = checking(SOUND, true);
    const { status, out, err: told } = await smith("plugins check lint", admin);
    expect([status, told, admin.dirs]).toEqual([0, "", ["/home/a/p/lint"]]);
    expect(out.split("\n")).toEqual([
      "✓ manifest and sources",
      "✓ module",
      "✓ counts (test/main.test.ts)",
      "may, once it is installed (! reaches out of a session)",
      "    ! run npx",
      "sound: 1 test passed",
      "",
    ]);
  });

  test("a problem comes with its file, line and column, and status 1", async () => {
    const { status, out } = await smith("plugins check", checking([{ type: "manifest", problems: [problem] }], false));
    expect(status).toBe(1);
    expect(out).toContain("✗ manifest and sources\n");
    expect(out).toContain("at:   /home/a/p/lint/manifest.kdl:3:5");
    expect(out).toContain("next: Did you mean tool?");
    expect(out).toContain("not sound: 0 tests passed");
  });

  test("a failed test shows its words below it; what is declared and not exported is named", async () => {
    const steps: readonly CheckStep[] = [
      { type: "module", problems: [], missing: ["tool lint"] },
      { type: "test", file: "test/a.test.ts", name: "adds", passed: false, words: "failed. 1 is not 2\n    at test/a.test.ts:3:5" },
    ];
    const { out } = await smith("plugins check", checking(steps, false));
    expect(out).toContain("✗ module\n  declared and not exported: tool lint\n");
    expect(out).toContain("✗ adds (test/a.test.ts)\n    failed. 1 is not 2\n        at test/a.test.ts:3:5\n");
    expect(out).toContain("not sound: 0 tests passed, 1 failed");
  });

  test("--json has a record for each step and a report at the end", async () => {
    const { out } = await smith("plugins check lint --json", checking(SOUND, true));
    const records = out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(records).toEqual([...SOUND, { type: "report", isSound: true, tests: { passed: 1, failed: 0 } }]);
  });

  test("what a test prints cannot act on the terminal", async () => {
    const steps: readonly CheckStep[] = [{ type: "test", file: "t", name: "a\u001b[2J", passed: false, words: "\u001b[2J" }];
    expect((await smith("plugins check", checking(steps, false))).out).not.toContain("\u001b");
  });

  test("a folder that is not there ends with status 2", async () => {
    const { status, out, err: told } = await smith("plugins check missing", checking(SOUND, true));
    expect([status, out]).toEqual([2, ""]);
    expect(told).toContain("smith plugins new DIR");
  });
});

describe("plugins new", () => {
  const creating = () => {
    const made: unknown[] = [];
    const create: PluginAdmin["create"] = (dir, options) => {
      made.push([dir, options]);
      return Promise.resolve(ok(["manifest.kdl", "src/main.ts"]));
    };
    return { made, create };
  };

  test("the files are on standard output, what to do next on standard error", async () => {
    const { made, create } = creating();
    const { status, out, err: told } = await smith("plugins new lint --kind policy --id acme.lint", { create });
    expect([status, out]).toEqual([0, "lint/manifest.kdl\nlint/src/main.ts\n"]);
    expect(told).toContain("  smith plugins check lint\n  smith --plugin lint --watch\n");
    expect(made).toEqual([["/home/a/p/lint", { id: "acme.lint", kind: "policy" }]]);
  });

  test.each([
    ["lint", "my.lint"],
    ["My_Lint", "my.my-lint"],
    ["work/9lives", "my.lives"],
    ["...", "my.plugin"],
  ])("without --id the folder %s becomes %s", async (dir, id) => {
    const { made, create } = creating();
    await smith(`plugins new ${dir}`, { create }, { cwd: "/home/a/p" });
    expect(made).toMatchObject([[expect.any(String), { id }]]);
  });

  test("a name a shell would take apart is quoted in what is to be typed", async () => {
    const { create } = creating();
    expect((await smith("plugins new a'b", { create })).err).toContain("smith plugins check 'a'\\''b'");
  });

  test("what keeps it from being written is told with its status", async () => {
    const create: PluginAdmin["create"] = () => Promise.resolve(err(failure({ code: "plugin.new-folder-in-use", exit: 2 })));
    const { status, err: told } = await smith("plugins new lint", { create });
    expect(status).toBe(2);
    expect(told).toContain("plugin.new-folder-in-use");
  });

  test("--json is one record", async () => {
    const { out } = await smith("plugins new lint --json", creating());
    expect(JSON.parse(out)).toEqual({ id: "my.lint", kind: "tool", dir: "/home/a/p/lint", files: ["manifest.kdl", "src/main.ts"] });
  });
});
