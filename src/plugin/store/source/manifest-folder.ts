import { posix } from "node:path";
import { z } from "zod";
import { err, ok, parseJson, type Result } from "../../../base/index.js";
import { nameProblem, plainWords } from "../names.js";
import { isLeftOut, type PackageFiles } from "./files.js";

const MANIFEST = "manifest.kdl";

/** Of npm: everything else in it is not ours to judge. */
const packageJsonSchema = z.looseObject({
  smith: z.looseObject({ plugin: z.string().optional() }).optional(),
  scripts: z.record(z.string(), z.unknown()).optional(),
});

/** What npm would run when the package is installed. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

export interface PluginFiles {
  /** Relative to the manifest's folder. */
  readonly files: PackageFiles;
  /** Names of scripts that a package manager would have run. */
  readonly scripts: readonly string[];
}

/**
 * The files of the plugin in a package: those below the folder of the manifest that `package.json` names as `smith.plugin`, else all.
 * The error is the reason, as a clause.
 */
export function pluginOf(files: PackageFiles): Result<PluginFiles, string> {
  const described = describe(files.get("package.json"));
  if (!described.ok) return described;
  const { scripts, manifest } = described.value;
  const folder = folderOf(manifest);
  const problem = folder === "" ? undefined : nameProblem(folder);
  if (problem !== undefined) return err(`package.json names ${JSON.stringify(plainWords(manifest))} as its plugin: ${problem}`);
  const prefix = folder === "" ? "" : `${folder}/`;
  const below = [...files].filter(([name]) => name.startsWith(prefix)).map(([name, bytes]) => [name.slice(prefix.length), bytes] as const);
  const own = new Map(below.filter(([name]) => !name.split("/").some(isLeftOut)));
  return own.has(MANIFEST) ? ok({ files: own, scripts }) : err(`there is no ${prefix}${MANIFEST}`);
}

function describe(bytes: Uint8Array | undefined): Result<{ readonly manifest: string; readonly scripts: readonly string[] }, string> {
  if (bytes === undefined) return ok({ manifest: MANIFEST, scripts: [] });
  const parsed = packageJsonSchema.safeParse(parseJson(Buffer.from(bytes).toString("utf8")));
  if (!parsed.success) return err("package.json is not one of a package");
  const { smith, scripts } = parsed.data;
  return ok({ manifest: smith?.plugin ?? MANIFEST, scripts: INSTALL_SCRIPTS.filter((name) => scripts?.[name] !== undefined) });
}

/** Names the manifest or its folder. Not made shorter where it leads upwards: that is refused by its name. */
function folderOf(manifest: string): string {
  const path = posix.normalize(manifest.replace(/\/+$/u, ""));
  const folder = posix.basename(path) === MANIFEST ? posix.dirname(path) : path;
  return folder === "." ? "" : folder;
}
