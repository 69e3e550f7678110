import { execFile } from "node:child_process";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const VERSION = "0.115.1";

/**
 * Folder of a real `nu` of a pinned version: of the installed package, else fetched once from the registry into node_modules/.cache. The
 * wrapper package wants Node 22; the package of a platform, which has the program, runs with any.
 */
export async function nushellFolder(): Promise<string> {
  const name = `@nushell/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const installed = installedFolder(name);
  if (installed !== undefined) return installed;
  const cache = fileURLToPath(new URL(`../../node_modules/.cache/nushell-${VERSION}`, import.meta.url));
  const bin = join(cache, "package", "bin");
  if (await isThere(join(bin, "nu"))) return bin;
  const fresh = `${cache}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  try {
    const { stdout } = await run("npm", ["pack", `${name}@${VERSION}`, "--silent", "--pack-destination", fresh]);
    await run("tar", ["xzf", join(fresh, stdout.trim()), "-C", fresh]);
    await rm(join(fresh, stdout.trim()));
    // Another run may have been faster.
    await rename(fresh, cache).catch(() => undefined);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  await access(join(bin, "nu"));
  return bin;
}

function installedFolder(name: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "bin");
  } catch {
    return undefined;
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
