import { lstatSync } from "node:fs";
import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { bytesOf, displayPath, kindWord, notRegular, systemFailure } from "../../paths/index.js";
import type { SearchScope } from "../task.js";

/** What the search starts at; only a folder or a regular file can be searched. */
export function rootKind(scope: SearchScope): Result<"file" | "directory", Diagnostic> {
  const shown = displayPath(scope.root, scope.cwd);
  try {
    const stats = lstatSync(bytesOf(scope.root));
    if (stats.isDirectory()) return ok("directory");
    return stats.isFile() ? ok("file") : err(notRegular(shown, kindWord(stats)));
  } catch (error) {
    return err(systemFailure(error, shown, "searched"));
  }
}
