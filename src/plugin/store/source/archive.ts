import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { err, ok, type Result } from "../../../base/index.js";
import { nameProblem, plainWords } from "../names.js";
import { FileCollector, MAX_FILES, MAX_PACKAGE_BYTES, type PackageFiles } from "./files.js";
import { readTar, type TarEntry } from "./tar.js";

/** Of the archive as it comes. */
export const MAX_ARCHIVE_BYTES = 10 * 1024 * 1024;

/** Each file has a header, may have an extended one, and is filled up to whole blocks. */
const TAR_BYTES_PER_FILE = 4 * 512;
const MAX_TAR_BYTES = MAX_PACKAGE_BYTES + (MAX_FILES * 2 + 2) * TAR_BYTES_PER_FILE;

const inflate = promisify(gunzip);

/**
 * Files of a gzipped tar archive, without the one folder all of them lie in (`package/` in those of npm). Inflating stops as soon as
 * more comes out than a package may hold. The error is the reason, as a clause.
 */
export async function readArchive(bytes: Uint8Array): Promise<Result<PackageFiles, string>> {
  if (bytes.length > MAX_ARCHIVE_BYTES) return err(`it is larger than ${String(MAX_ARCHIVE_BYTES)} bytes`);
  const tar = await inflateBounded(bytes);
  if (!tar.ok) return tar;
  // Folders are entries, too; those that hold nothing are not kept.
  const entries = readTar(tar.value, MAX_FILES * 2);
  return entries.ok ? collect(entries.value) : entries;
}

async function inflateBounded(bytes: Uint8Array): Promise<Result<Uint8Array, string>> {
  try {
    return ok(await inflate(bytes, { maxOutputLength: MAX_TAR_BYTES }));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_BUFFER_TOO_LARGE") return err(`it unpacks to more than ${String(MAX_PACKAGE_BYTES)} bytes`);
    if (typeof code === "string" && code.startsWith("Z_")) return err("it is no whole gzip archive");
    throw error;
  }
}

function collect(entries: readonly TarEntry[]): Result<PackageFiles, string> {
  const named = entries.map((entry) => ({ ...entry, name: bareName(entry) }));
  for (const { name } of named) {
    const problem = nameProblem(name);
    if (problem !== undefined) return err(`the name ${JSON.stringify(plainWords(name))} cannot be used: ${problem}`);
  }
  const files = named.filter(({ isFolder }) => !isFolder);
  const top = commonFolder(files.map(({ name }) => name));
  const collector = new FileCollector();
  for (const { name, bytes } of files) {
    const added = collector.add(name.slice(top.length), bytes);
    if (!added.ok) return added;
  }
  return ok(collector.files);
}

/** Without the `/` folders end in and the `./` some tools begin every name with. */
function bareName({ name, isFolder }: TarEntry): string {
  const bare = isFolder ? name.replace(/\/$/u, "") : name;
  // The folder the archive was made in: no entry of its own.
  if (isFolder && (bare === "." || bare === "")) return "package";
  return bare.startsWith("./") ? bare.slice(2) : bare;
}

/** The folder all of them lie in, with its `/`; empty when there is none. */
function commonFolder([first = "", ...rest]: readonly string[]): string {
  const top = first.slice(0, first.indexOf("/") + 1);
  return top !== "" && rest.every((name) => name.startsWith(top)) ? top : "";
}
