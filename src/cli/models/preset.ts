import type { Result } from "../../base/index.js";
import { createKdlCache, setInUserConfig } from "../../config/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { CommandContext, Prepared } from "../context.js";

/** Makes a selection the default from the next start on. Gives the path of the file it is in. */
export async function keepModel(
  { host, log }: Pick<CommandContext, "host" | "log">,
  { paths }: Prepared,
  selection: string,
): Promise<Result<string, readonly Diagnostic[]>> {
  const bytes = new Uint8Array(8);
  host.randomBytes(bytes);
  const cache = createKdlCache({
    dir: paths.cache,
    pid: host.pid,
    log: (message) => {
      log.record("warn", "cache", { message });
    },
  });
  const unique = (): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return await setInUserConfig({ paths, cache, unique }, "model", selection);
}
