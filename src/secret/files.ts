import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { codeOf } from "../guarded-file/index.js";
import type { Diagnostic } from "../schema/index.js";
import { secretFileUnread } from "./diagnostics.js";
import { type DotenvEntry, parseDotenv } from "./dotenv.js";

export const SECRET_FILE_BOUNDS = { bytes: 256 * 1024, entries: 500 } as const;

export interface SecretFile {
  /** Absolute. */
  readonly path: string;
  readonly entries: readonly DotenvEntry[];
  /** There is something, and it is not known what. */
  readonly problem?: Diagnostic;
}

/** Reads the files of `secrets.files`, relative ones from `root`. One that is not there has nothing in it. Never rejects. */
export const readSecretFiles = async (files: readonly string[], root: string): Promise<readonly SecretFile[]> =>
  await Promise.all(files.map(async (file) => await readSecretFile(isAbsolute(file) ? file : join(root, file))));

async function readSecretFile(path: string): Promise<SecretFile> {
  try {
    // Nobody may ever write into a named pipe.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return unread(path, "It is no file.");
      if (facts.size > SECRET_FILE_BOUNDS.bytes) return unread(path, `It has more than ${String(SECRET_FILE_BOUNDS.bytes)} bytes.`);
      const entries = parseDotenv(await file.readFile("utf8"));
      if (entries.length > SECRET_FILE_BOUNDS.entries)
        return unread(path, `It has more than ${String(SECRET_FILE_BOUNDS.entries)} variables.`);
      return { path, entries };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return { path, entries: [] };
    return unread(path, `The system says: ${code}.`);
  }
}

const unread = (path: string, why: string): SecretFile => ({ path, entries: [], problem: secretFileUnread(path, why) });
