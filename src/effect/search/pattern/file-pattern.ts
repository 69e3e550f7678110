import picomatch from "picomatch";
import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { BytePath } from "../../paths/index.js";
import { baseOf, isWithin, parseName, relativeTo, showName, textOf } from "../../paths/index.js";
import { badGlob } from "../failures.js";
import type { SearchScope } from "../task.js";

/** How a path fits a pattern. `name` beats `glob`: a file called `[x].txt` is meant by that pattern, not `x.txt`. */
export type Fit = "name" | "glob" | "none";

export interface FilePattern {
  fit(path: BytePath): Fit;
  /** A fit by name may still come after many by glob. */
  readonly mayBeName: boolean;
  /** Asked for folders (`src/`). */
  readonly wantsFolders: boolean;
}

const GROUPING = /[[\]{}()!+@]/u;

/**
 * A glob matched against the path below the root and the one below the workspace; without a slash against the name alone,
 * at any depth. The same text is also taken as a name, with `*` and `?` still open, so that names that hold brackets or
 * braces are found as they are written.
 */
export function compilePattern(pattern: string, scope: SearchScope): Result<FilePattern, Diagnostic> {
  const wantsFolders = pattern.endsWith("/");
  const wanted = relativePattern(pattern, scope).replace(/^(?:\.\/)+|\/+$/gu, "");
  if (wanted === "") return err(badGlob(pattern, "it is empty"));
  if (wanted.startsWith("/") || wanted.split("/").includes(".."))
    return err(badGlob(pattern, "it leads out of the folder that is searched; name another folder as the path"));
  try {
    // Names may hold line ends, so `**` must take them too.
    const options = { dot: true, nonegate: false, flags: "s" };
    const globs = picomatch(wanted, options);
    const names = GROUPING.test(wanted) ? picomatch(wanted.replace(/[[\]{}()!+@\\]/gu, "\\$&"), { ...options, nonegate: true }) : undefined;
    const isBare = !wanted.includes("/");
    const exact = parseName(wanted);
    const fits = (path: BytePath): Fit => {
      const text = textOf(path);
      if (path === exact || names?.(text) === true) return "name";
      return globs(text) ? "glob" : "none";
    };
    const fit = (path: BytePath): Fit => {
      if (isBare) return fits(baseOf(path));
      const below = fits(relativeTo(scope.root, path));
      if (below !== "none" || !isWithin(scope.cwd, path)) return below;
      return fits(relativeTo(scope.cwd, path));
    };
    return ok({ fit, mayBeName: names !== undefined, wantsFolders });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return err(badGlob(pattern, error.message));
  }
}

/** An absolute pattern below the root or the workspace is one relative to it. */
function relativePattern(pattern: string, { root, cwd }: SearchScope): string {
  if (!pattern.startsWith("/")) return pattern;
  for (const folder of [root, cwd]) {
    const prefix = `${showName(folder)}/`;
    if (pattern.startsWith(prefix)) return pattern.slice(prefix.length);
  }
  return pattern;
}
