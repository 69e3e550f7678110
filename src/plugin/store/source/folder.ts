import { err, ok, type Result } from "../../../base/index.js";
import { plainWords } from "../names.js";
import { readTree } from "../tree.js";
import { FileCollector, isLeftOut, MAX_FILES, MAX_PACKAGE_BYTES, type PackageFiles } from "./files.js";

/** Files of a folder. The error is the reason, as a clause. */
export async function readFolder(dir: string): Promise<Result<PackageFiles, string>> {
  const tree = await readTree(dir, [""], { maxFiles: MAX_FILES, maxBytes: MAX_PACKAGE_BYTES, skips: isLeftOut });
  if (!tree.ok) return err(`${JSON.stringify(plainWords(tree.error.path))} cannot be taken: ${tree.error.reason}`);
  const collector = new FileCollector();
  for (const { name, bytes } of tree.value) {
    const added = collector.add(name, bytes);
    if (!added.ok) return added;
  }
  return ok(collector.files);
}
