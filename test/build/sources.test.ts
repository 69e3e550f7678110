import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { script } from "./scripts.js";

const { createDoors } = await script<{ createDoors: () => (path: string, text: string) => Promise<string> }>("doors");
const { takeNodeModules } = await script<{ takeNodeModules: (text: string) => string }>("node-modules");

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), "smith-doors-"));
  folders.push(dir);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

test("an import through a door goes to the file that makes the name, through as many doors as there are", async () => {
  const dir = folder({
    "a/index.ts":
      'export { one, type Kind } from "./one.js";\nexport { far as near } from "./deep/index.js";\nexport type * from "./types.js";\n',
    "a/deep/index.ts": 'export { far } from "./far.js";\n',
  });
  const direct = createDoors();
  const text = 'import { type Kind, near, one as first } from "../a/index.js";\nfirst(near);\n';
  expect(await direct(join(dir, "b/user.ts"), text)).toBe(
    'import { far as near } from "../a/deep/far.js"; import { one as first } from "../a/one.js";\nfirst(near);\n',
  );
});

test("what a door shows on is shown from where it is made", async () => {
  const dir = folder({ "a/index.ts": 'export { one } from "./one.js";\n' });
  expect(await createDoors()(join(dir, "b/index.ts"), 'export { one as two } from "../a/index.js";\n')).toBe(
    'export { one as two } from "../a/one.js";\n',
  );
});

test("imports of files, of types and of what a door makes itself stay as they are", async () => {
  const dir = folder({ "a/index.ts": "export const own = 1;\n" });
  const text = 'import { x } from "./x.js";\nimport type { Y } from "../a/index.js";\n';
  expect(await createDoors()(join(dir, "b/user.ts"), text)).toBe(text);
  expect(await createDoors()(join(dir, "b/user.ts"), 'import { own } from "../a/index.js";\n')).toBe(
    'import { own as own } from "../a/index.js";\n',
  );
});

test("lines stay where they are", async () => {
  const dir = folder({ "a/index.ts": 'export { one } from "./one.js";\n' });
  const direct = await createDoors()(join(dir, "b/user.ts"), 'import {\n  one,\n} from "../a/index.js";\nthrow one;\n');
  expect(direct.split("\n").indexOf("throw one;")).toBe(3);
  expect(takeNodeModules('import {\n  open,\n} from "node:fs";\nthrow open;\n').split("\n").indexOf("throw open;")).toBe(3);
});

test("Node's modules are asked for by hand, name by name", () => {
  expect(takeNodeModules('import { open, type Stats, stat as look } from "node:fs";\n')).toBe(
    'const open = /* @__PURE__ */ (() => process.getBuiltinModule("node:fs").open)(); ' +
      'const look = /* @__PURE__ */ (() => process.getBuiltinModule("node:fs").stat)();\n',
  );
  expect(takeNodeModules('import * as fs from "node:fs";\n')).toBe(
    'const fs = /* @__PURE__ */ (() => process.getBuiltinModule("node:fs"))();\n',
  );
  expect(takeNodeModules('const { get } = await import("node:http");\n')).toBe(
    'const { get } = await Promise.resolve(process.getBuiltinModule("node:http"));\n',
  );
  const untouched = 'import type { Stats } from "node:fs";\nimport { a } from "./a.js";\n';
  expect(takeNodeModules(untouched)).toBe(untouched);
});
