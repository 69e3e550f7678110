import { mkdir } from "node:fs/promises";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import type { BytePath } from "../paths/index.js";
import { bytesOf, errnoOf, fromText, isWithin, notFolder, resolveReal, showName, systemFailure } from "../paths/index.js";

/** Only its user: what a plugin keeps for itself is nobody else's business. */
const MODE = 0o700;

/** Makes the plugin's own folder when `target` is to be written in it and it is not there yet. Anything else is left alone. */
export async function makeDataFolder(target: BytePath, context: EffectContext): Promise<Result<void, Diagnostic>> {
  const folder = await resolveReal(fromText(context.dataDir));
  if (!folder.ok || folder.value.exists || !isWithin(folder.value.real, target)) return ok(undefined);
  const { real } = folder.value;
  try {
    await mkdir(bytesOf(real), { recursive: true, mode: MODE });
    return ok(undefined);
  } catch (error) {
    // A file came to be in its place.
    if (errnoOf(error) === "EEXIST") return err(notFolder(showName(real)));
    return err(systemFailure(error, showName(real), "made"));
  }
}
