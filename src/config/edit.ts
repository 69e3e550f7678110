import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { badValue, unwritable } from "./diagnostics.js";
import { editKdl, type KdlCache, loadConfigFile } from "./file/index.js";
import { userConfigPath } from "./load.js";
import { anyOption } from "./options.js";
import type { Paths } from "./types.js";

export interface EditInputs {
  readonly paths: Paths;
  readonly cache: KdlCache;
  /** For the name of the file that is written before it takes the place of the old one. */
  readonly unique: () => string;
}

/**
 * Sets one setting in the person's own configuration. Everything else of the file stays as it is: comments, formatting, mode, the link it
 * is. A file with an error is left alone. Gives the path.
 */
export async function setInUserConfig(inputs: EditInputs, name: "model", text: string): Promise<Result<string, readonly Diagnostic[]>> {
  const option = anyOption(name);
  if (option.kind.parseText(text) === undefined) return err([badValue(option, JSON.stringify(text), { type: "flag", name: option.key })]);
  const path = userConfigPath(inputs.paths);
  const known = await loadConfigFile(path, "user", inputs.cache);
  if (!known.ok) return known;
  try {
    const target = known.value === undefined ? path : await realpath(path);
    const before = known.value === undefined ? "" : await readFile(target, "utf8");
    await replace(target, await editKdl(before, option.key, text), inputs.unique());
    return ok(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err([unwritable(path, reason)]);
  }
}

async function replace(path: string, text: string, unique: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const mode = await stat(path).then(
    (known) => known.mode & 0o777,
    () => 0o600,
  );
  const temporary = join(folder, `.config-${unique}.tmp`);
  try {
    await writeFile(temporary, text, { mode, flush: true });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
