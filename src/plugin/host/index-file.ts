import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";
import { SDK_VERSION } from "../generation/index.js";
import type { PluginIndex } from "../types.js";

/** Reads the index of the bundled plugins that the build wrote. It is part of the installation, so its shape is trusted once its version fits. */
export async function loadPluginIndex(dir: string): Promise<Result<PluginIndex, Diagnostic>> {
  const path = join(dir, "index.json");
  try {
    const index = JSON.parse(await readFile(path, "utf8")) as PluginIndex;
    return index.sdk === SDK_VERSION
      ? ok(index)
      : err(brokenIndex(path, `it was built for plugin SDK ${String(index.sdk)}, this smith has ${String(SDK_VERSION)}`));
  } catch (error) {
    return err(brokenIndex(path, error instanceof Error ? error.message : String(error)));
  }
}

const brokenIndex = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.index-broken",
    what: `The index of the bundled plugins cannot be used: ${path}.`,
    why: reason,
    next: "Build smith again (npm run build), or install it again.",
    source: { type: "file", path },
  });
