import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A temporary folder, by its real path; removed when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "smith-package-")));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes files by relative name, with their folders. */
export async function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

export const MANIFEST = `plugin "acme.demo" version="0.1.0" sdk=1 entry="src/main.ts" {
  description "A plugin of the tests"
}
`;

export const MAIN = `import { definePlugin } from "smith-agent/plugin";
export default definePlugin({});
`;

/** A folder with a sound plugin and the given files, which replace its own. */
export async function pluginFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const root = join(await temporaryFolder(), "demo");
  await writeFiles(root, { "manifest.kdl": MANIFEST, "src/main.ts": MAIN, ...files });
  return root;
}
