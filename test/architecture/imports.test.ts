import { describe, expect, test } from "vitest";
import { cycles, fenceComplaints, importComplaints } from "./laws.js";
import { parseSource, readSources } from "./source.js";

const sources = readSources("src", "bin", "plugins", "docs/examples");

describe("the sources", () => {
  test("folders import by the table, through doors", () => {
    expect(importComplaints(sources)).toEqual([]);
  });

  test("packages stay in their homes", () => {
    expect(fenceComplaints(sources)).toEqual([]);
  });

  test("no file imports itself in a circle, types included", () => {
    expect(cycles(sources)).toEqual([]);
  });
});

describe("what the import rules catch", () => {
  test.each([
    ["a folder above", "src/base/x.ts", `import { y } from "../schema/index.js";`],
    ["a sibling the table does not list", "src/provider/x.ts", `import type { y } from "../session/index.js";`],
    ["a way past the door", "src/agent/x.ts", `import type { y } from "../session/log.js";`],
    ["a type import in an expression of types", "src/base/x.ts", `export type Y = import("../schema/index.js").Y;`],
    ["an export from above", "src/base/x.ts", `export * from "../schema/index.js";`],
    ["a frontend imported at once", "src/cli/commands.ts", `import { y } from "../tui/index.js";`],
    ["a frontend loaded lazily from elsewhere", "src/cli/eval.ts", `const y = await import("../tui/index.js");`],
    ["more than the command line from bin", "bin/smith.ts", `import { y } from "../src/runtime/index.js";`],
    ["the host from a plugin", "plugins/tool-read/index.ts", `import { y } from "../../src/base/index.js";`],
    ["another plugin", "plugins/tool-read/index.ts", `import { y } from "../tool-list/index.js";`],
    ["the host from an example", "docs/examples/tool-x/src/main.ts", `import { y } from "../../../../src/base/index.js";`],
    ["another example", "docs/examples/tool-x/src/main.ts", `import { y } from "../../tool-y/src/main.js";`],
  ])("%s", (_name, path, text) => {
    expect(importComplaints([parseSource(path, text)])).toHaveLength(1);
  });

  test.each([
    ["its own folder", "src/session/log.ts", `import { y } from "./codec/frame.js";`],
    ["a door below", "src/agent/x.ts", `import type { y } from "../session/index.js";`],
    ["a frontend loaded lazily from the commands", "src/cli/commands.ts", `const y = await import("../tui/index.js");`],
    ["the command line from bin", "bin/smith.ts", `import { y } from "../src/cli/index.js";`],
  ])("%s is allowed", (_name, path, text) => {
    expect(importComplaints([parseSource(path, text)])).toEqual([]);
  });

  test.each([
    ["react outside the chrome", "src/tui/store.ts", `import { useState } from "react";`],
    ["a part of a fenced package", "src/cli/x.ts", `import "ink/build/x.js";`],
    ["files read by the agent", "src/agent/x.ts", `import { readFile } from "node:fs/promises";`],
    ["a package without a home", "src/base/x.ts", `import "left-pad";`],
    ["a package in a plugin", "plugins/tool-read/index.ts", `import "zod";`],
    ["Node in a plugin", "plugins/tool-read/index.ts", `import "node:fs";`],
    ["a package in an example", "docs/examples/tool-x/test/main.test.ts", `import "vitest";`],
  ])("%s", (_name, path, text) => {
    expect(fenceComplaints([parseSource(path, text)])).toHaveLength(1);
  });

  test("a circle of two files is named", () => {
    const files = [
      parseSource("src/base/a.ts", `import type { b } from "./b.js";`),
      parseSource("src/base/b.ts", `import { a } from "./a.js";`),
    ];
    expect(cycles(files)).toEqual([["src/base/a.ts", "src/base/b.ts", "src/base/a.ts"]]);
  });
});
