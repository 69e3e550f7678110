import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../paths/index.js";
import { MARK_NAME } from "./family.js";

export type Environment = Readonly<Record<string, string>>;

/**
 * Added to the user's environment, so that nothing waits for a person who cannot answer: editors that git opens fail at
 * once (a rebase does not silently run with an unedited list), no password prompts, no pagers. The locale is the user's.
 */
const UNATTENDED: Environment = {
  AI_AGENT: "smith",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_PAGER: "cat",
  PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
};

export const commandEnvironment = (env: Environment, mark: string): Environment => ({ ...env, ...UNATTENDED, [MARK_NAME]: mark });

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** `bash` when it is on the PATH, else `sh`. */
export async function findShell(env: Environment): Promise<string> {
  for (const folder of (env["PATH"] ?? FALLBACK_PATH).split(":")) {
    if (!folder.startsWith("/")) continue;
    const path = join(folder, "bash");
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
  return "/bin/sh";
}
