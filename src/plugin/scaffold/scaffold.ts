import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { badNewId, folderInUse, newUnwritten } from "./diagnostics.js";
import { packageFiles } from "./package-files.js";
import type { ScaffoldKind } from "./types.js";

export interface NewPackage {
  readonly id: string;
  readonly kind: ScaffoldKind;
  /** Of this program: the types of the plugin SDK come with it. */
  readonly version: string;
}

const ID = /^(?!smith\.)[a-z][a-z0-9-]{0,40}(\.[a-z][a-z0-9-]{0,40}){1,3}$/u;

/** Writes a new package into `dir`, absolute, which must not be there or be empty. Gives the names of the files, relative to it. */
export async function scaffoldPackage(dir: string, { id, kind, version }: NewPackage): Promise<Result<readonly string[], Diagnostic>> {
  if (!ID.test(id)) return err(badNewId(id));
  try {
    const inUse = await contentOf(dir);
    if (inUse !== undefined) return err(folderInUse(dir, inUse));
    const files = packageFiles(kind, id, version);
    for (const [name, text] of files) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text, { flag: "wx" });
    }
    return ok([...files.keys()]);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return err(newUnwritten(dir, `The system says: ${error.message}.`));
  }
}

/** Why a place cannot be written to, as the rest of a sentence; undefined when it can. */
async function contentOf(dir: string): Promise<string | undefined> {
  try {
    return (await readdir(dir)).length === 0 ? undefined : "not empty";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") return "no folder";
    throw error;
  }
}
