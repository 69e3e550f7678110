import type { Result, SessionId } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { sessionExists } from "../../diagnostics.js";
import { errorCode } from "../../log/index.js";
import { sessionPath } from "../../names.js";
import type { NewSession } from "../../types.js";
import type { MaintenanceContext } from "../context.js";
import { FileBuilder } from "./file-builder.js";
import { TemporaryFile } from "./temporary.js";

/** Builds a session file and gives it its name: there is a whole new session afterwards, or none. `build` gives its number of entries. */
export async function makeSession(
  context: MaintenanceContext,
  id: SessionId,
  build: (builder: FileBuilder) => Promise<Result<number, Diagnostic>>,
): Promise<Result<NewSession, Diagnostic>> {
  const path = sessionPath(context.deps.dir, id);
  if (await isThere(context, path)) return err(sessionExists(id));
  const made = await TemporaryFile.create(context, id);
  if (!made.ok) return made;
  const file = made.value;
  try {
    const built = await build(new FileBuilder(file, id, context.deps.random));
    if (!built.ok) return built;
    const published = await file.publish(path, id);
    return published.ok ? ok({ id, path, entries: built.value }) : published;
  } finally {
    await file.discard();
  }
}

/** Asked early to save the work; the name decides in the end. */
async function isThere({ ops }: MaintenanceContext, path: string): Promise<boolean> {
  try {
    await ops.stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
