import { err, ok, type Result } from "../../../base/index.js";
import { foldName, nameProblem, plainWords } from "../names.js";

/** Files of a package by relative name, `/` between its parts. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

/** Bounds of a package. Study, "Installing and trusting". */
export const MAX_FILES = 500;
export const MAX_PACKAGE_BYTES = 10 * 1024 * 1024;
export const MAX_MODULE_BYTES = 2 * 1024 * 1024;

/**
 * Files and folders of this name are no part of a plugin: history, settings and secrets of a working copy, and dependencies, which
 * are not installed. Loading leaves out the same.
 */
export const isLeftOut = (name: string): boolean => name.startsWith(".") || name === "node_modules";

const MODULE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/u;

/**
 * Collects files and refuses the first that no package may have: a name that leads out or means two things, a second file under the
 * same name (also where case is not told apart), more or larger ones than allowed. The error is the reason, as a clause.
 */
export class FileCollector {
  readonly #files = new Map<string, Uint8Array>();
  /** Spelling and kind of every file and folder, by folded name. */
  readonly #spelled = new Map<string, { readonly name: string; readonly isFolder: boolean }>();
  #bytes = 0;

  get files(): PackageFiles {
    return this.#files;
  }

  add(name: string, bytes: Uint8Array): Result<void, string> {
    const shown = JSON.stringify(plainWords(name));
    const problem = nameProblem(name);
    if (problem !== undefined) return err(`the name ${shown} cannot be used: ${problem}`);
    const clash = this.#spell(name);
    if (clash !== undefined) return err(`${shown} is there twice, or once as a file and once as a folder: ${JSON.stringify(clash)}`);
    this.#bytes += bytes.length;
    if (this.#files.size >= MAX_FILES) return err(`it has more than ${String(MAX_FILES)} files`);
    if (this.#bytes > MAX_PACKAGE_BYTES) return err(`it is larger than ${String(MAX_PACKAGE_BYTES)} bytes`);
    if (MODULE.test(name) && bytes.length > MAX_MODULE_BYTES)
      return err(`${shown} is larger than the ${String(MAX_MODULE_BYTES)} bytes of a module`);
    this.#files.set(name, bytes);
    return ok(undefined);
  }

  /** The name of the file or folder it clashes with. */
  #spell(name: string): string | undefined {
    const parts = name.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const spelling = { name: parts.slice(0, depth).join("/"), isFolder: depth < parts.length };
      const key = foldName(spelling.name);
      const known = this.#spelled.get(key);
      if (known === undefined) this.#spelled.set(key, spelling);
      else if (!known.isFolder || !spelling.isFolder || known.name !== spelling.name) return known.name;
    }
    return undefined;
  }
}
