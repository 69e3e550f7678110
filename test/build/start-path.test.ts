import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { script } from "./scripts.js";

interface Place {
  readonly root: string;
  readonly out: string;
  readonly version: string;
}

const { bundleProgram } = await script<{
  bundleProgram: (builder: typeof esbuild, place: Place) => Promise<{ readonly metafile: esbuild.Metafile }>;
}>("bundle");

let folder: string;
let metafile: esbuild.Metafile;

/** The program in the chunks it is shipped in. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smith-start-"));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  ({ metafile } = await bundleProgram(esbuild, { root, out: folder, version: "1.2.3" }));
}, 60_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Sources in the chunks that are read for these entries, one after the other. */
function readFor(...entries: readonly string[]): readonly string[] {
  const outputs = new Map(Object.entries(metafile.outputs));
  const chunks = new Set(entries.map((entry) => [...outputs].find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? `no ${entry}`));
  for (const chunk of chunks)
    for (const { path, kind } of outputs.get(chunk)?.imports ?? []) if (kind === "import-statement") chunks.add(path);
  return [...chunks].flatMap((chunk) => Object.keys(outputs.get(chunk)?.inputs ?? { [chunk]: {} }));
}

const ENTRY = ["bin/smith.ts", "src/cli/commands.ts", "bin/host.ts"];
const FIRST_FRAME = [...ENTRY, "src/cli/interactive.ts", "src/tui/index.ts"];
const FIRST_REQUEST = [
  ...ENTRY,
  "src/runtime/early.ts",
  "src/cli/program.ts",
  "src/cli/invocation.ts",
  "src/cli/eval/eval.ts",
  "src/cli/prepare.ts",
  "src/cli/compose.ts",
  "src/runtime/index.ts",
];

describe("what is read", () => {
  test("to the first frame holds no package, nothing of agents, providers, keys or secrets", () => {
    const read = readFor(...FIRST_FRAME);
    expect(read).toContain("src/tui/index.ts");
    expect(read.filter((path) => /^no |node_modules|src\/(?:agent|provider|credential|secret)\//u.test(path))).toEqual([]);
  });

  test("to the first request of a run holds two packages and no interface", () => {
    const read = readFor(...FIRST_REQUEST);
    expect(read).toContain("src/provider/http/engine.ts");
    const packages = new Set(read.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1] ?? []));
    expect([...packages].sort()).toEqual(["commander", "eventsource-parser"]);
    expect(read.filter((path) => /^no |src\/(?:tui|docs|rpc|mcp)\//u.test(path))).toEqual([]);
  });
});
