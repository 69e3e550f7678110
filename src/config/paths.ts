import { isAbsolute, join, resolve } from "node:path";
import { err, ok, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { noHome } from "./diagnostics.js";
import type { Paths } from "./types.js";

export interface PathInputs {
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly platform: string;
  /** The account's home folder as the system knows it; asked only when no variable says. */
  readonly userHome: () => string | undefined;
}

type Kind = "config" | "data" | "state" | "cache";

const XDG: Readonly<Record<Kind, { readonly env: string; readonly below: string }>> = {
  config: { env: "XDG_CONFIG_HOME", below: ".config" },
  data: { env: "XDG_DATA_HOME", below: ".local/share" },
  state: { env: "XDG_STATE_HOME", below: ".local/state" },
  cache: { env: "XDG_CACHE_HOME", below: ".cache" },
};

/**
 * Folders of smith: all under SMITH_HOME when that is set, else by the XDG rules (a relative XDG variable is ignored, as they
 * say), on Windows by APPDATA and LOCALAPPDATA. Touches no disk. Fails only when no home folder is known and one is needed.
 */
export function resolvePaths(inputs: PathInputs): Result<Paths, Diagnostic> {
  const own = given(inputs.env["SMITH_HOME"]);
  if (own !== undefined) {
    const root = resolve(inputs.cwd, own);
    return ok(
      withSessions({ config: join(root, "config"), data: join(root, "data"), state: join(root, "state"), cache: join(root, "cache") }),
    );
  }
  const config = folder(inputs, "config");
  const data = folder(inputs, "data");
  const state = folder(inputs, "state");
  const cache = folder(inputs, "cache");
  if (config === undefined || data === undefined || state === undefined || cache === undefined) return err(noHome());
  return ok(withSessions({ config, data, state, cache }));
}

const withSessions = (folders: Omit<Paths, "sessions">): Paths => ({ ...folders, sessions: join(folders.data, "sessions") });

const given = (value: string | undefined): string | undefined => (value === undefined || value.trim() === "" ? undefined : value);

const absolute = (value: string | undefined): string | undefined => (value !== undefined && isAbsolute(value) ? value : undefined);

function folder({ env, platform, userHome }: PathInputs, kind: Kind): string | undefined {
  const base = absolute(given(env[XDG[kind].env]));
  if (base !== undefined) return join(base, "smith");
  if (platform === "win32") {
    const windows = given(kind === "config" ? env["APPDATA"] : env["LOCALAPPDATA"]);
    if (windows !== undefined) return kind === "config" ? join(windows, "smith") : join(windows, "smith", kind);
  }
  const home = absolute(given(env["HOME"])) ?? absolute(given(userHome()));
  return home === undefined ? undefined : join(home, XDG[kind].below, "smith");
}
