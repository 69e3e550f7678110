import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleFiles } from "./example-blocks.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guide/writing-plugins.md"), "utf8");

describe("the guide to writing plugins", () => {
  let dir = "";
  // A file that is written twice is shown to be right as it ends.
  const files = new Map(exampleFiles(guide).map(({ path, text }) => [path, text]));

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "smith-guide-"));
    writeFileSync(join(dir, "package.json"), '{"type":"module"}');
    for (const [path, text] of files) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
  });

  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  test("every block of TypeScript is a file of the example, so that none is shown unchecked", () => {
    expect(guide.match(/^```ts$/gmu)).toHaveLength([...files.keys()].filter((path) => path.endsWith(".ts")).length);
  });

  test("its sources have the types of the SDK, strictly", () => {
    const sources = [...files.keys()].filter((path) => path.endsWith(".ts")).map((path) => join(dir, path));
    const program = ts.createProgram(sources, {
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
      paths: { "smith-agent/plugin": [join(root, "src/plugin/sdk.ts")] },
    });
    const wrong = program
      .getSourceFiles()
      .filter(({ fileName }) => sources.includes(fileName))
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(
        ({ file, start, messageText }) => `${file?.fileName ?? ""}:${String(start)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      );
    expect(wrong).toEqual([]);
  });
});
