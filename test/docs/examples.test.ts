import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingLine, readExamples } from "./example-blocks.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name)),
]
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, examples: readExamples(readFileSync(join(root, name), "utf8")) }))
  .filter(({ examples }) => examples.length > 0);

describe.each(documents)("$name", ({ examples }) => {
  let home = "";
  let work = "";

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "smith-docs-"));
    work = join(home, "work");
    mkdirSync(work);
    mkdirSync(join(home, "bin"));
    symlinkSync(join(root, "dist/smith.js"), join(home, "bin/smith"));
  });

  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
  });

  // In order, in one folder: a document is read from top to bottom.
  test.each(examples.map((example) => ({ ...example, title: `line ${example.line}: ${example.script.split("\n")[0] ?? ""}` })))(
    "$title",
    async ({ files, script, exit, prints }) => {
      for (const { path, text } of files) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        writeFileSync(join(work, path), text);
      }
      const ran = await runShell(script, { home, work });
      expect(ran, ran.output).toMatchObject({ status: exit });
      expect(missingLine(ran.output, prints), ran.output).toBeUndefined();
    },
  );
});

function runShell(script: string, { home, work }: { home: string; work: string }): Promise<{ status: number; output: string }> {
  const env = {
    PATH: [join(home, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
    HOME: home,
    SMITH_HOME: join(home, "smith"),
    SMITH_DISCOVERY: "off",
    LANG: "C.UTF-8",
  };
  return new Promise((resolve) => {
    const child = execFile("bash", ["-euo", "pipefail", "-c", script], { cwd: work, env, timeout: 45_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), output: `${stdout}${stderr}` });
    });
    child.stdin?.end();
  });
}

describe("reading examples", () => {
  test("only marked sh blocks are examples, with their status and what they print", () => {
    const text = [
      "```sh",
      "no",
      "```",
      "",
      "<!-- run: exit 2 -->",
      "```sh",
      "smith x",
      "```",
      "",
      "<!-- prints -->",
      "```text",
      "a",
      "…",
      "b",
      "```",
    ].join("\n");
    expect(readExamples(text)).toEqual([{ line: 6, files: [], script: "smith x", exit: 2, prints: ["a", "…", "b"] }]);
  });

  test("files are written before the next example", () => {
    const file = ["<!-- file: a/b.ts -->", "```ts", "1;", "```"];
    const run = ["<!-- run -->", "```sh", "x", "```"];
    expect(readExamples([...file, ...run, ...run].join("\n"))).toMatchObject([
      { files: [{ path: "a/b.ts", text: "1;\n" }] },
      { files: [] },
    ]);
  });

  test("a longer fence holds a shorter one", () => {
    const text = ["<!-- run -->", "```sh", "x", "```", "<!-- prints -->", "````text", "```", "a", "```", "````"].join("\n");
    expect(readExamples(text)).toMatchObject([{ script: "x", prints: ["```", "a", "```"] }]);
  });

  test("a mark counts for the block right after it", () => {
    expect(readExamples(["<!-- run -->", "text between", "```sh", "x", "```"].join("\n"))).toEqual([]);
  });

  test("promised lines must come in order", () => {
    expect(missingLine("a\nb\nc", ["a", "…", "c"])).toBeUndefined();
    expect(missingLine("a\nb\nc", ["c", "a"])).toBe("a");
  });
});
