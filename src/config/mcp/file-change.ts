import { mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, type JsonObject, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { mcpFileBroken, mcpFileUnwritten, mcpServerNotAdded } from "../diagnostics.js";
import { problemOf } from "./json-file.js";
import { withoutServer, withServer } from "./json-edit.js";

export interface McpFilePlace {
  /** Absolute, there or not. */
  readonly path: string;
  /** Of this process, for the name of what is written beside it. */
  readonly pid: number;
}

/**
 * Writes a server to a `mcp.json`. True: it took the place of one of that name. What else is in the file stays. One that would not be used
 * is not written: it would take the place of one that works.
 */
export async function addMcpServer(place: McpFilePlace, name: string, server: JsonObject): Promise<Result<boolean, Diagnostic>> {
  const problem = problemOf(name, server, place.path);
  if (problem !== undefined) return err(mcpServerNotAdded(place.path, name, problem));
  const text = await readText(place.path);
  const written = withServer(text, name, server);
  if (written === undefined) return err(mcpFileBroken(place.path));
  const isThere = text !== undefined && withoutServer(text, name) !== false;
  const failure = await replace(place, written);
  return failure === undefined ? ok(isThere) : err(failure);
}

/** Takes a server out of a `mcp.json`. False: it is not in there. */
export async function removeMcpServer(place: McpFilePlace, name: string): Promise<Result<boolean, Diagnostic>> {
  const written = withoutServer(await readText(place.path), name);
  if (written === undefined) return err(mcpFileBroken(place.path));
  if (written === false) return ok(false);
  const failure = await replace(place, written);
  return failure === undefined ? ok(true) : err(failure);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // A file that is there and cannot be read must not be replaced: as no JSON it is refused.
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : "unreadable";
  }
}

/** Whole or as it was: written beside it and renamed. */
async function replace({ path, pid }: McpFilePlace, text: string): Promise<Diagnostic | undefined> {
  const temporary = join(dirname(path), `.mcp.json.${pid}.tmp`);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, path);
    return undefined;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    return mcpFileUnwritten(path, error instanceof Error ? error.message : String(error));
  }
}
